"""Two proportions compared: paired and independent, against vectors, statsmodels and the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import confint_proportions_2indep

from proxy.stats.intervals import Interval, wilson
from proxy.stats.testing.paired import (
    Pairs,
    bonett_price,
    mcnemar_exact,
    mcnemar_mid_p,
    mover_difference,
)


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


def test_mover_is_newcombe_for_wilson_and_the_normal_form_for_symmetric_intervals() -> None:
    """Newcombe's by statsmodels, whatever the counts; a +- u, b +- v give a - b +- sqrt(u^2 + v^2 - 2 r u v)."""
    a, b, a_in, b_in = 0.7, 0.4, Interval(0.6, 0.8), Interval(0.35, 0.45)

    rng = np.random.default_rng(3)
    for _ in range(80):
        n1, n2 = rng.integers(60, 300, 2).tolist()
        x1, x2 = int(rng.integers(0, n1 + 1)), int(rng.integers(0, n2 + 1))
        first, second = x1 / n1, x2 / n2
        low, high = confint_proportions_2indep(x1, n1, x2, n2, method="newcomb", compare="diff")
        theirs = (first - second, low, high)
        assert mover_difference(first, wilson(first, n1), second, wilson(second, n2)) == pytest.approx(theirs, abs=1e-9)
    newcombe = mover_difference(0.85, wilson(0.85, 200), 0.75, wilson(0.75, 200))
    assert newcombe == pytest.approx((0.1, 0.0215253304, 0.1773116429), abs=1e-9)
    for r in (-1.0, -0.3, 0.0, 0.5, 1.0):
        less = math.sqrt(0.01 + 0.0025 - 0.01 * r)
        assert mover_difference(a, a_in, b, b_in, correlation=r) == pytest.approx((0.3, 0.3 - less, 0.3 + less))


def test_a_difference_turns_with_its_sides_and_a_known_side_only_shifts_it() -> None:
    """B - a is the mirror of a - b; a known b shifts a's interval."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        a, b, r = rng.random(), rng.random(), float(rng.uniform(-1, 1))
        a_in, b_in = Interval(a - rng.random(), a + rng.random()), Interval(b - rng.random(), b + rng.random())
        estimate, low, high = mover_difference(a, a_in, b, b_in, correlation=r)
        assert mover_difference(b, b_in, a, a_in, correlation=r) == pytest.approx((-estimate, -high, -low), abs=1e-12)
        assert mover_difference(a, a_in, b, Interval(b, b)) == pytest.approx((a - b, a_in.low - b, a_in.high - b))


def test_impossible_counts_and_intervals_are_refused() -> None:
    """With a message that says what to give."""
    for call in (mcnemar_exact, mcnemar_mid_p, bonett_price):
        for pairs in (Pairs(0, 0, 0, 0), Pairs(5, -1, 2, 0)):
            with pytest.raises(ValueError, match="four counts"):
                call(pairs)
    with pytest.raises(ValueError, match="inside its interval"):
        mover_difference(0.5, Interval(0.6, 0.7), 0.5, Interval(0.4, 0.6))
    with pytest.raises(ValueError, match="inside its interval"):
        mover_difference(0.5, Interval(0.4, 0.7), 0.5, Interval(0.4, 0.6), correlation=2)
