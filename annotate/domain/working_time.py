"""Tell how long labels take in all: the sum of times is their number times the mean, which long answers carry, not the median."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

# Tukey's outer fence: so many times the spread of the middle half above it, a time is a break.
SPREADS = 3
# Chosen: one break among five labels is told from the others.
FEWEST_TIMED = 5


def mean_seconds(seconds: Sequence[float]) -> float | None:
    """Return the mean of these times, where a break counts as the longest time that is none; None without any."""
    if len(seconds) < 2:
        return seconds[0] if seconds else None
    low, _, high = statistics.quantiles(seconds, n=4, method="inclusive")
    longest = high + SPREADS * (high - low)
    return statistics.fmean(min(time, longest) for time in seconds)
