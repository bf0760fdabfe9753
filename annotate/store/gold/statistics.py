"""Statistics of the gold set: its course over time, its coverage of the traffic, the wrong answers, and pairs that experts keep.

Counts and ids come out, never a text. The rule: an answer of the traffic is covered where it was asked word for word what an
accepted entry asks, after the same conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from annotate.domain.gold import GoldRole, GoldSource, GoldStatus
from annotate.domain.gold.answers import UncoveredQuestion
from annotate.store.audit.tombstones import FORGOTTEN
from annotate.store.engine.database import from_column, to_column
from annotate.store.engine.rollups import CountingRoom, Row
from annotate.store.gold.entries import LIVE, NOT_SYNTHETIC, WITHOUT_REFERENCE
from annotate.store.labels.labels import LABEL_THAT_COUNTS

# An answer that was labelled right is no reference of its own; what came with the traffic, or from its end user, no label wrote.
SCORED_BY_OWN = f"""
    SELECT count(DISTINCT s.item) FROM gold g JOIN
        (SELECT gold_id, item FROM gold UNION SELECT gold_id, item FROM gold_answers WHERE is_corrected) o USING (gold_id)
    CROSS JOIN texts t ON t.key = o.item CROSS JOIN scores s ON s.item = o.item AND s.judge = ?
    WHERE g.status = 'accepted' AND g.flag IS NULL AND trim(coalesce(t.reference, '')) = ''
    AND g.source IN ('{GoldSource.WRITTEN}', '{GoldSource.APP}', '{GoldSource.COMMAND}')
"""
KEPT_BOTH = "gold keep both"
STEPS = (
    "SELECT r.gold_id, r.at, r.status, g.role FROM gold_revisions r JOIN gold g USING (gold_id) "
    f"WHERE {NOT_SYNTHETIC} ORDER BY r.sequence"
)
ROLES = (
    f"SELECT role, count(*), count(DISTINCT cluster) FROM gold g WHERE status = 'accepted' AND {NOT_SYNTHETIC} "
    "GROUP BY role ORDER BY count(*) DESC, role"
)
# The question is compared first: the conversation stands behind the long passages of a row.
ASKED = f"""
    WITH asked AS MATERIALIZED (
        SELECT DISTINCT coalesce(g.question, t.question) AS question, coalesce(g.history, t.history, '[]') AS history
        FROM gold g LEFT JOIN texts t ON t.key = g.item
        WHERE g.status = 'accepted' AND {NOT_SYNTHETIC} AND coalesce(g.question, t.question) != '{FORGOTTEN}')
"""
COVERED = (
    "t.question IN (SELECT question FROM asked) AND (t.question, t.history) IN (SELECT question, history FROM asked)"
)
QUESTIONS = f"{ASKED} SELECT count(*) FROM asked"
# Texts are read by themselves, for a join with all items would take far longer than either.
TRAFFIC = f"""
    {ASKED}, covered AS MATERIALIZED (SELECT key FROM texts t WHERE {COVERED})
    SELECT system, language, count(*), 0 FROM items WHERE is_current GROUP BY 1, 2
    UNION ALL SELECT i.system, i.language, 0, count(*) FROM covered c CROSS JOIN items i USING (key) WHERE i.is_current
    GROUP BY 1, 2
"""
COVERED_ITEMS = (
    f"{ASKED}, covered AS MATERIALIZED (SELECT key FROM texts t WHERE {COVERED}) "
    "SELECT c.key FROM covered c CROSS JOIN items i USING (key) WHERE i.is_current"
)
# Changes whenever an entry is accepted, edited or taken out; a new candidate leaves it as it is.
STAMP = (
    "SELECT count(DISTINCT g.gold_id), coalesce(max(r.sequence), 0) FROM gold g JOIN gold_revisions r USING (gold_id) "
    "WHERE g.status = 'accepted'"
)
# An answer stands as the entry that corrects it, an accepted one first; without one, as its own.
WRONG = f"""
    SELECT l.item, i.system, i.language, l.causes, l.harm, o.status, CASE WHEN o.item = l.item THEN o.source END
    FROM labels l JOIN items i ON i.key = l.item LEFT JOIN gold o ON o.gold_id = coalesce(
        (SELECT g.gold_id FROM gold_answers a JOIN gold g USING (gold_id) WHERE a.item = l.item AND a.is_corrected AND {LIVE}
            ORDER BY g.status = 'accepted' DESC, g.gold_id LIMIT 1),
        (SELECT gold_id FROM gold WHERE item = l.item))
    WHERE {LABEL_THAT_COUNTS} AND i.forgotten_at IS NULL AND l.judgement = 'wrong' ORDER BY l.item
"""
WAITING = WITHOUT_REFERENCE.replace(
    "SELECT l.item", "SELECT l.item, l.harm = 'serious', coalesce(nullif(i.question, ''), i.key)", 1
)
# A pair that experts keep stands until one of its references has become another.
KEPT = f"""
    SELECT one.gold_id, other.gold_id FROM events e
    JOIN gold_revisions a ON a.sequence = CASE WHEN json_valid(e.detail) THEN json_extract(e.detail, '$.revisions[0]') END
    JOIN gold one ON one.gold_id = a.gold_id AND one.reference = a.reference
    JOIN gold_revisions b ON b.sequence = CASE WHEN json_valid(e.detail) THEN json_extract(e.detail, '$.revisions[1]') END
    JOIN gold other ON other.gold_id = b.gold_id AND other.reference = b.reference
    WHERE e.what = '{KEPT_BOTH}'
