"""Two proportions compared: paired and independent, against vectors, statsmodels and the definitions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import confint_proportions_2indep, score_test_proportions_2indep

from proxy.stats.intervals import Interval, wilson
from proxy.stats.testing.paired import (
    Difference,
    Pairs,
    bonett_price,
    mcnemar_exact,
    mcnemar_mid_p,
    miettinen_nurminen,
    mover_difference,
    mover_sum,
    newcombe,
    statsmodels_score,
)


@pytest.mark.parametrize(
    ("pairs", "exact", "mid", "difference"),
    [
        (Pairs(60, 5, 15, 20), 0.0413894653, 0.0266036987, (0.0980392157, 0.0099423974, 0.1861360340)),
        (Pairs(90, 0, 6, 4), 0.03125, 0.015625, (6 / 102, 0.0056867615, 0.1119602973)),
    ],
)
def test_pairs_give_the_vector(pairs: Pairs, exact: float, mid: float, difference: tuple[float, ...]) -> None:
    """Exact and mid-p McNemar, and Bonett and Price's second minus first."""
    assert mcnemar_exact(pairs) == pytest.approx(exact, abs=1e-9)
    assert mcnemar_mid_p(pairs) == pytest.approx(mid, abs=1e-9)
    assert bonett_price(pairs) == pytest.approx(difference, abs=1e-9)


def test_independent_samples_give_the_vector() -> None:
    """170 of 200 against 150 of 200: Newcombe's interval, and the score interval as statsmodels has it."""
    assert newcombe(170, 200, 150, 200) == pytest.approx((0.1, 0.0215253304, 0.1773116429), abs=1e-9)
    assert statsmodels_score(170, 200, 150, 200) == pytest.approx((0.1, 0.0217268363, 0.1804378024), abs=1e-9)


def test_mcnemar_agrees_with_statsmodels_and_its_definition() -> None:
    """Sixty random tables; mid-p as the sum of the smaller tail with half of the observed point, twice."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        pairs = Pairs(*rng.integers(0, 30, 4).tolist())
        b, c = pairs.only_first, pairs.only_second
        theirs = mcnemar([[pairs.both, b], [c, pairs.neither]], exact=True).pvalue
        assert mcnemar_exact(pairs) == pytest.approx(theirs, abs=1e-12)
        tail, point = stats.binom.cdf(min(b, c) - 1, b + c, 0.5), stats.binom.pmf(min(b, c), b + c, 0.5)
        expected = 2 * (tail + point / 2) if b != c else 1 - point / 2
        assert mcnemar_mid_p(pairs) == pytest.approx(expected, abs=1e-12)
        assert mcnemar_mid_p(pairs) <= mcnemar_exact(pairs)


def test_no_differing_pair_is_no_evidence() -> None:
    """P = 1, and an interval around 0 that is not a point."""
    pairs = Pairs(40, 0, 0, 10)
    estimate, low, high = bonett_price(pairs)

    assert (mcnemar_exact(pairs), mcnemar_mid_p(pairs)) == (1.0, 1.0)
    assert estimate == 0
    assert low < 0 < high


def test_swapping_first_and_second_mirrors_everything() -> None:
    """The same p-values, the negative difference; flipping right and wrong does the same."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        both, b, c, neither = rng.integers(0, 25, 4).tolist()
        pairs = Pairs(both, b, c, neither + 1)
        estimate, low, high = bonett_price(pairs)
        for other in (Pairs(both, c, b, neither + 1), Pairs(neither + 1, c, b, both)):
            assert bonett_price(other) == pytest.approx((-estimate, -high, -low), abs=1e-12)
            assert mcnemar_mid_p(other) == mcnemar_mid_p(pairs)


@pytest.mark.slow
def test_independent_intervals_agree_with_statsmodels() -> None:
    """Newcombe for any counts, its own score interval away from shares of 0 and 1, where its root leaves [0, 1]."""
    rng = np.random.default_rng(3)
    for _ in range(80):
        n1, n2 = rng.integers(60, 300, 2).tolist()
        x1, x2 = int(n1 * rng.uniform(0.3, 0.7)), int(n2 * rng.uniform(0.3, 0.7))
        low, high = confint_proportions_2indep(x1, n1, x2, n2, method="newcomb", compare="diff")
        assert newcombe(x1, n1, x2, n2) == pytest.approx((x1 / n1 - x2 / n2, low, high), abs=1e-9)
        for end in statsmodels_score(x1, n1, x2, n2)[1:]:
            test = score_test_proportions_2indep(x1, n1, x2, n2, value=end, return_results=False)
            assert test[1] == pytest.approx(0.05, abs=1e-6)


def test_the_score_interval_is_that_of_propcis() -> None:
    """R's diffscoreci(7, 34, 1, 34) = .0270416, .3452912, to its seven digits; statsmodels is .002 off."""
    assert miettinen_nurminen(7, 34, 1, 34)[1:] == pytest.approx((0.0270416, 0.3452912), abs=2e-7)
    assert statsmodels_score(7, 34, 1, 34)[1:] != pytest.approx((0.0270416, 0.3452912), abs=5e-4)


