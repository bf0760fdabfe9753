"""The slider, the curve whose x axis it is, the 2x2 table to scale and three figures: one fragment, so that they move together.

A step sends the fragment anew. So its pictures are HTML of ours, in which numbers and our own words stand, styled by classes.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate.analysis import disagreements
from annotate.domain.message import Counted, Number, message, share
from annotate.pages.calibration import drawn, looking, using
from annotate.pages.calibration.drawn import DrawnCell, Plot
from annotate.pages.calibration.looking import View
from annotate.pages.kit import bars, cache, layout, links, pictures, sign_in, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import explore
from annotate.present.calibration import threshold as written
from annotate.present.report.tiles import Tile, interval_of
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind
from proxy.evaluation.threshold import value_of


@sign_in.fragment
def show(store: Store, who: str) -> None:
    """The instrument; after an act of its own the head and the tabs are drawn anew too."""
    if using.is_tried():
        st.rerun()
    left, right = st.columns([3, 2], gap="small")
    with left, st.container(border=True, height="stretch", key="card-threshold"):
        view = looking.at(store, _choose(store))
        _plot(store, view)
        using.show(store, view, who)
        st.caption(escaped(render(explore.which(view.here, cache.head(store).guarantee))))
    with right, st.container(border=True, height="stretch", key="card-cells"):
        _cells(view)
        _links(store, view)
        _figures(store, view)


def _choose(store: Store) -> float:
    """The threshold of the slider, kept in the address; untouched it is the one in force."""
    view = looking.at(store, looking.whole(store).rule.threshold)
    # A label is read aloud as it is written, with every escape: the formula stands above it.
    st.caption(marked("calibration.threshold_is", value=f"`{value_of(view.whole.rule)}`"))
    return url_state.measured(
        st.slider,
        say("calibration.threshold"),
        looking.THRESHOLD,
        url_state.Within(low=view.scale.low, high=view.scale.high),
        view.threshold,
        step=view.scale.step,
        format=looking.digits(view.scale),
        label_visibility="collapsed",
    )


def _plot(store: Store, view: View) -> None:
    """Right among passed at every threshold, the limit, and marks for the thresholds in force and looked at."""
    over, limit = looking.over(store), cache.head(store).trust.limit
    scale = explore.scale_of_figures(over, limit)
    points = [(threshold, at.agreement.pass_precision) for threshold, at in over]
    plot = Plot(view.scale.low, view.scale.high, scale.lowest)
    parts = (
        plot.grid(),
        plot.curve([(at, point.estimate, *interval_of(point)) for at, point in points if point.estimate is not None]),
        plot.limit(limit, render(message("calibration.limit", limit=share(limit)))),
        plot.in_force(view.in_force.rule.threshold, say("calibration.mark_in_force")),
        plot.here(view.threshold, view.here.agreement.pass_precision),
    )
    words = render(explore.curve(view.here))
    with pictures.saved(words):
        st.html(f"<div class='a-plot' role='img' aria-label='{escape(words)}'>{''.join(parts)}</div>")


def _cells(view: View) -> None:
    """The 2x2 table, or that nothing scores this threshold."""
    cells = explore.cells(view.here)
    if not any(cells.values):
        st.caption(say("calibration.of_no_label"))
        return
    shown = [
        _cell(name, value, render(Number(value, cells.kind)), count)
        for name, value, count in zip(explore.CELLS, cells.values, cells.counts, strict=True)
    ]
    with pictures.saved(render(cells.title)):
        st.html(f"<h2 class='a-h2'>{escape(render(cells.title))}</h2>{drawn.cells(shown)}")


def _cell(name: str, value: float, number: str, count: Counted) -> DrawnCell:
    called, link = say(f"calibration.{name}"), links.answers(count)
    tip = say("calibration.cell_answers", number=number, name=called, count=count)
    return DrawnCell(value, number, called, links.href(link) if link else None, tip)


def _links(store: Store, view: View) -> None:
    """The answers to read: those of the threshold in force, which the links say while another is looked at."""
    counts = cache.kept(store, "disagreements in force", lambda: _count(store))
    with st.container(horizontal=True, gap="small", key="read-cells"):
        for kind in DisagreementKind:
            if counts[kind]:
                read = say(f"calibration.read_{kind.value}", count=counts[kind])
                at = render(written(view.in_force.rule.threshold))
                words = read if view.here.is_in_force else say("calibration.read_at", read=read, threshold=at)
                layout.link("disagreements", words, kind=kind.value)


def _count(store: Store) -> dict[DisagreementKind, int]:
    return store.labels.disagreements.count(disagreements.ground(store).key, DisagreementFilter())


def _figures(store: Store, view: View) -> None:
    """Three figures with their intervals as bars, and what these allow for."""
    trust, missing = cache.head(store).trust, cache.head(store).evidence.draws.missing
    scale = explore.scale_of_figures(looking.over(store), trust.limit)
    rows = [_row(tile) for tile in explore.figures(view.here, scale)]
    st.html(f"<div class='a-figures'>{''.join(rows)}</div>")
    if missing:
        st.caption(say("calibration.allows", count=missing))


def _row(tile: Tile) -> str:
    label, value, beside = (escape(render(part)) for part in (tile.label, tile.value, tile.reason or tile.beside))
    picture = bars.bar(tile.bar, f"{label} {value}, {beside}") if tile.bar else "<i></i>"
    return f"<span>{label}</span><b>{value}</b><small>{beside}</small>{picture}"
