"""Whether scores separate right from wrong answers, told of many at once: by hand, by formula, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, norm

from proxy.evaluation.discrimination import (
    ONE_VALUE,
    Separation,
    Valued,
    auroc_of,
    aurocs_of_all,
    separation_of,
    valued,
)
from proxy.stats.intervals import Interval
from support.agreement import FAIL, PASS, wave
from support.simulation import deviation, repeated

# 100 drawn answers to as many questions, 70 right and 30 wrong, from strata with chances of 1 in 5 and 1 in 2.
LABELLED = wave(("p", PASS, 300, 50, 10), ("f", FAIL, 80, 20, 20))
COUNT, RIGHT = 100, np.array([True] * 50 + [False] * 10 + [True] * 20 + [False] * 20)
# The same with equal chances, where the weighted estimate is Mann and Whitney's.
EVEN = wave(("p", PASS, 300, 50, 10), ("f", FAIL, 200, 20, 20))


def of(values: np.ndarray, evidence: object = LABELLED) -> Valued:
    """A score of the labelled answers."""
    return valued(evidence, list(values))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("interval", "separation"),
    [
        (None, Separation.UNMEASURABLE),
        (Interval(0.51, 0.9), Separation.SEPARATES),
        (Interval(0.51, 0.55), Separation.SEPARATES),
        (Interval(0.1, 0.49), Separation.INVERTED),
        (Interval(0.4, 0.59), Separation.DOES_NOT),
        (Interval(0.5, 0.9), Separation.OPEN),
        (Interval(0.2, 0.5), Separation.DOES_NOT),
        (Interval(0.2, 0.8), Separation.OPEN),
    ],
)
def test_an_interval_is_read(interval: Interval | None, separation: Separation) -> None:
    """Above one half, below it, or on both sides; an end on one half shows nothing."""
    assert separation_of(interval) is separation


def test_the_estimate_is_mann_and_whitneys() -> None:
    """With equal chances U / (m n), ties half."""
    values = np.round(np.random.default_rng(1).random(COUNT), 1)
    expected = mannwhitneyu(values[RIGHT], values[~RIGHT]).statistic / (RIGHT.sum() * (~RIGHT).sum())

    assert auroc_of(of(values, EVEN)).estimate == pytest.approx(expected)


@pytest.mark.parametrize("compared", [1, 4, 20])
def test_all_intervals_hold_at_once(compared: int) -> None:
    """A ranking without an error of m right and n wrong labels: the low end is the A whose variance explains 1 - A by z.

    z is the normal quantile of .05 shared among those compared, and V(A) that of Newcombe's method 5.
    """
    right, wrong = int(RIGHT.sum()), int((~RIGHT).sum())
    ends = aurocs_of_all([of(RIGHT.astype(float), EVEN)] * compared)
    z = norm.ppf(1 - 0.05 / compared / 2)
    low = ends[0].low  # type: ignore[union-attr]
    half = (right + wrong) / 2
    spread = 1 + (half - 1) * ((1 - low) / (2 - low) + low / (1 + low))

    assert len(set(ends)) == 1
    assert 1 - low == pytest.approx(z * math.sqrt(low * (1 - low) * spread / (right * wrong)), rel=1e-6)


def test_a_score_of_one_value_ranks_nothing_and_costs_the_others_nothing() -> None:
    """0 for all answers has no AUROC, where ties would give 0.5 with an interval; the others' intervals are those of two."""
    values = np.random.default_rng(3).random((2, COUNT))
    constant = of(np.zeros(COUNT))

    assert (auroc_of(constant).estimate, auroc_of(constant).reason) == (None, ONE_VALUE)
    assert aurocs_of_all([of(values[0]), constant, of(values[1])]) == [
        aurocs_of_all([of(values[0]), of(values[1])])[0],
        None,
        aurocs_of_all([of(values[0]), of(values[1])])[1],
    ]


def test_what_cannot_be_measured_costs_the_others_nothing() -> None:
    """A score on six labels has no interval, and those of the others are as wide as without it."""
    values = np.random.default_rng(2).random(COUNT)
    few = np.where(np.arange(COUNT) < 6, values, np.nan)
    alone, [with_few, none] = aurocs_of_all([of(values)]), aurocs_of_all([of(values), of(few)])

    assert none is None
    assert with_few == alone[0] == auroc_of(of(values)).long_run


@pytest.mark.slow
@repeated(60, 2_000)
def test_of_twenty_scores_of_noise_one_in_twenty_samples_names_any(repetitions: int) -> None:
    """Even, tied and alike noise, weighted by design: the chance of any false verdict is at most .05."""
    rng = np.random.default_rng(20_261_126)
    errors = 0
    for _ in range(repetitions):
        common = rng.random(COUNT)
        noise = [common * share + rng.random(COUNT) * (1 - share) for share in (0.0, 0.0, 0.5, 0.9)] * 5
        columns = [np.round(column * 2) / 2 if place % 4 == 1 else column for place, column in enumerate(noise)]
        verdicts = [separation_of(interval) for interval in aurocs_of_all([of(column) for column in columns])]
        errors += any(verdict in {Separation.SEPARATES, Separation.INVERTED} for verdict in verdicts)

    assert errors / repetitions <= 0.05 + 3 * deviation(0.05, repetitions)
