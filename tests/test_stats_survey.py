"""A stratified proportion: estimates, standard errors and effective sizes, by hand and by vectors."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from scipy import stats

from proxy.stats.intervals import Interval, wilson
from proxy.stats.survey import Proportion, StratumSample, satterthwaite, stratified, variance

# The worked example: two strata of 15,500 and 4,500 items, 172 of 200 and 22 of 50 right.
EXAMPLE = (StratumSample(size=15_500, n=200, x=172), StratumSample(size=4_500, n=50, x=22))


def width(interval: Interval) -> float:
    return interval.high - interval.low


def test_the_example_has_its_estimate_and_standard_errors() -> None:
    """.775 x .86 + .225 x .44 = .7655; standard errors as the survey library samplics gives them."""
    assert stratified(EXAMPLE).p == pytest.approx(0.7655, abs=1e-12)
    assert math.sqrt(variance(EXAMPLE, window=True)) == pytest.approx(0.02470722826420724, rel=1e-12)
    assert math.sqrt(variance(EXAMPLE, window=False)) == pytest.approx(0.024858894678803214, rel=1e-12)


def test_the_example_has_its_degrees_of_freedom() -> None:
    """Satterthwaite's (a1 + a2)^2 / (a1^2 / 199 + a2^2 / 49), a_h = W_h^2 s2_h / n_h, written out.

    The vector 192.0920342575 has the (1 - f_h) of the window in each a_h; ours is without, for both intervals.
    """
    a1, a2 = 0.775**2 * 0.86 * 0.14 / 199, 0.225**2 * 0.44 * 0.56 / 49
    by_hand = (a1 + a2) ** 2 / (a1**2 / 199 + a2**2 / 49)
    b1, b2 = a1 * (1 - 200 / 15_500), a2 * (1 - 50 / 4_500)

    assert satterthwaite(EXAMPLE) == pytest.approx(by_hand, rel=1e-12)
    assert (b1 + b2) ** 2 / (b1**2 / 199 + b2**2 / 49) == pytest.approx(192.0920342575, rel=1e-9)
    assert satterthwaite(EXAMPLE) == pytest.approx(192.0920342575, rel=1e-3)


def test_the_example_has_its_intervals() -> None:
    """Wilson at n / deff, deff = V n / (p (1 - p)) shrunk by one pseudo-error; the window's n is larger by V / V_window.

    The vector shrinks after the finite population correction, [.7134151238, .8106314701]: equal to three digits.
    """
    p, n = 0.7655, 250
    without, within = 0.024858894678803214**2, 0.02470722826420724**2
    errors = n * min(p, 1 - p)
    deff = (errors * without * n / (p * (1 - p)) + 1) / (errors + 1)
    df = satterthwaite(EXAMPLE)
    found = stratified(EXAMPLE)

    assert without * n / (p * (1 - p)) < 1, "so the shrinking is at work"
    assert found.long_run() == pytest.approx(wilson(p, n / deff, df=df), rel=1e-10)
    assert found.window() == pytest.approx(wilson(p, n / deff / (within / without), df=df), rel=1e-10)
    assert found.window() == pytest.approx((0.7134151238, 0.8106314701), abs=1e-4)
    assert width(found.window()) < width(found.long_run())


def test_the_unweighted_share_is_not_the_answer() -> None:
    """194 of 250 is .776: the mistake that weighting exists for."""
    assert stratified(EXAMPLE).p != pytest.approx(194 / 250, abs=1e-3)


def test_a_design_effect_above_one_is_taken_as_it_is() -> None:
    """Few labels where most items are: n / deff by hand, without any shrinking."""
    strata = (StratumSample(size=9_000, n=10, x=6), StratumSample(size=1_000, n=90, x=45))
    v = 0.9**2 * 0.6 * 0.4 / 9 + 0.1**2 * 0.5 * 0.5 / 89
    p = 0.9 * 0.6 + 0.1 * 0.5

    assert stratified(strata).whole.n_effective == pytest.approx(p * (1 - p) / v, rel=1e-10)


@pytest.mark.parametrize(("n", "x"), [(30, 30), (30, 0), (40, 31), (2, 1)])
def test_one_stratum_is_wilson_with_student_quantiles(n: int, x: int) -> None:
    """N labels of N_h items: long run Wilson(n), window Wilson(n / (1 - f)), both with t of n - 1 degrees."""
    found = stratified([StratumSample(size=200, n=n, x=x)])

    assert found.long_run() == pytest.approx(wilson(x / n, n, df=n - 1), rel=1e-12)
    assert found.window() == pytest.approx(wilson(x / n, n / (1 - n / 200), df=n - 1), rel=1e-12)


def test_thirty_right_of_thirty_leave_a_doubt() -> None:
    """The lower limit of the long run is .8776301478, the t interval of 29 degrees."""
    found = stratified([StratumSample(size=10**9, n=30, x=30)])

    assert found.p == 1
    assert found.long_run() == pytest.approx((0.8776301478, 1), abs=1e-10)


def test_all_right_in_every_stratum_uses_the_size_after_weighting() -> None:
    """Kish's n = 1 / sum(W_h^2 / n_h) = 1 / (.81 / 10 + .01 / 90) = 12.33 of 100 labels, so no false comfort."""
    strata = (StratumSample(size=90_000, n=10, x=10), StratumSample(size=10_000, n=90, x=90))
    found = stratified(strata)

    assert found.whole.n_effective == pytest.approx(1 / (0.81 / 10 + 0.01 / 90), rel=1e-12)
    assert found.long_run().low < 0.77 < wilson(1, 100, df=98).low


