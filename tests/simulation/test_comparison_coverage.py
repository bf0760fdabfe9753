"""Does the interval of a difference hold the truth as often as it says? Seeded simulations of labelled pairs of questions.

The two answers to a question are right together more often than chance has it (correlation .5 of what lies behind them), and the
judge sees what lies behind them with as much noise again. What is drawn of N questions is drawn in one of three ways: all with
one chance, each side at twice the rate where the proxy fails it (P = Pa Pb), or most of what the proxy finds different.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from proxy.comparison.comparison import AnsweredQuestion, QuestionPair, SharedQuestions, chosen, from_rates, paired
from proxy.evaluation.estimate import Estimate
from proxy.records import Verdict
from proxy.stats.intervals import wilson
from proxy.stats.testing.paired import mover_difference
from proxy.stats.testing.paired_power import FEWEST_POWERED, paired_difference, powered, weighted_bonett_price
from support.simulation import assert_covers, at_least, repeated

pytestmark = pytest.mark.slow

Numbers = NDArray[np.float64]


class Drawn(NamedTuple):
    """What one sample holds: D, d and P of the labelled pairs, how many pairs there are, and their mean d."""

    differences: Numbers
    scores: Numbers
    chances: Numbers
    everyone: tuple[int, float]


def answers(
    rng: np.random.Generator, n: int, first: float, second: float, alike: float = 0.5, noise: float = 1.0
) -> tuple[Numbers, Numbers]:
    """Right (rows 0 and 1 for the systems) of n questions, and the proxy's values of them."""
    shared, own, blur = rng.standard_normal(n), rng.standard_normal((2, n)), rng.standard_normal((2, n))
    behind = np.sqrt(alike) * shared + np.sqrt(1 - alike) * own
    edges = norm.ppf([first, second])[:, None]
    return (behind < edges).astype(float), norm.cdf((edges - behind) / noise - blur)


def samples(
    n: int, first: float, effect: float, design: str, seed: list[int], repetitions: int = 400
) -> Iterator[Drawn]:
    """Samples of about n pairs out of the more of 4 n and 200."""
    rng, size = np.random.default_rng(seed), max(4 * n, 200)
    for _ in range(repetitions):
        right, value = answers(rng, size, first, first + effect)
        score = value[1] - value[0]
        if design == "even":
            chance = np.full(size, n / size)
            drawn = np.isin(np.arange(size), rng.choice(size, n, replace=False))
        else:
            rate = np.where(value > 0.5, 1.0, 2.0).prod(axis=0) if design == "failed" else 0.2 + np.abs(score)
            chance = np.minimum(1, n * rate / rate.sum())
            drawn = rng.random(size) < chance
        if drawn.any():
            yield Drawn((right[1] - right[0])[drawn], score[drawn], chance[drawn], (size, float(score.mean())))


CELLS = [
    (n, first, effect)
    for n in (8, 20, 50, 150)
    for first, effect in ((0.6, 0.0), (0.6, 0.05), (0.6, 0.3), (0.94, 0.0), (0.94, 0.05))
]


@repeated(100, 400)
@pytest.mark.parametrize("design", ["even", "failed", "different"])
def test_the_form_to_report_holds_the_truth(design: str, repetitions: int) -> None:
    """The true effect is held in .95 of the samples, few labels and rates near 1 included."""
    covered: dict[Hashable, float] = {}
    for n, first, effect in CELLS:
        drawn = samples(n, first, effect, design, [n, int(100 * first)], repetitions)
        differences = [paired_difference(*sample).difference for sample in drawn]
        covered[n, first, effect] = float(
            np.mean([interval.low - 1e-9 <= effect <= interval.high + 1e-9 for interval in differences])
        )

    assert_covers(covered, repetitions)


def rate(right: Numbers) -> Estimate:
    """The share of a simple random sample with Wilson's interval."""
    low, high = wilson(float(right.mean()), len(right))
    return Estimate(estimate=float(right.mean()), low=low, high=high, n=len(right))


