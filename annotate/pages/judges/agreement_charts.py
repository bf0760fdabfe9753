"""The pictures of two scores side by side: how they are spread, where they lie together, a cut, bins, and their course.

In comes what the service found and the names of both scores; a share stands for what was scored, a count for itself.
"""

from __future__ import annotations

import streamlit as st

from annotate.analysis.judges.score_agreement import CELLS, AtCut, SideBySide
from annotate.charts.distribution import Slot, distribution
from annotate.charts.heat_map import Cell, heat_map
from annotate.charts.means_by_time import Mean, means_by_time
from annotate.pages.kit import layout, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say
from annotate.pages.kit.quantities import sentence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import THRESHOLD
from proxy.evaluation.trust import percent

AT = "jcut"
WITH_PEOPLE = ("right_pass", "wrong_pass", "right_fail", "wrong_fail")
WITH_JUDGE = ("pass_pass", "pass_fail", "fail_pass", "fail_fail")
NAMED = 5


def spread(found: SideBySide, names: tuple[str, str]) -> None:
    """The distributions, of what is matched and of all, and where the matched lie in both."""
    left, right = st.columns(2, gap="large")
    with left:
        texts.heading(say("side_by_side.distribution"))
        for name, shares in zip(names, found.spread, strict=False):
            slots = [Slot(_bin(n), *both) for n, both in enumerate(zip(shares.matched, shares.all, strict=True))]
            bars = "; ".join(f"{one.bin}: {percent(one.matched)}, {percent(one.all)}" for one in slots)
            chart = distribution(
                slots,
                say("side_by_side.matched", n=found.matched),
                say("side_by_side.all", n=shares.total),
                say("side_by_side.distribution_of", judge=name),
            )
            st.altair_chart(chart, width="stretch", alt=say("side_by_side.distribution_alt", judge=name, bars=bars))
    with right:
        texts.heading(say("side_by_side.grid"))
        cells = _grid(found)
        most = sorted((one for one in cells if one.amount), key=lambda one: -one.amount)[:NAMED]
        told = "; ".join(f"{one.row} × {one.column}: {one.shown}" for one in most)
        second = say("side_by_side.people_say") if found.second is None else names[1]
        st.altair_chart(
            heat_map(cells, names[0], second), width="stretch", alt=say("side_by_side.grid_alt", cells=told)
        )
        st.caption(say("side_by_side.grid_note"))


def _grid(found: SideBySide) -> list[Cell]:
    """The matched by bin of the first and of the second; people say right or wrong."""
    ends = [(n, _bin(n)) for n in range(len(found.grid))]
    if found.second is None:
        ends = [(0, say("side_by_side.wrong")), (len(found.grid) - 1, say("side_by_side.right"))]
    return [
        Cell(_bin(n), name, row[place], f"{row[place]:,}" if row[place] else "")
        for n, row in enumerate(found.grid)
        for place, name in ends
    ]


def _bin(number: int) -> str:
    return f"{number / 10:.1f}–{(number + 1) / 10:.1f}"


def tables(found: SideBySide, names: tuple[str, str]) -> None:
    """The 2x2 table at a cut, and what the scores of a bin stand for."""
    left, right = st.columns(2, gap="large")
    with left:
        texts.heading(say("side_by_side.confusion"))
        _confusion(found)
    with right:
        texts.heading(say("side_by_side.bins"))
        if not found.bins:
            st.caption(escaped(sentence(found.reason or "")))
            return
        last = say("side_by_side.share_right") if found.second is None else say("side_by_side.mean_second")
        rows = [
            (*(f"{each.estimate:.3f}" for each in (one.first, one.second)), _long_run(one.second), one.n)
            for one in found.bins
        ]
        columns = [say("side_by_side.mean_first"), last, say("side_by_side.interval"), "n"]
        layout.table(rows, columns, alt=say("side_by_side.bins"))
        st.caption(say("side_by_side.bins_note"))


def _long_run(one: Estimate) -> str:
    """Its interval in the long run; — where there is none."""
    return "—" if one.long_run is None else f"{one.long_run.low:.3f}–{one.long_run.high:.3f}"


def _confusion(found: SideBySide) -> None:
    is_people = found.second is None
    cuts = {f"{one.cut:.1f}": one for one in found.cuts}
    chosen = f"{THRESHOLD:.1f}"
    if is_people:
        chosen = str(st.select_slider(say("side_by_side.cut"), list(cuts), value=chosen, key=AT, bind="query-params"))
    names = [say(f"side_by_side.{name}") for name in (WITH_PEOPLE if is_people else WITH_JUDGE)]
    words = [_cell(cuts[chosen], place) for place in range(CELLS)]
    rows = list(zip(names, words, strict=True))
    told = "; ".join(f"{name} {word}" for name, word in rows)
    verdicts = say("side_by_side.pass"), say("side_by_side.fail")
    theirs = (say("side_by_side.right"), say("side_by_side.wrong")) if is_people else verdicts
    cells = [
        Cell(verdicts[place // 2], theirs[place % 2], cuts[chosen].counts[place], words[place])
        for place in (2, 3, 0, 1)
    ]
    second = say("side_by_side.people_say") if is_people else say("side_by_side.second")
    st.altair_chart(
        heat_map(cells, say("side_by_side.first"), second, cell=56),
        width="stretch",
        alt=say("side_by_side.confusion_alt", cut=chosen, cells=told),
    )
    st.caption(say("side_by_side.confusion_people" if is_people else "side_by_side.confusion_judges"))
    if is_people:
        with st.expander(say("side_by_side.every_cut"), on_change="rerun", key="side-by-side-cuts") as every:
            if every.open:
                table = [(cut, *(_cell(one, place) for place in range(CELLS))) for cut, one in cuts.items()]
                layout.table(table, [say("side_by_side.cut_column"), *names], alt=say("side_by_side.every_cut"))


def _cell(one: AtCut, place: int) -> str:
    """A count with the share that it stands for and its interval in the long run."""
    share = one.shares[place]
    if share.estimate is None:
        return f"{one.counts[place]:,} · —"
    ends = share.long_run or (share.low or 0.0, share.high or 0.0)
    return f"{one.counts[place]:,} · {percent(share.estimate)} ({percent(ends[0])}–{percent(ends[1])})"


def trend(found: SideBySide, names: tuple[str, str]) -> None:
    """The means of both by day, week or month."""
    texts.heading(say("side_by_side.trend"))
    means = [
        Mean(one.period, name, each.estimate, *(each.long_run or (each.low or 0.0, each.high or 0.0)), one.n)
        for one in found.periods
        if one.period
        for name, each in zip(names, (one.first, one.second), strict=True)
        if each.estimate is not None
    ]
    if not means:
        st.caption(escaped(sentence(found.reason)) if found.reason else say("side_by_side.no_times"))
        return
    by = say(f"side_by_side.{found.by}")
    told = "; ".join(
        f"{one.period} {one.series} {one.mean:.2f} ({one.low:.2f}–{one.high:.2f}), n = {one.n:,}" for one in means
    )
    st.altair_chart(means_by_time(means, by), width="stretch", alt=say("side_by_side.trend_alt", by=by, means=told))
    st.caption(say("side_by_side.trend_note"))
