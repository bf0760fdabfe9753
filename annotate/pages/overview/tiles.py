"""Four figures side by side, each a link to the page that explains it, with its interval as a bar and its n."""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate.domain.message import Value
from annotate.pages.kit import layout
from annotate.pages.kit.messages import told
from annotate.present.report.tiles import Bar, Tile

CROWDED = 65  # per cent of the bar from which on the limit's words would touch those of the end
PAGES = {
    "pass_precision": "calibration",
    "correctness": "systems",
    "let_through": "disagreements",
    "labels": "labelling",
}


def show(tiles: tuple[Tile, ...]) -> None:
    """The tiles in one row; on a phone two and two."""
    for column, tile in zip(st.columns(len(tiles), gap="small"), tiles, strict=True):
        with column, st.container(border=True, height="stretch", key=f"tile-{tile.name}"):
            layout.link(PAGES[tile.name], told(tile.label))
            value, beside = told(tile.value), told(tile.beside)
            figure = f"<div class='a-figure'>{escape(value)}<small>{escape(beside)}</small></div>"
            name = f"{told(tile.label)}: {value}, {beside}"
            st.html(f"<div class='a-tile'>{figure}{_bar(tile.bar, name) if tile.bar else ''}</div>")
            if tile.reason:
                st.caption(told(tile.reason))


def _bar(bar: Bar, name: str) -> str:
    """A track with the interval on it, the value as a dot and the limit as a tick; below it the ends of the scale."""

    def place(value: float) -> float:
        inside = min(max(value, bar.first), bar.last)
        return round(100 * (inside - bar.first) / (bar.last - bar.first), 1)

    tick = "" if bar.limit is None else f"<u style='left:{place(bar.limit)}%'></u>"
    low, width = place(bar.low), round(place(bar.high) - place(bar.low), 1)
    first, middle, last = (_end(end) for end in bar.ends)
    at = place(bar.limit) if bar.limit is not None else 0
    last = last if at < CROWDED else ""
    return (
        f"<div class='a-bar' role='img' aria-label='{escape(name, quote=True)}'>"
        f"<b style='left:{low}%;width:{width}%'></b>{tick}<i style='left:{place(bar.value)}%'></i></div>"
        f"<div class='a-ends' aria-hidden='true'><span>{first}</span>"
        f"<span class='mid' style='left:{at}%'>{middle}</span><span class='high'>{last}</span></div>"
    )


def _end(end: Value) -> str:
    return "" if end is None else escape(told(end))
