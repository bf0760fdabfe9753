"""Read what definitions of frames rest on: the kind, the value of a rule and the scores of some items, as they are now."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.frame_definition import FrameDefinition, FrameInputs
from annotate.store.engine.all_traffic import Row
from annotate.store.engine.database import of_traffic
from annotate.store.engine.frame_blocks import Keys
from annotate.store.engine.frame_kinds import KINDS, combination
from annotate.store.engine.sqlite import Database
from proxy.evaluation.predictor import PredictorScores, fold_of

AT_ONCE = 50_000
# Items lie together where at least one row in so many is asked for.
DENSE = 4
STATE = """
    SELECT i.key, {combination}, i.is_current, {fold}, v.value{columns} FROM items i
    LEFT JOIN verdicts v ON v.rule = {rule:d} AND v.item = i.key {joins} WHERE {condition} ORDER BY i.key
"""
TOGETHER, LISTED = "i.key BETWEEN ? AND ?", "i.key IN (SELECT value FROM json_each(?))"
FOLLOWING = f"""
    SELECT i.key, n.key FROM items i JOIN items n ON n.id = i.id AND n.revision = i.revision + 1 WHERE {LISTED}
"""
KEY_COLUMNS = 4
FOLDED = {True: "i.question", False: 'i."group"'}
UNFOLDED = "''"  # nothing is predicted


class AskedItems(NamedTuple):
    """Items by their rows, ascending, whether each is current, and what a definition asks of them."""

    keys: Keys
    is_current: NDArray[np.bool_]
    inputs: FrameInputs


class _Question(NamedTuple):
    """What a definition asks of items: definitions that ask the same share the answer."""

    rule: int
    words: int
    models: tuple[int, ...]
    judges: tuple[int, ...]
    fold: str

    def query(self, condition: str) -> str:
        """Return the query for the items of a condition."""
        joins = "".join(
            f" LEFT JOIN scores s{place} ON s{place}.judge = {judge:d} AND s{place}.item = i.key"
            for place, judge in enumerate(self.judges)
        )
        return STATE.format(
            combination=combination(self.words, self.models),
            fold=self.fold,
            columns="".join(f", s{place}.value" for place in range(len(self.judges))),
            rule=self.rule,
            joins=joins,
            condition=condition,
        )


class ItemStates:
    """Some items as they are now, asked once for all definitions that ask the same of them."""

    def __init__(self, db: Database, keys: Keys) -> None:
        self._db = db
        self.keys = np.unique(keys)
        self._states: dict[_Question, AskedItems] = {}
        self._following: dict[int, int] | None = None

    def of(self, definition: FrameDefinition) -> AskedItems:
        """Return what the definition asks of those items that are there."""
        predictor = definition.predictor
        judges, fold = (predictor.judges, FOLDED[predictor.is_by_question]) if predictor else ((), UNFOLDED)
        question = _Question(definition.rule, definition.words, definition.models, judges, fold)
        if question not in self._states:
            self._states[question] = self._read(question)
        return self._states[question]

    def were_current(self, state: AskedItems, last_item: int) -> NDArray[np.bool_]:
        """Return whether each item was current when `last_item` was the last: no later revision had come by then."""
        were = state.is_current.copy()
        if not were.all():
            following = self._revisions(state)
            after = [place for place in np.flatnonzero(~were) if following.get(int(state.keys[place]), 0) > last_item]
            were[after] = True
        return were

    def _revisions(self, state: AskedItems) -> dict[int, int]:
        """Return the row of the next revision of each item that is not current."""
        if self._following is None:
            superseded = json.dumps(state.keys[~state.is_current].tolist())
            self._following = dict(of_traffic(self._db).execute(FOLLOWING, (superseded,)).fetchall())
        return self._following

    def _read(self, question: _Question) -> AskedItems:
        rows = list[Row]()
        for start in range(0, len(self.keys), AT_ONCE):
            rows += self._rows(question, self.keys[start : start + AT_ONCE])
        columns: Sequence[Sequence[object]] = list(zip(*rows, strict=True))
        if not columns:
            columns = [()] * (KEY_COLUMNS + 1 + len(question.judges))
        keys, combinations, is_current, names, *scores = columns
        table = np.column_stack([np.array(column, dtype=np.float64) for column in scores])
        fold = np.fromiter(_folds(names), dtype=np.intp, count=len(names))
        kinds = KINDS[np.array(combinations, dtype=np.intp)]
        return AskedItems(
            np.array(keys, dtype=np.int64),
            np.array(is_current, dtype=np.bool_),
            FrameInputs(kinds, table[:, 0], PredictorScores(table, fold)),
        )

    def _rows(self, question: _Question, keys: Keys) -> Sequence[Row]:
        """Ask for these items, as a stretch of rows where they lie together."""
        traffic, span = of_traffic(self._db), int(keys[-1] - keys[0]) + 1
        if len(keys) * DENSE < span:
            listed = keys.tolist()
            return traffic.about(listed).execute(question.query(LISTED), (json.dumps(listed),)).fetchall()
        rows = traffic.execute(question.query(TOGETHER), (int(keys[0]), int(keys[-1]))).fetchall()
        asked = set(keys.tolist()) if len(keys) < span else None
        return rows if asked is None else [row for row in rows if row[0] in asked]


def _folds(names: Sequence[object]) -> Iterator[int]:
    """Yield the fold of each name, each of which is hashed once."""
    folds = {name: fold_of(str(name)) for name in set(names)}
    return map(folds.__getitem__, names)
