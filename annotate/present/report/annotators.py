"""Say how far annotators agree, and what that allows a proxy to reach."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.neighbours import Neighbours
from annotate.analysis.report.head import ReportHead
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import (
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    coefficient,
    message,
    share,
)
from annotate.present.document import Block, Column, Figure, Figures, Table
from annotate.present.quantity import cell
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability
from proxy.evaluation.neighbours import FEWEST

SHAKY = {Reliability.WEAK: "overview.annotators_weak", Reliability.OPEN: "overview.annotators_open"}
# Chosen: rows for which the brief answer of 25 lines has room.
SHOWN_PAIRS = 5


def shaky(report: ReportHead) -> Message | None:
    """Say that annotators agree too little for firm conclusions, or may; None where they do not."""
    key = SHAKY.get(report.annotator_agreement.reliability)
    if key is None or not report.progress.labelled:
        return None
    return message(
        key, alpha=cell(report.annotator_agreement.alpha, Kind.COEFFICIENT), count=report.annotator_agreement.n
    )


def agreement(report: ProjectReport) -> Iterator[Block]:
    """How far annotators agree, and what that allows a proxy to reach."""
    annotator_agreement = report.annotator_agreement
    figures = (
        Figure(f"annotators_{name}", message(f"report.{name}"), getattr(annotator_agreement, name), kind)
        for name, kind in (("agreement", Kind.SHARE), ("alpha", Kind.COEFFICIENT), ("ac1", Kind.COEFFICIENT))
    )
    yield Figures(tuple(figures))
    if (sentence := shifted_by_neighbours(report.neighbours)) is not None:
        yield sentence
    if not annotator_agreement.n:
        return
    yield message(
        "report.read_twice", count=annotator_agreement.n, given=report.overlap.given, read=report.overlap.read
    )
    yield message("report.says_right", share=share(annotator_agreement.prevalence))
    if annotator_agreement.ceiling.estimate is not None:
        yield message(
            "report.ceiling",
            share=EvidenceText(annotator_agreement.ceiling, Kind.SHARE),
            kappa=EvidenceText(annotator_agreement.kappa_ceiling, Kind.COEFFICIENT),
        )


def shifted_by_neighbours(neighbours: Neighbours) -> Message | None:
    """Say whether answers to one question that stand next to each other shift verdicts; None where none were read."""
    counts = {"together": neighbours.together, "apart": neighbours.apart}
    if not any(counts.values()):
        return None
    effect = neighbours.effect
    if effect.estimate is None:
        return message("report.neighbours_few", fewest=FEWEST, **counts)
    verdict = "shift" if effect.excludes_zero else "open"
    value = EvidenceText(effect, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)
    return message(f"report.neighbours_{verdict}", value=value, **counts)


def pairs(annotator_agreement: AnnotatorAgreement) -> Table:
    """List how far each two annotators agree, those who read most together first."""
    ordered = sorted(annotator_agreement.pairs, key=lambda pair: (-pair.n, pair.first, pair.second))
    columns = (
        Column(message("report.pair"), is_wide=True),
        *(
            Column(message(f"report.{name}"), is_number=True)
            for name in ("items", "agree_on", "kappa_column", "ac1", "pair_right")
        ),
    )
    rows = tuple(
        (
            Listing((Name(pair.first), Name(pair.second)), "values.and"),
            pair.n,
            share(pair.agreement),
            coefficient(pair.kappa),
            coefficient(pair.ac1),
            share(pair.prevalence),
        )
        for pair in ordered
    )
    return Table(columns, rows, name="pairs", most=SHOWN_PAIRS)