@pytest.mark.parametrize("x", [0, 10, 20])
def test_a_stratum_whose_labels_agree_still_has_a_variance(x: int) -> None:
    """Half a pseudo-label of each kind: s2 = (n + .5) .5 / (n + 1)^2, so 20 of 20 is no certainty."""
    agreed = StratumSample(size=1_000, n=20, x=20)
    other = StratumSample(size=1_000, n=20, x=x)

    assert agreed.s2 == pytest.approx(20.5 * 0.5 / 21**2)
    assert width(stratified([agreed, other]).window()) > 0.03
    assert variance([agreed, other], window=True) > 0


def test_a_stratum_seen_whole_is_exact_and_the_rest_alone_is_uncertain() -> None:
    """Window = (560 x 150/560 + 19,440 x [Wilson of 134 of 160]) / 20,000; estimate .82155.

    The standard error .0283199301 is that of the vector: the thumbs-down stratum adds nothing to it.
    """
    down, rest = StratumSample(size=560, n=560, x=150), StratumSample(size=19_440, n=160, x=134)
    found = stratified([down, rest])
    low, high = wilson(134 / 160, 160 / (1 - 160 / 19_440), df=159)

    assert found.p == pytest.approx(0.82155, abs=1e-12)
    assert math.sqrt(variance([down, rest], window=True)) == pytest.approx(0.0283199301, abs=1e-10)
    assert found.window() == pytest.approx(((150 + 19_440 * low) / 20_000, (150 + 19_440 * high) / 20_000), rel=1e-12)
    assert width(found.long_run()) > 0
    assert found.p != pytest.approx((150 + 134) / 720, abs=0.3), "pooling the labels unweighted is the failing answer"


def test_everything_labelled_is_the_truth_without_width() -> None:
    """A census of every stratum: the window is exact, the long run is not."""
    strata = [StratumSample(size=7, n=7, x=7), StratumSample(size=30, n=30, x=11), StratumSample(size=1, n=1, x=0)]
    found = stratified(strata)

    assert found.rest is None
    assert found.window() == Interval(18 / 38, 18 / 38)
    assert width(found.long_run()) > 0.2


def test_more_labels_narrow_the_interval_down_to_nothing() -> None:
    """The same shares at growing n: the window's width falls at every step and ends at zero."""
    widths = [
        width(stratified([StratumSample(size=400, n=4 * k, x=3 * k), StratumSample(size=200, n=2 * k, x=k)]).window())
        for k in (2, 5, 10, 25, 50, 75, 99, 100)
    ]

    assert all(wide > narrow for wide, narrow in itertools.pairwise(widths)), widths
    assert widths[-1] == 0


def test_intervals_hold_their_estimate_inside_the_unit_range() -> None:
    """Any strata whatever: 0 <= low <= p <= high <= 1 for the window and the long run."""
    rng = random.Random(7)
    for _ in range(500):
        strata = []
        for _ in range(rng.randint(1, 6)):
            size = rng.randint(2, 500)
            n = rng.randint(2, size)
            strata.append(StratumSample(size=size, n=n, x=rng.choice([0, n, rng.randint(0, n)])))
        found = stratified(strata)
        for low, high in (found.window(), found.long_run(), found.long_run(3.0)):
            assert -1e-12 <= low <= found.p + 1e-12, strata
            assert found.p - 1e-12 <= high <= 1 + 1e-12, strata


def test_clustering_divides_the_effective_size() -> None:
    """A design effect of groups of 2 is half as many labels in the long run, and nothing in the window."""
    found = stratified([StratumSample(size=1_000, n=50, x=40)])

    assert found.long_run(2.0) == pytest.approx(wilson(0.8, 25, df=49), rel=1e-12)
    assert found.window() == stratified([StratumSample(size=1_000, n=50, x=40)]).window()


def test_what_can_be_estimated() -> None:
    """Two labels, or a census: one label of many says nothing of the variance."""
    assert not StratumSample(size=10, n=0, x=0).is_estimable
    assert not StratumSample(size=10, n=1, x=1).is_estimable
    assert StratumSample(size=10, n=2, x=1).is_estimable
    assert StratumSample(size=1, n=1, x=1).is_estimable


def test_a_fraction_seen_stands_apart_from_the_judgeable_size() -> None:
    """10 of 20 returned of 100 could not be judged: size 50, n 10, but a fifth was seen, so f = .2."""
    one = StratumSample(size=50, n=10, x=5, fraction=0.2)

    assert one.f == 0.2
    assert variance([one], window=True) == pytest.approx(variance([one], window=False) * 0.8)


def test_the_window_interval_covers_every_small_population() -> None:
    """Exact enumeration of a hypergeometric draw of 12 from 40: the average coverage over all truths is nominal."""
    covered = []
    for right in range(41):
        share = 0.0
        for x in range(max(0, right - 28), min(12, right) + 1):
            low, high = stratified([StratumSample(size=40, n=12, x=x)]).window()
            share += float(stats.hypergeom.pmf(x, 40, right, 12)) * (low - 1e-12 <= right / 40 <= high + 1e-12)
        covered.append(share)

    assert sum(covered) / len(covered) >= 0.95
    assert min(covered) >= 0.85


def test_the_estimate_is_unbiased_over_all_samples() -> None:
    """Every sample of 2 of 4 and 3 of 5 items, by enumeration: the mean estimate is the truth."""
    first, second = [1, 1, 0, 1], [0, 1, 0, 0, 1]
    found: list[Proportion] = [
        stratified([StratumSample(size=4, n=2, x=sum(a)), StratumSample(size=5, n=3, x=sum(b))])
        for a in itertools.combinations(first, 2)
        for b in itertools.combinations(second, 3)
    ]

    assert sum(one.p for one in found) / len(found) == pytest.approx(5 / 9, abs=1e-12)
