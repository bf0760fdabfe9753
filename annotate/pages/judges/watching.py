"""What the monitors watch, what they cannot watch and why, and what each change of a judge did on the same answers."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.drift.judge_changes import Change
from annotate.analysis.drift.windows import Drift
from annotate.pages.kit import layout, texts, times
from annotate.pages.kit.messages import say
from annotate.present import numbers
from annotate.present.drift import share, unwatched
from proxy.drift.drift import Monitor
from proxy.drift.judge_changes import FEWEST, Moved
from proxy.evaluation.trust import percent

WATCHED = ("watches", "rate_before", "state")
CHANGES = ("judge", "when", "after", "anchors", "shift", "flipped", "agrees", "state")


def show(found: Drift) -> None:
    """Both tables, and the pass rate."""
    texts.heading(say("judges.watched"))
    monitors = (found.watched.quality, *found.watched.judge)
    rows = [
        [say(f"judges.kind_{one.kind.name.lower()}"), share(one.before), _state(found, one, is_quality=place == 0)]
        for place, one in enumerate(monitors)
    ]
    layout.table(rows, [say(f"judges.col_{name}") for name in WATCHED], alt=say("judges.watched_alt"))
    _pass_rate(found)
    texts.heading(say("judges.changes"))
    if not found.changes:
        texts.small([say("judges.changes_none")])
        return
    columns = [say(f"judges.col_{name}") for name in CHANGES]
    config = {
        say("judges.col_anchors"): st.column_config.Column(help=say("judges.help_anchors", fewest=FEWEST)),
    }
    layout.table([_change(one) for one in found.changes], columns, alt=say("judges.changes_alt"), config=config)


def _state(found: Drift, one: Monitor, *, is_quality: bool) -> str:
    if one.alarm:
        alarm = one.alarm
        return say("judges.state_alarm", window=alarm.window, since=share(alarm.since), began=alarm.began)
    reason = unwatched(found) if is_quality else one.reason
    return say("judges.state_unwatched", reason=reason) if reason else say("judges.state_quiet")


def _pass_rate(found: Drift) -> None:
    rate = found.watched.pass_rate
    if rate is None:
        return
    by, low, high = (numbers.points(value, "+") for value in (rate.difference, rate.low, rate.high))
    key = "judges.passes_moved" if rate.is_moved else "judges.passes_still"
    texts.small([say(key, by=by, low=low, high=high, before=percent(rate.before))])


def _change(one: Change) -> list[object]:
    name = say("judges.the_rule") if one.is_rule else one.judge
    found = one.found
    if found is None:
        missing = say("judges.too_few_anchors", anchors=f"{one.anchors:,}", labels=f"{one.labels:,}", fewest=FEWEST)
        return [name, times.day(one.at), one.after, one.anchors, "—", "—", "—", missing]
    agrees = say(
        "judges.agrees",
        before=percent(found.agreement_before),
        after=percent(found.agreement_after),
        by=_moved(found.agreement, numbers.points),
    )
    return [
        name,
        times.day(one.at),
        one.after,
        found.n,
        _moved(found.shift, numbers.fine),
        f"{found.passes_more:,} / {found.passes_less:,}",
        agrees,
        _shown(one),
    ]


def _shown(one: Change) -> str:
    if one.is_alarm:
        return say("judges.shown_change")
    is_shown = one.found is not None and one.found.is_shown
    return say("judges.unread_change" if is_shown else "judges.no_shown_change")


def _moved(found: Moved, words: Callable[[float, str], str]) -> str:
    mean, low, high = (words(value, "+") for value in found)
    return f"{mean} ({say('measures.span', low=low, high=high)})"
