"""Intervals for one proportion: against statsmodels, against vectors, and at the edges where others break."""

from __future__ import annotations

import math

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from proxy.stats.intervals import Interval, clopper_pearson, joined, quantile, wilson


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
def test_both_agree_with_statsmodels_for_every_count(confidence: float) -> None:
    """Every x of several n, none and all included."""
    for n in (1, 2, 5, 17, 60):
        for x in range(n + 1):
            for ours, method in (
                (wilson(x / n, n, confidence=confidence), "wilson"),
                (clopper_pearson(x, n, confidence=confidence), "beta"),
            ):
                theirs = proportion_confint(x, n, alpha=1 - confidence, method=method)
                assert ours == pytest.approx(theirs, abs=1e-9), (x, n, method)


@pytest.mark.parametrize(("x", "n", "expected"), [(10, 11, (0.623, 0.984)), (5, 6, (0.436, 0.970))])
def test_the_published_sixteen_answers_have_these_intervals(x: int, n: int, expected: tuple[float, float]) -> None:
    """Of 11 passed answers 10 are right, of 6 wrong ones 5 failed: precision .909 and true negative rate .833."""
    assert wilson(x / n, n) == pytest.approx(expected, abs=5e-4)


def test_no_interval_leaves_the_unit_range_or_loses_its_estimate() -> None:
    """Also at broken sample sizes, few degrees of freedom and shares next to 0 and 1."""
    for p in (0.0, 1e-12, 0.03, 0.5, 0.97, 1 - 1e-12, 1.0):
        for n in (0.4, 1.0, 3.7, 30.0, 1e9):
            for df in (1.0, 2.5, math.inf):
                low, high = wilson(p, n, df=df)
                assert 0 <= low <= p <= high <= 1, (p, n, df)
                assert high > low, (p, n, df)


def test_none_right_and_all_right_end_exactly_at_the_edge_and_mirror_each_other() -> None:
    """0 of n begins at 0, all of n ends at 1, and 1 - p has the mirrored interval."""
    for n in (1, 7, 300):
        for make in (lambda x, n: wilson(x / n, n), clopper_pearson):
            none, every = make(0, n), make(n, n)
            assert (none.low, every.high) == (0.0, 1.0)
            assert none.high == pytest.approx(1 - every.low, abs=1e-12)


def test_a_census_has_no_width() -> None:
    """An infinite effective sample size leaves nothing open."""
    for p in (0.0, 0.37, 1.0):
        assert wilson(p, math.inf, df=3) == Interval(p, p)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("df", [1, 2.7, 29, 1000, math.inf])
def test_the_quantile_is_that_of_scipy(confidence: float, df: float) -> None:
    """Student's t, and the normal where df is infinite."""
    upper = (1 + confidence) / 2
    expected = stats.norm.ppf(upper) if math.isinf(df) else stats.t.ppf(upper, df)

    assert quantile(df, confidence) == pytest.approx(expected, rel=1e-9)


def test_wilson_solves_its_defining_equation() -> None:
    """Each end p0 satisfies |p - p0| = t sqrt(p0 (1 - p0) / n), also at a fractional n."""
    for p, n, df in ((0.86, 200.0, math.inf), (0.3, 12.4, 7.5), (0.02, 55.5, 3.0)):
        for end in wilson(p, n, df=df):
            assert abs(p - end) == pytest.approx(quantile(df) * math.sqrt(end * (1 - end) / n), rel=1e-9)


@pytest.mark.parametrize("p", [0.0, 0.03, 0.5, 0.97, 1.0])
def test_errors_of_two_samples_join_as_the_sum_of_their_variances(p: float) -> None:
    """Oracle: of n and m labels V = p (1 - p) (1 / n + 1 / m), which is Wilson's interval of n m / (n + m) labels."""
    interval = joined(p, [wilson(p, 12), wilson(p, 30)])

    assert interval == pytest.approx(wilson(p, 12 * 30 / 42), abs=1e-9)


def test_an_error_by_itself_keeps_its_interval_and_one_that_is_known_adds_nothing() -> None:
    own = Interval(0.61, 0.93)

    assert joined(0.8, [own]) == pytest.approx(own, abs=1e-9)
    assert joined(0.8, [own, Interval(0.8, 0.8)]) == pytest.approx(own, abs=1e-9)
    assert joined(0.8, [Interval(0.8, 0.8)]) == Interval(0.8, 0.8)
    assert joined(0.8, [Interval(0.0, 0.9), Interval(0.7, 1.0)]) == Interval(0.0, 1.0)


def test_joined_errors_stay_beyond_each_and_inside_the_unit_range() -> None:
    """Distances of .045 and .045 above .95 add in squares to 1.014, which an answer that was wrong rules out."""
    for p in (0.02, 0.2, 0.8, 0.95):
        for first in (0.5, 3.0, 40.0):
            for second in (1.0, 10.0, 1e6):
                parts = [wilson(p, first), wilson(p, second)]
                low, high = joined(p, parts)
                assert 0 < low <= min(part.low for part in parts), (p, first, second)
                assert 1 > high >= max(part.high for part in parts), (p, first, second)
    assert 0.95 + math.hypot(0.045, 0.045) > 1 > joined(0.95, [Interval(0.8, 0.995), Interval(0.8, 0.995)]).high
