"""Draw the curve over all thresholds and the 2x2 table to scale as HTML: places in per cent, looks by class, own words only.

`st.html` drops every SVG, and the page's policy a component's script: areas are cut out by `clip-path`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from annotate.domain.message import Kind, Number
from annotate.pages.kit.messages import render
from annotate.present.report.tiles import interval_of
from proxy.evaluation.estimate import Estimate

MIDDLE = 0.5  # the lowest share from which there is room for a line at every tenth
HALF_LINE = 0.45  # of the height, in per cent
FAR = 85.0  # per cent of the width from which a mark's word stands before it
NARROW, FLAT = 9.0, 11.0  # per cent of width and height below which a cell has no room for its number
WIDE, TALL = 30.0, 26.0  # from which there is room for its name beside the number, or below it
CLASSES = ("right", "wrong error", "right error", "wrong")


class DrawnPoint(NamedTuple):
    """A threshold, the estimate there and its interval."""

    threshold: float
    value: float
    low: float | None
    high: float | None


class Plot(NamedTuple):
    """Axes: thresholds from `low` to `high`, which are those of the slider, and shares from `lowest` to 1."""

    low: float
    high: float
    lowest: float

    def x(self, threshold: float) -> float:
        """Return where a threshold lies, in per cent from the left."""
        return round(100 * (threshold - self.low) / (self.high - self.low), 1)

    def y(self, share: float) -> float:
        """Return where a share lies, in per cent from above; one below the axis lies on it."""
        return round(100 * min(1.0, (1 - share) / (1 - self.lowest)), 1)

    def grid(self) -> str:
        """Draw a line with its name for a few shares."""
        step = 1 if self.lowest >= MIDDLE else 2
        shares = [tenth / 10 for tenth in range(round(10 * self.lowest), 10, step)]
        lines = (f"<i style='top:{self.y(at)}%'><small>{render(Number(at, Kind.SHARE))}</small></i>" for at in shares)
        return "".join(lines)

    def curve(self, points: Sequence[tuple[float, float, float | None, float | None]]) -> str:
        """Draw the estimates as a line and their intervals as a band."""
        if len(points) < 2:
            return ""
        whole = [DrawnPoint(*point) for point in points]
        band = [point for point in whole if point.low is not None and point.high is not None]
        line = [(self.x(point.threshold), max(HALF_LINE, self.y(point.value))) for point in whole]
        upper = [(self.x(point.threshold), self.y(point.high or 0.0)) for point in band]
        lower = [(self.x(point.threshold), self.y(point.low or 0.0)) for point in band]
        return _area("band", upper, lower) + _area(
            "line", [(x, y - HALF_LINE) for x, y in line], [(x, y + HALF_LINE) for x, y in line]
        )

    def limit(self, limit: float, words: str) -> str:
        """Draw the limit."""
        return f"<u style='top:{self.y(limit)}%'><small>{escape(words)}</small></u>"

    def in_force(self, threshold: float, words: str) -> str:
        """Draw the mark of the threshold in force."""
        at = self.x(threshold)
        return f"<s style='left:{at}%'{' class=far' if at > FAR else ''}><small>{escape(words)}</small></s>"

    def here(self, threshold: float, precision: Estimate) -> str:
        """Draw the threshold that is looked at, with its estimate and interval."""
        at, (low, high), mark = self.x(threshold), interval_of(precision), ""
        if precision.estimate is not None:
            if low is not None and high is not None:
                top = self.y(high)
                mark = f"<q style='top:{top}%;height:{round(self.y(low) - top, 1)}%'></q>"
            mark += f"<em style='top:{self.y(precision.estimate)}%'></em>"
        return f"<b style='left:{at}%'>{mark}</b>"


class DrawnCell(NamedTuple):
    """A cell of the 2x2 table: its value as a number and in words, its name, and where its labelled answers are listed.

    `tip` says how many these are.
    """

    value: float
    number: str
    name: str
    href: str | None
    tip: str


def cells(of_table: Sequence[DrawnCell]) -> str:
    """Draw the 2x2 table to scale: widths are passed and failed, heights right and wrong; each cell opens its answers."""
    values = [cell.value for cell in of_table]
    total, left, parts = sum(values), 0.0, []
    for column in (0, 2):
        width, top = 100 * sum(values[column : column + 2]) / total, 0.0
        for place in (column, column + 1):
            height = 100 * values[place] / (sum(values[column : column + 2]) or 1)
            words = _content(of_table[place], width, height)
            box = f"left:{left:.4g}%;top:{top:.4g}%;width:{width:.4g}%;height:{height:.4g}%"
            parts.append(f"<div class='{CLASSES[place]}' style='{box}'>{words}</div>" if width and height else "")
            top += height
        left += width
    description = ", ".join(f"{cell.number} {cell.name}" for cell in of_table)
    return f"<div class='a-cells' role='group' aria-label='{escape(description, quote=True)}'>{''.join(parts)}</div>"


def _content(cell: DrawnCell, width: float, height: float) -> str:
    """Return what stands in a cell, as a link where labelled answers are behind it."""
    words = _words(cell.number, cell.name, width, height)
    if cell.href is None:
        return f"<span>{words}</span>"
    tip = escape(cell.tip, quote=True)
    return f"<a class='a-go' href='{escape(cell.href, quote=True)}' title='{tip}' aria-label='{tip}'>{words}</a>"


def _words(number: str, name: str, width: float, height: float) -> str:
    """Return the number and the name of a cell: as much as there is room for."""
    if width < NARROW or height < FLAT:
        return ""
    return f"<b>{number}</b> {escape(name)}" if width > WIDE or height > TALL else f"<b>{number}</b>"


def _area(name: str, upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> str:
    """Cut an area out of the picture: along its upper edge, and back along its lower one."""
    corners = ",".join(f"{x:g}% {y:.3g}%" for x, y in [*upper, *reversed(lower)])
    return f"<div class='{name}' style='clip-path:polygon({corners})'></div>"
