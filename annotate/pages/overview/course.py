"""How the figures went by week, with their intervals and the changes of judge and rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import streamlit as st

from annotate.analysis.drift import trends as over_time
from annotate.analysis.drift.trends import Changed, Courses, Mark, TrendQuantity
from annotate.analysis.drift.windows import By, Drift
from annotate.charts import course as charts
from annotate.domain.counted import code
from annotate.domain.message import message
from annotate.pages.kit import cache, draw, layout, sign_in, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import drift as present_drift
from annotate.present import trends
from annotate.present.document import Status
from annotate.present.report.tiles import interval_of
from annotate.store import Store
from proxy.text.controls import displayable

USUAL = [TrendQuantity.CORRECTNESS.value, TrendQuantity.PASS_PRECISION.value]
# The others count answers that nobody need have labelled.
OF_LABELS = (TrendQuantity.CORRECTNESS, TrendQuantity.PASS_PRECISION)
PARAMETER = "course"
SHOWN_MARKS = 20
LINE = 32  # pixels of a caption below a picture, with its gap
WRAPPED = 20  # pixels of a second line of it
LONGEST = 120


class Weeks(NamedTuple):
    """The drift by week, and the courses of the figures over its windows."""

    drift: Drift
    courses: Courses


def weeks_of(store: Store) -> Weeks:
    """Work them out, which takes longest on the page."""
    drift = cache.kept(store, "drift", lambda: over_time.over(store, By.WEEK), By.WEEK.value)
    return Weeks(drift, cache.kept(store, "courses", lambda: over_time.courses(store, drift)))


def show_precision(weeks: Weeks, limit: float, *, missing: int, height: int, is_of_all: bool) -> None:
    """The share right among the passed by week, against its limit; a week that is clicked opens its answers.

    `is_of_all` says that it is of all traffic, on a page that shows a part. The weeks leave out the `missing` drawn answers
    without a right or wrong, which the report allows for.
    """
    texts.heading(say("overview.precision_by_week"))
    if is_of_all:
        st.caption(say("selection.of_all"))
    dots = _dots(weeks.courses, (TrendQuantity.PASS_PRECISION,), is_long_run=True)
    if not dots:
        reason = weeks.courses.reason
        st.caption(escaped(draw.capital(render(reason))) if reason else say("overview.no_week"))
        _say_left_out(missing)
        return
    undated, changes = weeks.courses.without_time, _changes(weeks.courses)
    picture = charts.course(
        dots,
        changes,
        date=say("overview.week_of"),
        count=say("overview.rests_on"),
        limit=limit,
        height=height - LINE * (1 + bool(undated)) - WRAPPED * bool(missing or changes),
    )
    layout.counted(picture, "overview-weeks", words=render(trends.precision(weeks.courses)))
    st.caption(" ".join(_basis(dots, changes, missing)))
    if undated:
        _say_undated(weeks.courses)


def _basis(dots: Sequence[charts.CourseDot], changes: Sequence[charts.CourseMark], missing: int) -> Iterator[str]:
    """How many labels the weeks rest on, which drawn answers they leave out, and what the numbered lines are."""
    least, most = min(dot.labels for dot in dots), max(dot.labels for dot in dots)
    if least == most:
        yield marked("overview.weeks_one", count=most)
    else:
        yield marked("overview.weeks_labels", least=least, most=most)
    if missing:
        yield marked("overview.weeks_left_out", count=missing)
    if changes:
        yield marked("overview.weeks_marks")


def _say_left_out(missing: int) -> None:
    if missing:
        st.caption(marked("overview.weeks_left_out", count=missing))


def show(weeks: Weeks, *, missing: int, is_of_all: bool) -> None:
    """The headline of the drift, the chart of the figures that the user chose, and the changes of judge and rule."""
    if is_of_all:
        st.caption(say("selection.of_all"))
    result = weeks.courses
    if result.reason:
        st.caption(escaped(draw.capital(render(result.reason))))
    else:
        _say_headline(weeks.drift)
        if len(result.labels) > 1:
            _chart(result, missing)
    _say_marks(result)


def _say_headline(result: Drift) -> None:
    """Say what has changed, with a sign where an alarm stands; else in plain letters, for no alarm is no proof."""
    document = present_drift.document(result)
    if document.status is Status.MISSED or result.watched.quality.alarm:
        draw.answer(document)
    else:
        draw.paragraph(document.answer)
    draw.section(document.basis)


@sign_in.fragment
def _chart(result: Courses, missing: int) -> None:
    """The chosen figures by week."""
    words = {figure.value: say(f"measures.{figure.value}") for figure in trends.BY_WEEK}
    chosen = url_state.several(say("overview.figures"), words, PARAMETER, default=USUAL)
    dots = _dots(result, [figure for figure in trends.BY_WEEK if figure.value in chosen])
    if dots:
        layout.counted(
            charts.course(dots, _changes(result), date=say("overview.week_of"), count=say("overview.rests_on")),
            "overview-course",
            words=say("printed.weeks_alt"),
        )
    else:
        st.caption(say("overview.no_week"))
    draw.table(trends.weeks(result), message("overview.over_time"))
    st.caption(say("overview.course_basis"))
    _say_left_out(missing)
    unmeasured = Counter(
        estimate.reason or "" for _, estimate in result.points[TrendQuantity.CORRECTNESS] if estimate.estimate is None
    )
    for reason, count in unmeasured.items():
        st.caption(marked("overview.weeks_unmeasured", count=count, reason=reason))
    if result.without_time:
        _say_undated(result)


def _say_undated(result: Courses) -> None:
    st.caption(marked("overview.without_time", count=result.without_time, items=result.items))


def _dots(result: Courses, figures: Sequence[TrendQuantity], *, is_long_run: bool = False) -> list[charts.CourseDot]:
    """The weeks in which these figures are measured; with `is_long_run` by the interval that limits are held against."""
    if result.reason:
        return []
    dots = []
    for figure in figures:
        for day, estimate in result.points[figure]:
            low, high = interval_of(estimate) if is_long_run else (estimate.low, estimate.high)
            if estimate.estimate is not None and low is not None and high is not None:
                name = say(f"measures.{figure.value}")
                behind = code("window", By.WEEK, figure, day) if figure in OF_LABELS else ""
                dots.append(charts.CourseDot(name, day, estimate.estimate, low, high, estimate.n, behind))
    return dots


def _changes(result: Courses) -> list[charts.CourseMark]:
    """The changes within the weeks shown; those of one day share a mark."""
    days: dict[str, list[tuple[int, Mark]]] = {}
    for number, mark in list(enumerate(result.marks, start=1))[-SHOWN_MARKS:]:
        if mark.is_within:
            days.setdefault(mark.at[:10], []).append((number, mark))
    return [
        charts.CourseMark(
            day, ", ".join(str(number) for number, _ in marks), "; ".join(_words(mark) for _, mark in marks)
        )
        for day, marks in days.items()
    ]


def _words(mark: Mark) -> str:
    key = "overview.mark_judge" if mark.kind is Changed.JUDGE else "overview.mark_rule"
    return say(key, name=_short(mark.name), after=_short(mark.after))


def _short(words: str) -> str:
    shown = displayable(words)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _say_marks(result: Courses) -> None:
    """Every change in words, whether it fell into the weeks shown or not."""
    if not result.marks:
        st.caption(say("overview.no_marks"))
        return
    texts.heading(say("overview.marks"))
    draw.table(trends.marks(result.marks), message("overview.marks"))
    st.caption(say("overview.marks_basis"))
