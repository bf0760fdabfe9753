"""How much a score moves when the same text is judged again: by hand, and the coverage of its intervals."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.repeats import moves_of
from proxy.stats.intervals import clopper_pearson


def test_moves_by_hand() -> None:
    """Of four texts two moved, by 0.2 and 0.4, and one crossed the threshold: 0.5 itself does not pass."""
    moves = moves_of(np.array([0.4, 0.5, 0.9, 0.1]), np.array([0.6, 0.5, 0.5, 0.1]), 0.55)

    assert moves.n == 4
    assert moves.moved.estimate == pytest.approx(2 / 4)
    assert moves.flipped.estimate == pytest.approx(2 / 4)
    assert moves.distance.estimate == pytest.approx(0.6 / 4)
    assert moves.largest == pytest.approx(0.4)
    assert (moves.moved.low, moves.moved.high) == pytest.approx(clopper_pearson(2, 4))


def test_nothing_scored_twice_says_so() -> None:
    """No pair: no number, and the reason."""
    moves = moves_of(np.zeros(0), np.zeros(0), 0.5)

    assert (moves.n, moves.largest) == (0, None)
    assert moves.distance.estimate is None
    assert "no text was scored twice" in (moves.distance.reason or "")


@pytest.mark.parametrize("n", [10, 40, 300])
def test_intervals_cover(n: int) -> None:
    """Scores in steps of 0.25 of which a fifth moves by one or two steps: share and mean distance covered at least 94 times in 100."""
    rng = np.random.default_rng(n)
    share, mean, runs = 0.2, 0.2 * (0.75 * 0.25 + 0.25 * 0.5), 800
    hits = np.zeros(2)
    for _ in range(runs):
        moved = rng.random(n) < share
        apart = np.where(moved, np.where(rng.random(n) < 0.75, 0.25, 0.5), 0.0)
        moves = moves_of(np.full(n, 0.5), 0.5 - apart, 0.9)
        for place, (estimate, truth) in enumerate(((moves.moved, share), (moves.distance, mean))):
            assert estimate.low is not None
            assert estimate.high is not None
            hits[place] += estimate.low <= truth <= estimate.high

    assert (hits / runs >= 0.94).all()
