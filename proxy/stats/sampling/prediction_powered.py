"""Estimate prediction-powered means: labels y and scores f of the drawn items, moments of the scores of all others.

theta = mean(y) + lam (mean f of the unlabelled - mean f of the labelled): unbiased at every fixed lam, also where the scores
are useless, as long as the labelled items are a random sample (of their stratum). Angelopoulos et al. (2023), Science 382:669
(lam = 1, "PPI"); Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453 (lam tuned, "PPI++").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtr

from proxy.stats.effective import effective_n
from proxy.stats.intervals import CONFIDENCE, Interval, quantile, wilson

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
    items at hand (infinite for a census, equal where the form knows the long run only); `df` is infinite for a normal form.
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

    def wald(self, confidence: float = CONFIDENCE) -> Interval | None:
        """Compute estimate +- t_df se, as published: for means that are no shares.

        None where the variance is 0 and says nothing.
        """
        half = quantile(self.df, confidence) * self.se
        return Interval(self.estimate - half, self.estimate + half) if half else None

    def p_value(self, null: float) -> float | None:
        """Compute P(|t_df| > |estimate - null| / se), two-sided; None where the variance is 0."""
        if not self.variance:
            return None
        t = -abs(self.estimate - null) / self.se
        return float(2 * (ndtr(t) if math.isinf(self.df) else stdtr(self.df, t)))

    def _share(self) -> float:
        return min(1.0, max(0.0, self.estimate))


def ppi_mean(
    labels: ArrayLike,
    scores: ArrayLike,
    unlabelled: Moments,
    *,
    lam: float | None = None,
    weights: ArrayLike | None = None,
) -> PoweredMean:
    """Estimate by the published form with its normal interval; lam = 1 is PPI, None is PPI++ (tuned), 0 the labels alone.

    theta = lam mean(F) + mean(w (y - lam f)), V = var(w (y - lam f)) / n + lam^2 var(F) / M, weights scaled to mean 1 and
    variances with ddof 0. At few labels or rates near 1 it covers too little: `powered_proportion` is the one to report.
    """
    y, f = _pairs(labels, scores)
    w = np.ones_like(y) if weights is None else _weights(weights, y.size)
    if lam is None:
        lam = _published_lambda(y, f, w, unlabelled)
    _need_unlabelled(lam, unlabelled)
    rest = w * (y - lam * f)
    estimate = float(lam * unlabelled.mean + rest.mean())
    variance = float(rest.var() / y.size + (lam**2 * unlabelled.variance / unlabelled.n if lam else 0))
    worth = effective_n(estimate, variance, y.size, y.size**2 / float((w**2).sum()))
    return PoweredMean(
        estimate=estimate, variance=variance, lam=lam, n=y.size, n_effective=worth, n_window=worth, df=math.inf
    )


def _published_lambda(y: Numbers, f: Numbers, w: Numbers, unlabelled: Moments) -> float:
    """Compute cov(g, g^) / ((1 + n/M) var(g^ of all)), clipped to [0, 1].

    g = w (y - theta_1), g^ = w (f - theta_1).

    theta_1 is the estimate at lam = 1; it cancels where all weights are equal. Constant labels or scores: lam = 0.
    """
    if not (unlabelled.is_useful and _spread(y) and _spread(f)):
        return 0.0
    n, m = y.size, unlabelled.n
    theta = unlabelled.mean + float((w * (y - f)).mean())
    g, g_hat = w * (y - theta), w * (f - theta)
    between = n * m / (n + m) * (float(g_hat.mean()) - (unlabelled.mean - theta)) ** 2
    pooled = (n * float(g_hat.var()) + m * unlabelled.variance + between) / (n + m - 1)
    covariance = float(np.mean((g - g.mean()) * (g_hat - g_hat.mean())))
    return _clipped(covariance, (1 + n / m) * pooled)


def powered_proportion(
    labels: ArrayLike, scores: ArrayLike, unlabelled: Moments, *, lam: float | None = None
) -> PoweredMean:
    """Estimate by PPI++ for a simple random sample, tuned on the labelled pairs; small samples can trust its interval.

    lam = clip(S_yf / S_ff / (1 + n/M), 0, 1); V = sum (r / (1 - h))^2 / n^2 + lam^2 S_ff(unlabelled) / M with r the centred
    y - lam f and h = 1/n + (f - mean f)^2 / sum (f - mean f)^2: the leverages (HC3, MacKinnon and White 1985) pay for the
    tuning. df = n - 2. A given lam was not tuned: ddof 1 and df = n - 1. With lam = 0 (constant scores, fewer than three
    labels, labels that agree, one label that alone would make the slope) it is the plain share at n.
    """
    y, f = _pairs(labels, scores)
    n, m = y.size, unlabelled.n
    leverage, tuned = _leverage(f), lam is None
    if lam is None:
        slope_is_shared = n >= 3 and unlabelled.is_useful and float(leverage.max()) < 1 - 1e-9
        lam = _clipped(_covariance(y, f), _covariance(f, f) * (1 + n / m)) if slope_is_shared else 0.0
    _need_unlabelled(lam, unlabelled)
    if lam == 0 or n == 1:
        return _plain(y, m)
    shrink = (1 - leverage) if tuned else np.full(n, math.sqrt((n - 1) / n))

    def spread(slope: float) -> float:
        rest = y - slope * f
        return float((((rest - rest.mean()) / shrink) ** 2).sum()) / n**2

    estimate, left = float(lam * unlabelled.mean + np.mean(y - lam * f)), m / (n + m)
    variance = spread(lam) + lam**2 * unlabelled.s2 / m
    # theta is mean(y) + b (mean of all f - mean f) with b = lam / left, of variance left s2(y - b f) / n
    window = effective_n(estimate, left * spread(lam / left), n, n / left, pull=left)
    worth, df = effective_n(estimate, variance, n), max(1, n - 2 if tuned else n - 1)
    return PoweredMean(estimate=estimate, variance=variance, lam=lam, n=n, n_effective=worth, n_window=window, df=df)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredStratum:
    """A stratum's drawn items (labels 0 or 1, and their scores) and the moments of the scores of all its others."""

    name: str
    labels: Sequence[float] | Numbers
    scores: Sequence[float] | Numbers
    unlabelled: Moments