@repeated(100, 400)
@pytest.mark.parametrize("each", [40, 120, 260])
def test_what_is_chosen_of_pairs_and_rates_holds_the_truth(each: int, repetitions: int) -> None:
    """Each side draws by itself out of 400 questions: 4, 36 or 169 pairs come about, and the truth +.05 is held."""
    rng, held, in_pairs = np.random.default_rng(each), list[bool](), 0
    for _ in range(repetitions):
        right, value = answers(rng, 400, 0.7, 0.75)
        rows = [rng.choice(400, each, replace=False) for _ in range(2)]
        shared, chance = np.intersect1d(*rows), each / 400
        expected = value[1] - value[0]
        pairs = [
            QuestionPair(
                question=str(row),
                groups=(str(row),),
                first=AnsweredQuestion(items=(row,), right=float(right[0][row]), chance=chance, verdict=Verdict.PASS),
                second=AnsweredQuestion(items=(row,), right=float(right[1][row]), chance=chance, verdict=Verdict.PASS),
                expected=float(expected[row]),
            )
            for row in shared
        ]
        by_rates = from_rates(rate(right[0][rows[0]]), rate(right[1][rows[1]]), ("A", "B"))
        comparison = chosen(paired(SharedQuestions(pairs=pairs, expected=expected)), by_rates, each, 1.0)
        low, high = comparison.difference.low, comparison.difference.high
        held.append(low is not None and high is not None and low <= 0.05 <= high)
        in_pairs += comparison.is_paired

    assert np.mean(held) >= at_least(0.95, repetitions)
    assert (in_pairs > repetitions / 2) == (each == 260)


def test_below_fifty_pairs_the_tuned_form_would_be_the_wider() -> None:
    """Of 20 pairs t and the tuning cost more width than the proxy gives back, of 50 they do not: that is where the switch lies."""

    def widths(n: int) -> tuple[float, float]:
        drawn = list(samples(n, 0.6, 0.05, "even", [4]))
        tuned = [powered(*sample).difference for sample in drawn]
        plain = [weighted_bonett_price(sample.differences, sample.chances) for sample in drawn]
        return float(np.mean([interval.high - interval.low for interval in tuned])), float(
            np.mean([interval.high - interval.low for interval in plain])
        )

    assert FEWEST_POWERED == 50
    assert widths(20)[0] > widths(20)[1]
    assert widths(50)[0] < widths(50)[1]


def test_pairs_and_the_proxy_narrow_the_interval_as_the_reference_says() -> None:
    """At +5 points and 200 labelled questions of many, pairs cut the width of two samples by 23 % and the proxy to 32 %.

    The reference's widths are .163, .126 and .112: Var(D) = .207, which takes answers that agree with correlation .42, and a
    proxy whose difference explains a quarter of D. Here it is 400 samples of 200 out of 4,000, to 3 points.
    """
    rng, widths = np.random.default_rng(9), []
    for _ in range(400):
        right, value = answers(rng, 4000, 0.75, 0.8, alike=0.65, noise=0.6)
        apart, second = right[0][:200], right[1][200:400]
        separate = mover_difference(
            float(second.mean()),
            wilson(float(second.mean()), 200),
            float(apart.mean()),
            wilson(float(apart.mean()), 200),
        )
        difference, score = right[1] - right[0], value[1] - value[0]
        even = np.full(200, 0.05)
        plain = weighted_bonett_price(difference[:200], even)
        tuned = paired_difference(difference[:200], score[:200], even, (4000, float(score.mean()))).difference
        widths.append([interval.high - interval.low for interval in (separate, plain, tuned)])
    separate_width, plain_width, tuned_width = np.mean(widths, axis=0)

    assert 1 - plain_width / separate_width == pytest.approx(0.23, abs=0.03)
    assert 1 - tuned_width / separate_width == pytest.approx(0.32, abs=0.03)
