"""Build the printed report: limits, weeks and the reliability curve, with no question, answer or passage in it."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.printed_report import Printed
from annotate.domain.message import Between, Kind, Message, Name, coefficient, message
from annotate.present import report as present_report
from annotate.present import trends
from annotate.present.document import Block, Chart, Column, Detail, Document, Section, Table
from annotate.present.quantity import cell
from annotate.present.report.limits import limits
from annotate.present.svg import ShareInterval
from proxy.evaluation.reliability_curve import Band, ReliabilityCurve

HEADING = message("printed.heading")


def document(printed: Printed) -> Document:
    """Build the document of the report with what surrounds it."""
    report_document = present_report.document(printed.report, with_texts=False).with_after(
        "report.quantities", limits(printed.limit_checks, printed.report.evidence.draws.missing)
    )
    sections = list(report_document.sections)
    if printed.courses is not None:
        sections.append(Section(message("printed.weeks"), tuple(trends.blocks(printed.courses))))
    if printed.curve is not None:
        sections.append(Section(message("printed.reliability"), tuple(_reliability(printed.curve)), Detail.FULL))
    return report_document._replace(sections=tuple(sections))


def footer(printed: Printed) -> tuple[Message, ...]:
    """Say when and of what the page was made, and what its words mean."""
    made = message("printed.made", now=Name(printed.now), store=Name(printed.store))
    return made, message("report.intervals"), message("printed.basis")


def _spot(band: Band) -> ShareInterval:
    right = band.right
    return ShareInterval(band.mean, right.estimate or 0.0, right.low or 0.0, right.high or 0.0)


def _reliability(curve: ReliabilityCurve) -> Iterator[Block]:
    """What the rule's value says of P(right)."""
    if curve.reason:
        yield curve.reason
        return
    spots = tuple(_spot(band) for band in curve.bands if 0 <= band.mean <= 1)
    if spots:
        yield Chart("reliability", spots, message("printed.reliability_alt"))
    columns = (
        Column(message("printed.value")),
        *(Column(message(f"printed.{name}"), is_number=True) for name in ("labels", "mean", "right")),
    )
    rows = tuple(
        (
            Between(band.least, band.most, Kind.COEFFICIENT),
            band.right.n,
            coefficient(band.mean),
            cell(band.right, Kind.SHARE),
        )
        for band in curve.bands
    )
    yield Table(columns, rows, name="bands")
    if curve.unseen:
        yield curve.unseen
