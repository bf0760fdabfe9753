"""Tables of feedback and of quarantine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from annotate.domain.feedback import Feedback, Scale, read_value
from annotate.domain.quarantine import QuarantinedRow, QuarantineState
from annotate.store.audit.blanking import REFUSED, names
from annotate.store.audit.tombstones import Tombstones
from annotate.store.engine.consequence import Consequence
from annotate.store.engine.database import Room, from_column, of_traffic, to_column
from annotate.store.engine.defined_frames import DefinedFrames
from annotate.store.engine.sqlite import Database
from annotate.store.traffic.spans import Spans

NAMED = "SELECT DISTINCT item_id FROM feedback WHERE coalesce(source, '') = ? AND value IS ?"
# Of an answer that was revised nobody knows which revision a user read.
CORRECTIONS = """
    SELECT i.key, i.question, i."group", f.correction FROM feedback f JOIN items i ON i.id = f.item_id
    WHERE trim(f.correction) != '' AND i.is_current AND i.forgotten_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM items o WHERE o.id = i.id AND o.key != i.key)
    ORDER BY i.key, coalesce(f.at, f.received_at), f.hash
"""
OPEN = "resolved_at IS NULL AND dismissed_at IS NULL"
STATES = {
    QuarantineState.OPEN: OPEN,
    QuarantineState.REPAIRED: "resolved_at IS NOT NULL",
    QuarantineState.DISMISSED: "resolved_at IS NULL AND dismissed_at IS NOT NULL",
}


class Quarantined(NamedTuple):
    """Row that could not be read: where it came from and why."""

    stage: str
    source: str
    line: int
    reason: str
    raw: bytes


class Quarantine(Room):
    """The quarantine table: nothing that came in is lost."""

    def keep(self, rows: Iterable[Quarantined], *, now: str) -> int:
        """Keep what is new and return how many that was; the same fault of the same line again is one row.

        Of a row that names an item which was forgotten only the place is kept.
        """
        before, forgotten = self._db.conn.total_changes, Tombstones(self._db).items()
        self._db.conn.executemany(
            "INSERT INTO quarantine (hash, stage, source, line, reason, raw, at) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (hash) DO UPDATE SET resolved_at = NULL WHERE resolved_at IS NOT NULL",
            [
                (_digest(row), row.stage, to_column(row.source), row.line, *_columns(row, forgotten), now)
                for row in rows
            ],
        )
        return self._db.conn.total_changes - before

    def wanted(self, rows: Sequence[Quarantined]) -> list[Quarantined]:
        """Return the rows without those that somebody has dismissed."""
        dismissed = set[bytes]()
        digests = [_digest(row) for row in rows]
        for start in range(0, len(rows), 1000):
            batch = digests[start : start + 1000]
            query = f"SELECT hash FROM quarantine WHERE dismissed_at IS NOT NULL AND hash IN ({', '.join('?' * len(batch))})"
            dismissed.update(digest for (digest,) in self._db.conn.execute(query, batch))
        return [row for row, digest in zip(rows, digests, strict=True) if digest not in dismissed]

    def dismiss(self, rows: Sequence[int], *, now: str) -> None:
        """Mark rows that nobody wants; they stay in the table and are no longer counted."""
        query = f"UPDATE quarantine SET dismissed_at = ? WHERE rowid = ? AND {OPEN}"
        self._db.conn.executemany(query, [(now, row) for row in rows])

    def open(self, stage: str) -> Iterator[tuple[int, str, int, bytes]]:
        """Yield (row, source, line, what came) of each open row of a stage."""
        query = f"SELECT rowid, source, line, raw FROM quarantine WHERE stage = ? AND {OPEN}"
        for row, source, line, raw in self._db.conn.execute(query, (stage,)):
            yield row, from_column(source), line, raw or b""

    def raw(self, row: int) -> bytes:
        """Return what came in this row."""
        raw_row = self._db.conn.execute("SELECT raw FROM quarantine WHERE rowid = ?", (row,)).fetchone()
        return (raw_row[0] if raw_row else None) or b""

    def resolve(self, rows: Sequence[int], *, now: str) -> None:
        """Mark rows that came in repaired; they stay in the table and are no longer counted."""
        self._db.conn.executemany("UPDATE quarantine SET resolved_at = ? WHERE rowid = ?", [(now, row) for row in rows])

    def reopen(self, rows: Sequence[int]) -> None:
        """Take back that rows came in repaired."""
        self._db.conn.executemany("UPDATE quarantine SET resolved_at = NULL WHERE rowid = ?", [(row,) for row in rows])

    def all(self, state: QuarantineState = QuarantineState.OPEN) -> list[QuarantinedRow]:
        """Return the rows in this state, in the order they came."""
        query = f"SELECT rowid, stage, source, line, reason, at FROM quarantine WHERE {STATES[state]} ORDER BY rowid"
        return [
            QuarantinedRow(row, stage, from_column(source), line, from_column(reason), at)
            for row, stage, source, line, reason, at in self._db.conn.execute(query)
        ]

    def rows(self, state: QuarantineState = QuarantineState.OPEN) -> Iterator[dict[str, object]]:
        """Yield each row in this state with the bytes that came, as text; what is no UTF-8 is escaped."""
        query = (
            f"SELECT rowid, stage, source, line, reason, at, raw FROM quarantine WHERE {STATES[state]} ORDER BY rowid"
        )
        for row, stage, source, line, reason, at, raw in self._db.conn.execute(query):
            text = raw.decode("utf-8", "backslashreplace")
            yield {"row": row, "stage": stage, "source": source, "line": line, "reason": reason, "at": at, "raw": text}


def _columns(row: Quarantined, forgotten: Sequence[str]) -> tuple[str | bytes | None, bytes]:
    """Return the reason and what came, as columns."""
    if forgotten:
        text = f"{row.reason}\n{row.raw.decode('utf-8', 'replace')}"
        if any(names(text, name) for name in forgotten):
            return REFUSED, b""
    return to_column(row.reason), row.raw


def _digest(row: Quarantined) -> bytes:
    head = f"{row.stage}|{row.source}|{row.line}|{row.reason}|".encode("utf-8", "surrogatepass")
    return blake2b(head + row.raw, digest_size=16).digest()


class UserCorrected(NamedTuple):
    """An answer in whose place a user wrote another, with the keys of its question and its group; `item` is a row."""

    item: int
    question: str
    group: str
    correction: str


class FeedbackTable:
    """The feedback table; it meets its items by id, whichever came first. `follow` is called with the ids that it names.

    Some tools name a span where an answer has its trace's id: such feedback goes to the trace, now or when the span comes in.

    A number is read on the scale of its source, so one that widens the scale may give earlier numbers another sign.
    """

    def __init__(self, db: Database, follow: Consequence[str]) -> None:
        self._db = db
        self._follow = follow

    def keep(self, rows: Sequence[Feedback], *, now: str) -> int:
        """Keep what is new and return how many that was; of an item that was forgotten only the sign."""
        scales, widened = self._scales(rows)
        tombstones = Tombstones(self._db)
        traces = Spans(self._db).traces_of(sorted({feedback.item_id for feedback in rows}))
        names = [traces.get(feedback.item_id, feedback.item_id) for feedback in rows]
        of_traffic(self._db).hold_ids(names)
        signs = [_sign(feedback.value, scales.get(feedback.source or "")) for feedback in rows]
        DefinedFrames(self._db).freeze_ids([name for name, sign in zip(names, signs, strict=True) if sign < 0])
        before = self._db.conn.total_changes
        self._db.conn.executemany(
            "INSERT OR IGNORE INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    _feedback_digest(feedback),
                    name,
                    feedback.value,
                    sign,
                    *((None, None) if tombstones.has_item(name) else _words(feedback)),
                    feedback.source,
                    feedback.at,
                    now,
                )
                for feedback, name, sign in zip(rows, names, signs, strict=True)
            ],
        )
        new = self._db.conn.total_changes - before
        changed = [name for source in widened for name in self._read_anew(source, scales[source])]
        self._follow({*names, *changed}, now=now)
        return new

    def of_item(self, item_id: str) -> list[Feedback]:
        """Return all feedback on this item, thumbs down first, then the newest."""
        query = (
            "SELECT value, sign, comment, correction, source, coalesce(at, received_at) FROM feedback WHERE item_id = ? "
            "ORDER BY sign, coalesce(at, received_at) DESC, hash"
        )
        return [
            Feedback(
                item_id=item_id,
                value=value,
                sign=sign,
                comment=None if comment is None else from_column(comment),
                correction=None if correction is None else from_column(correction),
                source=source,
                at=at,
            )
            for value, sign, comment, correction, source, at in self._db.conn.execute(query, (item_id,))
        ]

    def corrections(self) -> list[UserCorrected]:
        """Return what users wrote in place of current answers, of each answer the newest; none of answers that were revised."""
        rows = self._db.conn.execute(CORRECTIONS)
        newest = {
            item: UserCorrected(item, question, group, from_column(words)) for item, question, group, words in rows
        }
        return list(newest.values())

    def _scales(self, rows: Sequence[Feedback]) -> tuple[dict[str, Scale], list[str]]:
        """Return the scale of each source with the numbers of these rows, and the sources whose scale is another now."""
        sources = {feedback.source or "" for feedback in rows}
        query = "SELECT source, lowest, highest FROM feedback_scales WHERE source IN (SELECT value FROM json_each(?))"
        known = {
            source: Scale(lowest, highest)
            for source, lowest, highest in self._db.conn.execute(query, (json.dumps(sorted(sources)),))
        }
        scales = dict(known)
        for feedback in rows:
            number = read_value(feedback.value)[1]
            if number is not None:
                source = feedback.source or ""
                scales[source] = scales.get(source, Scale(number, number)).with_number(number)
        self._db.conn.executemany(
            "INSERT OR REPLACE INTO feedback_scales VALUES (?, ?, ?)",
            [(source, *scale) for source, scale in scales.items() if known.get(source) != scale],
        )
        return scales, [source for source, scale in known.items() if scale.ends != scales[source].ends]

    def _read_anew(self, source: str, scale: Scale) -> list[str]:
        """Give every value of a source its sign on this scale; return the ids whose sign is another now."""
        query = "SELECT DISTINCT value, sign FROM feedback WHERE coalesce(source, '') = ?"
        signs = {
            value: (sign, _sign(value, scale)) for value, sign in self._db.conn.execute(query, (source,)).fetchall()
        }
        changed: list[str] = []
        for value, (before, after) in signs.items():
            if before != after:
                bound = (after, source, value)
                where = "coalesce(source, '') = ?2 AND value IS ?3"
                named = self._db.conn.execute(NAMED, (source, value))
                DefinedFrames(self._db).freeze_ids([name for (name,) in named])
                rows = self._db.conn.execute(f"UPDATE feedback SET sign = ?1 WHERE {where} RETURNING item_id", bound)
                changed += [item_id for (item_id,) in rows.fetchall()]
        return changed

    def counts(self) -> tuple[int, int, int]:
        """Return (items here with a thumb down, items here with a thumb up, ids whose item is not here)."""
        query = (
            "SELECT count(DISTINCT CASE WHEN is_here AND sign = -1 THEN item_id END), "
            "count(DISTINCT CASE WHEN is_here AND sign = 1 THEN item_id END), "
            "count(DISTINCT CASE WHEN NOT is_here THEN item_id END) "
            "FROM (SELECT item_id, sign, EXISTS (SELECT 1 FROM items WHERE id = item_id) AS is_here FROM feedback)"
        )
        down, up, unmatched = self._db.conn.execute(query).fetchone()
        return int(down), int(up), int(unmatched)


def _sign(value: str | None, scale: Scale | None) -> int:
    """Return the sign of a value on the scale of its source."""
    sign, number = read_value(value)
    return sign if number is None or scale is None else scale.sign(number)


def _words(feedback: Feedback) -> tuple[str | bytes | None, str | bytes | None]:
    return to_column(feedback.comment), to_column(feedback.correction)


def _feedback_digest(feedback: Feedback) -> bytes:
    parts = json.dumps(
        [feedback.item_id, feedback.value, feedback.comment, feedback.correction, feedback.source, feedback.at]
    )
    return blake2b(parts.encode(), digest_size=16).digest()
