"""The gold set as kept: one entry an item, each of its revisions with who made it and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotate.gold import Candidate, GoldEntry, GoldSource, GoldStatus, candidate, gold_id
from annotate.store.database import from_column, to_column
from annotate.store.labels import LABEL_THAT_COUNTS, Labels
from annotate.store.sqlite import Database
from proxy.errors import UsageError
from proxy.records import Judgement

ENTRY = (
    "SELECT g.gold_id, g.item, i.id, g.reference, g.status, g.source, g.annotator, g.updated_at "
    "FROM gold g JOIN items i ON i.key = g.item"
)
# A right answer that was taken into the gold set is no reference any more once people call it wrong.
WITHOUT_REFERENCE = f"""
    SELECT l.item FROM labels l JOIN items i ON i.key = l.item
    WHERE {LABEL_THAT_COUNTS} AND l.judgement = 'wrong' AND l.reference IS NULL AND NOT EXISTS (
        SELECT 1 FROM gold g WHERE g.item = l.item AND g.status != 'retired' AND g.source != ?)
    ORDER BY l.harm = 'serious' DESC, l.at, l.item
"""
WRITTEN_HERE = (GoldSource.APP, GoldSource.COMMAND)
# The last revision of a candidate that no person retired.
WITHDRAWN = (GoldStatus.RETIRED.value, "assay", "the label no longer offers it")
AGAIN = "the label offers one again"


class Gold:
    """The gold and gold_revisions tables."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._labels = Labels(db)

    def offer(self, items: Iterable[int], *, now: str) -> int:
        """Make, change or withdraw the candidates of these items after their labels; return how many candidates are new."""
        new = 0
        for item in sorted(items):
            label = self._labels.of_item(item)
            row = self._db.conn.execute("SELECT answer FROM texts WHERE key = ?", (item,)).fetchone()
            offered = candidate(label, from_column(row[0])) if label else None
            before = self._of_item(item)
            if before is None and offered:
                self._write(item, offered, GoldStatus.CANDIDATE, who=offered.annotator or "", why=None, now=now)
                new += 1
            elif before and before.status is GoldStatus.CANDIDATE and before.source not in WRITTEN_HERE:
                self._follow(before, offered, now)
            elif before and offered and self.history(before.gold_id)[-1][1:] == WITHDRAWN:
                self._write(item, offered, GoldStatus.CANDIDATE, who=offered.annotator or "", why=AGAIN, now=now)
                new += 1
        return new

    def _follow(self, before: GoldEntry, offered: Candidate | None, now: str) -> None:
        """A candidate follows its label; what a person accepted, retired or wrote here does not."""
        if offered is None:
            last = Candidate(before.reference, before.source, before.annotator)
            _, who, why = WITHDRAWN
            self._write(before.item, last, GoldStatus.RETIRED, who=who, why=why, now=now)
        elif offered.reference != before.reference:
            self._write(
                before.item, offered, GoldStatus.CANDIDATE, who=offered.annotator or "", why="label changed", now=now
            )

    def write_reference(self, item: int, reference: str, source: GoldSource, *, who: str, now: str) -> str:
        """Put a reference that a person wrote into the gold set as a candidate; return its gold id."""
        if not reference.strip():
            raise UsageError("the reference is empty: write what the system should have said")
        label = self._labels.of_item(item)
        if label is not None and label.judgement is Judgement.UNSURE:
            raise UsageError("the item's label is unsure: settle it before writing a reference")
        self._write(item, Candidate(reference.strip(), source, who), GoldStatus.CANDIDATE, who=who, why=None, now=now)
        return self._identity(item)

    def set_status(self, gold_ids: Sequence[str], status: GoldStatus, *, who: str, why: str | None, now: str) -> int:
        """Accept or retire entries; return how many changed. An unknown id is refused before anything changes."""
        entries = {one: self._named(one) for one in gold_ids}
        unknown = [one for one, entry in entries.items() if entry is None]
        if unknown:
            raise UsageError(f"there is no gold entry {', '.join(unknown)}: see `assay gold list`")
        changed = [entry for entry in entries.values() if entry is not None and entry.status is not status]
        for entry in changed:
            kept = Candidate(entry.reference, entry.source, entry.annotator)
            self._write(entry.item, kept, status, who=who, why=why, now=now)
        return len(changed)

    def entries(self, status: GoldStatus | None = None) -> list[GoldEntry]:
        """The entries, all or with one status, in the order of their items."""
        condition = " WHERE g.status = ?" if status else ""
        rows = self._db.conn.execute(f"{ENTRY}{condition} ORDER BY g.item", [status.value] if status else [])
        return [_entry(row) for row in rows]

    def page(self, status: GoldStatus, *, start: int, size: int) -> list[GoldEntry]:
        """`size` entries with this status from place `start` on; references that people wrote come first."""
        query = f"{ENTRY} WHERE g.status = ? ORDER BY g.source = ?, g.item LIMIT ? OFFSET ?"
        values = (status.value, GoldSource.RIGHT_ANSWER.value, size, start)
        return [_entry(row) for row in self._db.conn.execute(query, values)]

    def counts(self) -> dict[GoldStatus, int]:
        """How many entries have each status."""
        found = dict(self._db.conn.execute("SELECT status, count(*) FROM gold GROUP BY 1").fetchall())
        return {status: found.get(status.value, 0) for status in GoldStatus}

    def without_reference(self) -> list[int]:
        """Items labelled wrong that have no reference yet: seriously harmful first, then the oldest."""
        return [row[0] for row in self._db.conn.execute(WITHOUT_REFERENCE, (GoldSource.RIGHT_ANSWER.value,))]

    def history(self, one: str) -> list[tuple[str, str, str, str]]:
        """(at, status, who, why) of each revision of an entry, oldest first."""
        query = "SELECT at, status, who, coalesce(why, '') FROM gold_revisions WHERE gold_id = ? ORDER BY sequence"
        return [tuple(row) for row in self._db.conn.execute(query, (one,))]

    def _named(self, one: str) -> GoldEntry | None:
        row = self._db.conn.execute(f"{ENTRY} WHERE g.gold_id = ?", (one,)).fetchone()
        return None if row is None else _entry(row)

    def _of_item(self, item: int) -> GoldEntry | None:
        row = self._db.conn.execute(f"{ENTRY} WHERE g.item = ?", (item,)).fetchone()
        return None if row is None else _entry(row)

    def _identity(self, item: int) -> str:
        return gold_id(*self._db.conn.execute("SELECT id, revision FROM items WHERE key = ?", (item,)).fetchone())

    def _write(self, item: int, one: Candidate, status: GoldStatus, *, who: str, why: str | None, now: str) -> None:
        """The entry as it now is, and the revision that says who made it so."""
        identity = self._identity(item)
        reference = to_column(one.reference)
        self._db.conn.execute(
            "INSERT INTO gold (gold_id, item, reference, status, source, annotator, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (gold_id) DO UPDATE SET "
            "reference = excluded.reference, status = excluded.status, source = excluded.source, "
            "annotator = excluded.annotator, updated_at = excluded.updated_at",
            (identity, item, reference, status.value, one.source.value, one.annotator, now),
        )
        self._db.conn.execute(
            "INSERT INTO gold_revisions (gold_id, reference, status, source, annotator, who, why, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (identity, reference, status.value, one.source.value, one.annotator, who, why, now),
        )


def _entry(row: Sequence[object]) -> GoldEntry:
    identity, item, item_id, reference, status, source, annotator, updated_at = row
    return GoldEntry(
        gold_id=str(identity),
        item=int(str(item)),
        item_id=str(item_id),
        reference=from_column(reference) if isinstance(reference, (str, bytes)) else "",
        status=GoldStatus(str(status)),
        source=GoldSource(str(source)),
        annotator=None if annotator is None else str(annotator),
        updated_at=str(updated_at),
    )
