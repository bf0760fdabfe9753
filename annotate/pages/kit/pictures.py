"""Show charts in the colours of the theme that the user chose: marks keep theirs, words follow the ground."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any

import altair as alt
import streamlit as st

from annotate.charts.marks import BLUE, GREY, PICKED, SKY, VERMILION
from annotate.pages.kit import privacy
from annotate.pages.kit.file_names import file_name
from annotate.pages.kit.messages import say
from annotate.pages.kit.server import COLOURS

DARK = "dark"
FONT = 12
# Okabe and Ito's for a dark ground: their sky for blue, and a lighter vermilion; sky itself becomes lighter still.
ON_DARK = {BLUE: "#56B4E9", SKY: "#A6D8F5", VERMILION: "#F08A3C", GREY: "#A3ADB8"}
AnyChart = alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart | alt.FacetChart


def theme() -> str:
    """Return the theme of the browser: light or dark."""
    return DARK if st.context.theme.type == DARK else "light"


def show(chart: AnyChart, *, words: str) -> None:
    """Draw a chart over the whole width; `words` say what it shows."""
    with saved(words):
        st.altair_chart(_themed(chart), width="stretch", alt=words)


def picked(chart: AnyChart, key: str, *, words: str) -> Mapping[str, object] | None:
    """Draw a chart whose marks can be clicked; the fields of the mark that was, None until then."""
    with saved(words):
        state = st.altair_chart(
            _themed(chart), width="stretch", alt=words, key=key, on_select="rerun", selection_mode=PICKED
        )
    marks = state["selection"].get(PICKED)
    return dict(marks[0]) if marks else None


@contextmanager
def saved(words: str) -> Iterator[None]:
    """Offer the picture that is drawn within as a file, SVG or PNG, which the browser makes; `words` say what it shows."""
    name = file_name(words)
    with st.container(gap=None):
        yield
        kinds = "".join(
            f'<button type="button" data-kind="{kind}" aria-label="{escape(say("frame.save_as", kind=kind.upper()))}">'
            f"{kind.upper()}</button>"
            for kind in ("svg", "png")
        )
        st.html(f'<div class="a-save" data-file="{name}" data-words="{escape(privacy.shown(words))}">{kinds}</div>')


def _themed(chart: AnyChart) -> Any:
    """The chart with words and lines that can be read on the theme's ground; what it asks for itself stands."""
    is_dark = theme() == DARK
    words, lines, ink = (COLOURS[name][is_dark] for name in ("grayTextColor", "borderColor", "textColor"))
    usual: dict[str, dict[str, object]] = {
        "axis": {
            "labelColor": words,
            "titleColor": words,
            "labelFontSize": FONT,
            "titleFontSize": FONT,
            "titleFontWeight": "normal",
            "gridColor": lines,
            "domainColor": lines,
            "tickColor": lines,
        },
        "legend": {"labelColor": ink, "titleColor": words, "labelFontSize": FONT},
        "header": {"labelColor": ink, "titleColor": words, "labelFontSize": FONT},
        "text": {"color": ink},
    }
    shown: Any = chart.copy(deep=True, ignore=["data", "datasets"])
    if is_dark:
        _lighten(shown)
    own = {} if shown.config is alt.Undefined else shown.config.to_dict()
    shown.config = alt.Config.from_dict({**own, **{part: {**usual[part], **own.get(part, {})} for part in usual}})
    return shown


def _lighten(chart: Any) -> None:
    """Give the marks of a copy the colours for a dark ground; what is no colour of ours stays."""
    for part in ("layer", "hconcat", "vconcat"):
        for layer in _property(chart, part) or ():
            _lighten(layer)
    mark, colour = _property(chart, "mark"), _property(_property(chart, "encoding"), "color")
    if ink := _property(mark, "color"):
        mark["color"] = ON_DARK.get(ink, ink)
    scale = _property(colour, "scale")
    if inks := _property(scale, "range"):
        scale["range"] = [ON_DARK.get(ink, ink) for ink in inks]


def _property(part: Any, name: str) -> Any:
    """What a part of a chart holds under this name; None where it holds nothing. Its attributes may be setters instead."""
    try:
        value = part[name]
    except (KeyError, TypeError, AttributeError):
        return None
    return None if value is alt.Undefined else value
