"""Has anything drifted? The windows as a picture with alarms and changes, what is watched, what changes did, what to run.

It is the last part of the page: on much traffic it takes seconds, and everything above it stands already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from annotate.analysis.drift import trends
from annotate.analysis.drift.windows import By, Drift, first_day
from annotate.charts import monitor as pictures
from annotate.charts.monitor import Mark, Spot, Step, Words
from annotate.pages.judges import drift_summary, watching
from annotate.pages.kit import cache, layout, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say
from annotate.present import drift, numbers
from annotate.store import Store
from proxy.evaluation.estimate import Estimate

PARAMETER = "windows"
FIGURES = {"pass_rate": "passed", "correctness": "right", "agreement": "agreement", "thumbs_down": "thumbs"}
COLUMNS = ("window", "items", "passed", "labels", "right", "agreement", "thumbs")


def show(store: Store) -> Drift:
    """The section; gives what was found."""
    layout.heading("judges.drift")
    by = _choose()
    with st.spinner(say("judges.watching")):
        found = cache.kept(store, "drift", lambda: trends.over(store, by), by.value)
    st.markdown(escaped(drift_summary.headline(found)))
    _alarms(found)
    _picture(found)
    _cusum(found)
    watching.show(found)
    _windows(found)
    texts.heading(say("judges.next"))
    _used_up(found)
    layout.commands(store, drift.commands(found))
    return found


def _used_up(found: Drift) -> None:
    """Why labels need new traffic, where a stream would draw nothing."""
    if drift.used_up(found):
        key = "judges.used_up_open" if found.supply.open else "judges.used_up"
        texts.small([say(key, open=f"{found.supply.open:,}")])


def _choose() -> By:
    """The length of a window, kept in the address."""
    words = {one.value: say(f"judges.by_{one}") for one in By}
    return By(url_state.segmented(marked("judges.by"), words, PARAMETER, default=By.WEEK.value))


def _alarms(found: Drift) -> None:
    """Every alarm of the judge, where the sentence names fewer."""
    lines = drift_summary.judge_sentences(found)
    if len(lines) > 1 or found.watched.quality.alarm:
        st.markdown("\n".join(f"- {escaped(one)}." for one in lines))


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
    texts.heading(say("judges.drift_chart", by=by, before=drift.share(before)))
    words = Words(by, say("judges.rate_before"), say("judges.alarm"), say("judges.change"))
    chart = pictures.monitor([one.name for one in found.windows], spots, marks, known, words)
    st.altair_chart(chart, width="stretch", alt=_alt(found, marks))


def _alt(found: Drift, marks: Sequence[Mark]) -> str:
    """The picture for those who do not see it."""

    def told(name: str) -> str:
        return "; ".join(f"{one.name} {drift.share(getattr(one, name))}" for one in found.windows)

    happened = "; ".join(f"{one.window} {one.words}" for one in marks) or "—"
    return say("judges.drift_alt", right=told("correctness"), agreement=told("agreement"), marks=happened)


def _cusum(found: Drift) -> None:
    """The control chart of quality, where there is one."""
    quality = found.watched.quality
    if quality.cusum is None:
        return
    values = zip(quality.windows, quality.cusum.peaks, quality.cusum.limits, strict=True)
    steps = [Step(name, float(peak), float(limit) if math.isfinite(limit) else None) for name, peak, limit in values]
    texts.heading(say("judges.cusum"))
    names = (say("judges.cusum_path"), say("judges.cusum_limit"))
    told = "; ".join(
        say(
            "judges.cusum_step",
            window=one.window,
            peak=numbers.coefficient(one.peak),
            limit=numbers.coefficient(one.limit),
        )
        for one in steps
    )
    chart = pictures.cusum(steps, names, say(f"judges.by_{found.by}"))
    st.altair_chart(chart, width="stretch", alt=say("judges.cusum_alt", steps=told))
    if found.kept < found.labels:
        texts.small([say("judges.equal_chance", kept=f"{found.kept:,}", labels=f"{found.labels:,}")])


def _windows(found: Drift) -> None:
    """Every window in a table, the newest first."""
    if not found.windows:
        return
    rows = [
        [
            one.name,
            one.items,
            _share(one.pass_rate),
            one.labels,
            *(_share(known) for known in (one.correctness, one.agreement, one.thumbs_down)),
        ]
        for one in reversed(found.windows)
    ]
    texts.heading(say("judges.all_windows"))
    columns = [say(f"judges.col_{name}") for name in COLUMNS]
    words = {name: say(f"judges.col_{column}") for name, column in FIGURES.items()}
    config = {say("judges.col_thumbs"): st.column_config.Column(help=say("judges.help_thumbs"))}
    layout.table(rows, columns, alt=say("judges.windows_alt"), config=config)
    texts.small(
        [
            say(
                "judges.dash",
                figures=", ".join(words[name] for name in one.figures),
                windows=one.windows,
                reason=one.reason,
            )
            for one in drift.dashes(found.windows, list(FIGURES))
        ]
    )
    if found.without_time:
        texts.small([say("judges.without_time", count=f"{found.without_time:,}", items=f"{found.items:,}")])


def _share(known: Estimate) -> str:
    return drift.share(known)
