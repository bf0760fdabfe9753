"""How often a simulation is repeated in each tier, and what chance leaves of a share over so many repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import pytest

Cell = TypeVar("Cell", bound=Hashable)
ENOUGH, RERUN, LEAST_MEAN = 200, 1_500, 0.94


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


def assert_held(run: Callable[[int, int], Mapping[Cell, Sequence[bool]]], repetitions: int) -> None:
    """Each share of intervals that hold the truth is explained by .95, and their mean is .94 at least.

    `run(repetitions, stream)` samples anew and tells by cell whether each interval held the truth. Of hundreds of shares one or
    two lie three deviations low by chance alone: from ENOUGH repetitions on such a cell is counted again in RERUN samples of
    another stream, by which it stands or falls. Fewer leave a single share too much room: there the mean alone is asked, with what
    chance leaves of it, since the intervals of one sample hold or miss together.
    """
    first = _shares(run(repetitions, 0))
    low = [key for key in first if not _is_explained(*first[key])] if repetitions >= ENOUGH else []
    again = _shares(run(RERUN, 1)) if low else {}
    counted = {key: again.get(key, first[key]) for key in low}
    assert all(_is_explained(*cell) for cell in counted.values()), {key: (first[key], counted[key]) for key in low}
    mean = sum(share for share, _ in first.values()) / len(first)
    assert mean >= (LEAST_MEAN if repetitions >= ENOUGH else at_least(0.95, repetitions)), first


def _shares(held: Mapping[Cell, Sequence[bool]]) -> dict[Cell, tuple[float, int]]:
    return {key: (sum(values) / len(values), len(values)) for key, values in held.items()}


def _is_explained(share: float, repetitions: int) -> bool:
    return share >= at_least(0.95, repetitions)


def at_most(share: float, repetitions: int) -> float:
    """The largest share that a true one still explains: three standard deviations above it."""
    return share + 3 * deviation(share, repetitions)
