"""Estimate a prediction-powered share: labels y and scores f of the drawn items, moments of the scores of all others.

theta = mean(y) + lam (mean f of the unlabelled - mean f of the labelled): unbiased at every fixed lam, also where the scores
are useless, as long as the labelled items are a random sample. Angelopoulos et al. (2023), Science 382:669 (lam = 1, "PPI");
Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453 (lam tuned, "PPI++"). The reports use the same idea with strata and
unequal chances (`survey`); this form is what the benchmark compares them with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.effective import effective_n
from proxy.stats.intervals import CONFIDENCE, Interval, wilson

Numbers = NDArray[np.float64]


class Moments(NamedTuple):
    """Moments of scores, which need no rows: count, mean, mean squared deviation (sum / n, not n - 1)."""

    n: int
    mean: float
    variance: float

    @property
    def s2(self) -> float:
        """The unbiased variance, sum / (n - 1); n must be 2 at least."""
        return self.variance * self.n / (self.n - 1)

    @property
    def is_useful(self) -> bool:
        """Whether there are at least two: with fewer there is nothing to borrow from."""
        return self.n >= 2


def moments(scores: ArrayLike) -> Moments:
    """Compute n, mean and mean squared deviation; (0, 0, 0) for none."""
    f = np.asarray(scores, dtype=np.float64)
    return Moments(f.size, float(f.mean()), float(f.var())) if f.size else Moments(0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class PoweredMean:
    """An estimated mean with its variance for the long-run rate; `lam` = 0 is the mean of the labels alone.

    `n_effective` is how many labels of a simple random sample the estimate of a share is worth, `n_window` the same for the
    items at hand (infinite for a census).
    """

    estimate: float
    variance: float
    lam: float
    n: int
    n_effective: float
    df: float
    n_window: float

    @property
    def se(self) -> float:
        """The standard error, the root of the variance."""
        return math.sqrt(self.variance)

    def long_run(self, confidence: float = CONFIDENCE) -> Interval:
        """Compute Wilson's interval at the effective n, for the rate behind these items; y must lie in [0, 1]."""
        return wilson(self._share(), self.n_effective, df=self.df, confidence=confidence)

    def window(self, confidence: float = CONFIDENCE) -> Interval:
        """Compute the same interval for the items at hand; a census has no width."""
        return wilson(self._share(), self.n_window, df=self.df, confidence=confidence)

    def _share(self) -> float:
        return min(1.0, max(0.0, self.estimate))


def powered_proportion(labels: ArrayLike, scores: ArrayLike, unlabelled: Moments) -> PoweredMean:
    """Estimate by PPI++ for a simple random sample, tuned on the labelled pairs; small samples can trust its interval.

    lam = clip(S_yf / S_ff / (1 + n/M), 0, 1); V = sum (r / (1 - h))^2 / n^2 + lam^2 S_ff(unlabelled) / M with r the centred
    y - lam f and h = 1/n + (f - mean f)^2 / sum (f - mean f)^2: the leverages (HC3, MacKinnon and White 1985) pay for the
    tuning. df = n - 2. With lam = 0 (constant scores, fewer than three labels, labels that agree, one label that alone would
    make the slope) it is the plain share at n.
    """
    y, f = _pairs(labels, scores)
    n, m = y.size, unlabelled.n
    leverage = _leverage(f)
    slope_is_shared = n >= 3 and unlabelled.is_useful and float(leverage.max()) < 1 - 1e-9
    lam = _clipped(_covariance(y, f), _covariance(f, f) * (1 + n / m)) if slope_is_shared else 0.0
    if lam == 0:
        return _plain(y, m)

    def spread(slope: float) -> float:
        rest = y - slope * f
        return float((((rest - rest.mean()) / (1 - leverage)) ** 2).sum()) / n**2

    estimate, left = float(lam * unlabelled.mean + np.mean(y - lam * f)), m / (n + m)
    variance = spread(lam) + lam**2 * unlabelled.s2 / m
    # theta is mean(y) + b (mean of all f - mean f) with b = lam / left, of variance left s2(y - b f) / n
    window = effective_n(estimate, left * spread(lam / left), n, n / left, pull=left)
    worth = effective_n(estimate, variance, n)
    return PoweredMean(estimate=estimate, variance=variance, lam=lam, n=n, n_effective=worth, n_window=window, df=n - 2)


def _leverage(f: Numbers) -> Numbers:
    """Compute the leverages h of a regression on (1, f); all 1 where f is constant and there is no slope."""
    square = (f - f.mean()) ** 2
    return 1 / f.size + square / square.sum() if _spread(f) else np.ones_like(f)


def _plain(y: Numbers, m: int) -> PoweredMean:
    """Estimate the mean of the labels alone: Wilson at n with t_{n-1}."""
    n = y.size
    return PoweredMean(
        estimate=float(y.mean()),
        variance=float(y.var(ddof=1)) / n if n > 1 else 0.0,
        lam=0.0,
        n=n,
        n_effective=float(n),
        n_window=n * (n + m) / m if m else math.inf,
        df=max(1, n - 1),
    )


def _clipped(top: float, bottom: float) -> float:
    return min(1.0, max(0.0, top / bottom)) if bottom > 0 else 0.0


def _spread(x: Numbers) -> bool:
    return bool(x.size) and float(x.max()) > float(x.min())


def _covariance(a: Numbers, b: Numbers) -> float:
    """Compute s_ab with ddof 1, exactly 0 where one is constant; 0 for a single pair."""
    if not (_spread(a) and _spread(b)):
        return 0.0
    return float(((a - a.mean()) * (b - b.mean())).sum()) / (a.size - 1)


def _pairs(labels: ArrayLike, scores: ArrayLike) -> tuple[Numbers, Numbers]:
    y, f = np.asarray(labels, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if y.ndim != 1 or y.shape != f.shape or not y.size or not np.isfinite([y, f]).all():
        raise ValueError(f"{y.shape} labels and {f.shape} scores: give one finite score for each label, one at least")
    return y, f
