"""The verdict on the proxy in the reader's language, with its tone."""

from __future__ import annotations

from annotate.analysis.report.report import Report
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import told
from annotate.present.report import verdict
from proxy.evaluation.trust import Trust

TONES = {Trust.YES: Tone.GOOD, Trust.NO: Tone.BAD, Trust.OPEN: Tone.OPEN, Trust.UNKNOWN: Tone.UNKNOWN}


def status(report: Report) -> Trust:
    """The verdict; without a label that counts there is none."""
    return report.trust.status if report.progress.labelled > 0 else Trust.UNKNOWN


def sentence(report: Report) -> str:
    """Whether the proxy can be trusted."""
    return told(verdict(report))
