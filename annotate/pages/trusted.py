"""The verdict on the proxy in the reader's language: as the command says it in English, in the table's words elsewhere.

A Report in, one sentence out. The rule: the numbers are those of the English sentence, said by the same functions.
"""

from __future__ import annotations

from annotate.pages.frame import Tone
from annotate.pages.say import language, say
from annotate.report import Report
from proxy.estimate import Estimate
from proxy.text import two_decimals
from proxy.trust import Needed, Trust, percent

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
        passed=_passed(agreement.pass_precision),
        limit=percent(trust.limit),
        kappa=kappa,
        reason=trust.reason or "—",
        asked=_asked(trust.needed, kappa) if trust.needed else "",
    )


def _passed(found: Estimate) -> str:
    if found.estimate is None or found.long_run is None:
        return "—"
    low, high = found.long_run
    return say("trust.passed", share=percent(found.estimate), low=percent(low), high=percent(high))


def _kappa(found: Estimate) -> str:
    if found.estimate is None or found.long_run is None:
        return "kappa —"
    value, low, high = (two_decimals(one) for one in (found.estimate, *found.long_run))
    return say("trust.kappa", value=value, low=low, high=high)


def _asked(needed: Needed, kappa: str) -> str:
    """What labels would tell."""
    words = say("trust.asked_thousands") if needed.more is None else say("trust.asked_more", more=needed.more)
    if needed.left is not None:
        words += say("trust.asked_left", left=needed.left) if needed.left else say("trust.asked_none_left")
    return words + (say("trust.asked_kappa", kappa=kappa) if needed.kappa_open else "")
