"""Say in one sentence whether the proxy can be trusted, from the agreement report and a limit.

Two things must hold for the traffic to come, so both are read from the long-run intervals: of the passed answers at least
the limit are right, and the verdict agrees with people better than chance (kappa above 0). Both must hold whatever the drawn
answers without a right or wrong are: yes needs the worst case, no the best one. Where the interval holds both answers, the
sentence says so and how many labels would settle it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger
from proxy.stats.intervals import Interval, wilson
from proxy.stats.sampling.design_effect import design_effect, labels_for
from proxy.text.language import percent as percent  # noqa: PLC0414 # most who show a verdict take it from here
from proxy.text.language import two_decimals

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
    """The kind of sentence that states the verdict."""

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
    """The number of further labels on passed items that would settle it; None where only thousands would.

    `left` is how many passed items have no label yet where those do not suffice; `kappa_open`: kappa is not settled either.
    `few_questions`: answers of one group or question are so alike that no number of labels on these would tell.
    """

    more: int | None
    left: int | None
    kappa_open: bool
    few_questions: bool = False


class Turned(NamedTuple):
    """The draws without right or wrong that could reverse the verdict, and the quantity if all of them went one way."""

    draws: DrawCounts
    case: Estimate
    is_worst: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustVerdict:
    """The status, the sentence that states it, and the limit on pass precision.

    `case`, `reason`, `needed`, `turned` and `span` are what the sentence is made of beside the report's own numbers, for other
    languages. `span` is pass precision whatever the `missing` draws are, None where none is missing.
    """

    status: Trust
    sentence: str
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
        What is measured on the answers that people could judge.
    limit : float
        The least share of right answers among passed ones.
    evidence : EvidenceLedger, optional
        What speaks against a verdict; without it nothing is missing, and annotators are taken to agree.
    left : int, optional
        How many passed items have no label yet, where that is known.
    """
    verdict = _doubted(evidence) or _judge(report, limit, left, evidence)
    span, missing = None, 0
    if evidence and evidence.cases and evidence.passed.missing and verdict.case is not Case.DOUBT:
        span, missing = evidence.spanned("pass_precision").long_run, evidence.passed.missing
    return TrustVerdict(**verdict._asdict(), limit=limit, span=span, missing=missing)


class _Said(NamedTuple):
    """A verdict without its limit."""

    status: Trust
    case: Case
    sentence: str
    reason: str | None = None
    needed: Needed | None = None
    turned: Turned | None = None


def _doubted(evidence: EvidenceLedger | None) -> _Said | None:
    """Return an unknown verdict with its reason where the labels are unreliable, else None."""
    for objection in evidence.against() if evidence else ():
        return _Said(Trust.UNKNOWN, Case.DOUBT, f"{NOT_YET}: {objection.reason}.", objection.reason)
    return None


def _judge(report: AgreementReport, limit: float, left: int | None, evidence: EvidenceLedger | None) -> _Said:
    precision, kappa = report.pass_precision, report.kappa
    if precision.estimate is None or precision.long_run is None:
        return _Said(Trust.UNKNOWN, Case.UNMEASURED, f"{NOT_YET}: {precision.reason}.", precision.reason)
    passed, low, high, chance_low, chance_high = _passed(precision, evidence), *_ends(report, evidence)
    no, yes = f"The proxy cannot be trusted: {passed}", f"The proxy can be trusted: {passed}"
    if high < limit:
        return _Said(Trust.NO, Case.BELOW, f"{no}, below the limit of {percent(limit)}.")
    if kappa.long_run is not None and chance_high <= 0:
        return _Said(Trust.NO, Case.NO_BETTER, f"{no}, but it agrees with people no better than chance.")
    if low < limit and (turned := _turned(evidence, "pass_precision", limit)):
        return _Said(Trust.OPEN, Case.MISSING, f"{NOT_YET}: {_of_precision(turned, precision, limit)}.", turned=turned)
    if kappa.estimate is None or kappa.long_run is None:
        known = "The proxy can be trusted only half way" if low >= limit else NOT_YET
        case = Case.HALF_WAY if low >= limit else Case.KAPPA_UNKNOWN
        words = f"{known}: {passed}, but whether it tells right from wrong is open, {kappa.reason}."
        return _Said(Trust.UNKNOWN, case, words, kappa.reason)
    if low >= limit and chance_low > 0:
        return _Said(Trust.YES, Case.ABOVE, f"{yes}, at or above the limit of {percent(limit)}.")
    if low >= limit:
        if turned := _turned(evidence, "kappa", 0.0):
            return _Said(Trust.OPEN, Case.MISSING_KAPPA, f"{NOT_YET}: {_of_kappa(turned)}.", turned=turned)
        words = (
            f"The proxy cannot be trusted yet: {passed}, but whether it tells right from wrong better than chance is open "
            f"({interval('kappa', kappa)}); more labels on failed items would tell."
        )
        return _Said(Trust.OPEN, Case.KAPPA_OPEN, words)
    needed = _needed(precision, limit, left, evidence, kappa_open=chance_low <= 0)
    words = f"The proxy cannot be trusted yet: {passed}, and the limit is {percent(limit)}; {_asked(needed, kappa)}."
    return _Said(Trust.OPEN, Case.LIMIT_OPEN, words, needed=needed)


