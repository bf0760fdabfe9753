"""What a report says of annotators: each figure with its interval, in every language."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import message
from annotate.domain.sampling.outcomes import Overlap
from annotate.present.document import Document, Section, Status
from annotate.present.report.annotators import agreement
from proxy.evaluation.annotator_agreement import Reading, agreement_between
from proxy.records import Judgement
from support.documents import check

RIGHT, WRONG = Judgement.RIGHT, Judgement.WRONG


def shown(readings: list[Reading]) -> str:
    """The section of a report whose annotators read this."""
    measured = agreement_between(readings)
    report = cast(ProjectReport, SimpleNamespace(annotator_agreement=measured, overlap=Overlap(20, measured.n)))
    blocks: Any = tuple(agreement(report))
    return " ".join(check(Document(message("report.unlabelled"), Status.MET, (Section(None, blocks),))).split())


def test_the_ceiling_on_a_proxy_has_its_interval() -> None:
    """Eighteen of twenty pairs agree: Wilson .699 to .972, so e = .053 lies in .014 to .185."""
    words = [(RIGHT, RIGHT)] * 12 + [(RIGHT, WRONG), (WRONG, RIGHT)] + [(WRONG, WRONG)] * 6
    readings = [Reading(n, name, word) for n, pair in enumerate(words) for name, word in zip("ab", pair, strict=True)]

    text = shown(readings)

    assert "A perfect proxy would agree with one annotator on 94.7 % (82 to 98.6 %, n = 20) of answers" in text
    assert "with a kappa of 0.88 (" in text


def test_nobody_who_read_twice_sets_no_ceiling() -> None:
    assert "perfect proxy" not in shown([Reading(1, "a", RIGHT)])
