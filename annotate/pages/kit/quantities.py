"""The measured quantities in plain words: how one is shown as a card, and all shares as bars of a chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from annotate.charts.intervals import Bar
from annotate.pages.kit.messages import say, told
from annotate.pages.kit.texts import small
from annotate.present import numbers as present_numbers
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.stats.intervals import Interval


class Measure(NamedTuple):
    """A quantity by its name in the report; its words and meaning stand in the table of strings."""

    name: str
    is_share: bool = True

    @property
    def words(self) -> str:
        """What it is, in plain words."""
        return say(f"measures.{self.name}")

    @property
    def help(self) -> str:
        """Its term, and its formula in one sentence."""
        return say(f"measures.{self.name}_help")


CORRECTNESS, PASS_RATE, AUROC = Measure("correctness"), Measure("pass_rate"), Measure("auroc", is_share=False)
PASS_PRECISION, SENSITIVITY, SPECIFICITY = Measure("pass_precision"), Measure("sensitivity"), Measure("specificity")
KAPPA, THUMBS_DOWN = Measure("kappa", is_share=False), Measure("thumbs_down")
NPV, ACCURACY, F1 = Measure("npv"), Measure("accuracy"), Measure("f1", is_share=False)
MCC, AC1 = Measure("mcc", is_share=False), Measure("ac1", is_share=False)
PROXY = (PASS_PRECISION, SENSITIVITY, SPECIFICITY, KAPPA)
ALL = (CORRECTNESS, PASS_PRECISION, NPV, SENSITIVITY, SPECIFICITY, ACCURACY, F1, KAPPA, MCC, AC1, AUROC)
CHARTED = (CORRECTNESS, *(one for one in PROXY if one.is_share))
NO_WIDTH = 1e-9


def show(measure: Measure, estimate: Estimate, course: Sequence[float] = (), *, whole: bool = False) -> None:
    """One quantity as a card: its value, both intervals, how many labels it rests on, or why it is not measurable.

    `course` are its values by week, oldest first; two make a line. `whole`: every answer that it speaks of is labelled.
    """
    has_course = len(course) > 1
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(
            measure.words,
            number(measure, estimate.estimate),
            help=measure.help,
            chart_data=course if has_course else None,
            delta_color="blue",
        )
        small([*lines(measure, estimate, whole=whole), *([went(measure, course)] if has_course else [])])


def went(measure: Measure, course: Sequence[float]) -> str:
    """The course for those who do not see it."""
    first, last = (number(measure, course[place]) for place in (0, -1))
    return say("measures.course", first=first, last=last, count=len(course))


def number(measure: Measure, value: float | None) -> str:
    """The value as people read it; — where there is none."""
    if value is None:
        return "—"
    return percent(value) if measure.is_share else present_numbers.coefficient(value)


def lines(measure: Measure, estimate: Estimate, *, whole: bool = False) -> list[str]:
    """What stands below the value; `whole`: every answer that it speaks of is labelled."""
    if estimate.reason and estimate.low is None:
        return [sentence(told(estimate.reason))]
    if measure is PASS_RATE:
        return [say("measures.counted", n=estimate.n)]
    if measure is THUMBS_DOWN:
        return [say("measures.hint", n=estimate.n)]
    found = [say("measures.bounds", reason=sentence(told(estimate.reason)))] if estimate.reason else []
    if estimate.low is not None and estimate.high is not None:
        found.append(f"{say('measures.window')}: {between(measure, (estimate.low, estimate.high), whole=whole)}")
    if estimate.long_run:
        found.append(f"{say('measures.long_run')}: {between(measure, estimate.long_run)}")
    return [sentence(line) for line in (*found, say("measures.basis", n=estimate.n))]


def sentence(words: str) -> str:
    """The words with a capital at the front."""
    return words[:1].upper() + words[1:]


def window(measure: Measure, estimate: Estimate, *, whole: bool = False) -> str:
    """The interval for this window; called bounds where there is no estimate in it."""
    found = (estimate.low, estimate.high) if estimate.low is not None and estimate.high is not None else None
    words = between(measure, (found[0], found[1]) if found else None, whole=whole)
    return only_bounds(estimate, words) if found else words


def long_run(measure: Measure, estimate: Estimate) -> str:
    """The same for the long run."""
    words = between(measure, estimate.long_run)
    return only_bounds(estimate, words) if estimate.long_run else words


def only_bounds(estimate: Estimate, words: str) -> str:
    """The ends of what is known, called bounds where no estimate lies in it."""
    return words if estimate.estimate is not None else say("measures.only_bounds", span=words)


def between(measure: Measure, interval: tuple[float, float] | None, *, whole: bool = False) -> str:
    """An interval as people read it; — where there is none."""
    return "—" if interval is None else span(interval, lambda value: number(measure, value), whole=whole)


def span(interval: tuple[float, float], words: Callable[[float], str], *, whole: bool = False) -> str:
    """Both ends in words. One without width is called exact only where it is known that every answer is labelled.

    A judge that passes everything passes all that is right, whatever the labels say: that has no width either.
    """
    low, high = interval
    if not has_width(low, high):
        return say("measures.exact" if whole else "measures.no_width")
    return say("measures.span", low=words(low), high=words(high))


def has_width(low: float, high: float) -> bool:
    """Whether the ends differ by more than the last digits of a float."""
    return high - low > NO_WIDTH


def is_whole(agreement: AgreementReport) -> bool:
    """Whether every answer of the frame has a label."""
    strata = agreement.strata
    return bool(strata) and all(one.right + one.wrong + one.unsure >= one.size for one in strata)


def cells(agreement: AgreementReport) -> list[str]:
    """The 2x2 table in words: right and wrong of what passes, then of what fails."""
    counts = agreement.counts
    numbers = (counts.right_pass, counts.wrong_pass, counts.right_fail, counts.wrong_fail)
    words = [say("measures.cell_labels", count=one) for one in numbers]
    if not agreement.shares:
        return words
    return [
        say("measures.cell", labels=one, share=percent(float(share)))
        for one, share in zip(words, agreement.shares, strict=True)
    ]


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
        (say("measures.window"), Interval(estimate.low, estimate.high))
        if estimate.low is not None and estimate.high is not None
        else None
    )
    long_run = (say("measures.long_run"), estimate.long_run) if estimate.long_run else None
    return [one for one in (window, long_run) if one]


def in_words(shown: Sequence[Bar], *, whole: bool = False) -> str:
    """The chart for those who do not see it."""
    parts = [
        say(
            "measures.bar",
            quantity=bar.quantity,
            interval=bar.interval,
            estimate="—" if bar.estimate is None else percent(bar.estimate),
            span=span((bar.low, bar.high), percent, whole=whole),
        )
        for bar in shown
    ]
    return say("measures.chart", bars="; ".join(parts))
