"""Adjusted p-values and Fisher's exact test, against published values, statsmodels and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from proxy.stats.testing.multiplicity import benjamini_hochberg, holm


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
