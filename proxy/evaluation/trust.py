"""Decide whether the proxy can be trusted, from the agreement report and a limit.

Two things must hold for the traffic to come, so both are read from the long-run intervals: of the passed answers at least
the limit are right, and the verdict agrees with annotators better than chance (kappa above 0). Both must hold whatever the drawn
answers without a right or wrong are: yes needs the worst case, no the best one. Where the interval holds both answers, the
verdict is open, and says how many labels would decide it, as far as the labels so far tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger
from proxy.stats.intervals import Interval, wilson
from proxy.stats.sampling.design_effect import design_effect, labels_for
from proxy.text.numbers import percent as percent  # noqa: PLC0414 # most who show a verdict take it from here

# Chosen: one passed answer in ten may be wrong; [report] limit in assay.toml is the team's own.
DEFAULT_LIMIT = 0.9
# Chosen: at this size a share is known to 2 points; asking for more labels would be no advice.
BEYOND_REACH = 2000


class Trust(StrEnum):
    """Whether the proxy can stand in for annotators."""

    YES = "yes"
    NO = "no"
    OPEN = "open"
    UNKNOWN = "unknown"


class Case(StrEnum):
    """Why the verdict is what it is."""

    DOUBT = "doubt"
    UNMEASURED = "unmeasured"
    BELOW = "below"
    HALF_WAY = "half_way"
    KAPPA_UNKNOWN = "kappa_unknown"
    NO_BETTER = "no_better"
    ABOVE = "above"
    KAPPA_OPEN = "kappa_open"
    LIMIT_OPEN = "limit_open"
    MISSING = "missing"
    MISSING_KAPPA = "missing_kappa"


class Needed(NamedTuple):
    """The number of further labels on passed items that would decide it; None where only thousands would.

    `left` is how many passed items have no label yet where those do not suffice; `kappa_open`: kappa is not decided either.
    `few_questions`: answers of one group or question are measured to be so alike that no number of labels on these would tell.
    The number holds for the share as it is; `even_odds` is what it is at the ends of the interval that holds the share with even
    odds, the second None where that would be thousands. `is_early`: that interval holds the limit, and a number at one of its
    ends, so the labels so far do not tell how many more it takes.
    """

    more: int | None
    left: int | None
    kappa_open: bool
    few_questions: bool = False
    even_odds: tuple[int, int | None] | None = None
    is_early: bool = False


class Turned(NamedTuple):
    """The draws without right or wrong that could reverse the verdict, and the quantity if all of them went one way.

    `can_reach` and `can_miss` say whether labels on them alone could show that the limit is reached, or missed.
    """

    draws: DrawCounts
    case: Estimate
    is_worst: bool
    can_reach: bool = True
    can_miss: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustVerdict:
    """The status, why it is so, and the limit on pass precision.

    `reason` says why a quantity is not known, `needed` which labels would decide it, `turned` which draws could turn it. `span`
    is pass precision whatever the `missing` draws are, None where none is missing.
    """

    status: Trust
    limit: float
    case: Case = Case.UNMEASURED
    reason: str | None = None
    needed: Needed | None = None
    turned: Turned | None = None
    span: Interval | None = None
    missing: int = 0


def judge_trust(
    report: AgreementReport,
    limit: float = DEFAULT_LIMIT,
    *,
    evidence: EvidenceLedger | None = None,
    left: int | None = None,
) -> TrustVerdict:
    """Compare the report with the limit on pass precision.

    Parameters
    ----------
    report : AgreementReport
        What is measured on the answers that annotators could judge.
    limit : float
        The least share of right answers among passed ones.
    evidence : EvidenceLedger, optional
        What speaks against a verdict; without it nothing is missing, and annotators are taken to agree.
    left : int, optional
        How many passed items have no label yet, where that is known.
    """
    outcome = _doubted(evidence) or _judge(report, limit, left, evidence)
    span, missing = None, 0
    if evidence and evidence.cases and evidence.passed.missing and outcome.case is not Case.DOUBT:
        span, missing = evidence.spanned("pass_precision").long_run, evidence.passed.missing
    return TrustVerdict(**outcome._asdict(), limit=limit, span=span, missing=missing)


class _Outcome(NamedTuple):
    """A verdict without its limit."""

    status: Trust
    case: Case
    reason: str | None = None
    needed: Needed | None = None
    turned: Turned | None = None


def _doubted(evidence: EvidenceLedger | None) -> _Outcome | None:
    """Return an unknown verdict with its reason where the labels are unreliable, else None."""
    for objection in evidence.against() if evidence else ():
        return _Outcome(Trust.UNKNOWN, Case.DOUBT, objection.reason)
    return None


def _judge(report: AgreementReport, limit: float, left: int | None, evidence: EvidenceLedger | None) -> _Outcome:
    precision, kappa = report.pass_precision, report.kappa
    if precision.estimate is None or precision.long_run is None:
        return _Outcome(Trust.UNKNOWN, Case.UNMEASURED, precision.reason)
    low, high, chance_low, chance_high = _ends(report, evidence)
    if high < limit:
        return _Outcome(Trust.NO, Case.BELOW)
    if kappa.long_run is not None and chance_high <= 0:
        return _Outcome(Trust.NO, Case.NO_BETTER)
    if low < limit and (turned := _turned(evidence, "pass_precision", limit)):
        return _Outcome(Trust.OPEN, Case.MISSING, turned=turned)
    if kappa.estimate is None or kappa.long_run is None:
        return _Outcome(Trust.UNKNOWN, Case.HALF_WAY if low >= limit else Case.KAPPA_UNKNOWN, kappa.reason)
    if low >= limit and chance_low > 0:
        return _Outcome(Trust.YES, Case.ABOVE)
    if low >= limit:
        turned = _turned(evidence, "kappa", 0.0)
        return _Outcome(Trust.OPEN, Case.MISSING_KAPPA if turned else Case.KAPPA_OPEN, turned=turned)
    needed = _needed(precision, limit, left, evidence, kappa_open=chance_low <= 0)
    return _Outcome(Trust.OPEN, Case.LIMIT_OPEN, needed=needed)


def _ends(report: AgreementReport, evidence: EvidenceLedger | None) -> tuple[float, float, float, float]:
    """Return the long-run ends of pass precision and of kappa, whatever the missing answers are."""
    both = (report.pass_precision, report.kappa)
    if evidence:
        both = (evidence.spanned("pass_precision"), evidence.spanned("kappa"))
    first, second = (estimate.long_run or Interval(-1.0, 1.0) for estimate in both)
    return (*first, *second)


def _turned(evidence: EvidenceLedger | None, quantity: str, limit: float) -> Turned | None:
    """Return what is missing where that, not the number of labels, keeps a quantity from lying beyond its limit."""
    if not evidence or not evidence.cases:
        return None
    among = getattr(evidence.among, quantity)
    value, (low, high) = among.estimate, among.long_run or (-1.0, 1.0)
    if value is None:
        return None
    worst, best = evidence.worst(quantity), evidence.best(quantity)
    is_above = value > limit if quantity == "kappa" else value >= limit
    corner, draws = (worst if is_above else best), evidence.counts(quantity)
    if not draws.missing:
        return None
    crosses = corner.estimate is None or (corner.estimate < limit if is_above else corner.estimate >= limit)
    if low >= limit or high < limit or crosses:
        can_reach = best.long_run is not None and best.long_run.low >= limit
        can_miss = worst.long_run is not None and worst.long_run.high < limit
        return Turned(draws, corner, is_above, can_reach, can_miss)
    return None


def _needed(
    precision: Estimate, limit: float, left: int | None, evidence: EvidenceLedger | None, *, kappa_open: bool
) -> Needed:
    """Count the labels on passed items that would put the limit outside Wilson's interval if the share stays as it is.

    The share is that of the case that is nearer to the limit where answers are missing. Labels on answers that are alike within
    their groups count for less, the more of them a group has.
    """
    nearer = precision
    if evidence and evidence.cases:
        is_above = (precision.estimate or 0.0) > limit
        nearer = evidence.worst("pass_precision") if is_above else evidence.best("pass_precision")
    p = nearer.estimate or 0.0
    low, high = nearer.long_run or (0.0, 1.0)
    there, alike = (evidence.clusters.there, evidence.clusters.alike) if evidence else (0.0, 0.0)
    alike = alike if 0 < p < 1 else 0.0  # labels that all agree tell nothing of how alike those of a group are

    def is_worth(n: float) -> bool:
        bounds = wilson(p, n)
        return bounds.low >= low if p > limit else bounds.high <= high

    worth = _fewest(is_worth)

    def more_at(share: float) -> float | None:
        """Return the further labels that tell at this share, in tens; infinite where none do, None where only thousands would."""
        wanted = _fewest(partial(_tells, share, limit))
        if wanted is None or worth is None:
            return None
        labels = labels_for(wanted * nearer.n / worth / design_effect(nearer.n, there, alike), there, alike)
        return labels if math.isinf(labels) else max(10, math.ceil((labels - nearer.n) / 10) * 10)

    more = more_at(p)
    if more is not None and math.isinf(more):
        return Needed(None, None, kappa_open, few_questions=True)
    odds = wilson(p, worth, confidence=0.5) if worth else Interval(0.0, 1.0)
    ends = (odds.high, odds.low) if p > limit else (odds.low, odds.high)  # the second is nearer to the limit
    fewest, most = (None if (each := more_at(end)) is None or math.isinf(each) else int(each) for end in ends)
    is_early = odds.low <= limit <= odds.high and (fewest or most) is not None
    if more is None:
        return Needed(None, None, kappa_open, is_early=is_early)
    lacking = left if left is not None and more > left else None
    return Needed(int(more), lacking, kappa_open, even_odds=(fewest or int(more), most), is_early=is_early)


def _tells(share: float, limit: float, n: float) -> bool:
    """Return whether Wilson's interval of a share leaves the limit out."""
    bounds = wilson(share, n)
    return bounds.low >= limit if share > limit else bounds.high < limit


def _fewest(holds: Callable[[float], bool]) -> float | None:
    """Find the least n up to BEYOND_REACH at which a condition holds that holds from there on."""
    if not holds(BEYOND_REACH):
        return None
    low, high = 0.0, float(BEYOND_REACH)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if middle > 0 and holds(middle) else (middle, high)
    return high
