"""Every quantity of the 2x2 table states its range and direction, and has no interval where it may be undefined."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.agreement import proportions_of
from proxy.evaluation.confusion_rates import DERIVED, MAY_BE_UNDEFINED, RANGES, UNDEFINED, Range, derived, middle
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.worst_case import RANGES_OF_CASES, spanned
from proxy.stats.agreement import confusion
from proxy.stats.intervals import Interval
from support.agreement import EXAMPLE


def test_a_quantity_states_its_range_its_direction_and_why_it_is_undefined() -> None:
    """A name that stands in one table alone would be taken for a share of which more is better."""
    assert set(DERIVED) == set(RANGES) == set(UNDEFINED)


@pytest.mark.parametrize("name", DERIVED)
def test_the_formula_keeps_to_the_range_and_the_direction(name: str) -> None:
    """On a grid of P(right | pass), P(right | fail) and P(pass); steps of .05 are larger than errors of floats."""
    lowest, highest, is_higher_better = RANGES[name]
    steps = np.linspace(0.025, 0.975, 20)
    values = DERIVED[name](confusion.cells(*np.meshgrid(steps, steps, steps, indexing="ij")))
    sign = 1 if is_higher_better else -1

    assert lowest <= values.min() < values.max() <= highest
    assert (sign * np.diff(values, axis=0) > 0).all(), "with P(right | pass)"
    assert (sign * np.diff(values, axis=1) < 0).all(), "with P(right | fail)"


def test_where_lower_is_better_the_low_end_is_that_of_the_best_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative likelihood ratio: .1 to .3 in the best case, .5 to .9 in the worst; undefined there, it has no upper end."""
    monkeypatch.setitem(RANGES_OF_CASES, "ratio", Range(0.0, np.inf, is_higher_better=False))
    among, best, worst = (
        Estimate(estimate=(low + high) / 2, low=low, high=high, n=9, long_run=Interval(low - 0.05, high + 0.05))
        for low, high in ((0.3, 0.5), (0.1, 0.3), (0.5, 0.9))
    )
    whole = spanned("ratio", among, worst, best)
    assert (whole.low, whole.high) == (0.1, 0.9)
    assert whole.long_run == pytest.approx((0.05, 0.95))

    undefined = Estimate(estimate=None, reason="undefined")
    assert spanned("ratio", among, undefined, best).long_run == pytest.approx((0.05, np.inf))
    assert spanned("ratio", among, worst, undefined).long_run == pytest.approx((0.0, 0.95))


def test_the_interval_describes_the_draws_that_have_a_value() -> None:
    """Of .2, .3 and .4 the percentiles 2.5 and 97.5 are .205 and .395."""
    draws = np.array([0.2, 0.3, np.nan, np.nan, np.nan, 0.4])

    assert middle(draws, 0.3) == pytest.approx((0.205, 0.395))


@pytest.mark.parametrize(("undefined", "has_interval"), [(0, True), (40, True), (42, False), (4096, False)])
def test_where_many_draws_are_undefined_there_is_no_interval(
    monkeypatch: pytest.MonkeyPatch, undefined: int, *, has_interval: bool
) -> None:
    """40 of 4,096 draws are less than a hundredth, 42 are more. A single value is the estimate itself."""

    def ratio(cells: confusion.Cells) -> confusion.Numbers:
        values = np.array(cells.right_pass, copy=True)
        if values.size > 1:
            values[:undefined] = np.nan
        return values

    monkeypatch.setitem(DERIVED, "kappa", ratio)
    estimate = derived(proportions_of(EXAMPLE), EXAMPLE.grouping, names=["kappa"])["kappa"]
    assert estimate.estimate == pytest.approx(0.775 * 0.86)
    assert (estimate.low is not None) == (estimate.long_run is not None) == has_interval
    assert estimate.reason == (None if has_interval else MAY_BE_UNDEFINED)
