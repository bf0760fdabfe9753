"""Say how the figures went by week, with the changes of judge and rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from annotate.analysis.drift.trends import Courses, Mark, TrendQuantity
from annotate.charts.days import thinned
from annotate.domain.counted import counted, resting_on
from annotate.domain.message import (
    Code,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Value,
    message,
    share,
)
from annotate.present.document import Block, Chart, Column, Table
from annotate.present.quantity import cell
from annotate.present.svg import Course, Day, ShareInterval
from proxy.evaluation.estimate import Estimate

BY_WEEK = (TrendQuantity.CORRECTNESS, TrendQuantity.PASS_PRECISION, TrendQuantity.PASS_RATE, TrendQuantity.THUMBS_DOWN)
DRAWN = (TrendQuantity.CORRECTNESS, TrendQuantity.PASS_PRECISION)
# Chosen: the dates that stand side by side under the chart.
SHOWN_DAYS = 6


def blocks(courses: Courses) -> Iterator[Block]:
    """Give the figures by week, and the changes of judge and rule."""
    if courses.reason:
        yield courses.reason
    else:
        yield _course(courses)
        yield weeks(courses)
        if courses.without_time:
            yield message("overview.without_time", count=courses.without_time, items=courses.items)
    yield marks(courses.marks) if courses.marks else message("overview.no_marks")


def _course(courses: Courses) -> Block:
    days = [labels.day for labels in courses.labels]
    first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    whole = max(1, (last - first).days + 7)

    def place(day: str) -> float:
        return (date.fromisoformat(day[:10]) - first).days / whole

    series = tuple(
        (
            message(f"measures.{figure.value}"),
            tuple(
                ShareInterval(place(day), point.estimate, point.low, point.high)
                for day, point in courses.points[figure]
                if point.estimate is not None and point.low is not None and point.high is not None
            ),
        )
        for figure in DRAWN
    )
    if not any(spots for _, spots in series):
        return message("overview.no_week")
    numbers: dict[str, list[str]] = {}
    for count, mark in enumerate(courses.marks, start=1):
        if mark.is_within:
            numbers.setdefault(mark.at[:10], []).append(str(count))
    data = Course(
        series,
        tuple(Day(place(day), Name(day)) for day in thinned(days, SHOWN_DAYS)),
        tuple(Day(place(day), Name(", ".join(marks))) for day, marks in numbers.items()),
    )
    return Chart("course", data, message("printed.weeks_alt"))


def precision(courses: Courses) -> Message:
    """Say how the share right among the passed went, by week."""
    parts = tuple(
        message("values.colon", label=Name(day), words=EvidenceText(estimate, Kind.SHARE, IntervalBasis.LONG_RUN))
        for day, estimate in courses.points[TrendQuantity.PASS_PRECISION]
        if estimate.estimate is not None
    )
    label = message("overview.precision_by_week")
    return message("values.colon", label=label, words=Listing(parts, "values.semicolon"))


def weeks(courses: Courses) -> Table:
    """List the figures by week."""
    columns = (
        Column(message("overview.week_of")),
        Column(message("overview.limit_labels"), is_number=True),
        *(Column(message(f"measures.{figure.value}"), is_number=True) for figure in BY_WEEK),
    )
    rows = tuple(
        (
            Name(day),
            counted(labels, "window", courses.by, "correctness", day),
            *(_share(_measured(courses, figure, place)) for figure in BY_WEEK),
        )
        for place, (day, labels) in enumerate(courses.labels)
    )
    return Table(columns, rows, name="weeks")


def _measured(courses: Courses, figure: TrendQuantity, place: int) -> Estimate:
    """Return a figure of a window, with the labels that it rests on."""
    day, estimate = courses.points[figure][place]
    return resting_on(estimate, "window", courses.by, figure, day) if figure in DRAWN else estimate


def _share(estimate: Estimate) -> Value:
    if estimate.low == estimate.high:
        return share(estimate.estimate)
    return cell(estimate, Kind.SHARE, has_n=True)


def marks(changes: Sequence[Mark]) -> Table:
    """List the changes of judge and rule."""
    columns = tuple(
        Column(message(f"overview.mark_{name}"), is_wide=name not in {"number", "day"})
        for name in ("number", "day", "what", "before", "within")
    )
    rows = tuple(
        (
            number,
            Name(mark.at[:10]),
            message(f"overview.mark_{mark.kind.value}", name=Name(mark.name), after=Code(mark.after)),
            Code(mark.before),
            message("overview.yes_within" if mark.is_within else "overview.no_within"),
        )
        for number, mark in enumerate(changes, start=1)
    )
    return Table(columns, rows, message("overview.marks"), "marks")
