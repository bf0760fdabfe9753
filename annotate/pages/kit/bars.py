"""Intervals as bars in our own HTML: a track, the interval on it, the value as a dot and the limit as a tick."""

from __future__ import annotations

from html import escape

from annotate.domain.message import Value
from annotate.pages.kit.messages import render
from annotate.present.report.tiles import FigureBar

CROWDED = 65  # per cent of the bar from which on the limit's words would touch those of the end


def bar(shown: FigureBar, name: str) -> str:
    """Draw the bar; `name` is what it says to those who cannot see it."""
    tick = "" if shown.limit is None else f"<u style='left:{_place(shown, shown.limit)}%'></u>"
    low = _place(shown, shown.low)
    width = round(_place(shown, shown.high) - low, 1)
    return (
        f"<div class='a-bar' role='img' aria-label='{escape(name, quote=True)}'>"
        f"<b style='left:{low}%;width:{width}%'></b>{tick}<i style='left:{_place(shown, shown.value)}%'></i></div>"
    )


def ends(shown: FigureBar) -> str:
    """Write the ends of the scale below a bar, and the limit between them."""
    first, middle, last = (_end(end) for end in shown.ends)
    at = _place(shown, shown.limit) if shown.limit is not None else 0
    last = last if at < CROWDED else ""
    return (
        f"<div class='a-ends' aria-hidden='true'><span>{first}</span>"
        f"<span class='mid' style='left:{at}%'>{middle}</span><span class='high'>{last}</span></div>"
    )


def scale(first: Value, last: Value) -> str:
    """Write both ends of the scale that the bars of a column share, below its name."""
    return f"<span class='a-scale' aria-hidden='true'><span>{_end(first)}</span><span>{_end(last)}</span></span>"


def _place(shown: FigureBar, value: float) -> float:
    """Return where a value lies on the track, in per cent."""
    inside = min(max(value, shown.first), shown.last)
    return round(100 * (inside - shown.first) / (shown.last - shown.first), 1)


def _end(end: Value) -> str:
    return "" if end is None else escape(render(end))
