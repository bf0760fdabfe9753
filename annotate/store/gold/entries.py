"""Read the gold set: entries, their texts, their history, and the wrong answers that have no reference yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from annotate.domain.gold import WRITTEN_HERE, GoldEntry, GoldRole, GoldSource, GoldStatus
from annotate.domain.gold.drafts import TakenProposal, origin_of
from annotate.domain.gold.entries import GoldRevision
from annotate.domain.turns import from_text, to_text
from annotate.store.engine.database import from_column, of_traffic, to_column
from annotate.store.engine.sqlite import Database
from annotate.store.gold.sources import GoldSources
from annotate.store.labels.labels import LABEL_THAT_COUNTS, LabelRows
from annotate.store.traffic.items import read_items
from proxy.records import Context, Item, Turn

# The gold set of the team: what was built from passages stands apart.
NOT_SYNTHETIC = f"g.role IS NOT '{GoldRole.SYNTHETIC.value}'"
# So many corrections of one sender stand among the first candidates; the others come after everything else.
CORRECTIONS_FIRST = 5
BATCH = 500
ENTRY = (
    "SELECT g.gold_id, g.item, i.id, g.reference, g.status, g.source, g.annotator, g.updated_at, g.flag, g.basis, "
    "g.lacks_knowledge, g.role, g.cluster, (SELECT max(sequence) FROM gold_revisions r WHERE r.gold_id = g.gold_id), "
    "g.question, g.contexts, g.history FROM gold g LEFT JOIN items i ON i.key = g.item"
)
# What annotators wrote first, then what they call right, then what came with the traffic, and corrections by turns.
PAGE = f"""
    {ENTRY} LEFT JOIN (SELECT gold_id, row_number() OVER (PARTITION BY annotator ORDER BY item) AS turn
        FROM gold WHERE source = :correction AND status = :status) s USING (gold_id)
    WHERE g.status = :status AND {NOT_SYNTHETIC}
    ORDER BY coalesce(turn, 0) > {CORRECTIONS_FIRST}, CASE g.source WHEN :right THEN 1 WHEN :traffic THEN 2
        WHEN :correction THEN 3 ELSE 0 END, g.item IS NULL, g.item, g.gold_id LIMIT :size OFFSET :start
"""
WITH_REFERENCE = f"""
    g.status != 'retired' AND (g.source IN ('{GoldSource.WRITTEN}', {", ".join(f"'{source}'" for source in WRITTEN_HERE)})
    OR (g.status = 'accepted' AND g.source != '{GoldSource.RIGHT_ANSWER}'))
"""
# What corrects other answers to its question: also an answer that is labelled right, until its label says something else.
LIVE = f"""
    (({WITH_REFERENCE}) OR (g.status != 'retired' AND g.flag IS NULL AND g.source = '{GoldSource.RIGHT_ANSWER}'))
"""
# A right answer that was taken into the gold set is no reference any more once annotators call it wrong.
WITHOUT_REFERENCE = f"""
    SELECT l.item FROM labels l JOIN items i ON i.key = l.item
    WHERE {LABEL_THAT_COUNTS} AND i.forgotten_at IS NULL AND l.judgement = 'wrong' AND l.reference IS NULL
    AND NOT EXISTS (SELECT 1 FROM gold g WHERE g.item = l.item AND {WITH_REFERENCE})
    AND NOT EXISTS (SELECT 1 FROM gold_answers a JOIN gold g USING (gold_id)
        WHERE a.item = l.item AND a.is_corrected AND {LIVE})
    ORDER BY l.harm = 'serious' DESC, l.at, l.item
"""
FORGET_COMPARED = """
    DELETE FROM gold_answers WHERE gold_id = ?1 AND ?2 != (SELECT reference FROM gold WHERE gold_id = ?1)
