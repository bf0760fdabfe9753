"""Draw the pictures of the HTML report as SVG, each with the same in words for those who do not see it.

Never a colour alone: every kind of mark has a shape or a dash of its own too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from annotate.charts.marks import BLUE, VERMILION
from annotate.domain.message import Value
from annotate.domain.privacy.redaction import for_page
from proxy.evaluation.trust import percent
from proxy.text.controls import displayable

# Pixels. Chosen: the width of a printed page, with room for names at the left.
WIDTH, LEFT, RIGHT = 720, 210, 30
ROW, TOP, BOTTOM = 34, 10, 34
GREY = "#767676"
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
SIDE, EDGE = 250, 56
EMPTY = frozenset({"line", "rect", "circle", "path", "polygon", "polyline"})
SAID = frozenset({"aria_label", "title", "alt"})


class IntervalsLine(NamedTuple):
    """One quantity with what is known of both its intervals."""

    name: Value
    estimate: float | None
    window: tuple[float, float] | None
    long_run: tuple[float, float] | None


class ShareInterval(NamedTuple):
    """A share with its interval at a place from 0 to 1."""

    place: float
    share: float
    low: float
    high: float


class Day(NamedTuple):
    """Words below, or a numbered mark above, at a place from 0 to 1."""

    place: float
    words: Value


class Course(NamedTuple):
    """Shares by window: named series of spots, what stands below the axis, and numbered marks above it."""

    series: tuple[tuple[Value, tuple[ShareInterval, ...]], ...]
    days: tuple[Day, ...]
    marks: tuple[Day, ...]


Write = Callable[[Value], str]


def intervals(lines: Sequence[IntervalsLine], alt: str, write: Write) -> Markup:
    """A row a quantity: a thick line with a dot for this window, a dashed one below it for the long run."""
    height = TOP + BOTTOM + ROW * len(lines)
    parts = [_share_axis(height)]
    for place, line in enumerate(lines):
        middle = TOP + ROW * place + ROW / 2
        parts.append(_text(LEFT - 10, middle + 4, write(line.name), anchor="end"))
        if line.window:
            parts.append(_rule(line.window, middle - 5, stroke=BLUE, stroke_width=4))
        if line.long_run:
            parts.append(_rule(line.long_run, middle + 6, stroke=VERMILION, stroke_width=3, stroke_dasharray="7 3"))
        if line.estimate is not None:
            parts.append(tag("circle", cx=f"{_x(line.estimate):.1f}", cy=f"{middle - 5:.1f}", r=5, fill=BLUE))
    return _picture(WIDTH, height, alt, parts)


def course(data: Course, alt: str, write: Write) -> Markup:
    """Shares by window: dots for the first series, squares for the second, each with its interval; dashed lines at marks."""
    series, days, marks = data
    height, bottom, top = 250, 210, 34
    scale = _scale([spot for _, spots in series for spot in spots])
    parts = [_level(value, scale, top, bottom) for value in scale.ticks]
    for mark in marks:
        x = _at(mark.place)
        parts.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, stroke=GREY, stroke_dasharray="5 4"))
        parts.append(_text(x, top - 5, write(mark.words), anchor="middle"))
    for number, (_, spots) in enumerate(series):
        for spot in spots:
            parts += _spot(spot, number, scale, (top, bottom))
    parts += [_text(_at(day.place), bottom + 18, write(day.words), anchor="middle") for day in days]
    for number, (name, _) in enumerate(series):
        parts.append(_shape(70.0 + 320 * number, 10.0, number))
        parts.append(_text(82.0 + 320 * number, 14.0, write(name)))
    return _picture(WIDTH, height, alt, parts)


def reliability(spots: Sequence[ShareInterval], alt: str, write: Write) -> Markup:
    """Share right against the mean value of each band, with intervals; the dashed diagonal is a perfectly calibrated value."""

    def across(value: float) -> float:
        return EDGE + value * SIDE

    def up(share: float) -> float:
        return TOP + (1 - share) * SIDE

    parts = [tag("rect", x=EDGE, y=TOP, width=SIDE, height=SIDE, fill="none", stroke=GREY)]
    parts.append(tag("line", x1=EDGE, y1=up(0), x2=across(1), y2=TOP, stroke=GREY, stroke_dasharray="5 4"))
    for tick in (0.0, 0.5, 1.0):
        parts.append(_text(across(tick), up(0) + 18, f"{tick:g}", anchor="middle"))
        parts.append(_text(EDGE - 6, up(tick) + 4, percent(tick), anchor="end"))
    for spot in spots:
        parts.append(_upright(across(spot.place), (up(spot.low), up(spot.high)), BLUE))
        parts.append(tag("circle", cx=f"{across(spot.place):.1f}", cy=f"{up(spot.share):.1f}", r=4, fill=BLUE))
    return _picture(EDGE + SIDE + 20, TOP + SIDE + 30, alt, parts)


class _Scale(NamedTuple):
    """The shares at the lower and the upper edge."""

    low: float
    high: float

    @property
    def ticks(self) -> list[float]:
        return [self.low + (self.high - self.low) * step / 4 for step in range(5)]

    def y(self, share: float, top: float, bottom: float) -> float:
        return bottom - (share - self.low) / (self.high - self.low) * (bottom - top)


def _scale(spots: Sequence[ShareInterval]) -> _Scale:
    """From the tenth below the lowest interval to the tenth above the highest."""
    low = min((int(spot.low * 10) / 10 for spot in spots), default=0.0)
    high = max((min(1.0, (int(spot.high * 10) + 1) / 10) for spot in spots), default=1.0)
    return _Scale(low if low < high else high - 0.1, high)


def _level(value: float, scale: _Scale, top: float, bottom: float) -> Markup:
    y = f"{scale.y(value, top, bottom):.1f}"
    line = tag("line", x1=60, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="#dddddd")
    return inner(line, _text(54, float(y) + 4, percent(value), anchor="end"))


def _spot(spot: ShareInterval, number: int, scale: _Scale, edges: tuple[float, float]) -> list[Markup]:
    x = _at(spot.place) + (number * 2 - 1) * 3
    low, high, middle = (scale.y(share, *edges) for share in (spot.low, spot.high, spot.share))
    colour = (BLUE, VERMILION)[number]
    return [
        _upright(x, (low, high), colour),
        _shape(x, middle, number),
    ]


def _upright(x: float, ends: tuple[float, float], colour: str) -> Markup:
    """An interval."""
    low, high = (f"{end:.1f}" for end in ends)
    return tag("line", x1=f"{x:.1f}", x2=f"{x:.1f}", y1=low, y2=high, stroke=colour, stroke_width=2)


def _shape(x: float, y: float, number: int) -> Markup:
    if number == 0:
        return tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=4, fill=BLUE)
    return tag("rect", x=f"{x - 4:.1f}", y=f"{y - 4:.1f}", width=8, height=8, fill=VERMILION)


def _at(place: float) -> float:
    return round(80 + place * (WIDTH - RIGHT - 100), 1)


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _share_axis(height: float) -> Markup:
    parts = []
    for tick in TICKS:
        x = f"{_x(tick):.1f}"
        parts.append(tag("line", x1=x, x2=x, y1=TOP, y2=height - BOTTOM, stroke="#dddddd"))
        parts.append(_text(_x(tick), height - BOTTOM + 18, percent(tick), anchor="middle"))
    return inner(*parts)


def _rule(ends: tuple[float, float], y: float, **stroke: object) -> Markup:
    start, end = (_x(end) for end in ends)
    return tag("line", x1=f"{start:.1f}", x2=f"{end:.1f}", y1=f"{y:.1f}", y2=f"{y:.1f}", **stroke)


def _text(x: float, y: float, words: str, anchor: str = "start") -> Markup:
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)


def _picture(width: float, height: float, alt: str, parts: Sequence[Markup]) -> Markup:
    # viewBox is the one name in SVG that has a capital
    size = {"viewBox": f"0 0 {width} {height}", "width": width}
    return tag("svg", tag("title", alt), *parts, role="img", **size)


def inner(*parts: str) -> Markup:
    """Put the parts one after the other, texts escaped."""
    return Markup("").join(part if isinstance(part, Markup) else for_page(part) for part in parts)


def tag(name: str, /, *parts: str, **attributes: object) -> Markup:
    """Write an element; a `_` within an attribute's name is a hyphen, as in `aria_label`."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_attribute(key, value))}"' for key, value in attributes.items()
    )
    return Markup(f"<{name}{shown}/>" if name in EMPTY else f"<{name}{shown}>{inner(*parts)}</{name}>")  # noqa: S704 # escaped


def _attribute(name: str, value: object) -> str:
    """Write an attribute: what stands for a picture may hold names of others; numbers of a drawing are ours."""
    return for_page(str(value)) if name in SAID else displayable(str(value))
