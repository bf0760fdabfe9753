"""Make a rule of what predicts: a logistic regression over the normal scores of all judges, written as an expression.

    logistic(1.2 * normal(faithfulness) - 0.8 * missing(faithfulness) + 0.4) > 0.62

Every unit, a question or a group of questions, has its role by a salted hash before it has a label: half of them train the rule,
the others evaluate it. The threshold is where kappa would be highest if P(right) were what the model says, so no label is asked
twice; `assay calibrate` can choose another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.predictor import ENOUGH_LABELS, ENOUGH_OF_A_KIND, PENALTY, held_back, ridge
from proxy.rule import Percentiles, Rule, evaluate, judges_of
from proxy.stats.calibration.normal_scale import NormalScale
from proxy.stats.sampling.permanent_random import permanent_random_number

NAME = "learned"
SALT = "learned rule"
# Chosen: half for training and half held out, as either is what the other lacks (design/028).
TRAINING_SHARE = 0.5
FEWEST_LABELS, FEWEST_OF_A_KIND = ENOUGH_LABELS, ENOUGH_OF_A_KIND
# Chosen: coefficients that a person can read.
DIGITS = 3
Numbers = NDArray[np.float64]


class NotLearned(StrEnum):
    """Why no rule was learned from enough labels."""

    NO_JUDGE = "no_judge"
    ONE_KIND = "one_kind"
    NO_SLOPE = "no_slope"
    ONE_VALUE = "one_value"


def is_training_unit(unit: str) -> bool:
    """Return whether this unit, the key of a question or a group, is for training, for ever; all others are held out."""
    return permanent_random_number(unit, SALT) < TRAINING_SHARE


def learn(
    judges: Sequence[JudgeKey],
    percentiles: Percentiles,
    scores: Mapping[tuple[str, str], Numbers],
    right: Numbers,
    weight: Numbers,
) -> Rule | NotLearned:
    """Learn a rule from labels that will not evaluate it.

    Parameters
    ----------
    judges : sequence of JudgeKey
        The judges that it may read, each once.
    percentiles : mapping
        By judge, the mid-ranks of its scores in all traffic.
    scores : mapping of (judge, signature) to array of n numbers
        The scores of the labelled items, nan where one is missing.
    right : array of n numbers
        1 for right, 0 for wrong.
    weight : array of n numbers
        How many items each stands for; only the threshold heeds it.

    Returns
    -------
    Rule or NotLearned
        NO_JUDGE where no judge has scores, ONE_KIND where the labels are not of both kinds, NO_SLOPE where no score moves
        P(right), ONE_VALUE where all labelled answers with a score have the same, so that no threshold parts them.
    """
    known = [key for key in judges if percentiles.get(key.judge)]
    if not known:
        return NotLearned.NO_JUDGE
    if not 0 < right.sum() < len(right):
        return NotLearned.ONE_KIND
    table = np.column_stack([scores[key.judge, key.signature] for key in known])
    scales = [NormalScale.of_percentiles(percentiles[key.judge]) for key in known]
    few = held_back(np.array([len(right)]), np.array([min(right.sum(), len(right) - right.sum())]))
    model = ridge(table, right, scales, np.full(len(known), PENALTY * float(few[0])))
    terms = [
        (round(float(value), DIGITS), f"{function}({key.judge})")
        for function, slopes in (("normal", model.slopes), ("missing", model.missing))
        for key, value in zip(known, slopes, strict=True)
    ]
    terms = [term for term in terms if term[0]]
    if not terms:
        return NotLearned.NO_SLOPE
    rule = _rule(_expression(terms, round(model.intercept, DIGITS), 0.5), known, percentiles)
    values = evaluate(rule, scores, len(right))[1]
    threshold = _threshold(values, weight)
    if threshold is None:
        return NotLearned.ONE_VALUE
    return replace(rule, expression=_expression(terms, round(model.intercept, DIGITS), threshold))


def _expression(terms: Sequence[tuple[float, str]], intercept: float, threshold: float) -> str:
    """Write the rule, what speaks for right first; a rule knows no sign before its first term."""
    ordered = sorted(terms, key=lambda term: -term[0])
    first = f"{ordered[0][0]:g} * {ordered[0][1]}" if ordered[0][0] > 0 else f"0 - {-ordered[0][0]:g} * {ordered[0][1]}"
    others = [f"{_sign(factor)} {abs(factor):g} * {read}" for factor, read in ordered[1:]]
    return f"logistic({' '.join([first, *others, _sign(intercept), f'{abs(intercept):g}'])}) > {threshold:g}"


def _sign(number: float) -> str:
    return "-" if number < 0 else "+"


def _rule(expression: str, judges: Sequence[JudgeKey], percentiles: Percentiles) -> Rule:
    names, ranked = judges_of(expression)
    return Rule(
        name=NAME,
        version=0,
        expression=expression,
        signatures={key.judge: key.signature for key in judges if key.judge in names},
        percentiles={judge: percentiles[judge] for judge in ranked},
        is_calibrated=True,
    )


def _threshold(values: Numbers, weight: Numbers) -> float | None:
    """Find the threshold, between two values, at which kappa would be highest if the values were P(right)."""
    known = ~np.isnan(values)
    steps, place = np.unique(values[known], return_inverse=True)
    if len(steps) < 2:
        return None
    mass = np.bincount(place, weight[known]) / weight[known].sum()
    b = float(mass @ steps)
    passed = 1 - np.cumsum(mass)[:-1]
    right_pass = b - np.cumsum(mass * steps)[:-1]
    agreed = right_pass + (1 - passed) - (b - right_pass)
    chance = passed * b + (1 - passed) * (1 - b)
    best = int(np.argmax((agreed - chance) / (1 - chance)))
    return round(float(steps[best] + steps[best + 1]) / 2, DIGITS + 1)
