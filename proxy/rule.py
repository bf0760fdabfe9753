"""Evaluate a rule, an expression over reference-free scores with a threshold, to the proxy's verdicts.

    min(context_relevance, faithfulness) > 0.5
    mean(pct(faithfulness), pct(answer_relevance)) > 0.3

    logistic(1.2 * normal(faithfulness) - 0.8 * missing(faithfulness) + 0.4) > 0.62

An item passes when its value is strictly above the threshold, because "on topic but cannot answer" scores exactly 0.5 on the
scales that the default comes from. `pct(judge)` is the judge's percentile on the traffic, frozen in the rule's version, and
`normal(judge)` the normal quantile of that percentile, 0 where the score is missing; `missing(judge)` is 1 there and 0 elsewhere.
An item without a score that is read in another way is unscored, and so is one without any score that is read.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from proxy.errors import RuleError
from proxy.records import Verdict
from proxy.stats.calibration.normal_scale import NormalScale

Values = NDArray[np.float64]
Columns = Mapping[str, Values]
Percentiles = Mapping[str, tuple[tuple[float, float], ...]]

DEFAULT_NAME = "default"
DEFAULT_EXPRESSION = "min(context_relevance, faithfulness) > 0.5"
DEFAULT_THRESHOLD = 0.5
DEFAULT_BASIS = "default threshold, not calibrated on your traffic"
BY_HAND = "threshold set by hand, not calibrated on your traffic"
FORM = "write it like 'min(context_relevance, faithfulness) > 0.5'"
MAX_KNOTS = 1001
AT_K = re.compile(r"([A-Za-z]\w*)@(\d+)")
MARK = "__at__"
MAX_LENGTH = 4000
VERDICTS = (Verdict.FAIL, Verdict.PASS, Verdict.UNSCORED)

FUNCTIONS: dict[str, Callable[[list[Values]], Values]] = {
    "min": np.minimum.reduce,
    "max": np.maximum.reduce,
    "mean": lambda parts: np.mean(parts, axis=0),
    "product": lambda parts: np.prod(parts, axis=0),
}
ONE_SCORE = frozenset({"pct", "normal", "missing"})
RANKED = frozenset({"pct", "normal"})
OPERATORS: dict[type[ast.operator], Callable[[Values, Values], Values]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A rule with the signature of each judge that it reads, and the percentiles that it froze.

    Attributes
    ----------
    name, version
        A new expression under a name is its next version.
    expression
        Such as ``"min(context_relevance, faithfulness) > 0.5"``.
    signatures
        By judge, the signature of the scores that are read.
    percentiles
        By judge that is read as `pct(judge)` or `normal(judge)`: (score, mid-rank) pairs, both in [0, 1], ascending.
    is_calibrated
        Whether the threshold was chosen from labels.
    """

    name: str
    version: int
    expression: str
    signatures: Mapping[str, str]
    percentiles: Percentiles = field(default_factory=dict)
    is_calibrated: bool = False

    def values(self, scores: Columns) -> Values:
        """Compute the rule's value for each item.

        Parameters
        ----------
        scores : mapping of str to ndarray, shape (n,)
            Scores in [0, 1], by judge.

        Returns
        -------
        ndarray, shape (n,)
            The expression to the left of ``>``, in the same order; nan where a score is nan, unless it is read by `normal` and
            `missing` alone.

        Raises
        ------
        RuleError
            Where the expression is no rule.
        KeyError
            Where a judge that is read has no scores.
        """
        return _evaluate(_parse(self.expression).left, scores, self.percentiles)

    def passes(self, values: Values) -> NDArray[np.bool_]:
        """Return whether each value is strictly above the threshold.

        Parameters
        ----------
        values : ndarray, shape (n,)
            As `values` returns them.

        Returns
        -------
        ndarray of bool, shape (n,)
            False for nan.
        """
        return values > self.threshold

    @property
    def threshold(self) -> float:
        """The threshold: the number at the right of the expression."""
        return _parse(self.expression).threshold

    @property
    def basis(self) -> str:
        """The origin of the threshold, in words."""
        if self.is_calibrated:
            return "threshold chosen from labels"
        return DEFAULT_BASIS if self.is_default else BY_HAND

    @property
    def is_default(self) -> bool:
        """Whether it is the rule that is in force before a person sets one, and follows its judges to new signatures."""
        return (self.name, self.expression) == (DEFAULT_NAME, DEFAULT_EXPRESSION)


@dataclass(frozen=True, slots=True)
class _Parsed:
    left: ast.expr
    threshold: float


