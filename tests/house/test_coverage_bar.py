"""The bar of simulated coverage itself: it lets chance pass, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.simulation import RERUN, assert_held, at_least

Run = Callable[[int, int], dict[str, list[bool]]]


def holding(first: float, again: float, beside: float = 1.0) -> tuple[Run, list[tuple[int, int]]]:
    """Return a run whose one cell holds in these shares of the first and of a later stream, and the runs that were asked for."""
    asked: list[tuple[int, int]] = []

    def run(repetitions: int, stream: int) -> dict[str, list[bool]]:
        asked.append((repetitions, stream))
        held = round((again if stream else first) * repetitions)
        held_beside = round(beside * repetitions)
        return {
            "cell": [number < held for number in range(repetitions)],
            "beside": [number < held_beside for number in range(repetitions)],
        }

    return run, asked


def test_a_cell_that_falls_low_stands_or_falls_by_its_own_rerun() -> None:
    """.90 of 300 lies below .9123; the rerun of 1,500 asks for .9331."""
    assert at_least(0.95, 300) == pytest.approx(0.9123, abs=1e-4)
    assert at_least(0.95, RERUN) == pytest.approx(0.9331, abs=1e-4)
    run, asked = holding(0.90, 0.935)
    assert_held(run, 300)

    assert asked == [(300, 0), (RERUN, 1)]
    with pytest.raises(AssertionError):
        assert_held(holding(0.90, 0.93)[0], 300)


def test_what_holds_is_run_once_and_the_mean_is_asked_for_more() -> None:
    run, asked = holding(0.92, 0.0)
    assert_held(run, 300)

    assert asked == [(300, 0)]
    with pytest.raises(AssertionError):
        assert_held(holding(0.92, 1.0, beside=0.95)[0], 300)


def test_of_few_samples_the_mean_alone_is_asked() -> None:
    """One cell of two holds in 19 of 24, which is below three errors; their mean of .90 is not, one of .79 is."""
    run, asked = holding(19 / 24, 0.0)
    assert_held(run, 24)

    assert asked == [(24, 0)]
    with pytest.raises(AssertionError):
        assert_held(holding(19 / 24, 0.0, beside=19 / 24)[0], 24)
