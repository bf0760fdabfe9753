"""Measure how far two judges agree on the same answers, from sums that add up over blocks.

The sums are of every answer that both have scored, so what follows from them has no sampling error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.agreement import confusion

Numbers = NDArray[np.float64]
# A spread below the last digits of a float is none.
ROUNDING = 1e-9


class Sums(NamedTuple):
    """Answers that both scored; how many pass both, the first or the second alone; sums of x, y, x^2, y^2, x y, |x - y|."""

    n: float
    both: float
    first: float
    second: float
    x: float
    y: float
    xx: float
    yy: float
    xy: float
    distance: float

    def plus(self, other: Sums) -> Sums:
        """Add two blocks."""
        return Sums(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Sums(*([0.0] * len(Sums._fields)))


class JudgePair(NamedTuple):
    """The agreement of two judges on `n` answers: the share of equal verdicts, kappa, Pearson's r and the mean distance.

    What is undefined is None: kappa where both give every answer one verdict, r where one's scores do not vary.
    """

    n: int
    agreement: float | None
    kappa: float | None
    correlation: float | None
    distance: float | None


def sums_of(x: Numbers, y: Numbers, x_threshold: float, y_threshold: float) -> Sums:
    """Sum over the answers that both have scored; nan is no score, and passing is strictly above the threshold."""
    known = ~(np.isnan(x) | np.isnan(y))
    a, b = x[known], y[known]
    passes, others = a > x_threshold, b > y_threshold
    counts = (known.sum(), (passes & others).sum(), (passes & ~others).sum(), (~passes & others).sum())
    moments = (a.sum(), b.sum(), a @ a, b @ b, a @ b, np.abs(a - b).sum())
    return Sums(*(float(number) for number in (*counts, *moments)))


def pair_of(sums: Sums) -> JudgePair:
    """Compute the agreement from the sums."""
    n = sums.n
    if not n:
        return JudgePair(0, None, None, None, None)
    shares = confusion.Cells(
        *(
            np.array(count / n)
            for count in (sums.both, sums.first, sums.second, n - sums.both - sums.first - sums.second)
        )
    )
    kappa = float(confusion.kappa(shares))
    return JudgePair(
        n=int(n),
        agreement=float(confusion.accuracy(shares)),
        kappa=None if math.isnan(kappa) else kappa,
        correlation=_correlation(sums),
        distance=sums.distance / n,
    )


def _correlation(sums: Sums) -> float | None:
    """Compute Pearson's r: (E[x y] - E[x] E[y]) / sqrt(var x var y)."""
    n = sums.n
    x, y = sums.x / n, sums.y / n
    spread, other = sums.xx / n - x * x, sums.yy / n - y * y
    if min(spread, other) < ROUNDING:
        return None
    return max(-1.0, min(1.0, (sums.xy / n - x * y) / math.sqrt(spread * other)))