"""


# SQLite's lower() knows ASCII alone, so other letters are found as they are written.
FOUND = f"""
    SELECT g.gold_id FROM gold g LEFT JOIN items i ON i.key = g.item LEFT JOIN texts t ON t.key = g.item
    WHERE g.status = :status AND {NOT_SYNTHETIC} AND (:role IS NULL OR g.role = :role) AND (:words = '' OR
        instr(lower(CAST(coalesce(g.question, t.question) AS TEXT)), lower(:words))
        OR instr(lower(CAST(g.reference AS TEXT)), lower(:words)) OR g.gold_id = :words OR i.id = :words)
    ORDER BY g.item IS NULL, g.item, g.gold_id
"""
ASKED_BY = (
    "SELECT g.gold_id, coalesce(g.question, t.question, '') FROM gold g LEFT JOIN texts t ON t.key = g.item "
    "WHERE g.gold_id IN (SELECT value FROM json_each(?))"
)


class NotCountedError(Exception):
    """A roll-up that would have to be counted."""


class RevisionStep(NamedTuple):
    """One revision of an entry, in the order they were made, with the role that the entry has today."""

    gold_id: str
    at: str
    status: GoldStatus
    role: GoldRole | None


class RoleCount(NamedTuple):
    """Numbers of accepted entries with a role and of their clusters of questions; entries without a role have none yet."""

    role: GoldRole | None
    accepted: int
    clusters: int


class TrafficCoverage(NamedTuple):
    """Current items of a system and a language, and how many of them ask what an accepted entry asks; rows add up."""

    system: str | None
    language: str | None
    items: int
    covered: int


class WrongAnswer(NamedTuple):
    """A current item that annotators call wrong, with the status of the gold entry that corrects it, or of its own.

    `source` is that of its own entry, None for that of another answer; both are None without one.
    """

    item: int
    system: str | None
    language: str | None
    causes: tuple[str, ...]
    harm: str | None
    status: GoldStatus | None
    source: GoldSource | None


class GoldStatistics(CountingRoom):
    """Read gold, gold_revisions, labels, items and texts together."""

    def steps(self) -> list[RevisionStep]:
        """Return every revision of every entry, oldest first."""
        return [
            RevisionStep(gold_id, at, GoldStatus(status), None if role is None else GoldRole(role))
            for gold_id, at, status, role in self._db.conn.execute(STEPS)
        ]

    def roles(self) -> list[RoleCount]:
        """Return the accepted entries by role, the largest first."""
        rows = self._db.conn.execute(ROLES)
        return [RoleCount(None if role is None else GoldRole(role), count, clusters) for role, count, clusters in rows]

    def questions(self) -> int:
        """Return how many different questions have an accepted reference."""
        return int(self._db.conn.execute(QUESTIONS).fetchone()[0])

    def traffic(self) -> list[TrafficCoverage]:
        """Return the traffic by system and language with what is covered; kept until the items or what is accepted change."""
        rows = self._kept(lambda: self._traffic.execute(TRAFFIC).fetchall())
        return [TrafficCoverage(*row) for row in rows]

    def is_counted(self) -> bool:
        """Return whether `traffic` is known without reading every question."""
        try:
            self._kept(_refuse)
        except NotCountedError:
            return False
        return True

    def _kept(self, count: Callable[[], Sequence[Row]]) -> Sequence[Row]:
        stamp = json.dumps(self._db.conn.execute(STAMP).fetchone())
        return self._rollups.get("gold coverage", ("items",), stamp, count)

    def covered(self) -> set[int]:
        """Return the rows of the current items that are covered."""
        return {row[0] for row in self._traffic.execute(COVERED_ITEMS)}

    def wrong(self) -> list[WrongAnswer]:
        """Return the current items that annotators call wrong."""
        return [
            WrongAnswer(
                item,
                system,
                language,
                tuple(json.loads(causes or "[]")),
                harm,
                None if status is None else GoldStatus(status),
                None if source is None else GoldSource(source),
            )
            for item, system, language, causes, harm, status, source in self._db.conn.execute(WRONG)
        ]

    def find(self, status: GoldStatus, words: str = "", role: GoldRole | None = None) -> list[str]:
        """Find entries with this status by words in question or reference, or by name; of one role or any."""
        values = {"status": status.value, "words": to_column(words), "role": role and role.value}
        return [row[0] for row in self._db.conn.execute(FOUND, values)]

    def asked(self, gold_ids: Sequence[str]) -> dict[str, str]:
        """Return the questions of these entries."""
        rows = self._db.conn.execute(ASKED_BY, (json.dumps(list(gold_ids)),))
        return {gold_id: from_column(question) for gold_id, question in rows}

    def scored_by_own(self, judge: int) -> int:
        """Count the answers that this judge, by its row, scored and that a person wrote an accepted reference for."""
        return int(self._db.conn.execute(SCORED_BY_OWN, (judge,)).fetchone()[0])

    def waiting(self) -> list[UncoveredQuestion]:
        """Return the questions whose wrong answers need a reference: seriously harmful first, then the oldest."""
        questions: dict[str | int, list[tuple[int, bool]]] = {}
        for item, is_serious, question in self._db.conn.execute(WAITING):
            questions.setdefault(question, []).append((item, bool(is_serious)))
        return [
            UncoveredQuestion(tuple(item for item, _ in answers), any(is_serious for _, is_serious in answers))
            for answers in questions.values()
        ]

    def kept_pairs(self) -> set[frozenset[str]]:
        """Return the pairs of near entries of which a person said that both stay, while both say what they said then."""
        return {frozenset(pair) for pair in self._db.conn.execute(KEPT)}


def _refuse() -> Sequence[Row]:
    raise NotCountedError
