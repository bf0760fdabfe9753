"""Read the labels: one an item for its draw, and one that is hand-picked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from annotate.domain.passage_relevance import PassageRelevance, from_json
from annotate.domain.selection import Selection
from annotate.store.engine.database import once
from annotate.store.engine.item_fields import and_within
from annotate.store.labels.annotations import STANDING, Annotations, text
from proxy.records import Judgement, Label, LabelBasis

LABEL_THAT_COUNTS = """
    i.is_current AND (l.draw IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM labels o WHERE o.item = l.item AND o.draw IS NOT NULL))
"""
DRAW_OF_LABEL = "SELECT draw FROM labels WHERE item = ? ORDER BY draw IS NULL LIMIT 1"
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

# The value in stores of before; a row is sealed, and keeps it until the label is made anew.
FORMER_ONE_ANNOTATOR = "one reader"


class LabelRows(Annotations):
    """Read the labels table and the log that labels are resolved from."""

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

    def that_count(self) -> Mapping[int, Label]:
        """Return the label that counts of each labelled current item: the one from its draw, else the hand-picked one."""
        condition = f"WHERE {LABEL_THAT_COUNTS} ORDER BY l.item"
        return once(self._db, condition, lambda: dict(self.read(condition)))

    def by_item(self) -> dict[int, Label]:
        """Return the label of every labelled item, also of superseded ones: the one from its draw, else the hand-picked one."""
        return dict(self.read("ORDER BY l.item, l.draw IS NOT NULL"))

    def passages(self) -> dict[int, PassageRelevance]:
        """Return what the annotators of each drawn item come to about its passages, where they said anything."""
        query = "SELECT item, passages FROM labels WHERE draw IS NOT NULL AND passages IS NOT NULL ORDER BY item"
        rows = ((item, from_json(column)) for item, column in self._db.conn.execute(query))
        return {item: passages for item, passages in rows if passages is not None}

    def passed_but_wrong(self, rule: int) -> list[int]:
        """List current items that annotators call wrong and the rule passed: seriously harmful first, then the highest score."""
        return [row[0] for row in self._db.conn.execute(PASSED_BUT_WRONG, (rule,))]

    def seconds(self) -> list[float]:
        """Return how long each annotation took that was timed, as it is now; skipped and deleted ones are left out."""
        return [float(row[0]) for row in self._db.conn.execute(TIMED)]

    def known_before(self, at: str) -> int:
        """Count the labels of draws whose item somebody had read at this time."""
        query = (
            "SELECT count(*) FROM labels l WHERE draw IS NOT NULL AND EXISTS (SELECT 1 FROM annotations a "
            "WHERE a.item = l.item AND a.draw = l.draw AND a.judgement IS NOT NULL AND a.received_at < ?)"
        )
        return int(self._db.conn.execute(query, (at,)).fetchone()[0])

    def hand_picked(self, selection: Selection | None = None) -> int:
        """Count the labels without a draw, of all items or of those of a selection."""
        query = (
            f"SELECT count(*) FROM labels l JOIN items i ON i.key = l.item WHERE l.draw IS NULL{and_within(selection)}"
        )
        return int(self._db.conn.execute(query).fetchone()[0])

    def harmful(self) -> list[int]:
        """Return the current items whose label that counts says serious harm, the oldest label first."""
        return [row[0] for row in self._db.conn.execute(HARMFUL)]

    def annotators(self) -> dict[tuple[int, bool], int]:
        """Return how many annotators have said something, by item and whether it was for its draw."""
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
        basis=_basis(str(basis)) if basis else None,
    )


def _basis(value: str) -> LabelBasis:
    return LabelBasis.ONE_ANNOTATOR if value == FORMER_ONE_ANNOTATOR else LabelBasis(value)
