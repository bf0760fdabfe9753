"""Write a table as HTML: text that the browser finds and a screen reader walks through, with links and bars in its cells.

Every text is escaped here and shown as it came, right to left where it begins so; the picture of a cell is HTML of our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

LONGEST_NUMBER = 30
LONG_TEXT = 40  # characters from which on a cell keeps room for several words a line


class HtmlCell(NamedTuple):
    """What a cell shows, where its text leads, and a picture of ours below it."""

    text: str
    href: str | None = None
    picture: str = ""


class HtmlColumn(NamedTuple):
    """What heads a column: its name, whether its cells are numbers, what it means, and a scale of ours below the name."""

    name: str
    is_number: bool = False
    help: str | None = None
    scale: str = ""


def html_table(
    columns: Sequence[HtmlColumn], rows: Sequence[Sequence[HtmlCell]], *, name: str, chosen: int | None = None
) -> str:
    """Write a table whose first column names its rows.

    Parameters
    ----------
    columns, rows
        As many cells a row as there are columns.
    name : str
        What the table is called by those who cannot see what heads it.
    chosen : int, optional
        The place of the row that is open.
    """
    head = "".join(map(_head, columns))
    # A single row of numbers, such as the counts of a crossing, has no name.
    is_named = bool(columns) and not (len(rows) == 1 and columns[0].is_number)
    body = "".join(_row(columns, row, is_named=is_named, is_chosen=place == chosen) for place, row in enumerate(rows))
    called = escape(name)
    return (
        f'<div class="a-table" role="region" tabindex="0" aria-label="{called}"><table aria-label="{called}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _head(column: HtmlColumn) -> str:
    number = ' class="number"' if column.is_number else ""
    meaning = f' title="{escape(column.help)}"' if column.help else ""
    return f'<th scope="col"{number}{meaning} dir="auto">{escape(column.name)}{column.scale}</th>'


def _row(columns: Sequence[HtmlColumn], row: Sequence[HtmlCell], *, is_named: bool, is_chosen: bool) -> str:
    cells = "".join(
        _cell(column, cell, is_name=is_named and place == 0)
        for place, (column, cell) in enumerate(zip(columns, row, strict=True))
    )
    current = ' aria-current="true"' if is_chosen else ""
    return f"<tr{current}>{cells}</tr>"


def _cell(column: HtmlColumn, cell: HtmlCell, *, is_name: bool) -> str:
    tag, scope = ("th", ' scope="row"') if is_name else ("td", "")
    looks = _looks(cell) if column.is_number else "long" if len(cell.text) > LONG_TEXT else ""
    number = f' class="{looks}"' if looks else ""
    text = escape(cell.text)
    if is_name:
        text = text.replace("_", "_<wbr/>")  # names of judges are long words
    if cell.href is not None:
        text = f'<a class="a-go" href="{escape(cell.href)}">{text}</a>'
    return f'<{tag}{scope}{number} dir="auto">{text}{cell.picture}</{tag}>'


def _looks(cell: HtmlCell) -> str:
    """How a number is set: with its interval on one line, where it is no sentence."""
    return "number" if len(cell.text) <= LONGEST_NUMBER else "number words"
