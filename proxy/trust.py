"""One sentence that says whether the proxy can be trusted: an AgreementReport and limits in, a status and words out.

Two things must hold for the traffic to come, so both are read from the long-run intervals: of the passed answers at least
the limit are right, and the verdict agrees with people better than chance (kappa above 0). Where the interval holds both
answers, the sentence says so and how many labels would settle it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from proxy.agreement import AgreementReport
from proxy.estimate import Estimate
from proxy.stats.intervals import wilson

DEFAULT_LIMIT = 0.9
BEYOND_REACH = 2000
NOT_YET = "It cannot be said yet whether the proxy can be trusted"


class Trust(StrEnum):
    """Whether the proxy can stand in for people."""

    YES = "yes"
    NO = "no"
    OPEN = "open"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustVerdict:
    """The status, the sentence that says it, and the limit on pass precision that it was held against."""

    status: Trust
    sentence: str
    limit: float


def judge_trust(report: AgreementReport, limit: float = DEFAULT_LIMIT, doubt: str | None = None) -> TrustVerdict:
    """Hold the report against the limit on pass precision; `doubt` is why the labels themselves are no yardstick."""
    if doubt:
        return TrustVerdict(status=Trust.UNKNOWN, sentence=f"{NOT_YET}: {doubt}.", limit=limit)
    status, sentence = _judge(report, limit)
    return TrustVerdict(status=status, sentence=sentence, limit=limit)


def percent(value: float) -> str:
    """A share in words; what is not quite all or nothing never looks like it."""
    rounded = round(100 * value)
    if value in (0.0, 1.0) or (0.1 <= value <= 0.9):
        return f"{rounded} %"
    return f"{min(max(100 * value, 0.1), 99.9):.1f} %".replace(".0 %", " %")


def _judge(report: AgreementReport, limit: float) -> tuple[Trust, str]:
    precision, kappa = report.pass_precision, report.kappa
    if precision.estimate is None or precision.long_run is None:
        return Trust.UNKNOWN, f"{NOT_YET}: {precision.reason}."
    low, high = precision.long_run
    span = f"in the long run {percent(low)} to {percent(high)}, 95 % interval"
    passed = f"{percent(precision.estimate)} of the answers it passes are right ({span})"
    if high < limit:
        return Trust.NO, f"The proxy cannot be trusted: {passed}, below the limit of {percent(limit)}."
    if kappa.estimate is None or kappa.long_run is None:
        known = "The proxy can be trusted only half way" if low >= limit else NOT_YET
        return Trust.UNKNOWN, f"{known}: {passed}, but whether it tells right from wrong is open, {kappa.reason}."
    if kappa.long_run.high <= 0:
        return Trust.NO, f"The proxy cannot be trusted: {passed}, but it agrees with people no better than chance."
    if low >= limit and kappa.long_run.low > 0:
        return Trust.YES, f"The proxy can be trusted: {passed}, at or above the limit of {percent(limit)}."
    if low >= limit:
        return Trust.OPEN, (
            f"The proxy cannot be trusted yet: {passed}, but whether it tells right from wrong better than chance is open "
            f"({interval('kappa', kappa)}); more labels on failed items would tell."
        )
    return (
        Trust.OPEN,
        f"The proxy cannot be trusted yet: {passed}, and the limit is {percent(limit)}; {_needed(precision, limit)}.",
    )


def interval(name: str, estimate: Estimate) -> str:
    """A quantity with its long-run interval, in brief."""
    if estimate.estimate is None or estimate.long_run is None:
        return f"{name} —"
    return f"{name} {estimate.estimate:.2f}, {estimate.long_run.low:.2f} to {estimate.long_run.high:.2f}"


def _needed(precision: Estimate, limit: float) -> str:
    """How many labels on passed items would put the limit outside Wilson's interval if the share stays as it is."""
    p = precision.estimate or 0.0
    low, high = precision.long_run or (0.0, 1.0)

    def tells(n: float) -> bool:
        found = wilson(p, n)
        return found.low >= limit if p > limit else found.high < limit

    def is_worth(n: float) -> bool:
        found = wilson(p, n)
        return found.low >= low if p > limit else found.high <= high

    wanted, worth = _fewest(tells), _fewest(is_worth)
    if wanted is None or worth is None:
        return "the share lies so close to it that only thousands of labels would tell"
    more = math.ceil(precision.n * (wanted / worth - 1) / 10) * 10
    return f"about {max(10, more):,} more labels on passed items would tell, if the share stays as it is"


def _fewest(holds: Callable[[float], bool]) -> float | None:
    """The least n up to BEYOND_REACH at which it holds, for what holds from there on."""
    if not holds(BEYOND_REACH):
        return None
    low, high = 0.0, float(BEYOND_REACH)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if middle > 0 and holds(middle) else (middle, high)
    return high