def _ends(report: AgreementReport, evidence: EvidenceLedger | None) -> tuple[float, float, float, float]:
    """Return the long-run ends of pass precision and of kappa, whatever the missing answers are."""
    both = (report.pass_precision, report.kappa)
    if evidence:
        both = (evidence.spanned("pass_precision"), evidence.spanned("kappa"))
    first, second = (estimate.long_run or Interval(-1.0, 1.0) for estimate in both)
    return (*first, *second)


def _passed(precision: Estimate, evidence: EvidenceLedger | None) -> str:
    """Say how many of the passed answers are right, and what the missing ones could change."""
    low, high = precision.long_run or (0.0, 1.0)
    span = f"in the long run {percent(low)} to {percent(high)}, 95 % interval"
    if evidence and evidence.cases and evidence.passed.missing:
        low, high = evidence.spanned("pass_precision").long_run or (0.0, 1.0)
        count = evidence.passed.missing
        span += (
            f"; {percent(low)} to {percent(high)} whatever the {count:,} drawn without a right or wrong turn out to be"
        )
    return f"{percent(precision.estimate or 0.0)} of the answers it passes are right ({span})"


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
        return Turned(draws, corner, is_above)
    return None


def _of_precision(turned: Turned, precision: Estimate, limit: float) -> str:
    """Say why the missing answers leave the limit open."""
    kind, only = ("wrong", "only ") if turned.is_worst else ("right", "")
    low, high = turned.case.long_run or (0.0, 1.0)
    share = f"{only}{percent(turned.case.estimate or 0.0)} ({percent(low)} to {percent(high)})"
    return (
        f"{turned.draws.words('drawn answers that it passes')}; if all of them are {kind}, {share} of the passed answers are "
        f"right, and the limit is {percent(limit)}; without them it would be {percent(precision.estimate or 0.0)}"
    )


def _of_kappa(turned: Turned) -> str:
    """Say why the missing answers leave open whether the proxy tells right from wrong."""
    kind = "worst" if turned.is_worst else "best"
    case = interval("kappa", turned.case)
    return f"{turned.draws.words()}; in the {kind} case it agrees with people by {case}, and chance is kappa 0"


def _asked(needed: Needed, kappa: Estimate) -> str:
    """Say what more labels would settle."""
    words = "if the share stays as it is, so close to the limit, only thousands of labels would tell"
    if needed.few_questions:
        words = (
            "labels on these questions and groups may all count as one, so that no number of them would tell: bring in more "
            "questions, not more labels (`assay ingest FILE`)"
        )
    if needed.more is not None:
        words = f"about {needed.more:,} more labels on passed items would tell, if the share stays as it is"
    if needed.left is not None:
        have = (
            f"only {needed.left:,} are left: label all of them, and bring in more traffic"
            if needed.left
            else "none is left to label: bring in more traffic"
        )
        words += f"; {have} (`assay ingest FILE`)"
    if needed.kappa_open:
        words += (
            f"; whether it tells right from wrong better than chance is open too ({interval('kappa', kappa)}): labels on "
            "failed items would tell"
        )
    return words


def interval(name: str, estimate: Estimate) -> str:
    """Format a quantity with its long-run interval, in brief."""
    if estimate.estimate is None or estimate.long_run is None:
        return f"{name} —"
    value, low, high = (two_decimals(number) for number in (estimate.estimate, *estimate.long_run))
    return f"{name} {value}, {low} to {high}"


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

    def tells(n: float) -> bool:
        bounds = wilson(p, n)
        return bounds.low >= limit if p > limit else bounds.high < limit

    def is_worth(n: float) -> bool:
        bounds = wilson(p, n)
        return bounds.low >= low if p > limit else bounds.high <= high

    wanted, worth = _fewest(tells), _fewest(is_worth)
    if wanted is None or worth is None:
        return Needed(None, None, kappa_open)
    there, alike = (evidence.clusters.there, evidence.clusters.alike) if evidence else (0.0, 0.0)
    alike = alike if 0 < p < 1 else 1.0  # labels that all agree tell nothing of how alike those of a group are
    independent = wanted * nearer.n / worth / design_effect(nearer.n, there, alike)
    labels = labels_for(independent, there, alike)
    if math.isinf(labels):
        return Needed(None, None, kappa_open, few_questions=True)
    more = max(10, math.ceil((labels - nearer.n) / 10) * 10)
    return Needed(more, left if left is not None and more > left else None, kappa_open)


def _fewest(holds: Callable[[float], bool]) -> float | None:
    """Find the least n up to BEYOND_REACH at which a condition holds that holds from there on."""
    if not holds(BEYOND_REACH):
        return None
    low, high = 0.0, float(BEYOND_REACH)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if middle > 0 and holds(middle) else (middle, high)
    return high
