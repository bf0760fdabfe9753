"""Write estimates as JSON, and read them again."""

from __future__ import annotations

from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval


def to_numbers(estimate: Estimate) -> list[object]:
    """Return an estimate as a list that JSON can hold."""
    long_run = estimate.long_run
    ends = [long_run.low, long_run.high] if long_run else None
    return [estimate.estimate, estimate.low, estimate.high, estimate.n, estimate.method, estimate.reason, ends]


def to_estimate(
    value: float | None,
    low: float | None,
    high: float | None,
    n: int,
    method: str,
    reason: str | None,
    ends: tuple[float, float] | None,
) -> Estimate:
    """Return the estimate of such a list."""
    long_run = Interval(*ends) if ends else None
    return Estimate(estimate=value, low=low, high=high, n=n, method=method, reason=reason, long_run=long_run)
