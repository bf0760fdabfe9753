"""Read the entries of a check against the gold set, and the items of the system that may answer them.

In come a role or a release and a system, out come rows. The rule: nothing is written here, and a release is read as it was made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotate.domain.gold.matching import GoldQuestion, Offered
from annotate.domain.turns import from_text
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.database import Room, from_column, of_traffic
from annotate.store.engine.item_fields import DATED
from annotate.store.gold.entries import NOT_SYNTHETIC
from proxy.errors import UsageError

TEST = "test"
EVERY = "all"
ENTRY = (
    "SELECT g.gold_id, g.item, coalesce(g.question, t.question), coalesce(g.history, t.history, '[]'), g.cluster, "
    "{reference}, {role}, g.flag, {mark_of}.lacks_knowledge, {at} FROM {source} LEFT JOIN texts t ON t.key = g.item"
)
ACCEPTED = (
    ENTRY.format(reference="g.reference", role="g.role", mark_of="g", at="g.updated_at", source="gold g")
    + f" WHERE g.status = 'accepted' AND {NOT_SYNTHETIC}"
)
RELEASED = (
    ENTRY.format(
        reference="r.reference",
        role="e.role",
        mark_of="e",
        at="r.at",
        source="release_entries e JOIN gold g USING (gold_id) JOIN gold_revisions r ON r.sequence = e.revision",
    )
    + " WHERE e.release = ?"
)
OFFERED = (
    f"SELECT i.key, i.id, t.question, t.history, {DATED}, "
    "CASE WHEN instr(t.metadata, '\"gold_id\"') THEN t.metadata END "
    "FROM items i JOIN texts t USING (key) WHERE i.system = ? AND i.is_current AND i.forgotten_at IS NULL ORDER BY i.key"
)


class Systems(NamedTuple):
    """A system and how many current items it has."""

    system: str
    items: int


class GoldChecks(Room):
    """Read gold, releases, items and texts together."""

    def entries(self, role: str, release: str | None) -> list[GoldQuestion]:
        """Return the accepted entries, or those of a release, of one role; an entry without a role is a test as well."""
        if release is not None:
            names = [row[0] for row in self._db.conn.execute("SELECT name FROM releases ORDER BY at, name")]
            if release not in names:
                known = (
                    f"the releases are {', '.join(names)}" if names else "there is none yet: `assay gold release NAME`"
                )
                raise UsageError(f"there is no release {release}: {known}")
        query, values = (ACCEPTED, []) if release is None else (RELEASED, [release])
        condition = (
            ""
            if role == EVERY
            else " AND coalesce({}, '{}') = ?".format("g.role" if release is None else "e.role", TEST)
        )
        rows = self._db.conn.execute(
            f"{query}{condition} ORDER BY g.gold_id", [*values, *([] if role == EVERY else [role])]
        )
        # A forgotten question is asked of no system, and no answer is checked against its reference.
        return [
            entry
            for entry in map(_asked, rows)
            if entry.question and FORGOTTEN not in (entry.question, entry.reference)
        ]

    def systems(self) -> list[Systems]:
        """Return each system that has items, by name."""
        query = (
            "SELECT system, count(*) FROM items WHERE is_current AND system IS NOT NULL GROUP BY system ORDER BY system"
        )
        return [Systems(*row) for row in of_traffic(self._db).execute(query)]

    def offered(self, system: str) -> Iterator[Offered]:
        """Yield every current item of a system, with its question but without its other texts."""
        for key, item_id, question, history, timestamp, metadata in of_traffic(self._db).execute(OFFERED, (system,)):
            named = json.loads(metadata).get("gold_id") if metadata else None
            yield Offered(
                key=key,
                item_id=item_id,
                question=from_column(question),
                history=from_text(history),
                timestamp=timestamp,
                gold_id=named if isinstance(named, str) else None,
            )

    def system_of(self, keys: Sequence[int]) -> dict[int, str | None]:
        """Return the system of each of these items."""
        systems: dict[int, str | None] = {}
        for start in range(0, len(keys), 1000):
            batch = list(keys[start : start + 1000])
            marks = ", ".join("?" * len(batch))
            systems |= dict(
                of_traffic(self._db).execute(f"SELECT key, system FROM items WHERE key IN ({marks})", batch)
            )
        return systems


def _asked(row: Sequence[object]) -> GoldQuestion:
    gold_id, item, question, history, cluster, reference, role, flag, lacks_knowledge, at = row
    return GoldQuestion(
        gold_id=str(gold_id),
        item=item if isinstance(item, int) else None,
        question=_text(question),
        history=from_text(str(history)),
        cluster=None if cluster is None else str(cluster),
        reference=_text(reference),
        role=None if role is None else str(role),
        flag=None if flag is None else str(flag),
        lacks_knowledge=bool(lacks_knowledge),
        at=str(at),
    )


def _text(value: object) -> str:
    return from_column(value) if isinstance(value, (str, bytes)) else ""