@pytest.mark.slow
def test_the_score_interval_is_its_definition_also_at_small_counts() -> None:
    """Each end inside (-1, 1) has |p1 - p2 - d| = z se(d), the restricted likelihood maximised by a search."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        n1, n2 = rng.integers(2, 40, 2).tolist()
        x1, x2 = int(rng.integers(0, n1 + 1)), int(rng.integers(0, n2 + 1))
        estimate, *ends = miettinen_nurminen(x1, n1, x2, n2)
        for d in (end for end in ends if abs(end) < 0.999):

            def loss(r: float, x1: int = x1, n1: int = n1, x2: int = x2, n2: int = n2, d: float = d) -> float:
                return -stats.binom.logpmf(x1, n1, r + d) - stats.binom.logpmf(x2, n2, r)

            r = minimize_scalar(loss, bounds=(max(0, -d), min(1, 1 - d)), method="bounded", options={"xatol": 1e-12}).x
            variance = ((r + d) * (1 - r - d) / n1 + r * (1 - r) / n2) * (n1 + n2) / (n1 + n2 - 1)
            assert abs(estimate - d) == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(variance), abs=1e-4)


def test_score_and_newcombe_hold_at_the_edges() -> None:
    """Shares of 0 and 1, one item: inside [-1, 1], around the estimate, with width, mirrored when the samples swap."""
    for x1, n1, x2, n2 in ((0, 10, 0, 20), (10, 10, 20, 20), (10, 10, 0, 20), (0, 1, 1, 1), (1, 1, 1, 1), (5, 5, 3, 7)):
        for make in (newcombe, miettinen_nurminen):
            estimate, low, high = make(x1, n1, x2, n2)
            assert -1 <= low <= estimate <= high <= 1
            assert high - low > 0.01
            assert make(x2, n2, x1, n1) == pytest.approx((-estimate, -high, -low), abs=1e-9)
            assert make(n1 - x1, n1, n2 - x2, n2) == pytest.approx((-estimate, -high, -low), abs=1e-9)


def test_confidence_widens() -> None:
    """99 % holds 95 % holds 80 %."""
    for make in (newcombe, miettinen_nurminen):
        wide, usual, narrow = (make(17, 20, 12, 20, confidence=c) for c in (0.99, 0.95, 0.8))
        assert wide.low < usual.low < narrow.low < narrow.high < usual.high < wide.high


def test_mover_is_newcombe_for_wilson_and_the_normal_form_for_symmetric_intervals() -> None:
    """Symmetric intervals a +- u, b +- v give a - b +- sqrt(u^2 + v^2 - 2 r u v), a + b with + 2 r u v."""
    a, b, a_in, b_in = 0.7, 0.4, Interval(0.6, 0.8), Interval(0.35, 0.45)

    assert mover_difference(0.85, wilson(0.85, 200), 0.75, wilson(0.75, 200)) == newcombe(170, 200, 150, 200)
    for r in (-1.0, -0.3, 0.0, 0.5, 1.0):
        less, more = math.sqrt(0.01 + 0.0025 - 0.01 * r), math.sqrt(0.01 + 0.0025 + 0.01 * r)
        assert mover_difference(a, a_in, b, b_in, correlation=r) == pytest.approx((0.3, 0.3 - less, 0.3 + less))
        assert mover_sum(a, a_in, b, b_in, correlation=r) == pytest.approx((1.1, 1.1 - more, 1.1 + more))


def test_a_difference_is_the_sum_with_the_negative() -> None:
    """A - b = a + (-b), the correlation turned with it; a known b only shifts."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        a, b, r = rng.random(), rng.random(), float(rng.uniform(-1, 1))
        a_in, b_in = Interval(a - rng.random(), a + rng.random()), Interval(b - rng.random(), b + rng.random())
        negative = Interval(-b_in.high, -b_in.low)
        assert mover_difference(a, a_in, b, b_in, correlation=r) == pytest.approx(
            mover_sum(a, a_in, -b, negative, correlation=-r), abs=1e-12
        )
        assert mover_difference(a, a_in, b, Interval(b, b)) == pytest.approx((a - b, a_in.low - b, a_in.high - b))


def test_impossible_counts_and_intervals_are_refused() -> None:
    """With a message that says what to give."""
    for call in (mcnemar_exact, mcnemar_mid_p, bonett_price):
        for pairs in (Pairs(0, 0, 0, 0), Pairs(5, -1, 2, 0)):
            with pytest.raises(ValueError, match="four counts"):
                call(pairs)
    for call in (newcombe, miettinen_nurminen):
        for counts in ((3, 2, 1, 2), (0, 0, 1, 2)):
            with pytest.raises(ValueError, match="a part and its whole"):
                call(*counts)
    with pytest.raises(ValueError, match="inside its interval"):
        mover_sum(0.5, Interval(0.6, 0.7), 0.5, Interval(0.4, 0.6))
    with pytest.raises(ValueError, match="inside its interval"):
        mover_difference(0.5, Interval(0.4, 0.7), 0.5, Interval(0.4, 0.6), correlation=2)


@pytest.mark.slow
@pytest.mark.parametrize("method", [bonett_price, newcombe, miettinen_nurminen])
def test_intervals_of_differences_cover(method: Callable[..., Difference]) -> None:
    """Paired (10 % and 4 % differ) and independent (85 % and 78 %) samples of 80 and 60, 3000 times."""
    rng, repetitions, hits = np.random.default_rng(5), 3000, 0
    for _ in range(repetitions):
        if method is bonett_price:
            one, truth = bonett_price(Pairs(*rng.multinomial(80, [0.7, 0.04, 0.1, 0.16]).tolist())), 0.06
        else:
            one, truth = method(int(rng.binomial(80, 0.85)), 80, int(rng.binomial(60, 0.78)), 60), 0.07
        hits += one.low <= truth <= one.high

    assert hits / repetitions >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / repetitions)
