"""The time of many labels: their sum, which a break of unknown length does not move."""

from __future__ import annotations

import random

import pytest

from annotate.domain.working_time import mean_seconds


def test_so_many_labels_take_their_number_times_the_mean() -> None:
    """Times as people need them, a few of them long: the median would promise three quarters of the hours."""
    luck = random.Random(1)
    past, ahead = ([luck.lognormvariate(3.4, 0.8) for _ in range(4000)] for _ in range(2))
    mean, median = mean_seconds(past), sorted(past)[2000]

    assert mean is not None
    assert len(ahead) * mean == pytest.approx(sum(ahead), rel=0.06)
    assert len(ahead) * median < 0.8 * sum(ahead)


@pytest.mark.parametrize(
    ("seconds", "mean"),
    [
        ([], None),
        ([20.0], 20),
        ([10.0, 20.0, 90.0], 40),
        ([30.0] * 9 + [7200.0], 30),
        ([20.0, 30.0, 40.0, 50.0, 7200.0], 50),  # the break counts as 110
    ],
)
def test_a_break_counts_as_the_longest_time_that_is_none(seconds: list[float], mean: float | None) -> None:
    assert mean_seconds(seconds) == mean
