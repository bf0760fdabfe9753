"""Find how many labels reach a width with an assurance, from simulations around the number sought.

The width of n labels varies as (1 / n - 1 / N) ^ (1 / 2), about; its simulations at numbers near the one sought give that power
and the spread around it, so a few hundred simulations tell the number to a per cent or two, and how far it is from sure.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Simulate = Callable[[int, int], Numbers]
SCOUTS, SIMULATIONS, MOST, BATCH = 40, 100, 400, 20
SURE = 0.02  # the standard error of the number, as a share of it, at which no further simulation is needed
SPREAD = 0.15  # numbers of labels lie within so much of the centre, on the logarithmic scale
ROUNDS = 8
FARTHEST = math.log(4)
HALF, TRUST = 0.5, 0.5  # the power before any simulation, and its weight


class Assured(NamedTuple):
    """The fewest labels that reach the width as often as asked, the standard error of that number, and their median width.

    It `is_capped` where the search ended at its largest number without reaching the width: then the error may be too small.
    """

    labels: int
    error: float
    width: float
    is_capped: bool = False


class _Fit(NamedTuple):
    """log width = -power x + r at x = log of the effective number of labels; the r of every simulation, ascending."""

    power: float
    rest: Numbers

    @classmethod
    def of(cls, x: Numbers, widths: Numbers) -> _Fit:
        is_known = np.isfinite(widths) & (widths > 0)
        power = HALF
        if is_known.sum() > 1:
            at, log = x[is_known], np.log(widths[is_known])
            centred = at - at.mean()
            power = (HALF * TRUST - float(centred @ log)) / (TRUST + float(centred @ centred))
        power = min(2.0, max(0.2, power))
        with np.errstate(divide="ignore"):
            return cls(power, np.sort(np.log(widths) + power * x))

    def reaches(self, wanted: float, share: float) -> float:
        """Return the x at which this share of simulations is as narrow as wanted; infinite where none is."""
        rest = self.rest[min(len(self.rest) - 1, max(0, math.ceil(share * len(self.rest)) - 1))]
        return float(rest - math.log(wanted)) / self.power


def assured(
    simulate: Simulate, size: int, there: int, start: int, most: int, wanted: float, assurance: float
) -> Assured:
    """Search for the fewest further labels whose interval is as narrow as wanted in a share `assurance` of simulations.

    Parameters
    ----------
    simulate
        Gives the widths of so many simulations of so many further labels, infinite where they measure nothing.
    size, there
        The items of the traffic, and the labels that are there or on their way.
    start, most
        A first guess of the number, and the largest.
    wanted, assurance
        The width, and the share of simulations that are to reach it.

    Returns
    -------
    Assured
        `most` where fewer do not, and `is_capped` where `most` does not either.
    """
    scale = _Scale(size, there, most)
    centre = scale.x(start)
    for _ in range(ROUNDS):
        scouted = _simulated(simulate, scale, centre, SCOUTS).fit.reaches(wanted, assurance)
        nearer = min(max(scouted, centre - FARTHEST), centre + FARTHEST)
        moved, centre = nearer - centre, min(max(nearer, scale.x(1)), scale.x(most))
        if abs(moved) < SPREAD or centre != nearer:
            break
    simulated = _Simulated(np.zeros(0), np.zeros(0))
    while True:
        simulated = simulated.joined(_simulated(simulate, scale, centre, SIMULATIONS))
        result = _assured(simulated.fit, scale, wanted, assurance)
        if result.error <= max(HALF, SURE * result.labels) or len(simulated.x) >= MOST:
            return result


def _assured(fit: _Fit, scale: _Scale, wanted: float, assurance: float) -> Assured:
    """Read the number off the simulations; its error is that of the share that reached the width."""
    off = math.sqrt(assurance * (1 - assurance) / len(fit.rest))
    reached = [fit.reaches(wanted, assurance + way * off) for way in (0, -1, 1)]
    labels, low, high = (min(scale.most, scale.labels(x)) for x in reached)
    whole = max(1, math.ceil(labels))
    median = float(fit.rest[len(fit.rest) // 2]) - fit.power * scale.x(whole)
    return Assured(whole, (high - low) / 2, math.exp(median), is_capped=reached[0] > scale.x(scale.most))


class _Scale(NamedTuple):
    """Further labels on the scale on which widths are straight: log of t / (1 - t / N), t with the labels that are there."""

    size: int
    there: int
    most: int

    def x(self, labels: float) -> float:
        total = min(self.there + labels, self.size - 0.5)
        return math.log(total / (1 - total / self.size))

    def labels(self, x: float) -> float:
        """Return the labels; `most` where no number is enough, none where every number is (x is -inf)."""
        if x == math.inf:
            return float(self.most)
        effective = math.exp(x)
        return effective / (1 + effective / self.size) - self.there


class _Simulated(NamedTuple):
    """Simulations: the number of labels of each, on the scale, and its width."""

    x: Numbers
    widths: Numbers

    @property
    def fit(self) -> _Fit:
        return _Fit.of(self.x, self.widths)

    def joined(self, more: _Simulated) -> _Simulated:
        return _Simulated(np.concatenate([self.x, more.x]), np.concatenate([self.widths, more.widths]))


def _simulated(simulate: Simulate, scale: _Scale, centre: float, repetitions: int) -> _Simulated:
    """Simulate numbers of labels on both sides of a centre."""
    x, widths = list[float](), list[Numbers]()
    for place in np.linspace(-SPREAD, SPREAD, repetitions // BATCH):
        labels = min(scale.most, max(1, round(scale.labels(centre + float(place)))))
        x += [scale.x(labels)] * BATCH
        widths.append(simulate(labels, BATCH))
    return _Simulated(np.array(x), np.concatenate(widths))
