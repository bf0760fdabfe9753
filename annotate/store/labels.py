"""What people said: every revision of every annotation, and the one label an item that they come to.

A label belongs to a draw when its annotation does: from Label Studio by the task's key, from a file when the item had an
open draw at the start of the import. Any other is hand-picked. A label from a draw is never changed by a hand-picked one.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotate.labels import Annotation, resolve
from annotate.store.database import from_column, to_column
from annotate.store.sqlite import Database
from proxy.people import Reading
from proxy.records import Judgement, Label

CONTENT = "judgement, reference, causes, harm, rationale, form_version, seconds, at, is_deleted"
NO_DRAW = -1
LABEL_THAT_COUNTS = """
    i.is_current AND (l.draw IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM labels o WHERE o.item = l.item AND o.draw IS NOT NULL))
"""
READINGS = """
    SELECT a.item, a.annotator, a.judgement FROM annotations a CROSS JOIN items i ON i.key = a.item AND i.is_current
    WHERE a.judgement IS NOT NULL AND NOT a.is_deleted AND a.sequence =
    (SELECT max(sequence) FROM annotations n WHERE n.source = a.source AND n.id = a.id)
    AND a.item IN (SELECT item FROM annotations GROUP BY item HAVING count(DISTINCT annotator) > 1)
    ORDER BY coalesce(a.at, a.received_at), a.sequence
"""
TIMED = """
    SELECT seconds FROM annotations a WHERE seconds > 0 AND judgement IS NOT NULL AND NOT is_deleted AND sequence =
    (SELECT max(sequence) FROM annotations n WHERE n.source = a.source AND n.id = a.id)
"""
PASSED_BUT_WRONG = f"""
    SELECT l.item FROM labels l CROSS JOIN items i ON i.key = l.item CROSS JOIN verdicts v ON v.item = l.item AND v.rule = ?
    WHERE {LABEL_THAT_COUNTS} AND l.judgement = 'wrong' AND v.verdict = 'pass'
    ORDER BY l.harm = 'serious' DESC, v.value DESC, l.item
