"""Find the same answer to the same question that is labelled right in one item and wrong in another.

Question and conversation are compared by the question's key, answers by their normalised text. Passages do not count: whether an
answer is right does not depend on what was retrieved. Labels stay as they are: a person has to look.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from annotate.domain.question_key import normalised
from annotate.store.engine.database import Room, from_column
from annotate.store.labels.labels import LABEL_THAT_COUNTS
from proxy.records import Judgement

LABELS = f"""
    SELECT l.item, i.id AS item_id, i.question, l.judgement, l.annotator FROM labels l CROSS JOIN items i ON i.key = l.item
    WHERE {LABEL_THAT_COUNTS} AND i.forgotten_at IS NULL AND l.judgement IN ('{Judgement.RIGHT}', '{Judgement.WRONG}')
"""
CANDIDATES = f"""
    WITH labelled AS MATERIALIZED ({LABELS})
    SELECT k.item, k.item_id, k.question, k.judgement, k.annotator, t.answer FROM labelled k JOIN texts t ON t.key = k.item
    WHERE k.question IN (SELECT question FROM labelled GROUP BY question HAVING count(DISTINCT judgement) > 1) ORDER BY k.item
"""


class LabelledItem(NamedTuple):
    """An item with its label and whose it is."""

    item_id: str
    judgement: Judgement
    annotator: str


class OppositeLabels(Room):
    """Read labels, items and texts."""

    def groups(self) -> list[tuple[LabelledItem, ...]]:
        """Return the items of each such answer, oldest item first."""
        same: dict[tuple[str, str], list[LabelledItem]] = defaultdict(list)
        for _, item_id, question, judgement, annotator, answer in self._db.conn.execute(CANDIDATES):
            labelled = LabelledItem(item_id, Judgement(judgement), from_column(annotator or ""))
            same[question, normalised(from_column(answer))].append(labelled)
        return [tuple(group) for group in same.values() if len({labelled.judgement for labelled in group}) > 1]
