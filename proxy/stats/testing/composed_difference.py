"""Estimate the difference of two shares on the same items, from a part where right and wrong first answers lack proportion.

Those that are left out are taken to change sides as often as the others of their kind; report how many they are.
"""

from __future__ import annotations

from proxy.stats.intervals import CONFIDENCE, Interval, wilson
from proxy.stats.testing.paired import DifferenceInterval, Pairs, mover_difference


def composed_difference(
    pairs: Pairs, right: int, wrong: int, confidence: float = CONFIDENCE
) -> DifferenceInterval | None:
    """Compute w m - (1 - w) b from `pairs`.

    w is the share of first wrong, b = only first / first right and m = only second / first wrong.

    `right` and `wrong` count all items by the first answer, and the difference is that of their mix as it is. The interval joins
    Wilson's of m and of b (`mover_difference`). None where a kind that there is has no pair.
    """
    of_right, of_wrong = pairs.both + pairs.only_first, pairs.only_second + pairs.neither
    if not right + wrong or (right and not of_right) or (wrong and not of_wrong):
        return None
    gained, gained_in = _part(pairs.only_second, of_wrong, wrong / (right + wrong), confidence)
    lost, lost_in = _part(pairs.only_first, of_right, right / (right + wrong), confidence)
    return mover_difference(gained, gained_in, lost, lost_in)


def _part(x: int, n: int, weight: float, confidence: float) -> tuple[float, Interval]:
    """Compute weight x / n with its interval; 0 where the kind has no weight."""
    if not weight:
        return 0.0, Interval(0.0, 0.0)
    share = x / n
    low, high = wilson(share, n, confidence=confidence)
    return weight * share, Interval(weight * low, weight * high)
