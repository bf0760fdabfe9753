"""Build the document of the catalogue of metrics: what each is called, how it is worked out, and what it misses."""

from __future__ import annotations

from annotate.domain.message import Code, Kind, Listing, Message, Name, Number, message
from annotate.present.document import Column, Detail, Document, Section, Table
from proxy.judges.metrics.listing import MetricEntry, MetricListing


def catalogue(result: MetricListing) -> Document:
    """Build the document: names and formulas first, the rest with --full."""
    return Document(
        answer=message("metrics.answer", count=len(result.metrics)),
        sections=(
            Section(None, (_formulas(result), message("metrics.at_k"))),
            Section(message("metrics.definitions"), (_definitions(result),), Detail.FULL),
            Section(message("metrics.worked"), (_worked(result),), Detail.FULL),
            Section(message("metrics.left_out"), (_left_out(result),), Detail.FULL),
        ),
    )


def _formulas(result: MetricListing) -> Table:
    columns = (_column("metric"), _column("formula", is_wide=True))
    return Table(columns, tuple((Code(metric.name), Name(metric.formula)) for metric in result.metrics), name="metrics")


def _definitions(result: MetricListing) -> Table:
    columns = (
        _column("metric"),
        *(_column(name, is_wide=True) for name in ("source", "needs")),
        _column("range"),
        _column("misses", is_wide=True),
    )
    rows = tuple(
        (Code(metric.name), Name(metric.source), _needs(metric), _range(metric), Name(metric.misses))
        for metric in result.metrics
    )
    return Table(columns, rows)


def _worked(result: MetricListing) -> Table:
    columns = (_column("metric"), _column("item", is_wide=True), Column(message("metrics.value"), is_number=True))
    rows = tuple(
        (Code(number.judge), Name(number.given), Number(number.expected, Kind.PROBABILITY))
        for metric in result.metrics
        for number in metric.examples
    )
    return Table(columns, rows)


def _left_out(result: MetricListing) -> Table:
    columns = (_column("metric"), _column("reason", is_wide=True))
    return Table(columns, tuple((Name(metric.name), Name(metric.reason)) for metric in result.left_out))


def _column(name: str, *, is_wide: bool = False) -> Column:
    return Column(message(f"metrics.{name}"), is_wide=is_wide)


def _needs(metric: MetricEntry) -> Message | Listing:
    needs = Listing(tuple(Name(need) for need in metric.needs))
    return message("metrics.with_package", needs=needs, package=Code(metric.package)) if metric.package else needs


def _range(metric: MetricEntry) -> Message:
    low, high = (Number(end, Kind.DIGITS) for end in (metric.lowest, metric.highest))
    return message("metrics.from_to", low=low, high=high)
