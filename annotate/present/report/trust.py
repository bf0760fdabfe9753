"""Say whether the proxy can be trusted, how sure that is, and what would decide it."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.report.head import ReportHead
from annotate.analysis.report.limits import LimitStatus, check_limits
from annotate.domain.gate_limits import ReportLimits
from annotate.domain.message import Between, EvidenceText, Kind, Listing, Message, Value, message, share
from annotate.present.document import Status
from annotate.present.guarantee import certified
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import Case, Needed, Trust, TrustVerdict
from proxy.stats.calibration.threshold_tests import Claim

STATUSES = {
    Trust.YES: Status.MET,
    Trust.NO: Status.MISSED,
    Trust.OPEN: Status.OPEN,
    Trust.UNKNOWN: Status.UNMEASURABLE,
}


LEADS = {
    Case.ABOVE: "report.trusted",
    Case.BELOW: "report.not_trusted",
    Case.NO_BETTER: "report.not_trusted",
    Case.KAPPA_UNKNOWN: "report.few_labels",
    Case.KAPPA_OPEN: "report.few_labels",
    Case.LIMIT_OPEN: "report.few_labels",
}
NO_VERDICT = "report.no_verdict"
# What precision and limit show by themselves.
BY_PRECISION = (Case.ABOVE, Case.BELOW, Case.HALF_WAY, Case.LIMIT_OPEN, Case.KAPPA_UNKNOWN)


def status(report: ReportHead) -> Status:
    """Return what the verdict means; without a label that counts there is none."""
    return STATUSES[report.trust.status] if report.progress.labelled else Status.UNMEASURABLE


def verdict(report: ReportHead) -> Message:
    """Say whether the proxy can be trusted, with what shows it."""
    lead = message(LEADS.get(report.trust.case, NO_VERDICT))
    return message("values.colon", label=lead, words=shown_by(report))


def shown_by(report: ReportHead) -> Message:
    """Say what shows whether the proxy can be trusted, or why nothing does."""
    trust = report.trust
    values: dict[str, Value] = {
        "precision": EvidenceText(report.agreement.pass_precision, Kind.SHARE, limit=trust.limit),
        "limit": share(trust.limit),
        "kappa": EvidenceText(report.agreement.kappa, Kind.COEFFICIENT, limit=0.0),
        "reason": trust.reason,
    }
    if trust.turned:
        values |= {"count": trust.turned.draws.missing, "drawn": trust.turned.draws.drawn}
    return message(f"report.{trust.case.value}{_reach(trust)}", **values)


def unexamined(report: ReportHead) -> Message | None:
    """Return what nobody has examined, where the proxy is said to be trusted all the same."""
    if report.trust.status is not Trust.YES:
        return None
    limits = check_limits(report, ReportLimits())
    left = [
        message(f"overview.unexamined_{limit.name}") for limit in limits if limit.standing is LimitStatus.UNEXAMINED
    ]
    return message("overview.unexamined", parts=Listing(tuple(left))) if left else None


def beside_precision(report: ReportHead) -> Message | None:
    """Say what else than the precision and its limit shows whether the proxy can be trusted; None where these show it."""
    return None if report.trust.case in BY_PRECISION else shown_by(report)


def _reach(trust: TrustVerdict) -> str:
    """Return which sentence says what labels on the missing passed answers could show: either, one alone, or neither."""
    if trust.case is not Case.MISSING or trust.turned is None:
        return ""
    could = {(True, True): "", (True, False): "_reach", (False, True): "_miss", (False, False): "_neither"}
    return could[trust.turned.can_reach, trust.turned.can_miss]


def how_sure(report: ReportHead) -> Iterator[Message]:
    """Say what could turn the verdict, and what would decide it."""
    trust, precision = report.trust, report.evidence.among.pass_precision
    if trust.reason and trust.case is not Case.UNMEASURED:
        yield message("report.reason", reason=trust.reason)
    if trust.turned:
        yield from _turned(trust, precision)
    elif trust.span:
        low, high = precision.long_run or (None, None)
        yield message("report.spanned", count=trust.missing, span=Between(low, high, Kind.SHARE))
    if trust.needed:
        yield from _needed(trust.needed, report.agreement.pass_precision, report.agreement.kappa)


def _turned(trust: TrustVerdict, precision: Estimate) -> Iterator[Message]:
    if trust.turned is None:
        return
    draws, case, is_worst = trust.turned[:3]
    yield message("report.kinds", unsure=draws.unsure, unanswered=draws.unanswered, pending=draws.pending)
    if trust.case is Case.MISSING_KAPPA:
        key = "report.kappa_worst" if is_worst else "report.kappa_best"
        yield message(key, kappa=EvidenceText(case, Kind.COEFFICIENT))
        return
    low, high = case.long_run or (None, None)
    yield message(
        "report.if_wrong" if is_worst else "report.if_right",
        share=share(case.estimate),
        span=Between(low, high, Kind.SHARE),
        precision=share(precision.estimate),
    )


def _needed(needed: Needed, precision: Estimate, kappa: Estimate) -> Iterator[Message]:
    if needed.few_questions:
        yield message("report.needs_questions")
    elif needed.is_early:
        yield message("report.needs_untold", count=precision.n)
    elif needed.more is None:
        yield message("report.needs_thousands")
    else:
        yield _more(needed)
    if needed.left is not None and not needed.is_early:
        yield message("report.needs_left" if needed.left else "report.needs_none_left", count=needed.left)
    if needed.kappa_open:
        yield message("report.needs_kappa", kappa=EvidenceText(kappa, Kind.COEFFICIENT))


def _more(needed: Needed) -> Message:
    """Say how many labels would decide it, and between which numbers that lies with even odds."""
    fewest, most = needed.even_odds or (needed.more, None)
    if most is None:
        return message("report.needs_more_open", count=needed.more, fewest=fewest)
    return message("report.needs_more", count=needed.more, fewest=fewest, most=most)


def threshold_guarantee(report: ReportHead) -> Iterator[Message | str]:
    """Say what the threshold is certified for, and why that and a verdict that is not yes can both be true."""
    guarantee, precision, limit = report.guarantee, report.agreement.pass_precision, report.trust.limit
    if guarantee is None:
        return
    yield certified(guarantee)
    if guarantee.is_void or precision.long_run is None or precision.long_run.low >= limit:
        return
    confidence = share(guarantee.confidence)
    if guarantee.precision < limit:
        yield message("report.guarantee_lower", precision=share(guarantee.precision), limit=share(limit))
    elif guarantee.claims and all(proof.claim is not Claim.LONG_RUN for proof in guarantee.claims):
        yield message("report.guarantee_window")
    elif precision.long_run.high < limit:
        yield message("report.guarantee_against", confidence=confidence, n=precision.n)
    else:
        yield message("report.guarantee_beside", confidence=confidence, n=precision.n)
