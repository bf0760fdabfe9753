"""Show the quantities of a report as figures, a table and a chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.analysis.report.head import ReportHead
from annotate.analysis.report.report import ProjectReport
from annotate.domain.counted import counted, resting_on
from annotate.domain.message import Kind, Message, Number, Value, message
from annotate.present.document import Block, Chart, Column, Figure, Figures, Table
from annotate.present.figure_table import as_table
from annotate.present.quantity import cell, is_whole, quantity
from annotate.present.svg import IntervalsLine
from proxy.evaluation.annotator_agreement import freed_of_noise
from proxy.evaluation.estimate import Estimate
from proxy.records import Verdict

HEADLINE = ("correctness", "pass_rate", "pass_precision", "sensitivity", "specificity", "kappa")
OF_THE_PROXY = ("npv", "accuracy", "f1", "mcc", "ac1", "auroc")
FURTHER = (*OF_THE_PROXY, "thumbs_down")
# Counted on answers, whether anybody labelled them or not.
OF_ALL_ANSWERS = frozenset({"pass_rate", "thumbs_down"})
HARM = "serious_harm"
# Thumbs are no label: they stand beside the quantities, never among them.
ALL = (*HEADLINE, *OF_THE_PROXY)
CHARTED = ("correctness", "pass_precision", "npv", "sensitivity", "specificity", "accuracy")


def before_labels(report: ProjectReport) -> Figures:
    """Give what is there before anything is labelled: answers, draws, thumbs."""
    judged = message("overview.judged", judged=report.judged, passed=report.verdicts[Verdict.PASS])
    return Figures((_count("answers", report.items, judged), _labels(report), figure(report, "thumbs_down")))


def quantities(report: ProjectReport) -> Table:
    """List every quantity with its intervals and its basis, or why it is not measurable."""
    figures = [figure(report, name) for name in (*ALL, *([HARM] if report.serious_harm else []))]
    table = as_table(Figures(tuple(figures)))
    basis = Column(message("overview.quantity_basis"), is_wide=True, help=message("overview.basis_words"))
    rows = tuple(
        (*row, measured.estimate.reason or measured.estimate.method)
        for row, measured in zip(table.rows, figures, strict=True)
    )
    return Table((*table.columns, basis), rows, name="quantities")


def shares(report: ProjectReport) -> Chart | None:
    """Draw both intervals of every share; None where none is known."""
    lines = tuple(
        IntervalsLine(charted.label, estimate.estimate, _window(estimate), estimate.long_run)
        for charted in (figure(report, name) for name in CHARTED)
        for estimate in [charted.estimate]
        if estimate.low is not None or estimate.long_run
    )
    return Chart("intervals", lines, message("report.shares_alt")) if lines else None


def label_counts(report: ReportHead) -> Message | None:
    """Say which labels each count holds; None where they are the same."""
    counts: dict[str, Value] = {
        "labelled": report.progress.labelled,
        "correctness": counted(report.agreement.correctness.n, "quantity", "correctness"),
        "proxy": counted(report.agreement.counts.labels, "quantity", "accuracy"),
    }
    return (
        message("overview.label_counts", unsure=report.progress.unsure, **counts)
        if len(set(counts.values())) > 1
        else None
    )


def figure(report: ProjectReport, name: str) -> Figure:
    """A quantity of the report by its name in the JSON."""
    beside = {
        "pass_rate": report.pass_rate,
        "thumbs_down": report.thumbs_down,
        "auroc": report.auroc,
        HARM: report.serious_harm,
    }
    estimate = beside.get(name) or getattr(report.agreement, name)
    behind = estimate if name in OF_ALL_ANSWERS else resting_on(estimate, "quantity", name)
    return quantity(name, behind, is_exact=is_whole(report.agreement))


def figures_of(report: ProjectReport, names: Sequence[str]) -> Figures:
    """Give the figures of these quantities, by their names in the JSON."""
    return Figures(tuple(figure(report, name) for name in names))


def _labels(report: ProjectReport) -> Figure:
    """How many of the drawn answers have a label, and how many wait."""
    progress = report.progress
    lines = [message("overview.labels_of", drawn=progress.drawn) if progress.drawn else message("overview.none_drawn")]
    if progress.open:
        lines.append(message("overview.open_labels", count=progress.open))
    if report.hand_picked:
        lines.append(message("overview.hand_picked", count=report.hand_picked))
    return _count("labels", progress.labelled, *lines)


def _count(name: str, count: int, *lines: Message) -> Figure:
    explanation = message(f"overview.{name}_help")
    estimate = Estimate(estimate=float(count))
    return Figure(name, message(f"overview.{name}"), estimate, Kind.COUNT, help=explanation, lines=lines)


def more_quantities(report: ProjectReport, *, with_noise: bool) -> Iterator[Block]:
    """Give what stands behind the headline: a chart, further quantities, and how well values are calibrated."""
    if chart := shares(report):
        yield chart
    figures = list(figures_of(report, FURTHER).figures)
    if with_noise:
        freed = freed_of_noise(report.agreement.correctness, report.annotator_agreement.noise)
        figures.append(Figure("correctness_without_noise", message("report.without_noise"), freed, Kind.SHARE))
    yield Figures(tuple(figures), message("report.intervals"))
    if report.calibration:
        measured = report.calibration
        yield message(
            "report.calibration",
            brier=cell(measured.brier, Kind.SCORE),
            ece=Number(measured.ece, Kind.SCORE),
            perfect=Number(measured.ece_if_perfect, Kind.SCORE),
            n=measured.n,
        )


def _window(estimate: Estimate) -> tuple[float, float] | None:
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)
