"""Has anything drifted? The windows as a picture with alarms and changes, what is watched, what changes did, what to run.

It is the last part of the page: on much traffic it takes seconds, and everything above it stands already.
"""

from __future__ import annotations

import math

import streamlit as st

from annotate.analysis.drift import trends
from annotate.analysis.drift.windows import By, Drift, first_day
from annotate.analysis.next_step.drift import after_drift
from annotate.charts import monitor
from annotate.charts.monitor import CusumPeak, MonitorWords, WindowEstimate, WindowEvent
from annotate.domain.counted import code
from annotate.pages.kit import cache, draw, folded, following, layout, pictures, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.present import drift
from annotate.project.store_access import way_of
from annotate.store import Store

PARAMETER = "windows"


def of(store: Store) -> Drift:
    """The drift over windows of the length that the address asks for."""
    by = By(url_state.chosen(PARAMETER, [by.value for by in By], By.WEEK.value))
    with st.spinner(say("judges.watching")):
        return cache.kept(store, "drift", lambda: trends.over(store, by), by.value)


def show(store: Store) -> None:
    """Draw the section."""
    layout.heading("judges.drift")
    _choose()
    result = of(store)
    document = drift.document(result, after_drift(result, way_of(store.path)))
    draw.paragraph(document.answer)
    first, *others = document.sections
    draw.section(first)
    _picture(result)
    _cusum(result)
    folded.show(others, "judges-drift")
    following.show(document.next)


def _choose() -> None:
    """The length of a window, kept in the address."""
    words = {by.value: say(f"judges.by_{by}") for by in By}
    url_state.segmented(marked("judges.by"), words, PARAMETER, default=By.WEEK.value)


def _spots(result: Drift) -> list[WindowEstimate]:
    """What each window's labels say."""
    series = {"correctness": say("judges.series_right"), "agreement": say("judges.series_agreement")}
    return [
        WindowEstimate(
            window.name,
            words,
            rate.estimate,
            rate.low,
            rate.high,
            code=code("window", result.by, "correctness", window.name),
        )
        for window in result.windows
        for name, words in series.items()
        for rate in [getattr(window, name)]
        if rate.estimate is not None and rate.low is not None and rate.high is not None
    ]


def _marks(result: Drift) -> list[WindowEvent]:
    """Alarms in their windows, and changes in the window in which the new version first scored."""
    windows = [window.name for window in result.windows]
    alarms = [result.watched.quality.alarm, *result.watched.judge_alarms]
    marks = [WindowEvent(alarm.window, render(drift.kind(alarm)), is_alarm=True) for alarm in alarms if alarm]
    for change in result.changes:
        within = [name for name in windows if change.at and first_day(name) <= change.at[:10]]
        what = say("judges.the_rule") if change.is_rule else change.judge
        if within:
            marks.append(WindowEvent(within[-1], texts.others(what), is_alarm=change.is_alarm))
    return marks


def _picture(result: Drift) -> None:
    spots, marks = _spots(result), _marks(result)
    if not spots:
        texts.small([say("judges.drift_no_chart")])
        return
    before = result.watched.quality.before
    known = None
    if before.estimate is not None and before.low is not None and before.high is not None:
        known = (before.estimate, before.low, before.high)
    by = say(f"judges.by_{result.by}")
    texts.heading(say("judges.drift_chart", by=by, before=render(drift.rate(before))))
    words = MonitorWords(by, say("judges.rate_before"), say("judges.alarm"), say("judges.change"))
    chart = monitor.monitor([window.name for window in result.windows], spots, marks, known, words)
    alt = render(drift.picture(result, [(mark.window, mark.words) for mark in marks]))
    layout.counted(chart, "drift-windows", words=alt)


def _cusum(result: Drift) -> None:
    """The control chart of quality, where there is one."""
    quality = result.watched.quality
    if quality.cusum is None:
        return
    values = zip(quality.windows, quality.cusum.peaks, quality.cusum.limits, strict=True)
    steps = [
        CusumPeak(name, float(peak), float(limit) if math.isfinite(limit) else None) for name, peak, limit in values
    ]
    texts.heading(say("judges.cusum"))
    names = (say("judges.cusum_path"), say("judges.cusum_limit"))
    chart = monitor.cusum(steps, names, say(f"judges.by_{result.by}"))
    alt = render(drift.cusum([(step.window, step.peak, step.limit) for step in steps]))
    pictures.show(chart, words=alt)
