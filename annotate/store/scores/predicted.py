"""Read what predicts whether an item is right, and keep the level that a predictor gives each item.

A judge's scores predict only where it has tried nearly every item: of one that was asked about drawn items alone, a score
would tell that the item was drawn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.store.engine.all_traffic import AllTraffic
from annotate.store.engine.database import once
from annotate.store.engine.rollups import CountingRoom
from annotate.store.scores.judge_row import judge_row
from proxy.evaluation.levels import SAME, Levels
from proxy.evaluation.predictor import LEAST_COVERAGE, Predictor, PredictorScores, PredictorSource, fold_of
from proxy.rule import Rule, evaluate

BLOCK = 50_000
MOST = 24
RULE_VALUE = "rule"
TRIED = """
    SELECT j.key, j.judge, j.signature, (SELECT count(*) FROM items WHERE is_current),
        (SELECT count(*) FROM scores s JOIN items i ON i.key = s.item WHERE s.judge = j.key AND i.is_current),
        (SELECT count(*) FROM failures f JOIN items i ON i.key = f.item WHERE f.judge = j.key AND i.is_current)
    FROM judges j ORDER BY j.key DESC
"""
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


class RuleValues(NamedTuple):
    """Items by their rows, and the value that a rule gives each; nan for what it does not score."""

    items: NDArray[np.int64]
    values: NDArray[np.float64]


class _Block(NamedTuple):
    """Items by their rows, with the fold of each and the scores of judges."""

    items: NDArray[np.int64]
    fold: NDArray[np.uint8]
    scores: Mapping[tuple[str, str], NDArray[np.float64]]

    def known(self, rule: Rule, judges: Sequence[tuple[str, str]]) -> PredictorScores:
        """Return what predicts: the rule's value, then the score of each judge."""
        values = evaluate(rule, self.scores, len(self.items))[1]
        table = np.column_stack([values, *(self.scores[pair] for pair in judges)])
        return PredictorScores(table, self.fold.astype(np.intp))

    def to_bytes(self) -> bytes:
        """Return the arrays, one after the other."""
        return b"".join([self.items.tobytes(), *(part.tobytes() for part in self.scores.values()), self.fold.tobytes()])

    @classmethod
    def of(cls, content: bytes, pairs: Sequence[tuple[str, str]]) -> _Block:
        """Read what `to_bytes` wrote."""
        count = len(content) // (8 * (1 + len(pairs)) + 1)
        if not count:
            return cls(np.zeros(0, np.int64), np.zeros(0, np.uint8), {pair: np.zeros(0) for pair in pairs})
        items = np.frombuffer(content, dtype=np.int64, count=count)
        numbers = np.frombuffer(content, dtype=np.float64, count=count * len(pairs), offset=8 * count)
        fold = np.frombuffer(content, dtype=np.uint8, offset=8 * count * (1 + len(pairs)))
        return cls(items, fold, dict(zip(pairs, numbers.reshape(len(pairs), count), strict=True)))


