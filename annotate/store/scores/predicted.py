"""Read what predicts whether an item is right, and keep the level that a predictor gives each item.

A judge's scores predict only where it has tried nearly every item: of one that was asked about drawn items alone, a score
would tell that the item was drawn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.rollups import Rollups
from annotate.store.engine.sqlite import Database
from annotate.store.scores.judge_row import judge_row
from proxy.evaluation.levels import SAME, Levels
from proxy.evaluation.predictor import Predictor, Scores, fold_of
from proxy.rule import Rule, evaluate

BLOCK = 50_000
NEARLY_ALL = 0.9
MOST = 24
RULE_VALUE = "rule"
TRIED = """
    SELECT j.key, j.judge, j.signature,
        (SELECT count(*) FROM scores s JOIN items i ON i.key = s.item WHERE s.judge = j.key AND i.is_current),
        (SELECT count(*) FROM failures f JOIN items i ON i.key = f.item WHERE f.judge = j.key AND i.is_current)
    FROM judges j ORDER BY j.key DESC
"""
CROSSES = """
    SELECT EXISTS (SELECT 1 FROM items WHERE is_current GROUP BY question HAVING min("group") <> max("group"))
"""
OF_DRAWN = "i.key IN (SELECT value FROM json_each(?))"


class PredictedLevels(NamedTuple):
    """The level of each item by its row, and the signature of what gave it."""

    signature: str
    by_item: Levels

    def of(self, items: Sequence[int] | NDArray[np.int64]) -> Levels:
        """Return the levels of these items."""
        return self.by_item[np.asarray(items, dtype=np.intp)]


class Predicted:
    """Read items and scores."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rollups = Rollups(db)

    def judges(self, without: Collection[str]) -> list[tuple[str, str]]:
        """Return the newest judges, with their signatures, that have tried nearly all current items and gave some a score."""
        rows = self._rollups.get("tried", ("items", "scores"), "", self._db.conn.execute(TRIED).fetchall)
        items = int(self._db.conn.execute("SELECT count(*) FROM items WHERE is_current").fetchone()[0])
        tried = [
            (str(judge), str(signature))
            for _, judge, signature, scored, failed in rows
            if scored and float(scored) + float(failed or 0) >= NEARLY_ALL * items and judge not in without
        ]
        return sorted(tried[:MOST])

    def scores(self, rule: Rule, judges: Sequence[tuple[str, str]], items: Sequence[int]) -> Scores:
        """Return what is known of these items, in their order: the rule's value, then the score of each judge."""
        known_of: dict[int, tuple[NDArray[np.float64], int]] = {}
        for keys, known in self._blocks(rule, judges, OF_DRAWN, (json.dumps(list(items)),)):
            known_of.update(zip(keys.tolist(), zip(known.table, known.fold.tolist(), strict=True), strict=True))
        width = 1 + len(judges)
        values = np.array([known_of[item][0] for item in items], dtype=np.float64).reshape(-1, width)
        return Scores(values, np.array([known_of[item][1] for item in items], dtype=np.intp))

    def levels(self, rule: Rule, judges: Sequence[tuple[str, str]], predictor: Predictor | None) -> PredictedLevels:
        """Return the level that the predictor gives each current item; the same for all without one."""
        count = int(self._db.conn.execute("SELECT coalesce(max(key), 0) + 1 FROM items").fetchone()[0])
        if predictor is None:
            return PredictedLevels("", np.full(count, SAME, dtype=np.uint8))
        question = f"{rule.expression} {json.dumps(dict(rule.percentiles))} {predictor.signature}"

        def predict() -> bytes:
            levels = np.full(count, SAME, dtype=np.uint8)
            for keys, known in self._blocks(rule, judges, "i.is_current", ()):
                levels[keys] = predictor.levels(known)
            return levels.tobytes()

        kept = self._rollups.content("predicted levels", ("items", "scores"), question, predict)
        return PredictedLevels(predictor.signature, np.frombuffer(kept, dtype=np.uint8))

    def _blocks(
        self, rule: Rule, judges: Sequence[tuple[str, str]], condition: str, bound: Sequence[str]
    ) -> Iterator[tuple[NDArray[np.int64], Scores]]:
        """Yield blocks of items with what is known of them."""
        pairs = sorted({*judges, *rule.signatures.items()})
        keys = [judge_row(self._db, *pair) or -1 for pair in pairs]
        columns = "".join(f", s{place}.value" for place in range(len(keys)))
        joins = " ".join(
            f"LEFT JOIN scores s{place} ON s{place}.judge = {key:d} AND s{place}.item = i.key"
            for place, key in enumerate(keys)
        )
        own = "question" if self.is_by_question() else '"group"'
        cursor = self._db.conn.execute(f"SELECT i.key, i.{own} {columns} FROM items i {joins} WHERE {condition}", bound)
        folds: dict[str, int] = {}
        while rows := cursor.fetchmany(BLOCK):
            items, names, *scores = zip(*rows, strict=True)
            arrays = [np.array(column, dtype=np.float64) for column in scores]
            by_pair = dict(zip(pairs, arrays, strict=True))
            values = np.column_stack([evaluate(rule, by_pair, len(items))[1], *(by_pair[pair] for pair in judges)])
            fold = [folds[name] if name in folds else folds.setdefault(name, fold_of(name)) for name in names]
            yield np.array(items, dtype=np.int64), Scores(values, np.array(fold, dtype=np.intp))

    def is_by_question(self) -> bool:
        """Whether a question stands in several groups: then roles are by question, else by group, which holds whole questions."""
        rows = self._rollups.get("questions cross groups", ("items",), "", self._db.conn.execute(CROSSES).fetchall)
        return bool(rows[0][0])
