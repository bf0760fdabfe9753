"""How often each of the two is right, their difference, and the questions that both answered."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import Compared, Side
from annotate.charts.intervals import Bar, intervals
from annotate.pages.kit import layout, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say
from annotate.pages.kit.quantities import sentence, span
from annotate.present import comparison, numbers
from proxy.evaluation.trust import percent


def show(found: Compared) -> None:
    """Both rates and the difference as cards, the rates as dots with intervals, the pairs as a table."""
    layout.heading("systems.rates")
    with st.grid(3):
        for side in found.sides:
            _rate(side)
        _difference(found)
    bars = [
        Bar(texts.others(one.name), say("measures.long_run"), one.rate.estimate, one.rate.low, one.rate.high)
        for one in found.sides
        if one.rate.low is not None and one.rate.high is not None
    ]
    left, right = st.columns([3, 2], gap="large")
    with left:
        if bars:
            told = "; ".join(f"{one.quantity} {_percent(one.estimate)}, {_span(one.low, one.high)}" for one in bars)
            st.altair_chart(intervals(bars), width="stretch", alt=say("systems.rate_alt", bars=told))
    with right:
        _pairs(found)


def _rate(side: Side) -> None:
    rate = side.rate
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(escaped(texts.others(side.name)), _percent(rate.estimate), help=say("systems.rate_help"))
        lines = [rate.reason] if rate.reason else []
        if rate.low is not None and rate.high is not None:
            lines.append(f"{say('measures.long_run')}: {_span(rate.low, rate.high)}")
        lines += [
            say("systems.rate_from", n=rate.n),
            say("systems.sizes", answers=side.counted.items, questions=side.counted.questions),
        ]
        texts.small([sentence(line) for line in lines])


def _difference(found: Compared) -> None:
    one = found.comparison
    difference = one.difference
    with st.container(border=True, height="stretch", gap="xsmall"):
        value = (
            "—"
            if difference.estimate is None
            else say("systems.points", value=numbers.points(difference.estimate, "+"))
        )
        st.metric(say("systems.difference"), value, help=say("systems.difference_help"))
        lines = [difference.reason] if difference.reason else []
        if difference.low is not None and difference.high is not None:
            low, high = numbers.points(difference.low, "+"), numbers.points(difference.high, "+")
            lines.append(f"{say('measures.long_run')}: {say('measures.span', low=low, high=high)}")
            lines.append(say(f"systems.how_{comparison.method(found)}", n=difference.n))
        if one.is_paired and one.exact is not None:
            lines.append(say("systems.exact", value=numbers.points(one.exact, "+")))
        if one.more:
            lines.append(say("systems.more", more=one.more))
        texts.small([sentence(line) for line in lines])


def _pairs(found: Compared) -> None:
    """The 2x2 of the labelled pairs as it was counted."""
    shared, counts = found.shared, found.comparison.counts
    texts.heading(say("systems.pairs"))
    lines = [say("systems.pairs_counts", questions=shared.questions, labelled=len(shared.pairs))]
    if shared.out_of_reach:
        lines.append(say("systems.out_of_reach", n=shared.out_of_reach))
    if found.hand_picked:
        lines.append(say("systems.hand_picked", n=found.hand_picked))
    if not found.same_questions:
        lines.append(say("systems.different_questions", shared=shared.questions))
    texts.small(lines)
    if counts is not None:
        columns = [say(f"systems.{name}") for name in ("both", "only_first", "only_second", "neither")]
        words = say("systems.pairs_help", p=numbers.p_value(found.comparison.mid_p))
        layout.table([[*counts]], columns, alt=words)
        st.caption(words)


def _percent(share: float | None) -> str:
    return "—" if share is None else percent(share)


def _span(low: float, high: float) -> str:
    return span((low, high), percent)
