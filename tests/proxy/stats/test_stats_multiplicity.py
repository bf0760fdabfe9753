"""Adjusted p-values and Fisher's exact test, against published values, statsmodels and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from proxy.stats.testing.multiplicity import benjamini_hochberg, fisher_exact, holm

BENJAMINI_HOCHBERG_1995 = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1.0),
]


def test_the_example_of_1995() -> None:
    """Benjamini and Hochberg reject four at 5 %, Holm three; the fourth is .0095 x 15 / 4, the fifth .0201 x 3."""
    found = benjamini_hochberg(BENJAMINI_HOCHBERG_1995)

    assert ((found <= 0.05).sum(), (holm(BENJAMINI_HOCHBERG_1995) <= 0.05).sum()) == (4, 3)
    assert found[3:5] == pytest.approx([0.035625, 0.0603], abs=1e-12)


@pytest.mark.slow
def test_both_agree_with_statsmodels_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty random sets with ties, zeros and ones; permuting the tests permutes the answers."""
    monkeypatch.setattr("gc.collect", lambda: 0)  # which statsmodels calls each time, over all that a session holds
    rng = np.random.default_rng(1)
    for _ in range(60):
        p = np.round(rng.random(int(rng.integers(1, 40))) ** 2, 2)
        order = rng.permutation(p.size)
        for ours, name in ((benjamini_hochberg, "fdr_bh"), (holm, "holm")):
            theirs = multipletests(p, method=name)[1]
            assert ours(p) == pytest.approx(theirs, abs=1e-12)
            assert ours(p[order]) == pytest.approx(theirs[order], abs=1e-12)


def test_nothing_tested_and_one_test_are_left_as_they_are() -> None:
    """No adjustment is needed."""
    for ours in (benjamini_hochberg, holm):
        assert ours([]).size == 0
        assert ours([0.03]).tolist() == [0.03]
        for wrong in ([-0.1], [1.1], [np.nan], [[0.1]]):
            with pytest.raises(ValueError, match="in \\[0, 1\\]"):
                ours(wrong)


def test_fisher_gives_the_vector() -> None:
    """[[12, 18], [160, 60]]: P = .0005834872."""
    assert fisher_exact([[12, 18], [160, 60]]) == pytest.approx(0.0005834872, abs=1e-10)


@pytest.mark.slow
def test_fisher_agrees_with_scipy() -> None:
    """A hundred random tables, small and large, empty margins and ties included."""
    rng = np.random.default_rng(2)
    for most in (3, 10, 60, 2000):
        for _ in range(25):
            table = rng.integers(0, most, (2, 2))
            assert fisher_exact(table) == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-7, abs=1e-12), table


def test_fisher_is_the_sum_of_no_likelier_tables() -> None:
    """By the hypergeometric chances, for all tables of ten items in rows of four and six."""
    for column in range(11):
        chances = stats.hypergeom(10, 4, column).pmf(np.arange(5))
        for a in np.flatnonzero(chances):
            expected = chances[chances <= chances[a] * (1 + 1e-7)].sum()
            assert fisher_exact([[a, 4 - a], [column - a, 6 - column + a]]) == pytest.approx(expected, abs=1e-12)


def test_fisher_does_not_mind_which_way_the_table_lies() -> None:
    """Rows or columns swapped, or the table turned: the same p; an empty margin: 1."""
    table = np.array([[3, 9], [11, 4]])

    for other in (table.T, table[::-1], table[:, ::-1]):
        assert fisher_exact(other) == pytest.approx(fisher_exact(table), rel=1e-12)
    for empty in ([[0, 0], [3, 4]], [[0, 3], [0, 4]], [[0, 0], [0, 0]]):
        assert fisher_exact(empty) == 1.0


@pytest.mark.parametrize("wrong", [[[1, 2]], [[1.5, 2], [3, 4]], [[-1, 2], [3, 4]], [[np.inf, 1], [1, 1]]])
def test_what_is_no_table_of_counts_is_refused(wrong: list[list[float]]) -> None:
    """2 x 2, whole, not negative."""
    with pytest.raises(ValueError, match="2 x 2"):
        fisher_exact(wrong)
