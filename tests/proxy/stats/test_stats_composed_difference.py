"""A difference put together from what changed among the right and among the wrong: by hand, and by how often it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.stats.intervals import wilson
from proxy.stats.testing.composed_difference import composed_difference
from proxy.stats.testing.paired import Pairs


def test_the_kinds_are_weighed_as_they_are_in_all_items() -> None:
    """3 of 10 right ones broke, 2 of 2 wrong ones seen were mended, of 10 right and 20 wrong: 2/3 x 1 - 1/3 x .3 = .5667."""
    gained, lost = wilson(1.0, 2), wilson(0.3, 10)
    below = math.hypot(2 / 3 * (1 - gained.low), 1 / 3 * (lost.high - 0.3))
    above = math.hypot(2 / 3 * (gained.high - 1), 1 / 3 * (0.3 - lost.low))

    interval = composed_difference(Pairs(7, 3, 2, 0), 10, 20)

    assert interval is not None
    assert interval.estimate == pytest.approx(2 / 3 - 0.1)
    assert (interval.low, interval.high) == pytest.approx((interval.estimate - below, interval.estimate + above))


def test_with_nothing_left_out_it_is_the_difference_as_counted() -> None:
    """(15 - 5) / 100 of 65 right and 35 wrong."""
    interval = composed_difference(Pairs(60, 5, 15, 20), 65, 35)

    assert interval is not None
    assert interval.estimate == pytest.approx(0.1)


def test_a_kind_of_which_nothing_was_seen_gives_no_number() -> None:
    """Unless there is none of it: then the others say all."""
    assert composed_difference(Pairs(7, 3, 0, 0), 10, 1) is None
    assert composed_difference(Pairs(0, 0, 2, 2), 1, 4) is None
    assert composed_difference(Pairs(0, 0, 0, 0), 0, 0) is None
    interval = composed_difference(Pairs(7, 3, 0, 0), 10, 0)
    assert interval is not None
    assert interval.estimate == pytest.approx(-0.3)
    assert interval.high < 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 40, 150])
@pytest.mark.parametrize("seen", [0.2, 0.5])
@pytest.mark.parametrize(("right", "broke", "mended"), [(0.3, 0.1, 0.4), (0.6, 0.3, 0.3), (0.6, 0.02, 0.1)])
def test_the_interval_holds_the_truth(n: int, seen: float, right: float, broke: float, mended: float) -> None:
    """Where a part of the wrong ones is seen alone: at least .95 - 3 sqrt(.05 x .95 / 1000) = .929 of 1,000."""
    rng, held = np.random.default_rng([n, int(10 * seen)]), list[bool]()
    for _ in range(1000):
        old = rng.random(n) < right
        new = np.where(old, rng.random(n) >= broke, rng.random(n) < mended)
        told = old | (rng.random(n) < seen)
        kinds = ((old, new), (old, ~new), (~old, new), (~old, ~new))
        count = int(old.sum())
        interval = composed_difference(Pairs(*(int((told & a & b).sum()) for a, b in kinds)), count, n - count)
        if interval is not None:
            truth = (n - count) / n * mended - count / n * broke
            held.append(interval.low - 1e-12 <= truth <= interval.high + 1e-12)

    assert len(held) > 500
    assert np.mean(held) >= 0.929
