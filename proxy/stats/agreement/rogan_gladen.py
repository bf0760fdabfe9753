"""Estimate the share right behind a pass rate, with sensitivity and specificity from labels of other traffic.

It needs judges that err alike on both kinds of traffic, and many labels: with labels of the same traffic every other
estimator here is sharper. Rogan and Gladen (1978), American Journal of Epidemiology 107:71.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from proxy.stats.intervals import CONFIDENCE, Interval, quantile

MIN_YOUDEN = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """A count x out of n."""

    x: int
    n: int

    def __post_init__(self) -> None:
        """Check that 0 <= x <= n."""
        if not 0 <= self.x <= self.n:
            raise ValueError(f"{self.x} of {self.n}: count a part and its whole")

    @property
    def p(self) -> float:
        """The share x / n; n must not be 0."""
        return self.x / self.n

    def variance(self) -> float:
        """Compute p (1 - p) / n."""
        return self.p * (1 - self.p) / self.n

    def cautious_variance(self) -> float:
        """Compute p (1 - p) / n; where all or none count, with p = (x + 1) / (n + 2): never 0."""
        p = self.p if 0 < self.x < self.n else (self.x + 1) / (self.n + 2)
        return p * (1 - p) / self.n


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected:
    """The corrected share, in [0, 1], or None with the reason.

    `was_clipped` tells that the counts led beyond 0 or 1, a sign that sensitivity and specificity are not those of this
    traffic. `youden` is J = sensitivity + specificity - 1, None where a class has no labels.
    """

    estimate: float | None
    se: float | None
    interval: Interval | None
    youden: float | None
    was_clipped: bool = False
    reason: str | None = None


def rogan_gladen(passes: Count, right_passes: Count, wrong_fails: Count, confidence: float = CONFIDENCE) -> Corrected:
    """Compute theta = (q + sp - 1) / J, q = passes / judged, J = sensitivity + specificity - 1.

    V = (q(1-q)/N + theta^2 se(1-se)/n1 + (1-theta)^2 sp(1-sp)/n0) / J^2.

    `passes` of the traffic in question; `right_passes` of the labelled right items (sensitivity) and `wrong_fails` of the
    labelled wrong ones (specificity). `se` is the delta method's; the interval, estimate +- z se cut to [0, 1], takes one
    success and one failure more for a share that was seen as 0 or 1. J <= .1 is refused: the pass rate then tells nothing.
    """
    for count, what in ((passes, "judged item"), (right_passes, "right label"), (wrong_fails, "wrong label")):
        if count.n == 0:
            return _refused(None, f"not one {what}: it takes items that were judged, and labels of both kinds")
    youden = right_passes.p + wrong_fails.p - 1
    if youden <= MIN_YOUDEN + 1e-12:  # .6 + .5 - 1 is .1, whatever the last digit says
        return _refused(
            youden,
            f"sensitivity + specificity - 1 = {youden:.2f}, at most {MIN_YOUDEN}: this proxy hardly tells right from wrong",
        )
    raw = (passes.p + wrong_fails.p - 1) / youden
    share = min(1.0, max(0.0, raw))
    counts = (passes, 1.0), (right_passes, raw), (wrong_fails, 1 - raw)
    se = math.sqrt(sum(factor**2 * count.variance() for count, factor in counts)) / youden
    cautious = math.sqrt(sum(factor**2 * count.cautious_variance() for count, factor in counts)) / youden
    half = quantile(confidence=confidence) * cautious
    low, high = max(0.0, min(1.0, raw - half)), min(1.0, max(0.0, raw + half))
    return Corrected(estimate=share, se=se, interval=Interval(low, high), youden=youden, was_clipped=raw != share)


def _refused(youden: float | None, reason: str) -> Corrected:
    return Corrected(estimate=None, se=None, interval=None, youden=youden, reason=reason)
