"""Settle one label an item from its annotations, anew whenever they change.

A label belongs to a draw when its annotation does: from Label Studio by the task's key, from a file when the item had been
drawn when the label was made. Any other is hand-picked. A label from a draw is never changed by a hand-picked one.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotate.domain.annotation import Annotation, resolve
from annotate.store.audit.tombstones import Tombstones
from annotate.store.engine.database import to_column
from annotate.store.labels.annotations import NO_DRAW, STANDING, Annotations, content, text
from annotate.store.labels.causes import Causes
from proxy.records import Basis, Judgement, Label

LABEL_THAT_COUNTS = """
    i.is_current AND (l.draw IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM labels o WHERE o.item = l.item AND o.draw IS NOT NULL))
"""
TIMED = f"SELECT seconds FROM annotations a WHERE seconds > 0 AND judgement IS NOT NULL AND {STANDING}"
PASSED_BUT_WRONG = f"""
    SELECT l.item FROM labels l CROSS JOIN items i ON i.key = l.item CROSS JOIN verdicts v ON v.item = l.item AND v.rule = ?
    WHERE {LABEL_THAT_COUNTS} AND l.judgement = 'wrong' AND v.verdict = 'pass'
    ORDER BY l.harm = 'serious' DESC, v.value DESC, l.item
"""
HARMFUL = f"""
    SELECT l.item FROM labels l CROSS JOIN items i ON i.key = l.item
    WHERE {LABEL_THAT_COUNTS} AND l.harm = 'serious' ORDER BY l.at, l.item
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
    """Counts of what keeping annotations did."""

    added: int = 0
    revised: int = 0
    unchanged: int = 0
    outdated: int = 0


