"""Build the printed report: limits, weeks and the reliability curve, with no question, answer or passage in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from annotate.analysis.drift.trends import Courses, Mark, TrendQuantity
from annotate.analysis.printed_report import Printed
from annotate.analysis.report.limits import ANNOTATORS, BEYOND_CHANCE, HARM, LimitCheck, LimitStatus
from annotate.charts.days import thinned
from annotate.domain.message import Between, Code, Kind, Message, Name, Number, Value, coefficient, message, share
from annotate.present import report as present_report
from annotate.present.document import Block, Chart, Column, Detail, Document, Section, Table
from annotate.present.quantity import cell, kind_of
from annotate.present.svg import Course, Day, ShareInterval
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.reliability_curve import Band, ReliabilityCurve

HEADING = message("printed.heading")
BY_WEEK = (TrendQuantity.CORRECTNESS, TrendQuantity.PASS_PRECISION, TrendQuantity.PASS_RATE, TrendQuantity.THUMBS_DOWN)
DRAWN = (TrendQuantity.CORRECTNESS, TrendQuantity.PASS_PRECISION)
SHOWN_DAYS = 6


def document(printed: Printed) -> Document:
    """Build the document of the report with what surrounds it."""
    told = present_report.document(printed.report, with_texts=False)
    added = [
        limits(printed.held),
        Section(message("printed.weeks"), tuple(_weeks(printed.courses))),
        Section(message("printed.reliability"), tuple(_reliability(printed.curve)), Detail.FULL),
    ]
    return told._replace(sections=(*told.sections[:2], added[0], *told.sections[2:], *added[1:]))


def footer(printed: Printed) -> tuple[Message, ...]:
    """Say when and of what the page was made, and what its words mean."""
    made = message("printed.made", now=Name(printed.now), store=Name(printed.store))
    return made, message("report.intervals"), message("printed.basis")


def limits(held: tuple[LimitCheck, ...]) -> Section:
    """List every limit with what was measured against it, and why that is not measurable."""
    met = sum(limit.standing is LimitStatus.MET for limit in held)
    title = message("report.limits", met=met, count=len(held))
    return Section(title, (_limits(held), *_reasons(held)))


def _reasons(held: tuple[LimitCheck, ...]) -> Iterator[Message]:
    """Say why limits cannot be checked."""
    for limit in held:
        if limit.estimate and limit.estimate.reason and limit.standing is LimitStatus.UNMEASURABLE:
            yield message("values.colon", label=_limit(limit)[0], words=limit.estimate.reason)


def _limits(held: tuple[LimitCheck, ...]) -> Table:
    columns = (
        Column(message("overview.limit_what"), is_wide=True),
        Column(message("overview.limit_standing")),
        *(
            Column(message(f"overview.limit_{name}"), is_number=True)
            for name in ("wanted", "found", "interval", "labels")
        ),
    )
    return Table(columns, tuple(map(_limit, held)), name="limits")


def _limit(held: LimitCheck) -> tuple[Value, ...]:
    standing = message(f"overview.standing_{held.standing.value}")
    if held.estimate is None:
        wanted = message("overview.at_most", value=int(held.limit))
        return message(f"overview.limit_{held.name}"), standing, wanted, held.count, message("overview.counted"), ""
    is_own = held.name in {BEYOND_CHANCE, ANNOTATORS, HARM}
    kind = Kind.COEFFICIENT if is_own else kind_of(held.name)
    name = message(f"overview.limit_{held.name}" if is_own else f"measures.{held.name}")
    wanted_key = {BEYOND_CHANCE: "overview.above", ANNOTATORS: "overview.reliable"}.get(held.name, "overview.at_least")
    wanted = message(wanted_key, value=Number(held.limit, kind))
    span = Between(*held.estimate.long_run, kind) if held.estimate.long_run else None
    return name, standing, wanted, Number(held.estimate.estimate, kind), span, held.estimate.n


def _weeks(courses: Courses) -> Iterator[Block]:
    """The figures by week, and the changes of judge and rule."""
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


def weeks(courses: Courses) -> Table:
    """List the figures by week."""
    columns = (
        Column(message("overview.week_of")),
        Column(message("overview.limit_labels"), is_number=True),
        *(Column(message(f"measures.{figure.value}"), is_number=True) for figure in BY_WEEK),
    )
    rows = tuple(
        (Name(day), labels, *(_share(courses.points[figure][place].estimate) for figure in BY_WEEK))
        for place, (day, labels) in enumerate(courses.labels)
    )
    return Table(columns, rows, name="weeks")


def _share(estimate: Estimate) -> Value:
    value = share(estimate.estimate)
    if estimate.estimate is None or estimate.low is None or estimate.low == estimate.high:
        return value
    return message("report.short", value=value, span=Between(estimate.low, estimate.high, Kind.SHARE))


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
