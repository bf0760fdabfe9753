"""A proportion from a stratified sample: strata with known sizes in, estimate and effective sample size out.

Notation: W_h = N_h / N, f_h = n_h / N_h, s2_h = n_h p_h (1 - p_h) / (n_h - 1). Cochran (1977), Sampling Techniques, ch. 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proxy.stats.intervals import CONFIDENCE, Interval, wilson


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumSample:
    """n of a stratum's N items were drawn with equal probability; x of the n are right.

    `size` may be fractional: where only some items can be judged, it is the judgeable share of N. `fraction` is the share
    of the stratum that was seen; left out, it is n / size.
    """

    size: float
    n: int
    x: int
    fraction: float | None = None

    @property
    def p(self) -> float:
        """X / n."""
        return self.x / self.n

    @property
    def f(self) -> float:
        """The sampling fraction, at most 1."""
        return min(1.0, self.n / self.size if self.fraction is None else self.fraction)

    @property
    def is_census(self) -> bool:
        """Whether every item was seen."""
        return self.f >= 1.0

    @property
    def is_estimable(self) -> bool:
        """Two labels at least, or all there are: below that the variance is unknown."""
        return self.n >= 2 or (self.is_census and self.n >= 1)

    @property
    def s2(self) -> float:
        """The sample variance, ddof 1. Where all labels agree, that of half a pseudo-label of each kind: never 0."""
        if 0 < self.x < self.n:
            return self.n * self.p * (1 - self.p) / (self.n - 1)
        return (self.n + 0.5) * 0.5 / (self.n + 1) ** 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Sampled:
    """A proportion estimated from strata of which a part was drawn.

    `n_effective` is the size of the simple random sample that would be as informative about the long-run rate,
    `window_factor` in (0, 1] the share of that variance that remains for the items at hand.
    """

    p: float
    n_effective: float
    window_factor: float
    df: float

    @property
    def n_window(self) -> float:
        """The effective n for the items at hand: n / (1 - f) where one stratum was drawn."""
        return self.n_effective / self.window_factor


@dataclass(frozen=True, kw_only=True, slots=True)
class Proportion:
    """An estimated proportion: exact on the strata that were seen whole, sampled on the rest.

    `rest` is None for a census; `whole` is the estimate as if every stratum had been drawn from a larger population,
    which is what the long-run rate asks for.
    """

    p: float
    n: int
    seen_share: float
    seen_p: float
    rest: Sampled | None
    whole: Sampled

    def window(self, confidence: float = CONFIDENCE) -> Interval:
        """The interval for this finite population; a census has zero width."""
        if self.rest is None:
            return Interval(self.p, self.p)
        low, high = wilson(self.rest.p, self.rest.n_window, df=self.rest.df, confidence=confidence)
        return Interval(self.mixed(low), self.mixed(high))

    def mixed(self, p_rest: float) -> float:
        """The proportion over all strata if the rest's were `p_rest`."""
        return self.seen_share * self.seen_p + (1 - self.seen_share) * p_rest

    def long_run(self, clustering: float = 1.0, confidence: float = CONFIDENCE) -> Interval:
        """The interval for the rate behind this window; `clustering` is the design effect of groups (>= 1)."""
        return wilson(self.p, self.whole.n_effective / clustering, df=self.whole.df, confidence=confidence)


def stratified(strata: Sequence[StratumSample]) -> Proportion:
    """P = sum W_h p_h. Every stratum must be estimable; one that was seen whole contributes exactly to the window."""
    total = sum(h.size for h in strata)
    seen = [h for h in strata if h.is_census]
    rest = [h for h in strata if not h.is_census]
    seen_size = sum(h.size for h in seen)
    return Proportion(
        p=min(1.0, sum(h.size * h.p for h in strata) / total),
        n=sum(h.n for h in strata),
        seen_share=seen_size / total,
        seen_p=sum(h.size * h.p for h in seen) / seen_size if seen else 0.0,
        rest=_sampled(rest) if rest else None,
        whole=_sampled(strata),
    )


def _sampled(strata: Sequence[StratumSample]) -> Sampled:
    """The effective sample size: n / deff with deff = V n / (p (1 - p)); Wilson's interval at it is Korn and Graubard's idea.

    Where deff is below 1 it is pulled towards 1 with the weight of one pseudo-error, because a variance estimated from
    few errors flatters: deff <- (e deff + 1) / (e + 1), e = n min(p, 1 - p). Where all labels agree V says nothing, and
    Kish's n = 1 / sum(W_h^2 / n_h) stands in.
    """
    total = sum(h.size for h in strata)
    n = sum(h.n for h in strata)
    p = min(1.0, sum(h.size * h.p for h in strata) / total)
    if len(strata) == 1:
        return Sampled(p=p, n_effective=float(n), window_factor=1 - strata[0].f, df=max(1, n - 1))
    factor = variance(strata, window=True) / variance(strata, window=False)
    if p in (0.0, 1.0):
        kish = 1 / sum((h.size / total) ** 2 / h.n for h in strata)
        return Sampled(p=p, n_effective=kish, window_factor=factor, df=satterthwaite(strata))
    deff = variance(strata, window=False) * n / (p * (1 - p))
    if deff < 1:
        errors = n * min(p, 1 - p)
        deff = (errors * deff + 1) / (errors + 1)
    return Sampled(p=p, n_effective=n / deff, window_factor=factor, df=satterthwaite(strata))


def variance(strata: Sequence[StratumSample], *, window: bool) -> float:
    """V = sum W_h^2 s2_h / n_h, times (1 - f_h) in each stratum for the window."""
    total = sum(h.size for h in strata)
    return sum((h.size / total) ** 2 * h.s2 / h.n * (1 - h.f if window else 1) for h in strata)


def satterthwaite(strata: Sequence[StratumSample]) -> float:
    """Df = (sum a_h)^2 / sum(a_h^2 / (n_h - 1)), a_h = W_h^2 s2_h / n_h."""
    total = sum(h.size for h in strata)
    parts = [((h.size / total) ** 2 * h.s2 / h.n, h.n - 1) for h in strata if h.n > 1]
    return max(1.0, sum(a for a, _ in parts) ** 2 / sum(a**2 / df for a, df in parts)) if parts else math.inf
