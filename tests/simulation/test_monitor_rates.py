"""Half-years in simulation: how often a monitor cries wolf, and how soon it finds what changed.

26 weeks of 40 labels at a true .80 that drops to .68 in the ninth: a CUSUM at a known rate is to find it in week 11 at the
median, and no more than 5 % of steady half-years may raise an alarm (statistics.md, section 4, has .033 and .010).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from proxy.drift.drift import CUSUM_SHARE, DROP, JUDGE_SHIFT, Plan
from proxy.stats.testing.cusum import LOOKS, AlphaSpending, Numbers, Rate, _Paths, limits
from proxy.stats.testing.sequential import change_below
from support.simulation import at_most, repeated

pytestmark = pytest.mark.slow

WEEKS, CHANGED, NEVER = 26, 8, 99
BASELINE = Plan().baseline
Weeks = NDArray[np.intp]


def alarms(
    rng: np.random.Generator,
    rates: Numbers,
    sizes: list[int],
    before: Rate,
    shift: float,
    spending: AlphaSpending,
    count: int,
) -> tuple[Weeks, Numbers]:
    """The first week above its limit in so many histories (NEVER where none is), and the right labels of each week."""
    limit = limits(tuple(sizes), before, shift, spending, lag=BASELINE)
    paths, first, right = _Paths(before, shift, count, BASELINE), np.full(count, NEVER), np.zeros((count, len(sizes)))
    for week, (rate, size) in enumerate(zip(rates, sizes, strict=True)):
        groups = [len(part) for part in np.array_split(np.zeros(size), min(LOOKS, size))]
        labels = [rng.binomial(group, rate, count).astype(np.float64) for group in groups]
        above = paths.window(labels, groups, week) > limit[week]
        first = np.where((first == NEVER) & above, week, first)
        right[:, week] = sum(labels)
    return first, right


def sequences(right: Numbers, size: int, before: Rate, plan: Plan) -> Weeks:
    """The first week in which the confidence sequence leaves the rate before above it."""
    n = before.n or math.inf
    variance = before.share * (1 - before.share)
    at = 1 / (variance / n + variance / (size * WEEKS / 2))
    first_weeks = np.full(len(right), NEVER)
    for row, counts in enumerate(right):
        high = change_below(
            counts / size,
            np.full(counts.size, math.sqrt(variance / size)),
            (before.share, math.sqrt(variance / n)),
            tightest_at=at,
            alpha=plan.false_alarms * (1 - CUSUM_SHARE),
        ).high
        below = np.flatnonzero(high < 0)
        first_weeks[row] = below[0] if below.size else NEVER
    return first_weeks


def quality_alarms(rng: np.random.Generator, labels: int, *, drop: bool, learnt: bool, count: int) -> Weeks:
    """The week of the first alarm on quality, from 1; a learnt rate is that of one of twelve equally likely baselines."""
    rates = np.where((np.arange(WEEKS) >= CHANGED) & drop, 0.68, 0.80)
    plan = Plan() if learnt else Plan(good=0.8)
    if not learnt:
        cusum, right = alarms(rng, rates, [labels] * WEEKS, Rate(0.8), -DROP, plan.spending(CUSUM_SHARE), count)
        return np.minimum(cusum, sequences(right, labels, Rate(0.8), plan)) + 1
    weekses, n = list[Weeks](), float(BASELINE * labels)
    for place in range(12):
        before = Rate(float(binom.ppf((place + 0.5) / 12, n, 0.8)) / n, n)
        sizes = [labels] * (WEEKS - BASELINE)
        cusum, right = alarms(rng, rates[BASELINE:], sizes, before, -DROP, plan.spending(CUSUM_SHARE), count // 12)
        weekses.append(np.minimum(cusum, sequences(right, labels, before, plan)) + BASELINE + 1)
    return np.concatenate(weekses)


def within(weeks: Weeks, stated: float) -> bool:
    """Whether alarms came in no more than this share of histories, and three standard errors."""
    return bool(np.mean(weeks < NEVER) <= at_most(stated, weeks.size))


@repeated(360, 1800)
@pytest.mark.parametrize("labels", [20, 40, pytest.param(100, marks=pytest.mark.long)])
def test_steady_half_years_raise_at_most_five_false_alarms_in_a_hundred(labels: int, repetitions: int) -> None:
    """Both monitors of quality together, with the rate given and with the rate learnt."""
    rng = np.random.default_rng(labels)

    for learnt in (False, True):
        assert within(quality_alarms(rng, labels, drop=False, learnt=learnt, count=repetitions), 0.05)


def test_a_drop_of_twelve_points_is_found_within_the_weeks_of_the_reference() -> None:
    """By week 11 at the median with the rate given; learnt from four weeks, by week 13, nine of ten within the half-year."""
    rng = np.random.default_rng(9)
    given = quality_alarms(rng, 40, drop=True, learnt=False, count=600)
    learnt = quality_alarms(rng, 40, drop=True, learnt=True, count=600)

    assert np.median(given) <= 11
    assert np.mean(given < NEVER) > 0.99
    assert np.mean(given <= CHANGED) < 0.03
    assert np.median(learnt) <= 13
    assert np.mean(learnt < NEVER) > 0.87


def test_a_judge_that_drifts_alone_is_told_from_a_drop_of_quality() -> None:
    """It passes .4, then .7 of 8 wrong answers a week; or quality drops, and it passes right and wrong answers as before.

    Each monitor of the judge has a quarter of .04, and its rate is learnt from four weeks.
    """
    rng, after = np.random.default_rng(10), np.arange(BASELINE, WEEKS) >= CHANGED
    spending, weeks = AlphaSpending(0.04 / 4, WEEKS), WEEKS - BASELINE

    def judge(rates: Numbers, sizes: list[int], share: float, shift: float) -> Weeks:
        weekses = list[Weeks]()
        for place in range(6):
            n = float(BASELINE * sizes[0])
            before = Rate(float(binom.ppf((place + 0.5) / 6, n, share)) / n, n)
            weekses.append(alarms(rng, rates, sizes, before, shift, spending, 100)[0])
        return np.concatenate(weekses)

    drifting = judge(np.where(after, 0.7, 0.4), [8] * weeks, 0.4, JUDGE_SHIFT)
    fewer, more = [27 if is_after else 32 for is_after in after], [13 if is_after else 8 for is_after in after]
    steady = [
        judge(np.full(weeks, share), sizes, share, shift)
        for share, sizes in ((0.4, more), (0.9, fewer))
        for shift in (JUDGE_SHIFT, -JUDGE_SHIFT)
    ]

    assert np.mean(drifting < NEVER) > 0.75
    assert sum(float(np.mean(weekly < NEVER)) for weekly in steady) <= 0.05
