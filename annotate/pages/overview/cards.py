"""The headline figures as cards: drawn at once, and once more with their course by week when that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from annotate.analysis.drift.trends import Courses, Figure
from annotate.analysis.report.report import Report
from annotate.pages.kit import layout, quantities, texts
from annotate.pages.kit.messages import say
from proxy.records import Verdict

Draw = Callable[[Courses | None], None]


def show(report: Report) -> Draw:
    """The cards, and how to draw them anew once the courses are known."""
    if not report.items:
        return lambda _: None
    layout.heading("overview.how_good" if report.progress.labelled else "overview.what_is_here")
    drawn = _measured(report) if report.progress.labelled else _counted(report)
    with st.grid(len(drawn)):
        places = [st.empty() for _ in drawn]
    for place, draw in zip(places, drawn, strict=True):
        with place.container(height="stretch"):
            draw(None)

    def anew(found: Courses | None) -> None:
        for place, draw in zip(places, drawn, strict=True):
            with place.container(height="stretch"):
                draw(found)

    return anew


def _measured(report: Report) -> list[Draw]:
    """The five figures of the loop."""
    whole = quantities.is_whole(report.agreement)
    shown = (
        (quantities.CORRECTNESS, report.agreement.correctness, Figure.CORRECTNESS),
        (quantities.PASS_RATE, report.pass_rate, Figure.PASS_RATE),
        (quantities.PASS_PRECISION, report.agreement.pass_precision, Figure.PASS_PRECISION),
        (quantities.THUMBS_DOWN, report.thumbs_down, Figure.THUMBS_DOWN),
    )

    def card(place: int) -> Draw:
        measure, estimate, figure = shown[place]
        return lambda found: quantities.show(measure, estimate, found.values(figure) if found else (), whole=whole)

    return [card(0), card(1), card(2), lambda found: _labels(report, found), card(3)]


def _counted(report: Report) -> list[Draw]:
    """What is here before anyone has labelled."""
    words = say("overview.judged", judged=report.judged, passed=report.verdicts[Verdict.PASS])
    return [
        lambda _: _count(say("overview.answers"), f"{report.items:,}", [words], say("overview.answers_help")),
        lambda found: _labels(report, found),
        lambda found: quantities.show(
            quantities.THUMBS_DOWN, report.thumbs_down, found.values(Figure.THUMBS_DOWN) if found else ()
        ),
    ]


def _labels(report: Report, found: Courses | None) -> None:
    """How many of the drawn answers have a label, what the labels say, how many wait, and on which weeks they are."""
    progress = report.progress
    counts = say("overview.said", right=progress.right, wrong=progress.wrong, unsure=progress.unsure)
    drawn = say("overview.labels_of", drawn=progress.drawn)
    below = [drawn, counts] if progress.drawn else [say("overview.none_drawn")]
    if progress.open:
        below.append(say("overview.open_labels", count=progress.open))
    if report.hand_picked:
        below.append(say("overview.hand_picked", count=report.hand_picked))
    course = [float(one.labelled) for one in found.labels] if found and progress.labelled else []
    if len(course) > 1:
        below.append(say("overview.labels_by_week", count=len(course), last=int(course[-1])))
    _count(say("overview.labels"), f"{progress.labelled:,}", below, say("overview.labels_help"), course)


def _count(words: str, value: str, below: Sequence[str], meaning: str, course: Sequence[float] = ()) -> None:
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(
            words,
            value,
            help=meaning,
            chart_data=course if len(course) > 1 else None,
            chart_type="bar",
            delta_color="blue",
        )
        texts.small([quantities.sentence(one) for one in below])