class Labels(Annotations):
    """The labels table, on top of the log that labels are settled from."""

    def keep(self, placed: Sequence[Placed], *, now: str) -> tuple[Kept, set[int]]:
        """Append what is new, and settle the labels anew; return the counts and the items whose label may have changed.

        An older `at` than the kept one is an outdated copy and is left out; what was forgotten does not come back. Call
        inside one durable transaction.
        """
        counts = {"added": 0, "revised": 0, "unchanged": 0, "outdated": 0}
        touched: set[tuple[int, int | None]] = set()
        tombstones = Tombstones(self._db)
        for revision, item, draw in placed:
            annotation = tombstones.cleaned(revision)
            before = self._latest(annotation.source, annotation.id)
            columns = content(annotation)
            if before and before[0] == columns:
                counts["unchanged"] += 1
                continue
            if before and annotation.at and before[1] and annotation.at < before[1]:
                counts["outdated"] += 1
                continue
            counts["revised" if before else "added"] += 1
            kept_draw = before[2] if before else draw
            self._append(annotation, item, kept_draw, columns, now)
            touched.add((item, kept_draw))
        for item, draw in touched:
            self._settle(item, draw)
        return Kept(**counts), {item for item, _ in touched}

    def _settle(self, item: int, draw: int | None) -> None:
        """Write the label that the annotations now come to, or none."""
        execute = self._db.conn.execute
        execute(
            "DELETE FROM labels WHERE item = ? AND coalesce(draw, ?) = coalesce(?, ?)", (item, NO_DRAW, draw, NO_DRAW)
        )
        label = resolve(self.annotations(item, draw))
        named = Causes(self._db).standing(item, draw)
        if label is not None and named is not None and label.judgement is Judgement.WRONG:
            label = label._replace(causes=named)
        if label is not None:
            row = (item, draw, label.judgement, label.annotator, to_column(label.reference), json.dumps(label.causes))
            execute(
                "INSERT INTO labels (item, draw, judgement, annotator, reference, causes, harm, rationale, at, basis) "
                f"VALUES ({', '.join('?' * 10)})",
                (*row, label.harm, to_column(label.rationale), label.at, label.basis.value),
            )

    def name_causes(self, item: int, draw: int | None, causes: Sequence[str], *, who: str, now: str) -> None:
        """Put these causes on a wrong label, in place of what its readers named; call inside one durable transaction."""
        Causes(self._db).name(item, draw, causes, who=who, now=now)
        self._settle(item, draw)

    def of_item(self, item: int) -> Label | None:
        """Return the label of an item: the one from its draw, else the hand-picked one."""
        rows = list(self.read(f"WHERE l.item = {item:d} ORDER BY l.draw IS NULL LIMIT 1"))
        return rows[0][1] if rows else None

    def read(self, condition: str = "ORDER BY l.item") -> Iterable[tuple[int, Label]]:
        """Return (item, label) for labels under a condition on l (labels) written in this package."""
        query = (
            "SELECT l.item, i.id, l.judgement, d.wave, l.annotator, l.reference, l.causes, l.harm, l.rationale, l.at, l.basis "
            f"FROM labels l JOIN items i ON i.key = l.item LEFT JOIN draws d ON d.key = l.draw {condition}"
        )
        return ((row[0], _label(row[1:])) for row in self._db.conn.execute(query).fetchall())

    def that_count(self) -> dict[int, Label]:
        """Return the label that counts of each labelled current item: the one from its draw, else the hand-picked one."""
        return dict(self.read(f"WHERE {LABEL_THAT_COUNTS} ORDER BY l.item"))

    def by_item(self) -> dict[int, Label]:
        """Return the label of every labelled item, also of superseded ones: the one from its draw, else the hand-picked one."""
        return dict(self.read("ORDER BY l.item, l.draw IS NOT NULL"))

    def passed_but_wrong(self, rule: int) -> list[int]:
        """List current items that people call wrong and the rule passed: seriously harmful first, then the highest score."""
        return [row[0] for row in self._db.conn.execute(PASSED_BUT_WRONG, (rule,))]

    def median_seconds(self) -> Pace:
        """Return how long people take: from annotations as they are now, without skipped and deleted ones."""
        seconds = [float(row[0]) for row in self._db.conn.execute(TIMED)]
        return Pace(statistics.median(seconds) if seconds else None, len(seconds))

    def known_before(self, at: str) -> int:
        """Count the labels of draws whose item somebody had read at this time."""
        query = (
            "SELECT count(*) FROM labels l WHERE draw IS NOT NULL AND EXISTS (SELECT 1 FROM annotations a "
            "WHERE a.item = l.item AND a.draw = l.draw AND a.judgement IS NOT NULL AND a.received_at < ?)"
        )
        return int(self._db.conn.execute(query, (at,)).fetchone()[0])

    def hand_picked(self) -> int:
        """Count the labels without a draw."""
        return int(self._db.conn.execute("SELECT count(*) FROM labels WHERE draw IS NULL").fetchone()[0])

    def count_disagreements(self) -> int:
        """Count the labels of current items that stay open because their readings contradict each other."""
        query = (
            f"SELECT count(*) FROM labels l JOIN items i ON i.key = l.item WHERE {LABEL_THAT_COUNTS} AND l.basis = ?"
        )
        return int(self._db.conn.execute(query, (Basis.DISAGREEMENT.value,)).fetchone()[0])

    def harmful(self) -> list[int]:
        """Return the current items whose label that counts says serious harm, the oldest label first."""
        return [row[0] for row in self._db.conn.execute(HARMFUL)]

    def readers(self) -> dict[tuple[int, bool], int]:
        """Return how many readers have said something, by item and whether it was for its draw."""
        rows = self._db.conn.execute(
            "SELECT a.item, a.draw IS NOT NULL, count(DISTINCT a.annotator) FROM annotations a "
            f"WHERE a.judgement IS NOT NULL AND {STANDING} GROUP BY 1, 2"
        )
        return {(item, bool(drawn)): int(count) for item, drawn, count in rows}


def _label(row: Sequence[object]) -> Label:
    item_id, judgement, wave, annotator, reference, causes, harm, rationale, at, basis = row
    return Label(
        item_id=str(item_id),
        judgement=Judgement(str(judgement)),
        wave=wave if isinstance(wave, int) else None,
        annotator=text(annotator),
        reference=text(reference),
        causes=tuple(json.loads(str(causes))),
        harm=text(harm),
        rationale=text(rationale),
        at=text(at),
        basis=Basis(str(basis)) if basis else None,
    )