"""


class GoldRows:
    """The gold and gold_revisions tables."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._labels = LabelRows(db)
        self.sources = GoldSources(db)

    def entries(self, status: GoldStatus | None = None) -> list[GoldEntry]:
        """Return the entries, all or with one status, in the order of their items; those without an item come last.

        Those that were built from passages are in `synthetic` alone.
        """
        condition = " AND g.status = ?" if status else ""
        query = f"{ENTRY} WHERE {NOT_SYNTHETIC}{condition} ORDER BY g.item IS NULL, g.item, g.gold_id"
        return [entry_from_row(row) for row in self._db.conn.execute(query, [status.value] if status else [])]

    def synthetic(self, status: GoldStatus | None = None) -> list[GoldEntry]:
        """Return the entries of role `synthetic` by gold id, all or with one status; each holds its question and passages."""
        condition = " AND g.status = ?" if status else ""
        values = [GoldRole.SYNTHETIC.value, *([status.value] if status else [])]
        query = f"{ENTRY} WHERE g.role = ?{condition} ORDER BY g.gold_id"
        return [entry_from_row(row) for row in self._db.conn.execute(query, values)]

    def page(self, status: GoldStatus, *, start: int, size: int) -> list[GoldEntry]:
        """Return `size` entries with this status from place `start` on; references that experts wrote come first.

        Corrections come after what experts wrote or call right, at most CORRECTIONS_FIRST of each sender before the rest.
        """
        values = {"status": status.value, "size": size, "start": start, "right": GoldSource.RIGHT_ANSWER.value}
        values |= {"correction": GoldSource.CORRECTION.value, "traffic": GoldSource.TRAFFIC.value}
        return [entry_from_row(row) for row in self._db.conn.execute(PAGE, values)]

    def flagged(self) -> list[GoldEntry]:
        """Return the accepted entries behind which something changed."""
        query = f"{ENTRY} WHERE g.status = 'accepted' AND g.flag IS NOT NULL ORDER BY g.updated_at, g.gold_id"
        return [entry_from_row(row) for row in self._db.conn.execute(query)]

    def get(self, gold_id: str) -> GoldEntry | None:
        """Return the entry with this id."""
        return self._entry("g.gold_id = ?", gold_id)

    def of_item(self, item: int) -> GoldEntry | None:
        """Return the entry of an item."""
        return self._entry("g.item = ?", item)

    def _entry(self, condition: str, value: object) -> GoldEntry | None:
        row = self._db.conn.execute(f"{ENTRY} WHERE {condition}", (value,)).fetchone()
        return None if row is None else entry_from_row(row)

    def items(self, entries: Iterable[GoldEntry]) -> dict[str, Item]:
        """Return the item of each entry, by gold id; an imported entry without one gets an item without id and answer."""
        chosen = list(entries)
        by_key = read_items(self._db, [entry.item for entry in chosen if entry.item is not None])
        return {entry.gold_id: _imported(entry) if entry.item is None else by_key[entry.item] for entry in chosen}

    def with_items(self, entries: Sequence[GoldEntry]) -> Iterator[tuple[GoldEntry, Item]]:
        """Yield each entry with its item, read BATCH at a time so that not all texts are in memory."""
        for start in range(0, len(entries), BATCH):
            batch = entries[start : start + BATCH]
            items = self.items(batch)
            for entry in batch:
                yield entry, items[entry.gold_id]

    def questions(self) -> dict[str, str]:
        """Return the question of each entry, by gold id."""
        query = (
            "SELECT gold_id, coalesce(g.question, t.question, '') FROM gold g LEFT JOIN texts t ON t.key = g.item "
            f"WHERE {NOT_SYNTHETIC}"
        )
        return {gold_id: from_column(question) for gold_id, question in self._db.conn.execute(query)}

    def conversations(self) -> dict[str, tuple[Turn, ...]]:
        """Return the turns before the question of an entry, by gold id, where there are any."""
        query = (
            "SELECT g.gold_id, coalesce(g.history, t.history, '[]') AS before FROM gold g LEFT JOIN texts t ON t.key = g.item "
            "WHERE before != '[]'"
        )
        return {gold_id: from_text(history) for gold_id, history in self._db.conn.execute(query)}

    def items_without_entry(self) -> Iterator[tuple[int, str, tuple[Turn, ...]]]:
        """Yield (row, question, conversation) of each current item that has no entry, oldest first."""
        query = (
            "SELECT i.key, t.question, t.history FROM items i JOIN texts t USING (key) WHERE i.is_current "
            "AND i.forgotten_at IS NULL AND NOT EXISTS (SELECT 1 FROM gold g WHERE g.item = i.key) ORDER BY i.key"
        )
        rows = of_traffic(self._db).execute(query)
        return ((item, from_column(question), from_text(history)) for item, question, history in rows)

    def counts(self) -> dict[GoldStatus, int]:
        """Return how many entries of the team's gold set have each status."""
        return self._counts(NOT_SYNTHETIC)

    def count_unreleased(self) -> int:
        """Return how many accepted entries of the team's gold set are in no release, but for those that are flagged."""
        query = (
            f"SELECT count(*) FROM gold g WHERE status = 'accepted' AND flag IS NULL AND {NOT_SYNTHETIC} "
            "AND gold_id NOT IN (SELECT gold_id FROM release_entries)"
        )
        return int(self._db.conn.execute(query).fetchone()[0])

    def question_counts(self) -> dict[GoldStatus, int]:
        """Return how many test questions have each status."""
        return self._counts(f"NOT ({NOT_SYNTHETIC})")

    def _counts(self, which: str) -> dict[GoldStatus, int]:
        query = f"SELECT status, count(*) FROM gold g WHERE {which} GROUP BY 1"
        counts = dict(self._db.conn.execute(query).fetchall())
        return {status: counts.get(status.value, 0) for status in GoldStatus}

    def count_lacking(self) -> int:
        """Return how many entries that are not retired are marked: the knowledge base lacks this."""
        query = "SELECT count(*) FROM gold WHERE lacks_knowledge AND status != 'retired'"
        return int(self._db.conn.execute(query).fetchone()[0])

    def without_reference(self) -> list[int]:
        """List items labelled wrong that have no reference yet: seriously harmful first, then the oldest."""
        return [row[0] for row in self._db.conn.execute(WITHOUT_REFERENCE)]

    def revisions(self, gold_id: str) -> list[GoldRevision]:
        """Return each revision of an entry, oldest first."""
        query = (
            "SELECT at, status, who, coalesce(why, ''), reference, source, origin, edit_distance FROM gold_revisions "
            "WHERE gold_id = ?"
        )
        return [
            GoldRevision(
                at,
                GoldStatus(status),
                from_column(who),
                from_column(why),
                from_column(reference),
                GoldSource(source),
                origin,
                edit_distance,
            )
            for at, status, who, why, reference, source, origin, edit_distance in self._db.conn.execute(
                f"{query} ORDER BY sequence", (gold_id,)
            )
        ]

    def stamp(self) -> tuple[int, ...]:
        """Return what changes with every change of the gold set, its roles included."""
        query = (
            "SELECT coalesce(max(sequence), 0), (SELECT count(*) FROM gold), (SELECT count(*) FROM releases) "
            "FROM gold_revisions"
        )
        return tuple(self._db.conn.execute(query).fetchone())

    def taken_proposal(self, gold_id: str) -> TakenProposal | None:
        """Return the proposal that the newest written reference of an entry began as; None where it began as none."""
        query = (
            "SELECT origin, origin_item, edit_distance FROM gold_revisions WHERE gold_id = ? AND origin IS NOT NULL "
            "ORDER BY sequence DESC LIMIT 1"
        )
        row = self._db.conn.execute(query, (gold_id,)).fetchone()
        return None if row is None else TakenProposal(origin_of(row[0], row[1]), row[2])

    def write(
        self,
        entry: GoldEntry,
        *,
        who: str,
        why: str | None,
        now: str,
        proposal: TakenProposal | None = None,
        keeps_compared: bool = False,
    ) -> None:
        """Write the entry as it now is, and the revision that says who made it so; `proposal` is what its text began as.

        Another text is not what answers were compared with: that is forgotten, unless the text improves the one before it.
        """
        reference, source = to_column(entry.reference), entry.source.value
        of_traffic(self._db).hold([] if entry.item is None else [entry.item])
        if not keeps_compared:
            self._db.conn.execute(FORGET_COMPARED, (entry.gold_id, reference))
        is_own = entry.item is None
        own = (to_column(entry.question), json.dumps(entry.contexts), to_text(entry.history))
        texts = own if is_own else (None, None, None)
        self._db.conn.execute(
            "INSERT INTO gold (gold_id, item, question, contexts, history, reference, status, source, annotator, updated_at, "
            "flag, basis, lacks_knowledge, role) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (gold_id) DO UPDATE SET "
            "reference = excluded.reference, status = excluded.status, source = excluded.source, "
            "annotator = excluded.annotator, updated_at = excluded.updated_at, flag = excluded.flag, "
            "basis = excluded.basis, lacks_knowledge = excluded.lacks_knowledge",
            (
                entry.gold_id,
                entry.item,
                *texts,
                reference,
                entry.status.value,
                source,
                to_column(entry.annotator),
                now,
                entry.flag,
                entry.basis,
                int(entry.lacks_knowledge),
                entry.role and entry.role.value,
            ),
        )
        self._db.conn.execute(
            "INSERT INTO gold_revisions (gold_id, reference, status, source, annotator, who, why, at, origin, origin_item, "
            "edit_distance) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.gold_id,
                reference,
                entry.status.value,
                source,
                to_column(entry.annotator),
                to_column(who),
                to_column(why),
                now,
                *((proposal.origin.code, proposal.origin.item) if proposal else (None, None)),
                proposal.edit_distance if proposal else None,
            ),
        )
        if entry.status is not GoldStatus.ACCEPTED:
            self.sources.drop([entry.gold_id])
        elif entry.flag is None and entry.item is not None:
            self.sources.note(entry.gold_id, entry.item, now=now)


