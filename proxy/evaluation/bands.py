"""Place a value among the labelled ones: its band of the reliability table, and the counts of values by bin.

These are the rows of a picture; nothing is estimated here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.reliability_curve import Band, ReliabilityCurve

Numbers = NDArray[np.float64]


class Weighed(NamedTuple):
    """Values, and a number for each: how many items have it, or 1 and 0 for right and wrong."""

    values: Numbers
    numbers: Numbers


class Strip(NamedTuple):
    """An interval of values, with how many of all items lie in it, and how many right and wrong labels."""

    low: float
    high: float
    items: int
    right: int
    wrong: int


def nearest(curve: ReliabilityCurve, value: float) -> Band | None:
    """Return the band that holds this value, else the one whose end lies nearest; None without a table."""
    return min(curve.bands, key=lambda band: (_away(band, value), abs(band.mean - value)), default=None)


def holds(band: Band, value: float) -> bool:
    """Return whether labels of the band have values on both sides of this one, or this very value."""
    return band.least <= value <= band.most


def _away(band: Band, value: float) -> float:
    return max(band.least - value, value - band.most, 0.0)


def places(values: Numbers, low: float, high: float, bins: int) -> NDArray[np.intp]:
    """Return the interval of each value, from 0, as `strip` counts them."""
    edges = np.linspace(low, high, bins + 1)
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)


def strip(items: Weighed, labels: Weighed, low: float, high: float, bins: int) -> list[Strip]:
    """Count values in even intervals from low to high; what is beyond them is counted in the first or last."""
    edges, place = np.linspace(low, high, bins + 1), places(labels.values, low, high, bins)
    counted = np.bincount(places(items.values, low, high, bins), items.numbers, bins)
    right = np.bincount(place, labels.numbers, bins)
    both = np.bincount(place, minlength=bins)
    ends: Sequence[tuple[float, float]] = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    return [
        Strip(*span, round(counted[n]), round(right[n]), int(both[n]) - round(right[n])) for n, span in enumerate(ends)
    ]