class _Parts(NamedTuple):
    """Arrays over strata: W, n, M, the labelled means and (co)variances (ddof 1), the unlabelled mean and variance."""

    w: Numbers
    n: Numbers
    m: Numbers
    y: Numbers
    f: Numbers
    s_yy: Numbers
    s_yf: Numbers
    s_ff: Numbers
    unlabelled: Numbers
    s2: Numbers

    def residual(self, slope: NDArray[np.floating]) -> Numbers:
        """Compute s2 of y - slope f in each stratum."""
        return np.maximum(self.s_yy - 2 * slope * self.s_yf + slope**2 * self.s_ff, 0)


def powered_stratified(strata: Sequence[ScoredStratum]) -> PoweredMean:
    """Estimate by PPI++ inside strata with one lam: theta = sum W_h (mean y + lam (mean F - mean f))_h.

    lam = clip(sum W2 S_yf / n / sum W2 S_ff (1/n + 1/M), 0, 1); V = sum W2 (s2(y - lam f) / n + lam^2 s2(F) / M);
    df = n - K - 1. One lam, because few labels cannot tune each stratum's. After Fisch et al. (2024), arXiv 2406.04291. A
    stratum seen whole contributes its mean; any other needs two labels.
    """
    h = _parts(strata)
    n, k = int(h.n.sum()), h.n.size
    rest = np.maximum(h.m, 1)
    useful = (h.m >= 2) & (n - k >= 2)
    top = float((useful * h.w**2 * h.s_yf / h.n).sum())
    lam = _clipped(top, float((useful * h.w**2 * h.s_ff * (1 / h.n + 1 / rest)).sum()))
    lams = lam * useful
    estimate = float((h.w * (h.y + lams * (h.unlabelled - h.f))).sum())
    variance = float((h.w**2 * (h.residual(lams) / h.n + lams**2 * h.s2 / rest)).sum())
    unseen, worth = h.m / (h.n + h.m), h.w**2 / h.n
    window = float((worth * unseen * h.residual(lams / np.maximum(unseen, 1e-12))).sum())
    kish, left = 1 / float(worth.sum()), float((worth * unseen).sum() / worth.sum())
    return PoweredMean(
        estimate=estimate,
        variance=variance,
        lam=lam,
        n=n,
        n_effective=effective_n(estimate, variance, n, kish),
        n_window=effective_n(estimate, window, n, kish / left, pull=left) if left else math.inf,
        df=max(1, n - k - (1 if lam else 0)),
    )


def _parts(strata: Sequence[ScoredStratum]) -> _Parts:
    total = sum(len(h.labels) + h.unlabelled.n for h in strata)
    rows: list[tuple[float, ...]] = []
    for h in strata:
        n, m = len(h.labels), h.unlabelled.n
        if n + m == 0:
            continue
        if n < (2 if m else 1):
            raise ValueError(f"stratum {h.name!r} has {n} of {n + m} items labelled: label two at least, or merge it")
        y, f = _pairs(h.labels, h.scores)
        spreads = _covariance(y, y), _covariance(y, f), _covariance(f, f)
        s2 = h.unlabelled.s2 if h.unlabelled.is_useful else 0.0
        rows.append(((n + m) / total, n, m, y.mean(), f.mean(), *spreads, h.unlabelled.mean, s2))
    if not rows:
        raise ValueError("no items: give one stratum at least that has some")
    return _Parts(*np.array(rows, dtype=np.float64).T)


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


def _weights(weights: ArrayLike, n: int) -> Numbers:
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (n,) or not np.isfinite(w).all() or w.min() < 0 or w.sum() == 0:
        raise ValueError(f"weights of shape {w.shape}: give one for each of {n} labels, none negative, not all 0")
    return w * (n / float(w.sum()))


def _need_unlabelled(lam: float, unlabelled: Moments) -> None:
    if lam and not unlabelled.is_useful:
        raise ValueError(f"{unlabelled.n} unlabelled scores: give two at least, or lam=0 for the labels alone")
