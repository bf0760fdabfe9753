"""Read what predicts whether an item is right, and keep the level that a predictor gives each item.

A judge's scores predict only where it has tried nearly every item: of one that was asked about drawn items alone, a score
would tell that the item was drawn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.all_traffic import Row
from annotate.store.engine.database import once
from annotate.store.engine.rollups import CountingRoom
from annotate.store.engine.sqlite import Database
from annotate.store.engine.stretches import next_item
from annotate.store.scores.judge_row import judge_row
from annotate.store.scores.judge_totals import JudgedItems
from annotate.store.scores.score_columns import ScoreColumns
from proxy.evaluation.levels import SAME, Levels
from proxy.evaluation.predictor import LEAST_COVERAGE, Predictor, PredictorScores, PredictorSource, fold_of
from proxy.rule import Rule, evaluate

MOST = 24
RULE_VALUE = "rule"
CROSSES = """
    SELECT EXISTS (SELECT 1 FROM items WHERE is_current GROUP BY question HAVING min("group") <> max("group"))
"""
OF_DRAWN = "i.key IN (SELECT value FROM json_each(?))"


class PredictedLevels(NamedTuple):
    """The level of each item by its row, and what gave it; None where nothing predicts.

    `suffix` tells what is kept of these levels from what is kept of others that are asked for as often.
    """

    source: PredictorSource | None
    by_item: Levels
    suffix: str = ""

    @property
    def signature(self) -> str:
        """The signature of what gave the levels; empty where nothing predicts."""
        return self.source.signature if self.source else ""

    def of(self, items: Sequence[int] | NDArray[np.int64]) -> Levels:
        """Return the levels of these items."""
        return self.by_item[np.asarray(items, dtype=np.intp)]


def _table(
    rule: Rule, judges: Sequence[tuple[str, str]], scores: Mapping[tuple[str, str], NDArray[np.float64]], count: int
) -> NDArray[np.float64]:
    """Return what predicts: the rule's value, then the score of each judge."""
    return np.column_stack([evaluate(rule, scores, count)[1], *(scores[pair] for pair in judges)])


def _pairs(rule: Rule, judges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """List the judges that predict or that the rule reads."""
    return sorted({*judges, *rule.signatures.items()})


class Predicted(CountingRoom):
    """Read items and scores."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._columns = ScoreColumns(db)

    def judges(self, without: Collection[str]) -> list[tuple[str, str]]:
        """Return the newest judges, with their signatures, that have tried nearly all current items and gave some a score."""
        judged = JudgedItems(self._db)
        least = LEAST_COVERAGE * judged.current()
        tried = [
            (totals.judge, totals.signature)
            for totals in reversed(judged.totals())
            if totals.scored and totals.tried >= least and totals.judge not in without
        ]
        return sorted(tried[:MOST])

    def scores(self, rule: Rule, judges: Sequence[tuple[str, str]], items: Sequence[int]) -> PredictorScores:
        """Return what is known of these items, in their order: the rule's value, then the score of each judge."""
        value = json.dumps([rule.expression, dict(rule.signatures), dict(rule.percentiles)])
        question = ("predictor scores", value, tuple(judges), tuple(items))
        return once(self._db, question, lambda: self._scores(rule, judges, items))

    def _scores(self, rule: Rule, judges: Sequence[tuple[str, str]], items: Sequence[int]) -> PredictorScores:
        rows = self._rows(_pairs(rule, judges), items)
        of_item = {row[0]: row for row in rows}
        columns = list(zip(*(of_item[item] for item in items), strict=True))
        names = columns[1] if columns else ()
        scores = {
            pair: np.array(columns[2 + place] if columns else (), dtype=np.float64)
            for place, pair in enumerate(_pairs(rule, judges))
        }
        fold = np.array([fold_of(name) for name in names], dtype=np.intp)
        return PredictorScores(_table(rule, judges, scores, len(items)), fold)

    def levels(
        self, rule: Rule, judges: Sequence[tuple[str, str]], predictor: Predictor | None, suffix: str = ""
    ) -> PredictedLevels:
        """Return the level that the predictor gives each current item; the same for all without one."""
        count = next_item(self._db)
        if predictor is None:
            return PredictedLevels(None, np.full(count, SAME, dtype=np.uint8))
        question = f"{rule.expression} {json.dumps(dict(rule.percentiles))} {predictor.signature}"

        def predict() -> bytes:
            levels = np.full(count, SAME, dtype=np.uint8)
            folds = self._columns.folds(is_by_question=self.is_by_question())
            for block, fold in zip(self._columns.blocks(_pairs(rule, judges)), folds, strict=True):
                table = _table(rule, judges, block.scores, len(block.items))
                levels[block.items] = predictor.levels(PredictorScores(table, fold.astype(np.intp)))
            return levels.tobytes()

        kept = self._rollups.content(f"predicted levels{suffix}", ("items", "scores"), question, predict)
        source = PredictorSource(
            signature=predictor.signature, rule=rule.expression, judges=tuple(judges), labels=predictor.labels
        )
        return PredictedLevels(source, np.frombuffer(kept, dtype=np.uint8), suffix)

    def _rows(self, pairs: Sequence[tuple[str, str]], items: Sequence[int]) -> list[Row]:
        """Return these items by their rows, with the name that decides the fold and the scores of judges."""
        keys = [judge_row(self._db, *pair) or -1 for pair in pairs]
        columns = "".join(f", s{place}.value" for place in range(len(keys)))
        joins = " ".join(
            f"LEFT JOIN scores s{place} ON s{place}.judge = {key:d} AND s{place}.item = i.key"
            for place, key in enumerate(keys)
        )
        own = "question" if self.is_by_question() else '"group"'
        query = f"SELECT i.key, i.{own} {columns} FROM items i {joins} WHERE {OF_DRAWN}"
        return self._traffic.about(items).execute(query, (json.dumps(list(items)),)).fetchall()

    def is_by_question(self) -> bool:
        """Whether a question stands in several groups: then roles are by question, else by group, which holds whole questions."""
        rows = self._rollups.get(
            "questions cross groups", ("items",), "", lambda: self._traffic.execute(CROSSES).fetchall()
        )
        return bool(rows[0][0])
