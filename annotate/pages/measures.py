"""The measured quantities in plain words: how one is shown as a card, and all shares as bars of a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from annotate.charts import Bar
from annotate.pages.texts import small
from proxy.agreement import AgreementReport
from proxy.estimate import Estimate
from proxy.stats.intervals import Interval
from proxy.trust import percent

WINDOW, LONG_RUN = "this window", "long run"


class Measure(NamedTuple):
    """A quantity: its name in the report, its words, its term and meaning, and whether it is a share."""

    name: str
    words: str
    help: str
    is_share: bool = True


CORRECTNESS = Measure(
    "correctness",
    "Answers that are right",
    "Correctness rate: the share of all traffic whose answer is right, worked out from the labels and each answer's "
    "chance to be drawn for labelling.",
)
PASS_RATE = Measure(
    "pass_rate",
    "Answers that the proxy passes",
    "Pass rate: counted on every judged answer, so there is no sampling error.",
)
PROXY = (
    Measure(
        "pass_precision",
        "Right among the passed",
        "Pass precision: of the answers that the proxy passes, the share that people call right.",
    ),
    Measure(
        "sensitivity",
        "Passed among the right",
        "Sensitivity: of the answers that people call right, the share that the proxy passes.",
    ),
    Measure(
        "specificity",
        "Failed among the wrong",
        "Specificity: of the answers that people call wrong, the share that the proxy fails, so that they are caught.",
    ),
    Measure(
        "kappa",
        "Agreement beyond chance",
        "Cohen's kappa: 1 is perfect agreement with people, 0 is what chance alone would give, below 0 is worse than chance.",
        is_share=False,
    ),
)
CHARTED = (CORRECTNESS, *(one for one in PROXY if one.is_share))


def show(measure: Measure, estimate: Estimate) -> None:
    """One quantity as a card: its value, both intervals, how many labels it rests on, or why it is not measurable."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(measure.words, number(measure, estimate.estimate), help=measure.help)
        small(lines(measure, estimate))


def number(measure: Measure, value: float | None) -> str:
    """The value as people read it; — where there is none."""
    if value is None:
        return "—"
    return percent(value) if measure.is_share else f"{value:.2f}"


def lines(measure: Measure, estimate: Estimate) -> list[str]:
    """What stands below the value."""
    if estimate.reason and estimate.low is None:
        return [sentence(estimate.reason)]
    if measure is PASS_RATE:
        return [f"Counted on {estimate.n:,} judged answers, so it is exact"]
    found = [f"{estimate.reason}; this much is sure:"] if estimate.reason else []
    if estimate.low is not None and estimate.high is not None:
        is_exact = estimate.low == estimate.high
        found.append(f"{WINDOW}: {'exact, all labelled' if is_exact else _span(measure, estimate.low, estimate.high)}")
    if estimate.long_run:
        found.append(f"{LONG_RUN}: {_span(measure, *estimate.long_run)}")
    return [sentence(line) for line in (*found, f"95 % intervals, {estimate.n:,} labels")]


def sentence(words: str) -> str:
    """The words with a capital at the front."""
    return words[:1].upper() + words[1:]


def _span(measure: Measure, low: float, high: float) -> str:
    return f"{number(measure, low)} to {number(measure, high)}"


def bars(agreement: AgreementReport) -> list[Bar]:
    """Both intervals of every share that has them."""
    return [
        Bar(measure.words, name, estimate.estimate, *interval)
        for measure in CHARTED
        for estimate in [getattr(agreement, measure.name)]
        for name, interval in _intervals(estimate)
    ]


def _intervals(estimate: Estimate) -> list[tuple[str, Interval]]:
    window = (
        (WINDOW, Interval(estimate.low, estimate.high))
        if estimate.low is not None and estimate.high is not None
        else None
    )
    long_run = (LONG_RUN, estimate.long_run) if estimate.long_run else None
    return [one for one in (window, long_run) if one]


def in_words(shown: Sequence[Bar]) -> str:
    """The chart for those who do not see it."""
    parts = [
        f"{bar.quantity}, {bar.interval}: {percent(bar.estimate) if bar.estimate is not None else 'no estimate'}, "
        f"{percent(bar.low)} to {percent(bar.high)}"
        for bar in shown
    ]
    return f"Shares with their 95 % intervals. {'; '.join(parts)}."
