"""Chart a CUSUM over labels by window: does the rate still hold that was given or learnt before?

The limits are set window by window so that histories without a change pass them at a stated rate, whatever the number of
labels each window brought: what was said of earlier windows never changes when later ones come. A rate that was only
estimated is drawn anew for every such history, so that its uncertainty is paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
HISTORIES = 10_000
LOOKS = 50


class Rate(NamedTuple):
    """A share, and the number of labels it was estimated from; None where it is given."""

    share: float
    n: float | None = None


class AlphaSpending(NamedTuple):
    """The chance of a false alarm that may be spent over a horizon of windows, an equal part in each."""

    false_alarms: float
    horizon: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CusumChart:
    """The highest point of the CUSUM by window and its limit (inf without a label); the first above is the alarm.

    `starts` says in which window the run began that the CUSUM is in at the end of each: where a change seems to have begun.
    """

    peaks: Numbers
    limits: Numbers
    starts: tuple[int, ...]
    alarm: int | None


def chart(
    windows: Sequence[Numbers], before: Rate, shift: float, spending: AlphaSpending, *, lag: int = 0, seed: int = 0
) -> CusumChart:
    """Compute S <- max(0, S + log P(label | rate + shift) / P(label | rate)) over labels of 0 or 1, against its `limits`.

    Page (1954), Biometrika 41:100. A rate that was estimated goes on learning, `lag` windows behind, so that what a change
    brought is not taken for the rule (self-starting CUSUM, Hawkins and Olwell 1998, ch. 7).
    """
    path, starts = _Paths(before, shift, 1, lag), list[int]()
    peaks: Numbers = np.zeros(len(windows))
    for number, labels in enumerate(windows):
        groups = np.array_split(np.asarray(labels, dtype=np.float64), _looks(len(labels)))
        right = [np.array([group.sum()]) for group in groups if group.size]
        peaks[number] = path.window(right, [group.size for group in groups if group.size], number)[0]
        starts.append(path.start)
    limit = limits(tuple(len(window) for window in windows), before, shift, spending, lag=lag, seed=seed)
    above = np.flatnonzero(peaks > limit)
    return CusumChart(peaks=peaks, limits=limit, starts=tuple(starts), alarm=int(above[0]) if above.size else None)


@lru_cache(maxsize=64)
def limits(
    sizes: tuple[int, ...], before: Rate, shift: float, spending: AlphaSpending, *, lag: int = 0, seed: int = 0
) -> Numbers:
    """Simulate limits by window: no more histories without a change pass them than may have raised an alarm by then.

    By simulation with these numbers of labels, window by window: probability limits of Shen, Zou, Jiang and Tsung (2013), IIE
    Transactions 45:1077. Histories of an estimated rate have their own, from Beta(x + 1/2, n - x + 1/2). inf without a label.
    """
    _check(before, spending)
    rng, paths = np.random.default_rng(seed), _Paths(before, shift, HISTORIES, lag)
    truth: Numbers = np.full(HISTORIES, before.share)
    if before.n is not None:
        right = before.share * before.n
        truth = rng.beta(right + 0.5, before.n - right + 0.5, HISTORIES)
    bounds: Numbers = np.full(len(sizes), np.inf)
    silent, spent = np.ones(HISTORIES, dtype=np.bool_), 0
    for number, size in enumerate(sizes):
        groups = [len(part) for part in np.array_split(np.zeros(size), _looks(size)) if len(part)]
        highest = paths.window([_drawn(rng, truth, count) for count in groups], groups, number)
        allowed = int(spending.false_alarms * (number + 1) / spending.horizon * HISTORIES) - spent
        left = np.sort(highest[silent])
        if groups and 0 < allowed <= left.size:
            # the k-th highest of n is passed with the chance k / (n + 1) by another history
            bounds[number], spent = left[left.size - allowed], spent + allowed
            silent &= highest <= bounds[number]
    return bounds


def _looks(labels: int) -> int:
    """Return at how many points of a window the CUSUM is looked at."""
    return min(LOOKS, max(1, labels))


class _Paths:
    """Parallel CUSUMs, each with what it has learnt of its rate."""

    def __init__(self, before: Rate, shift: float, count: int, lag: int) -> None:
        self._shift, self._lag, self._learns = shift, lag, before.n is not None
        self._n = np.float64(before.n or 0.0)
        self._right: Numbers = np.full(count, before.share * (before.n or 0.0))
        self._known = before.share
        self._seen: list[tuple[Numbers, int]] = []
        self._height: Numbers = np.zeros(count)
        self.start = 0

    def window(self, right: Sequence[Numbers], sizes: Sequence[int], number: int) -> Numbers:
        """Compute the highest point of each path in a window with these counts of right labels in groups of these sizes."""
        if self._learns and len(self._seen) > self._lag:
            learnt, size = self._seen[len(self._seen) - 1 - self._lag]
            self._right = self._right + learnt
            self._n = self._n + size
        rate = (self._right + 0.5) / (self._n + 1) if self._learns else np.full(len(self._height), self._known)
        other = shifted(rate, self._shift)
        hit, missed = np.log(other / rate), np.log((1 - other) / (1 - rate))
        highest: Numbers = self._height.copy()
        for count, size in zip(right, sizes, strict=True):
            if self._height[0] == 0:
                self.start = number
            self._height = np.maximum(0.0, self._height + count * hit + (size - count) * missed)
            highest = np.maximum(highest, self._height)
        total: Numbers = np.zeros(len(self._height))
        for count in right:
            total = total + count
        self._seen.append((total, sum(sizes)))
        return highest


def shifted(rate: Numbers, shift: float) -> Numbers:
    """Compute the rate after the change, at most half of the way to 0 or 1."""
    return np.asarray(np.clip(rate + shift, rate / 2, (1 + rate) / 2))


def _drawn(rng: np.random.Generator, truth: Numbers, size: int) -> Numbers:
    """Draw how many of `size` labels are right, in each history."""
    drawn = rng.random(truth.size) < truth if size == 1 else rng.binomial(size, truth)
    return drawn.astype(np.float64)


def _check(before: Rate, spending: AlphaSpending) -> None:
    share, n = before
    if not 0 <= share <= 1 or (n is None and share in {0, 1}) or (n is not None and not n > 0):
        raise ValueError(f"{before}: give a share between 0 and 1, of at least one label where it is estimated")
    if not 0 < spending.false_alarms < 1 or spending.horizon < 1:
        raise ValueError(f"{spending}: give a chance between 0 and 1, and at least one window")
