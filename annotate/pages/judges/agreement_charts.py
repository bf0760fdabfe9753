"""The pictures of two scores side by side: how they are spread, where they lie together, a threshold, bins, and their course.

A share stands for what was scored, a count for itself.
"""

from __future__ import annotations

import streamlit as st

from annotate.analysis.judges.score_agreement import SideBySide
from annotate.charts.course import Mean, means_by_time
from annotate.charts.heat_map import Cell, Slot, distribution, heat_map
from annotate.domain.message import Kind, Name, Number
from annotate.pages.kit import draw, layout, links, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import score_agreement
from proxy.evaluation.score_agreement import THRESHOLD

AT = "jcut"
NAMED = 5


def spread(result: SideBySide, names: tuple[str, str]) -> None:
    """The distributions, of what is matched and of all, and where the matched lie in both."""
    left, right = st.columns(2, gap="large")
    with left:
        texts.heading(say("side_by_side.distribution"))
        for place, (name, shares) in enumerate(zip(names, result.spread, strict=False)):
            slots = [
                Slot(_bin(n), *both, links.behind(score_agreement.tenth(result, n)) or "")
                for n, both in enumerate(zip(shares.matched, shares.all, strict=True))
            ]
            chart = distribution(
                slots,
                say("side_by_side.matched", n=result.matched),
                say("side_by_side.all", n=shares.total),
                say("side_by_side.distribution_of", judge=name),
            )
            bars = ((slot.bin, slot.matched, slot.all) for slot in slots)
            alt = render(score_agreement.spread(Name(name), bars))
            layout.counted(chart, f"side-by-side-spread-{place}", words=alt)
        if result.second is not None:
            st.caption(say("side_by_side.opens_nothing"))
    with right:
        texts.heading(say("side_by_side.grid"))
        cells = _grid(result)
        most = sorted((cell for cell in cells if cell.amount), key=lambda cell: -cell.amount)[:NAMED]
        alt = render(score_agreement.grid([(cell.row, cell.column, int(cell.amount)) for cell in most]))
        second = say("side_by_side.annotators_say") if result.second is None else names[1]
        layout.counted(heat_map(cells, names[0], second), "side-by-side-grid", words=alt)
        st.caption(say("side_by_side.grid_note"))


def _grid(result: SideBySide) -> list[Cell]:
    """The matched by bin of the first and of the second; annotators say right or wrong."""
    ends = [(n, _bin(n)) for n in range(len(result.grid))]
    if result.second is None:
        ends = [(0, say("side_by_side.wrong")), (len(result.grid) - 1, say("side_by_side.right"))]
    return [
        _counted(_bin(n), name, score_agreement.square(result, n, place))
        for n in range(len(result.grid))
        for place, name in ends
    ]


def _counted(row: str, column: str, count: int) -> Cell:
    return Cell(row, column, count, render(count) if count else "", links.behind(count) or "")


def _bin(number: int) -> str:
    """A bin of ten by both its ends, as an axis names it."""
    return f"{number / 10:.1f}–{(number + 1) / 10:.1f}"


def tables(result: SideBySide) -> None:
    """The 2x2 table at a threshold, and what the scores of a bin stand for."""
    left, right = st.columns(2, gap="large")
    with left:
        texts.heading(say("side_by_side.confusion"))
        _confusion(result)
    with right:
        texts.heading(say("side_by_side.bins"))
        if result.bins:
            draw.table(score_agreement.bins(result))
        else:
            st.caption(escaped(draw.capital(render(result.reason or ""))))


def _confusion(result: SideBySide) -> None:
    is_with_labels = result.second is None
    thresholds = {render(Number(at.threshold, Kind.THRESHOLD)): at for at in result.thresholds}
    chosen = render(Number(THRESHOLD, Kind.THRESHOLD))
    if is_with_labels:
        chosen = str(
            st.select_slider(say("side_by_side.threshold"), list(thresholds), value=chosen, key=AT, bind="query-params")
        )
    at = thresholds[chosen]
    verdicts = say("side_by_side.pass"), say("side_by_side.fail")
    second_outcomes = (say("side_by_side.right"), say("side_by_side.wrong")) if is_with_labels else verdicts
    cells = [
        Cell(
            verdicts[place // 2], second_outcomes[place % 2], at.counts[place], render(words), links.behind(words) or ""
        )
        for place, words in ((place, score_agreement.labelled_cell(result, at, place)) for place in (2, 3, 0, 1))
    ]
    second = say("side_by_side.annotators_say") if is_with_labels else say("side_by_side.second")
    chart = heat_map(cells, say("side_by_side.first"), second, cell=56)
    layout.counted(chart, "side-by-side-confusion", words=render(score_agreement.cells(result, at)))
    st.caption(say("side_by_side.confusion_annotators" if is_with_labels else "side_by_side.confusion_judges"))
    if is_with_labels:
        with st.expander(
            say("side_by_side.every_threshold"), on_change="rerun", key="side-by-side-thresholds"
        ) as every:
            if every.open:
                draw.table(score_agreement.every_threshold(result))


def trend(result: SideBySide, names: tuple[str, str]) -> None:
    """The means of both by day, week or month."""
    texts.heading(say("side_by_side.trend"))
    means = [
        Mean(
            period.period,
            name,
            mean.estimate,
            *(mean.long_run or (mean.low or 0.0, mean.high or 0.0)),
            period.n,
            links.behind(score_agreement.of_period(result, period)) or "",
        )
        for period in result.periods
        if period.period
        for name, mean in zip(names, (period.first, period.second), strict=True)
        if mean.estimate is not None
    ]
    if not means:
        st.caption(escaped(draw.capital(render(result.reason))) if result.reason else say("side_by_side.no_times"))
        return
    alt = render(score_agreement.trend(result, (Name(names[0]), Name(names[1]))))
    layout.counted(means_by_time(means, say(f"side_by_side.{result.by}")), "side-by-side-means", words=alt)
    st.caption(say("side_by_side.trend_note"))
