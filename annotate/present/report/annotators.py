"""Say how far annotators agree, and what that allows a proxy to reach."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.report.report import Report
from annotate.domain.message import Kind, Listing, Message, Name, coefficient, message, share
from annotate.present.document import Block, Column, Figure, Figures, Table
from annotate.present.quantity import cell
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability

SHAKY = {Reliability.WEAK: "overview.annotators_weak", Reliability.OPEN: "overview.annotators_open"}
SHOWN_PAIRS = 5


def shaky(report: Report) -> Message | None:
    """Say that annotators agree too little for firm conclusions, or may; None where they do not."""
    key = SHAKY.get(report.people.reliability)
    if key is None or not report.progress.labelled:
        return None
    return message(key, alpha=cell(report.people.alpha, Kind.COEFFICIENT), count=report.people.n)


def agreement(report: Report) -> Iterator[Block]:
    """How far annotators agree, and what that allows a proxy to reach."""
    people = report.people
    figures = (
        Figure(f"annotators_{name}", message(f"report.{name}"), getattr(people, name), kind)
        for name, kind in (("agreement", Kind.SHARE), ("alpha", Kind.COEFFICIENT), ("ac1", Kind.COEFFICIENT))
    )
    yield Figures(tuple(figures))
    if not people.n:
        return
    yield message("report.read_twice", count=people.n, given=report.overlap.given, read=report.overlap.read)
    yield message("report.says_right", share=share(people.prevalence))
    if people.ceiling is not None:
        yield message("report.ceiling", share=share(people.ceiling), kappa=coefficient(people.kappa_ceiling))


def pairs(people: AnnotatorAgreement) -> Table:
    """List how far each two annotators agree, those who read most together first."""
    ordered = sorted(people.pairs, key=lambda pair: (-pair.n, pair.first, pair.second))
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
