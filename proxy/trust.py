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
from typing import NamedTuple

from proxy.agreement import AgreementReport
from proxy.estimate import Estimate
from proxy.stats.intervals import wilson
from proxy.text import two_decimals

DEFAULT_LIMIT = 0.9
BEYOND_REACH = 2000
NOT_YET = "It cannot be said yet whether the proxy can be trusted"


class Trust(StrEnum):
    """Whether the proxy can stand in for people."""

    YES = "yes"
    NO = "no"
    OPEN = "open"
    UNKNOWN = "unknown"


class Case(StrEnum):
    """Which of its sentences the verdict says."""

    DOUBT = "doubt"
    UNMEASURED = "unmeasured"
    BELOW = "below"
    HALF_WAY = "half_way"
    KAPPA_UNKNOWN = "kappa_unknown"
    NO_BETTER = "no_better"
    ABOVE = "above"
    KAPPA_OPEN = "kappa_open"
    LIMIT_OPEN = "limit_open"


class Needed(NamedTuple):
    """How many more labels on passed items would tell, None where only thousands would.

    `left` is how many passed items have no label yet where those do not suffice; `kappa_open`: kappa is not settled either.
    """

    more: int | None
    left: int | None
    kappa_open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustVerdict:
    """The status, the sentence that says it, and the limit on pass precision that it was held against.

    `case`, `reason` and `needed` are what the sentence is made of beside the report's own numbers, for other languages.
    """

    status: Trust
    sentence: str
    limit: float
    case: Case = Case.UNMEASURED
    reason: str | None = None
    needed: Needed | None = None


def judge_trust(
    report: AgreementReport, limit: float = DEFAULT_LIMIT, doubt: str | None = None, left: int | None = None
) -> TrustVerdict:
    """Hold the report against the limit on pass precision.

    `doubt` is why the labels themselves are no yardstick, `left` how many passed items have no label yet, where that is known.
    """
    said = _Said(Trust.UNKNOWN, Case.DOUBT, f"{NOT_YET}: {doubt}.", doubt) if doubt else _judge(report, limit, left)
    return TrustVerdict(**said._asdict(), limit=limit)


class _Said(NamedTuple):
    """A verdict without its limit."""

    status: Trust
    case: Case
    sentence: str
    reason: str | None = None
    needed: Needed | None = None


def percent(value: float) -> str:
    """A share in words; what is not quite all or nothing never looks like it."""
    rounded = round(100 * value)
    if value in (0.0, 1.0) or (0.1 <= value <= 0.9):
        return f"{rounded} %"
    return f"{min(max(100 * value, 0.1), 99.9):.1f} %".replace(".0 %", " %")


def _judge(report: AgreementReport, limit: float, left: int | None) -> _Said:
    precision, kappa = report.pass_precision, report.kappa
    if precision.estimate is None or precision.long_run is None:
        return _Said(Trust.UNKNOWN, Case.UNMEASURED, f"{NOT_YET}: {precision.reason}.", precision.reason)
    low, high = precision.long_run
    span = f"in the long run {percent(low)} to {percent(high)}, 95 % interval"
    passed = f"{percent(precision.estimate)} of the answers it passes are right ({span})"
    no, yes = f"The proxy cannot be trusted: {passed}", f"The proxy can be trusted: {passed}"
    if high < limit:
        return _Said(Trust.NO, Case.BELOW, f"{no}, below the limit of {percent(limit)}.")
    if kappa.estimate is None or kappa.long_run is None:
        known = "The proxy can be trusted only half way" if low >= limit else NOT_YET
        case = Case.HALF_WAY if low >= limit else Case.KAPPA_UNKNOWN
        words = f"{known}: {passed}, but whether it tells right from wrong is open, {kappa.reason}."
        return _Said(Trust.UNKNOWN, case, words, kappa.reason)
    if kappa.long_run.high <= 0:
        return _Said(Trust.NO, Case.NO_BETTER, f"{no}, but it agrees with people no better than chance.")
    if low >= limit and kappa.long_run.low > 0:
        return _Said(Trust.YES, Case.ABOVE, f"{yes}, at or above the limit of {percent(limit)}.")
    if low >= limit:
        words = (
            f"The proxy cannot be trusted yet: {passed}, but whether it tells right from wrong better than chance is open "
            f"({interval('kappa', kappa)}); more labels on failed items would tell."
        )
        return _Said(Trust.OPEN, Case.KAPPA_OPEN, words)
    needed = _needed(precision, limit, left, kappa_open=kappa.long_run.low <= 0)
    words = f"The proxy cannot be trusted yet: {passed}, and the limit is {percent(limit)}; {_asked(needed, kappa)}."
    return _Said(Trust.OPEN, Case.LIMIT_OPEN, words, needed=needed)


def _asked(needed: Needed, kappa: Estimate) -> str:
    """What labels would tell, in words."""
    said = "the share lies so close to it that only thousands of labels would tell"
    if needed.more is not None:
        said = f"about {needed.more:,} more labels on passed items would tell, if the share stays as it is"
    if needed.left is not None:
        have = (
            f"only {needed.left:,} are left: label all of them, and bring in more traffic"
            if needed.left
            else "none is left to label: bring in more traffic"
        )
        said += f"; {have} (`assay ingest FILE`)"
    if needed.kappa_open:
        said += (
            f"; whether it tells right from wrong better than chance is open too ({interval('kappa', kappa)}): labels on "
            "failed items would tell"
        )
    return said


def interval(name: str, estimate: Estimate) -> str:
    """A quantity with its long-run interval, in brief."""
    if estimate.estimate is None or estimate.long_run is None:
        return f"{name} —"
    value, low, high = (two_decimals(one) for one in (estimate.estimate, *estimate.long_run))
    return f"{name} {value}, {low} to {high}"


def _needed(precision: Estimate, limit: float, left: int | None, *, kappa_open: bool) -> Needed:
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
        return Needed(None, None, kappa_open)
    more = max(10, math.ceil(precision.n * (wanted / worth - 1) / 10) * 10)
    return Needed(more, left if left is not None and more > left else None, kappa_open)


def _fewest(holds: Callable[[float], bool]) -> float | None:
    """The least n up to BEYOND_REACH at which it holds, for what holds from there on."""
    if not holds(BEYOND_REACH):
        return None
    low, high = 0.0, float(BEYOND_REACH)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if middle > 0 and holds(middle) else (middle, high)
    return high
