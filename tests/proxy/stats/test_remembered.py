"""Answers about the same arrays are computed once, and never given to a question about others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from proxy.stats.remembered import Numbers, remembered


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A record of an array and what may be missing."""

    values: Numbers
    name: str | None = None


class Pair(NamedTuple):
    """Two arrays."""

    first: Numbers
    second: Numbers


class Counted:
    """A sum that counts how often it is computed."""

    def __init__(self, most: int = 8) -> None:
        self.times = 0
        self.sum = remembered(most)(self._sum)

    def _sum(self, value: object, factor: float = 1.0) -> tuple[str, float]:
        self.times += 1
        return repr(value), factor


ARRAY = np.array([1.0, 2.0, 3.0, 4.0])
OTHERS = (
    ARRAY * 2,
    ARRAY.astype(np.int64),
    ARRAY.reshape(2, 2),
    ARRAY[:3],
    Column(values=ARRAY),
    Column(values=ARRAY, name="a"),
    Pair(ARRAY, ARRAY * 2),
    Pair(ARRAY * 2, ARRAY),
    (ARRAY, ARRAY * 2),
    1.0,
    True,
)


def test_the_same_bytes_are_asked_once() -> None:
    """Also where another array holds them, or the same numbers lie apart in memory."""
    counted = Counted()
    for same in (ARRAY, ARRAY.copy(), np.repeat(ARRAY, 2)[::2]):
        assert counted.sum(same) == (repr(ARRAY), 1.0)
    assert counted.times == 1


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_what_differs_has_an_answer_of_its_own(other: object) -> None:
    """By a number, the type, the shape, the record or the order."""
    counted = Counted(most=len(OTHERS) + 1)
    for value in (ARRAY, *OTHERS):
        counted.sum(value)
    assert counted.times == len(OTHERS) + 1
    assert counted.sum(other) == (repr(other), 1.0)
    assert counted.times == len(OTHERS) + 1


def test_options_are_part_of_the_question() -> None:
    """By name as by place."""
    counted = Counted()
    assert [counted.sum(ARRAY, factor=factor)[1] for factor in (1.0, 2.0, 1.0)] == [1.0, 2.0, 1.0]
    assert counted.times == 2


def test_the_answer_that_was_asked_for_longest_ago_is_forgotten() -> None:
    """Two are kept; asking again makes an answer the newest."""
    counted = Counted(most=2)
    for value in (1.0, 2.0, 1.0, 3.0):
        counted.sum(value)
    counted.sum(1.0)
    assert counted.times == 3
    counted.sum(2.0)
    assert counted.times == 4


def test_an_error_is_no_answer() -> None:
    """It is raised each time."""

    @remembered(most=2)
    def fail(value: float) -> float:
        raise ValueError(value)

    for _ in range(2):
        with pytest.raises(ValueError, match="3"):
            fail(3.0)
