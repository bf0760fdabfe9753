"""Has anything drifted? The windows as a picture with alarms and changes, what is watched, what changes did, what to run.

It is the last part of the page: on much traffic it takes seconds, and everything above it stands already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from annotate.analysis.drift import trends
from annotate.analysis.drift.windows import By, Drift, first_day
from annotate.analysis.next_step import after_drift, way_of
from annotate.charts import monitor as pictures
from annotate.charts.monitor import Mark, Spot, Step, Words
from annotate.pages.kit import cache, draw, layout, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say, told
from annotate.present import drift, numbers
from annotate.store import Store

PARAMETER = "windows"


def show(store: Store) -> Drift:
    """Draw the section; return the result."""
    layout.heading("judges.drift")
    by = _choose()
    with st.spinner(say("judges.watching")):
        result = cache.kept(store, "drift", lambda: trends.over(store, by), by.value)
    document = drift.document(result, after_drift(result, way_of(store.path)))
    st.markdown(escaped(told(document.answer)))
    first, *others = document.sections
    draw.section(first)
    _picture(result)
    _cusum(result)
    for part in others:
        draw.section(part)
    texts.heading(say("judges.next"))
    draw.steps(store, document.next)
    return result


def _choose() -> By:
    """The length of a window, kept in the address."""
    words = {one.value: say(f"judges.by_{one}") for one in By}
    return By(url_state.segmented(marked("judges.by"), words, PARAMETER, default=By.WEEK.value))


def _spots(found: Drift) -> list[Spot]:
    """What each window's labels say."""
    series = {"correctness": say("judges.series_right"), "agreement": say("judges.series_agreement")}
    return [
        Spot(one.name, words, known.estimate, known.low, known.high)
        for one in found.windows
        for name, words in series.items()
        for known in [getattr(one, name)]
        if known.estimate is not None and known.low is not None and known.high is not None
    ]


def _marks(found: Drift) -> list[Mark]:
    """Alarms in their windows, and changes in the window in which the new version first scored."""
    windows = [one.name for one in found.windows]
    alarms = [found.watched.quality.alarm, *found.watched.judge_alarms]
    marks = [Mark(one.window, say(f"judges.kind_{one.kind.name.lower()}"), is_alarm=True) for one in alarms if one]
    for one in found.changes:
        within = [name for name in windows if one.at and first_day(name) <= one.at[:10]]
        what = say("judges.the_rule") if one.is_rule else one.judge
        if within:
            marks.append(Mark(within[-1], texts.others(what), is_alarm=one.is_alarm))
    return marks


def _picture(found: Drift) -> None:
    spots, marks = _spots(found), _marks(found)
    if not spots:
        texts.small([say("judges.drift_no_chart")])
        return
    before = found.watched.quality.before
    known = None
    if before.estimate is not None and before.low is not None and before.high is not None:
        known = (before.estimate, before.low, before.high)
    by = say(f"judges.by_{found.by}")
    texts.heading(say("judges.drift_chart", by=by, before=told(drift.rate(before))))
    words = Words(by, say("judges.rate_before"), say("judges.alarm"), say("judges.change"))
    chart = pictures.monitor([one.name for one in found.windows], spots, marks, known, words)
    st.altair_chart(chart, width="stretch", alt=_alt(found, marks))


def _alt(found: Drift, marks: Sequence[Mark]) -> str:
    """The picture for those who do not see it."""

    def course(name: str) -> str:
        return "; ".join(f"{one.name} {told(drift.rate(getattr(one, name)))}" for one in found.windows)

    happened = "; ".join(f"{one.window} {one.words}" for one in marks) or "—"
    return say("judges.drift_alt", right=course("correctness"), agreement=course("agreement"), marks=happened)


def _cusum(found: Drift) -> None:
    """The control chart of quality, where there is one."""
    quality = found.watched.quality
    if quality.cusum is None:
        return
    values = zip(quality.windows, quality.cusum.peaks, quality.cusum.limits, strict=True)
    steps = [Step(name, float(peak), float(limit) if math.isfinite(limit) else None) for name, peak, limit in values]
    texts.heading(say("judges.cusum"))
    names = (say("judges.cusum_path"), say("judges.cusum_limit"))
    path = "; ".join(
        say(
            "judges.cusum_step",
            window=one.window,
            peak=numbers.coefficient(one.peak),
            limit=numbers.coefficient(one.limit),
        )
        for one in steps
    )
    chart = pictures.cusum(steps, names, say(f"judges.by_{found.by}"))
    st.altair_chart(chart, width="stretch", alt=say("judges.cusum_alt", steps=path))
