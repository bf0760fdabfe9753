"""The risk of classes that were labelled at different rates: exact for one class, never too bold for several, by counting every case."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from proxy.stats.calibration.stratified_risk import worst_p_value


def test_one_class_is_the_exact_binomial_test() -> None:
    """P(Bin(100, .1) <= 5) = .0576."""
    assert worst_p_value([1.0], [100], [5], 0.1) == pytest.approx(0.0575768865, abs=1e-9)


def test_without_an_error_the_worst_is_known() -> None:
    """P = (1 - e1)^30 (1 - e2)^60, halves: as log P is concave, d log P = 0 or a corner: here all of the risk in the first class.

    -30 / (1 - e1) + 60 / (1 - e2) > 0 on the whole line e1 + e2 = .2, so P rises with e1: (1 - .2)^30.
    """
    assert worst_p_value([0.5, 0.5], [30, 60], [0, 0], 0.1) == pytest.approx(0.8**30, rel=1e-9)


@pytest.mark.parametrize(
    ("shares", "n"), [((0.67, 0.33), (40, 14)), ((0.9, 0.1), (60, 5)), ((0.6, 0.3, 0.1), (22, 10, 6))]
)
def test_no_risks_make_it_too_bold(shares: Sequence[float], n: Sequence[int]) -> None:
    """Every outcome has its p-value; over risks that sum to .1, P(p <= .1) by adding up all outcomes is at most .1.

    The risks are taken at other places than the maximum is sought at.
    """
    outcomes = list(itertools.product(*(range(size + 1) for size in n)))
    low = [k for k in outcomes if sum(w * x / m for w, x, m in zip(shares, k, n, strict=True)) < 0.1]
    rejected = [k for k in low if worst_p_value(shares, n, k, 0.1) <= 0.1]
    rng, sizes = np.random.default_rng(1), list[float]()
    for part in rng.dirichlet([0.7] * len(n), 150):
        risks = 0.1 * part / np.array(shares)
        if (risks <= 1).all():
            tables = [stats.binom.pmf(np.arange(m + 1), m, e) for m, e in zip(n, risks, strict=True)]
            sizes.append(sum(float(np.prod([t[x] for t, x in zip(tables, k, strict=True)])) for k in rejected))

    assert len(sizes) > 50
    assert max(sizes) <= 0.1
    assert max(sizes) > 0.02


def test_classes_alike_cost_little() -> None:
    """Two halves of 50 labels and one class of 100, no error to four: never bolder than the plain test, nor twice as shy at none."""
    for errors in range(5):
        plain = worst_p_value([1.0], [100], [errors], 0.1)
        parted = worst_p_value([0.5, 0.5], [50, 50], [errors - errors // 2, errors // 2], 0.1)
        assert plain <= parted * 1.3
        assert parted <= 2.5 * plain


def test_more_errors_prove_less() -> None:
    """In either class; and what lies at the risk or above it proves nothing."""
    p_values = [worst_p_value([0.7, 0.3], [70, 20], k, 0.1) for k in ((0, 0), (1, 0), (2, 0), (2, 1))]

    assert p_values == sorted(p_values)
    assert worst_p_value([0.7, 0.3], [70, 20], (7, 2), 0.1) == 1.0


def test_the_order_of_the_classes_does_not_matter() -> None:
    """Permuted, the same p-value."""
    shares, n, errors = (0.6, 0.3, 0.1), (60, 20, 8), (1, 1, 0)
    p_values = {
        round(worst_p_value(*(([part[k] for k in order]) for part in (shares, n, errors)), 0.1), 9)
        for order in itertools.permutations(range(3))
    }

    assert max(p_values) - min(p_values) < 0.02 * max(p_values)


@pytest.mark.parametrize(
    ("shares", "n", "errors"),
    [((0.5, 0.4), (5, 5), (0, 0)), ((1.0,), (5,), (6,)), ((0.5, 0.5), (5, 0), (0, 0)), ((1.0,), (5, 5), (0,))],
)
def test_what_cannot_be_counted_is_refused(shares: Sequence[float], n: Sequence[int], errors: Sequence[int]) -> None:
    """Shares that do not sum to 1, more errors than labels, a class without a label, lengths that differ."""
    with pytest.raises(ValueError, match=r"class|errors"):
        worst_p_value(shares, n, errors, 0.1)