def judges_of(expression: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the judges that an expression reads, and those whose percentiles it reads; RuleError if it is no rule."""
    reads = _reads(expression)
    ranked = [judge for judge, how in reads.items() if how & RANKED]
    return tuple(reads), tuple(ranked)


def needed_by(expression: str) -> tuple[str, ...]:
    """Return the judges without whose score an item is unscored; RuleError if the expression is no rule."""
    return tuple(judge for judge, how in _reads(expression).items() if how - {"normal", "missing"})


def _reads(expression: str) -> dict[str, set[str]]:
    """Return, by judge, the functions by which it is read; "" where it is read as it is."""
    reads: dict[str, set[str]] = {}
    _collect(_parse(expression).left, reads)
    if not reads:
        raise RuleError(f"the rule {expression!r} names no judge: {FORM}")
    return reads


def needs_above(expression: str, judge: str) -> float | None:
    """Return the threshold that this judge's own score must lie above for an item to pass; None for another kind of rule.

    It has one where the rule is on that score, or on the lowest of several of which it is one.
    """
    parsed = _parse(expression)
    match parsed.left:
        case ast.Call(func=ast.Name(id="min"), args=parts):
            scores = parts
        case part:
            scores = [part]
    is_read = any(isinstance(score, ast.Name) and score.id == judge for score in scores)
    return parsed.threshold if is_read else None


def with_judge(expression: str, judge: str) -> str | None:
    """Return a rule on the lowest of several scores with one more among them; None for another kind of rule."""
    match _parse(expression).left:
        case ast.Call(func=ast.Name(id="min"), args=parts):
            scores = ", ".join([*map(ast.unparse, parts), judge])
            return f"min({scores}) > {expression.rpartition('>')[2].strip()}"
    return None


def percentile_knots(scores: Iterable[float]) -> tuple[tuple[float, float], ...]:
    """Compute (value, mid-rank in [0, 1]) pairs of a judge's scores.

    The mid-rank is the share below plus half the share at the value.
    """
    values, counts = np.unique(np.fromiter(scores, dtype=np.float64), return_counts=True)
    if not len(values):
        return ()
    ranks = (np.cumsum(counts) - counts / 2) / counts.sum()
    kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), MAX_KNOTS)).round().astype(int))
    return tuple((float(values[k]), float(ranks[k])) for k in kept)


def evaluate(rule: Rule, scores: Mapping[tuple[str, str], Values], count: int) -> tuple[NDArray[np.intp], Values]:
    """Return the verdict of each item, as its place in VERDICTS, and the rule's value, nan where it is unscored."""
    columns = {judge: scores[judge, rule.signatures[judge]] for judge in judges_of(rule.expression)[0]}
    has_score = {judge: ~np.isnan(column) for judge, column in columns.items()}
    known = np.logical_or.reduce(list(has_score.values()))
    for judge in needed_by(rule.expression):
        known = known & has_score[judge]
    verdicts, values = np.full(count, VERDICTS.index(Verdict.UNSCORED)), np.full(count, np.nan)
    if known.any():
        values[known] = rule.values({judge: column[known] for judge, column in columns.items()})
        verdicts[known] = rule.passes(values[known])  # VERDICTS starts with fail, pass
    return verdicts, values


@lru_cache(maxsize=256)
def _parse(expression: str) -> _Parsed:
    """Check the expression against the few forms that a rule may take."""
    if len(expression) > MAX_LENGTH:
        raise RuleError(f"the rule has {len(expression):,} characters and may have {MAX_LENGTH:,}: {FORM}")
    try:
        # Python would read the @ of `ndcg@10` as an operator.
        tree = ast.parse(AT_K.sub(rf"\1{MARK}\2", expression.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RuleError(f"the rule {expression[:80]!r} does not parse: {FORM}") from error
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or not isinstance(tree.ops[0], ast.Gt):
        raise RuleError(f"a rule is one expression above a threshold (strictly, so '>'): {FORM}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = node.id.replace(MARK, "@")
    threshold = tree.comparators[0]
    match threshold:
        case ast.Constant(value=int() | float() as value) if _is_finite(value):
            _collect(tree.left, {})
            return _Parsed(tree.left, float(value))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if _is_finite(value):
            _collect(tree.left, {})
            return _Parsed(tree.left, -float(value))
    raise RuleError(f"the threshold at the right of '>' must be a number: {FORM}")


def _is_finite(number: float) -> bool:
    """Return whether it is a number that a float can hold; True and False are none."""
    return not isinstance(number, bool) and abs(number) <= sys.float_info.max


def _collect(node: ast.expr, reads: dict[str, set[str]]) -> None:
    """Walk the expression, refusing what is not allowed, and note the judges that it names and how it reads them."""
    match node:
        case ast.Constant(value=int() | float() as number) if _is_finite(number):
            return
        case ast.Name(id=judge):
            reads.setdefault(judge, set()).add("")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            _collect(left, reads)
            _collect(right, reads)
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=judge)], keywords=[]) if name in ONE_SCORE:
            reads.setdefault(judge, set()).add(name)
        case ast.Call(func=ast.Name(id="logistic"), args=[part], keywords=[]):
            _collect(part, reads)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as parts, keywords=[]) if name in FUNCTIONS:
            for part in parts:
                _collect(part, reads)
        case _:
            shown = ast.unparse(node)[:60]
            raise RuleError(
                f"a rule knows judges, numbers, + - *, {', '.join(FUNCTIONS)}, logistic, pct(judge), normal(judge) and "
                f"missing(judge), not {shown!r}: {FORM}"
            )


def _evaluate(node: ast.expr, scores: Columns, percentiles: Percentiles) -> Values:
    match node:
        case ast.Constant(value=int() | float() as number):
            return np.full(len(next(iter(scores.values()))), float(number))
        case ast.Name(id=judge):
            return scores[judge]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_evaluate(left, scores, percentiles), _evaluate(right, scores, percentiles))
        case ast.Call(func=ast.Name(id="pct"), args=[ast.Name(id=judge)]):
            values, ranks = np.array(percentiles[judge]).T
            return np.asarray(np.interp(scores[judge], values, ranks), dtype=np.float64)
        case ast.Call(func=ast.Name(id="normal"), args=[ast.Name(id=judge)]):
            return NormalScale.of_percentiles(percentiles[judge]).of(scores[judge])
        case ast.Call(func=ast.Name(id="missing"), args=[ast.Name(id=judge)]):
            return np.isnan(scores[judge]).astype(np.float64)
        case ast.Call(func=ast.Name(id="logistic"), args=[part]):
            from scipy.special import expit

            return np.asarray(expit(_evaluate(part, scores, percentiles)), dtype=np.float64)
        case ast.Call(func=ast.Name(id=name), args=parts):
            return FUNCTIONS[name]([_evaluate(part, scores, percentiles) for part in parts])
    raise RuleError(f"not a rule: {ast.unparse(node)}")
