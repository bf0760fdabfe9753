"""How often a simulation is repeated in each tier, and what chance leaves of a share over so many repetitions."""

from __future__ import annotations

import math

import pytest


def repeated(few: int, many: int) -> pytest.MarkDecorator:
    """The test with few `repetitions` in `make test`, and with many in `make test-all`."""
    return pytest.mark.parametrize("repetitions", [few, pytest.param(many, marks=pytest.mark.long)])


def deviation(share: float, repetitions: int) -> float:
    """The standard deviation of a binomial share."""
    return math.sqrt(share * (1 - share) / repetitions)


def at_least(share: float, repetitions: int) -> float:
    """The smallest share that a true one still explains: three standard deviations below it."""
    return share - 3 * deviation(share, repetitions)


def at_most(share: float, repetitions: int) -> float:
    """The largest share that a true one still explains: three standard deviations above it."""
    return share + 3 * deviation(share, repetitions)
