"""How often a simulation is repeated in each tier, and what chance leaves of a share over so many repetitions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

import pytest


def repeated(few: int, many: int) -> pytest.MarkDecorator:
    """The test with few `repetitions` in `make test`, and with many in `make test-all`."""
    return pytest.mark.parametrize("repetitions", [few, pytest.param(many, marks=pytest.mark.long)])


def deviation(share: float, repetitions: int) -> float:
    return math.sqrt(share * (1 - share) / repetitions)


def at_least(share: float, repetitions: int) -> float:
    """The smallest share that a true one still explains: three standard deviations below it."""
    return share - 3 * deviation(share, repetitions)


def assert_covers(covered: Mapping[Hashable, float], repetitions: int) -> None:
    """Each share of intervals that hold the truth is explained by .95, and so is their mean, to a tolerance of its own.

    The mean tells of intervals that are all too narrow even where few repetitions leave a single share much room.
    """
    shares = list(covered.values())
    assert min(shares) >= at_least(0.95, repetitions), covered
    assert sum(shares) / len(shares) >= at_least(0.95, repetitions * len(shares)), covered


def at_most(share: float, repetitions: int) -> float:
    """The largest share that a true one still explains: three standard deviations above it."""
    return share + 3 * deviation(share, repetitions)