"""


class Placed(NamedTuple):
    """An annotation with the row of its item and, unless it is hand-picked, of its draw."""

    annotation: Annotation
    item: int
    draw: int | None


class Pace(NamedTuple):
    """The median time an annotation took, over the `n` that were timed; None without any."""

    seconds: float | None
    n: int


class Kept(NamedTuple):
    """What keeping annotations did, counted."""

    added: int = 0
    revised: int = 0
    unchanged: int = 0
    outdated: int = 0


class Labels:
    """The annotations and labels tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep(self, placed: Sequence[Placed], *, now: str) -> tuple[Kept, set[int]]:
        """Append what is new, and settle the labels anew; return the counts and the items whose label may have changed.

        An older `at` than the kept one is an outdated copy and is left out. Call inside one durable transaction.
        """
        counts = {"added": 0, "revised": 0, "unchanged": 0, "outdated": 0}
        touched: set[tuple[int, int | None]] = set()
        for annotation, item, draw in placed:
            before = self._latest(annotation.source, annotation.id)
            content = _content(annotation)
            if before and before[0] == content:
                counts["unchanged"] += 1
                continue
            if before and annotation.at and before[1] and annotation.at < before[1]:
                counts["outdated"] += 1
                continue
            counts["revised" if before else "added"] += 1
            kept_draw = before[2] if before else draw
            self._append(annotation, item, kept_draw, content, now)
            touched.add((item, kept_draw))
        for item, draw in touched:
            self._settle(item, draw)
        return Kept(**counts), {item for item, _ in touched}

    def knows(self, annotation: Annotation) -> bool:
        """Whether there is any revision of this annotation."""
        return self._latest(annotation.source, annotation.id) is not None

    def _latest(self, source: str, annotation_id: str) -> tuple[tuple[object, ...], str | None, int | None] | None:
        """The content, time and draw of the newest revision of an annotation."""
        row = self._db.conn.execute(
            f"SELECT {CONTENT}, draw FROM annotations WHERE source = ? AND id = ? ORDER BY sequence DESC LIMIT 1",
            (source, annotation_id),
        ).fetchone()
        return None if row is None else (tuple(row[:-1]), row[7], row[-1])

    def _append(self, one: Annotation, item: int, draw: int | None, content: tuple[object, ...], now: str) -> None:
        self._db.conn.execute(
            f"INSERT INTO annotations (source, id, item, draw, annotator, {CONTENT}, received_at) "
            f"VALUES ({', '.join('?' * 15)})",
            (one.source, one.id, item, draw, one.annotator, *content, now),
        )

    def annotations(self, item: int, draw: int | None) -> list[Annotation]:
        """The newest revision of each annotation on an item, for its draw or hand-picked, oldest first."""
        rows = self._db.conn.execute(
            f"SELECT a.source, a.id, i.id, a.annotator, {CONTENT} FROM annotations a "
            "JOIN items i ON i.key = a.item WHERE a.item = ? AND coalesce(a.draw, ?) = coalesce(?, ?) AND sequence = "
            "(SELECT max(sequence) FROM annotations n WHERE n.source = a.source AND n.id = a.id) "
            "ORDER BY coalesce(a.at, a.received_at), sequence",
            (item, NO_DRAW, draw, NO_DRAW),
        )
        return [_annotation(row) for row in rows]

    def _settle(self, item: int, draw: int | None) -> None:
        """Write the label that the annotations now come to, or none."""
        execute = self._db.conn.execute
        execute(
            "DELETE FROM labels WHERE item = ? AND coalesce(draw, ?) = coalesce(?, ?)", (item, NO_DRAW, draw, NO_DRAW)
        )
        label = resolve(self.annotations(item, draw))
        if label is not None:
            row = (item, draw, label.judgement, label.annotator, to_column(label.reference), json.dumps(label.causes))
            execute(
                f"INSERT INTO labels VALUES ({', '.join('?' * 9)})",
                (*row, label.harm, to_column(label.rationale), label.at),
            )

    def known_ids(self, source: str) -> dict[str, tuple[int, int | None, str]]:
        """(item, draw, annotator) of each annotation of a source that is not deleted."""
        rows = self._db.conn.execute(
            "SELECT id, item, draw, annotator FROM annotations a WHERE source = ? AND NOT is_deleted AND sequence = "
            "(SELECT max(sequence) FROM annotations n WHERE n.source = a.source AND n.id = a.id)",
            (source,),
        )
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def of_item(self, item: int) -> Label | None:
        """The label of an item: the one from its draw, else the hand-picked one."""
        rows = list(self.read(f"WHERE l.item = {item:d} ORDER BY l.draw IS NULL LIMIT 1"))
        return rows[0][1] if rows else None

    def read(self, condition: str = "ORDER BY l.item") -> Iterable[tuple[int, Label]]:
        """(item, label) for labels under a condition on l (labels) written in this package."""
        query = (
            "SELECT l.item, i.id, l.judgement, d.wave, l.annotator, l.reference, l.causes, l.harm, l.rationale, l.at "
            f"FROM labels l JOIN items i ON i.key = l.item LEFT JOIN draws d ON d.key = l.draw {condition}"
        )
        return ((row[0], _label(row[1:])) for row in self._db.conn.execute(query).fetchall())

    def with_scores(self, signatures: Iterable[str]) -> list[tuple[int, Label, dict[str, float]]]:
        """Each labelled current item with the label that counts and its scores under these signatures, by judge."""
        names = list(signatures)
        found = {
            item: (label, dict[str, float]()) for item, label in self.read(f"WHERE {LABEL_THAT_COUNTS} ORDER BY l.item")
        }
        rows = self._db.conn.execute(
            "SELECT l.item, j.judge, s.value FROM judges j CROSS JOIN labels l CROSS JOIN scores s ON s.item = l.item "
            f"AND s.judge = j.key WHERE j.signature IN ({', '.join('?' * len(names))})",
            names,
        )
        for item, judge, value in rows:
            if item in found:
                found[item][1][judge] = value
        return [(item, label, scores) for item, (label, scores) in found.items()]

    def by_item(self) -> dict[int, Label]:
        """The label of every labelled item, also of superseded ones: the one from its draw, else the hand-picked one."""
        return dict(self.read("ORDER BY l.item, l.draw IS NOT NULL"))

    def passed_but_wrong(self, rule: int) -> list[int]:
        """The current items that people call wrong and the rule passed: seriously harmful first, then the highest score."""
        return [row[0] for row in self._db.conn.execute(PASSED_BUT_WRONG, (rule,))]

    def median_seconds(self) -> Pace:
        """How long people take: from annotations as they are now, without skipped and deleted ones."""
        seconds = [float(row[0]) for row in self._db.conn.execute(TIMED)]
        return Pace(statistics.median(seconds) if seconds else None, len(seconds))

    def readings(self) -> list[Reading]:
        """What each annotator says now of the current items that two or more have read, oldest first."""
        rows = self._db.conn.execute(READINGS)
        return [Reading(item, annotator, Judgement(judgement)) for item, annotator, judgement in rows]

    def hand_picked(self) -> int:
        """Labels without a draw."""
        return int(self._db.conn.execute("SELECT count(*) FROM labels WHERE draw IS NULL").fetchone()[0])


def _content(one: Annotation) -> tuple[object, ...]:
    """What makes a revision of an annotation differ from another, as columns."""
    return (
        *(one.judgement.value if one.judgement else None, to_column(one.reference), json.dumps(one.causes), one.harm),
        *(to_column(one.rationale), one.form_version, one.seconds, one.at, int(one.deleted)),
    )


def _annotation(row: Sequence[object]) -> Annotation:
    source, identity, item_id, annotator, judgement, reference, causes, harm, rationale, form, seconds, at, gone = row
    return Annotation(
        source=str(source),
        id=str(identity),
        item_id=str(item_id),
        annotator=str(annotator),
        judgement=None if judgement is None else Judgement(str(judgement)),
        reference=_text(reference),
        causes=tuple(json.loads(str(causes))),
        harm=_text(harm),
        rationale=_text(rationale),
        form_version=_text(form),
        seconds=seconds if isinstance(seconds, float) else None,
        at=_text(at),
        deleted=bool(gone),
    )


def _label(row: Sequence[object]) -> Label:
    item_id, judgement, wave, annotator, reference, causes, harm, rationale, at = row
    return Label(
        item_id=str(item_id),
        judgement=Judgement(str(judgement)),
        wave=wave if isinstance(wave, int) else None,
        annotator=_text(annotator),
        reference=_text(reference),
        causes=tuple(json.loads(str(causes))),
        harm=_text(harm),
        rationale=_text(rationale),
        at=_text(at),
    )


def _text(value: object) -> str | None:
    return from_column(value) if isinstance(value, (str, bytes)) else None