def _pairs(rule: Rule, judges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """List the judges that predict or that the rule reads."""
    return sorted({*judges, *rule.signatures.items()})


class Predicted(CountingRoom):
    """Read items and scores."""

    def judges(self, without: Collection[str]) -> list[tuple[str, str]]:
        """Return the newest judges, with their signatures, that have tried nearly all current items and gave some a score."""
        rows = self._rollups.get(
            "scored and failed", ("items", "scores"), "", lambda: self._traffic.execute(TRIED).fetchall()
        )
        tried = [
            (str(judge), str(signature))
            for _, judge, signature, items, scored, failed in rows
            if scored
            and float(scored) + float(failed or 0) >= LEAST_COVERAGE * float(items or 0)
            and judge not in without
        ]
        return sorted(tried[:MOST])

    def scores(self, rule: Rule, judges: Sequence[tuple[str, str]], items: Sequence[int]) -> PredictorScores:
        """Return what is known of these items, in their order: the rule's value, then the score of each judge."""
        value = json.dumps([rule.expression, dict(rule.signatures), dict(rule.percentiles)])
        question = ("predictor scores", value, tuple(judges), tuple(items))
        return once(self._db, question, lambda: self._scores(rule, judges, items))

    def _scores(self, rule: Rule, judges: Sequence[tuple[str, str]], items: Sequence[int]) -> PredictorScores:
        known_of: dict[int, tuple[NDArray[np.float64], int]] = {}
        drawn = self._traffic.about(items)
        for block in self._blocks(_pairs(rule, judges), OF_DRAWN, (json.dumps(list(items)),), drawn):
            known = block.known(rule, judges)
            known_of.update(zip(block.items.tolist(), zip(known.table, known.fold.tolist(), strict=True), strict=True))
        width = 1 + len(judges)
        values = np.array([known_of[item][0] for item in items], dtype=np.float64).reshape(-1, width)
        return PredictorScores(values, np.array([known_of[item][1] for item in items], dtype=np.intp))

    def levels(
        self, rule: Rule, judges: Sequence[tuple[str, str]], predictor: Predictor | None, suffix: str = ""
    ) -> PredictedLevels:
        """Return the level that the predictor gives each current item; the same for all without one."""
        count = self._count()
        if predictor is None:
            return PredictedLevels(None, np.full(count, SAME, dtype=np.uint8))
        question = f"{rule.expression} {json.dumps(dict(rule.percentiles))} {predictor.signature}"

        def predict() -> bytes:
            levels = np.full(count, SAME, dtype=np.uint8)
            for block in self._kept_blocks(rule, judges, count):
                levels[block.items] = predictor.levels(block.known(rule, judges))
            return levels.tobytes()

        kept = self._rollups.content(f"predicted levels{suffix}", ("items", "scores"), question, predict)
        source = PredictorSource(
            signature=predictor.signature, rule=rule.expression, judges=tuple(judges), labels=predictor.labels
        )
        return PredictedLevels(source, np.frombuffer(kept, dtype=np.uint8), suffix)

    def values(self, rule: Rule, judges: Sequence[tuple[str, str]]) -> Iterator[RuleValues]:
        """Yield the rule's value of every current item, by row, from the scores that are kept for what these judges predict."""
        for block in self._kept_blocks(rule, judges, self._count()):
            yield RuleValues(block.items, evaluate(rule, block.scores, len(block.items))[1])

    def _count(self) -> int:
        """Return a number above the row of every item."""
        return int(self._traffic.execute("SELECT coalesce(max(key), 0) + 1 FROM items").fetchone()[0])

    def _kept_blocks(self, rule: Rule, judges: Sequence[tuple[str, str]], count: int) -> Iterator[_Block]:
        """Yield the current items with the scores of these judges and of those that the rule reads."""
        pairs = _pairs(rule, judges)
        for first in range(0, count, BLOCK):
            yield self._kept_block(pairs, first)

    def _kept_block(self, pairs: Sequence[tuple[str, str]], first: int) -> _Block:
        """Return the current items from this row on, a block of them, with these scores.

        What predicts is kept block by block: labels change what it is made of, not what it is.
        """

        def read() -> bytes:
            condition = f"i.is_current AND i.key >= {first:d} AND i.key < {first + BLOCK:d}"
            return b"".join(block.to_bytes() for block in self._blocks(pairs, condition, (), self._traffic))

        question = json.dumps(pairs)
        return _Block.of(self._rollups.content(f"scores from {first}", ("items", "scores"), question, read), pairs)

    def _blocks(
        self, pairs: Sequence[tuple[str, str]], condition: str, bound: Sequence[str], traffic: AllTraffic
    ) -> Iterator[_Block]:
        """Yield blocks of items with the scores of these judges."""
        keys = [judge_row(self._db, *pair) or -1 for pair in pairs]
        columns = "".join(f", s{place}.value" for place in range(len(keys)))
        joins = " ".join(
            f"LEFT JOIN scores s{place} ON s{place}.judge = {key:d} AND s{place}.item = i.key"
            for place, key in enumerate(keys)
        )
        own = "question" if self.is_by_question() else '"group"'
        cursor = traffic.execute(
            f"SELECT i.key, i.{own} {columns} FROM items i {joins} WHERE {condition} ORDER BY i.key", bound
        )
        folds: dict[str, int] = {}
        while rows := cursor.fetchmany(BLOCK):
            items, names, *scores = zip(*rows, strict=True)
            arrays = [np.array(column, dtype=np.float64) for column in scores]
            fold = [folds[name] if name in folds else folds.setdefault(name, fold_of(name)) for name in names]
            yield _Block(
                np.array(items, dtype=np.int64),
                np.array(fold, dtype=np.uint8),
                dict(zip(pairs, arrays, strict=True)),
            )

    def is_by_question(self) -> bool:
        """Whether a question stands in several groups: then roles are by question, else by group, which holds whole questions."""
        rows = self._rollups.get(
            "questions cross groups", ("items",), "", lambda: self._traffic.execute(CROSSES).fetchall()
        )
        return bool(rows[0][0])
