"""Thinning to equal chances: who is kept by which lot, and that more is kept where less must go."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.stats.sampling.thinning import equal_chance


def test_the_heaviest_are_kept_and_the_others_by_lot() -> None:
    """Weights 1, 2 and 4 with the lots .3, .49 and .99: kept where the lot lies below w / 4 = .25, .5 and 1, so 1 in 4 of all."""
    assert equal_chance([1, 2, 4], [0.3, 0.49, 0.99]).tolist() == [False, True, True]
    assert equal_chance([1, 2, 4], [0.2, 0.51, 0.0]).tolist() == [True, False, True]
    assert equal_chance([], []).tolist() == []


def test_equal_weights_lose_nothing() -> None:
    """Also where they differ by a rounding error, and whatever the lots."""
    weights = np.full(1000, 0.1) * 3 / 0.3 * (1 + np.linspace(-1, 1, 1000) * 1e-12)

    assert equal_chance(weights, np.full(1000, 1 - 1e-12)).all()


def test_masks_are_nested() -> None:
    """What is kept beside a heavier label is kept beside a lighter one."""
    rng = np.random.default_rng(1)
    weights, lots = rng.uniform(0.5, 5, 500), rng.random(500)
    strict, mild = equal_chance(weights, lots, 20.0), equal_chance(weights, lots, 5.0)

    assert (mild | ~strict).all()
    assert strict.sum() < mild.sum()


@pytest.mark.parametrize(("weights", "lots"), [([1.0], [0.1, 0.2]), ([0.0], [0.5]), ([1.0], [1.0])])
def test_what_is_no_weight_or_lot_is_refused(weights: list[float], lots: list[float]) -> None:
    """With a message that says what to give."""
    with pytest.raises(ValueError, match="lot"):
        equal_chance(weights, lots)
