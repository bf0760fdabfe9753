"""The verdict on the proxy in the reader's language: as the command says it in English, in the table's words elsewhere.

A Report in, one sentence out. The rule: the numbers are those of the English sentence, said by the same functions.
"""

from __future__ import annotations

from annotate.analysis.report.report import Report
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import language, say
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import Case, Needed, Trust, TrustVerdict, percent
from proxy.text.language import two_decimals

TONES = {Trust.YES: Tone.GOOD, Trust.NO: Tone.BAD, Trust.OPEN: Tone.OPEN, Trust.UNKNOWN: Tone.UNKNOWN}


def status(report: Report) -> Trust:
    """The verdict; without a label that counts there is none."""
    return report.trust.status if report.progress.labelled > 0 else Trust.UNKNOWN


def sentence(report: Report) -> str:
    """Whether the proxy can be trusted."""
    return report.trust.sentence if language() == "en" else composed(report)


def composed(report: Report) -> str:
    """The sentence put together from the table."""
    trust, agreement = report.trust, report.agreement
    kappa = _kappa(agreement.kappa)
    return say(
        f"trust.{trust.case.value}",
        passed=_passed(trust, agreement.pass_precision),
        share=_share(agreement.pass_precision),
        turned=_turned(trust) if trust.turned else "",
        limit=percent(trust.limit),
        kappa=kappa,
        reason=trust.reason or "—",
        asked=_asked(trust.needed, kappa) if trust.needed else "",
    )


def _passed(trust: TrustVerdict, found: Estimate) -> str:
    if found.estimate is None or found.long_run is None:
        return "—"
    low, high = found.long_run
    span = ""
    if trust.span:
        span = say("trust.span", low=percent(trust.span.low), high=percent(trust.span.high), count=trust.missing)
    return say("trust.passed", share=percent(found.estimate), low=percent(low), high=percent(high), span=span)


def _share(found: Estimate) -> str:
    return "—" if found.estimate is None else percent(found.estimate)


def _turned(trust: TrustVerdict) -> str:
    """What the drawn answers without a right or wrong could turn."""
    if trust.turned is None:
        return ""
    draws, case, is_worst = trust.turned
    is_kappa = trust.case is Case.MISSING_KAPPA
    counts = {"unsure": draws.unsure, "unanswered": draws.unanswered, "pending": draws.pending}
    kinds = ", ".join(say(f"trust.missing_{kind}", count=count) for kind, count in counts.items() if count)
    which = "trust.missing_of_all" if is_kappa else "trust.missing_of_passed"
    words = say(which, missing=draws.missing, drawn=draws.drawn, kinds=kinds)
    if is_kappa:
        return say("trust.kappa_worst" if is_worst else "trust.kappa_best", draws=words, kappa=_kappa(case))
    low, high = case.long_run or (0.0, 1.0)
    key = "trust.if_wrong" if is_worst else "trust.if_right"
    return say(key, draws=words, share=_share(case), low=percent(low), high=percent(high))


def _kappa(found: Estimate) -> str:
    if found.estimate is None or found.long_run is None:
        return "kappa —"
    value, low, high = (two_decimals(one) for one in (found.estimate, *found.long_run))
    return say("trust.kappa", value=value, low=low, high=high)


def _asked(needed: Needed, kappa: str) -> str:
    """What labels would tell."""
    if needed.few_questions:
        return say("trust.asked_questions") + (say("trust.asked_kappa", kappa=kappa) if needed.kappa_open else "")
    words = say("trust.asked_thousands") if needed.more is None else say("trust.asked_more", more=needed.more)
    if needed.left is not None:
        words += say("trust.asked_left", left=needed.left) if needed.left else say("trust.asked_none_left")
    return words + (say("trust.asked_kappa", kappa=kappa) if needed.kappa_open else "")
