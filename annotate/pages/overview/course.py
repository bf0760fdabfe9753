"""How the figures went by week, with their intervals and the changes of judge and rule: into the place kept for it."""

from __future__ import annotations

from collections import Counter

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.drift import trends as over_time
from annotate.analysis.drift.trends import Changed, Courses, Figure, Mark
from annotate.analysis.drift.windows import By, Drift
from annotate.charts import course as charts
from annotate.pages.kit import cache, draw, layout, quantities, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.quantities import Measure
from annotate.pages.overview.cards import Draw
from annotate.present import drift as present_drift
from annotate.present.document import Status
from annotate.store import Store
from proxy.evaluation.trust import percent
from proxy.text.language import displayable

MEASURES: dict[str, Measure] = {
    Figure.CORRECTNESS.value: quantities.CORRECTNESS,
    Figure.PASS_PRECISION.value: quantities.PASS_PRECISION,
    Figure.PASS_RATE.value: quantities.PASS_RATE,
    Figure.THUMBS_DOWN.value: quantities.THUMBS_DOWN,
}
USUAL = [Figure.CORRECTNESS.value, Figure.PASS_PRECISION.value]
PARAMETER = "course"
SHOWN_MARKS = 20
LONGEST = 120


def show(store: Store, place: DeltaGenerator, draw: Draw) -> None:
    """Work the courses out, draw the cards anew with them, and the chart."""
    with place:
        layout.heading("overview.over_time")
        waiting = st.empty()
        waiting.caption(say("overview.working"))
        drift = cache.kept(store, "drift", lambda: over_time.over(store, By.WEEK), By.WEEK.value)
        found = cache.kept(store, "courses", lambda: over_time.courses(store, drift))
        waiting.empty()
        if found.reason:
            st.caption(escaped(quantities.sentence(found.reason)))
            _say_marks(found)
            return
        _say_headline(drift)
        if len(found.labels) > 1:
            _chart(found)
        _say_marks(found)
    draw(found)


def _say_headline(result: Drift) -> None:
    """Say what has changed, with a sign where an alarm stands; else in plain letters, for no alarm is no proof."""
    document = present_drift.document(result)
    if document.status is Status.MISSED or result.watched.quality.alarm:
        layout.answer(draw.TONES[document.status], told(document.answer))
    else:
        st.markdown(escaped(told(document.answer)))
    draw.section(document.sections[0])


@st.fragment
def _chart(found: Courses) -> None:
    """The chosen figures by week."""
    words = {name: one.words for name, one in MEASURES.items()}
    chosen = url_state.several(say("overview.figures"), words, PARAMETER, default=USUAL)
    dots = [
        charts.Dot(MEASURES[name].words, day, one.estimate, one.low, one.high, one.n)
        for name in MEASURES
        if name in chosen
        for day, one in found.points[Figure(name)]
        if one.estimate is not None and one.low is not None and one.high is not None
    ]
    if dots:
        st.altair_chart(
            charts.course(dots, _changes(found), date=say("overview.week_of"), count=say("overview.rests_on")),
            width="stretch",
            alt=in_words(dots),
        )
    else:
        st.caption(say("overview.no_week"))
    st.caption(say("overview.course_basis"))
    unmeasured = Counter(one.reason or "" for _, one in found.points[Figure.CORRECTNESS] if one.estimate is None)
    for reason, count in unmeasured.items():
        st.caption(marked("overview.weeks_unmeasured", count=count, reason=reason))
    if found.without_time:
        st.caption(marked("overview.without_time", count=found.without_time, items=found.items))


def in_words(dots: list[charts.Dot]) -> str:
    """The chart for those who do not see it: first and last of each figure with the interval."""
    lines = []
    for figure in dict.fromkeys(one.figure for one in dots):
        theirs = [one for one in dots if one.figure == figure]
        lines += [
            say(
                "overview.dot",
                figure=figure,
                week=one.day,
                share=percent(one.share),
                span=quantities.span((one.below, one.above), percent),
            )
            for one in dict.fromkeys((theirs[0], theirs[-1]))
        ]
    return say("overview.course_alt", dots="; ".join(lines))


def _numbered(found: Courses) -> list[tuple[int, Mark]]:
    """The newest changes with their numbers."""
    return list(enumerate(found.marks, start=1))[-SHOWN_MARKS:]


def _changes(found: Courses) -> list[charts.Change]:
    """The changes within the weeks shown; those of one day share a mark."""
    days: dict[str, list[tuple[int, Mark]]] = {}
    for number, mark in _numbered(found):
        if mark.is_within:
            days.setdefault(mark.at[:10], []).append((number, mark))
    return [
        charts.Change(
            day, ", ".join(str(number) for number, _ in theirs), "; ".join(_words(mark) for _, mark in theirs)
        )
        for day, theirs in days.items()
    ]


def _words(mark: Mark) -> str:
    key = "overview.mark_judge" if mark.kind is Changed.JUDGE else "overview.mark_rule"
    return say(key, name=_short(mark.name), after=_short(mark.after))


def _short(words: str) -> str:
    shown = displayable(words)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _say_marks(found: Courses) -> None:
    """Every change in words, whether it fell into the weeks shown or not."""
    if not found.marks:
        st.caption(say("overview.no_marks"))
        return
    texts.heading(say("overview.marks"))
    rows = [
        (
            number,
            mark.at[:10],
            _words(mark),
            _short(mark.before),
            say("overview.yes_within" if mark.is_within else "overview.no_within"),
        )
        for number, mark in _numbered(found)
    ]
    names = [say(f"overview.mark_{name}") for name in ("number", "day", "what", "before", "within")]
    config = {say("overview.mark_what"): st.column_config.Column(help=say("overview.mark_help"))}
    layout.table(rows, names, alt=say("overview.marks"), config=config)
    st.caption(say("overview.marks_basis"))