def _imported(entry: GoldEntry) -> Item:
    """Return the question and passages of an entry that has no item."""
    return Item(
        id="",
        question=entry.question or "",
        answer="",
        contexts=tuple(Context(text=text) for text in entry.contexts),
        history=entry.history,
    )


def entry_from_row(row: Sequence[object]) -> GoldEntry:
    """Return an entry from ENTRY."""
    identity, item, item_id, reference, status, source, annotator, updated_at, *rest = row
    flag, basis, lacks_knowledge, role, cluster, revision, question, contexts, history = rest
    return GoldEntry(
        gold_id=str(identity),
        item=item if isinstance(item, int) else None,
        item_id=_text(item_id),
        reference=_text(reference) or "",
        status=GoldStatus(str(status)),
        source=GoldSource(str(source)),
        annotator=_text(annotator),
        updated_at=str(updated_at),
        flag=_text(flag),
        basis=_text(basis),
        lacks_knowledge=bool(lacks_knowledge),
        role=None if role is None else GoldRole(str(role)),
        cluster=_text(cluster),
        revision=revision if isinstance(revision, int) else 0,
        question=_text(question),
        contexts=tuple(json.loads(str(contexts))) if contexts else (),
        history=from_text(_text(history)),
    )


def _text(value: object) -> str | None:
    return from_column(value) if isinstance(value, (str, bytes)) else None
