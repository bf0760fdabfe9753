"""Four figures side by side, each a link to the page that explains it, with its interval as a bar and its n."""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate.pages.kit import bars, layout
from annotate.pages.kit.messages import render
from annotate.present.report.tiles import Tile

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
            layout.link(PAGES[tile.name], render(tile.label), about=render(tile.help) if tile.help else None)
            value, beside = render(tile.value), render(tile.beside)
            figure = f"<div class='a-figure'>{escape(value)}<small>{escape(beside)}</small></div>"
            name = f"{render(tile.label)}: {value}, {beside}"
            st.html(
                f"<div class='a-tile'>{figure}{bars.bar(tile.bar, name) + bars.ends(tile.bar) if tile.bar else ''}</div>"
            )
            if tile.reason:
                st.caption(render(tile.reason))
            if tile.below:
                st.caption(render(tile.below))
