"""Tables: up to `MOST_IN_PAGE` rows as text of the page, more than that as Streamlit's frame, which holds what is in sight.

Each has its file: the same rows with exact numbers, both ends of intervals in columns of their own, made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from annotate.domain.message import Name, Value
from annotate.files.writing import as_csv
from annotate.pages.kit import bars, links, privacy, reruns, url_state
from annotate.pages.kit.file_names import file_name
from annotate.pages.kit.html_table import HtmlCell, HtmlColumn, html_table
from annotate.pages.kit.links import PageLink
from annotate.pages.kit.messages import language, render, say
from annotate.present.exact_table import ShownCell, exact
from annotate.present.messages import text
from annotate.present.report.tiles import FigureBar

# Chosen: about 60 kB of text at ten columns, which a browser lays out at once.
MOST_IN_PAGE = 100
LAZY_FROM = 500
HEIGHT = 420


class TableCell(NamedTuple):
    """A cell: its value, where it leads, and its interval as a bar."""

    value: Value
    link: PageLink | None = None
    bar: FigureBar | None = None


class Heading(NamedTuple):
    """What heads a column: its name, whether it holds numbers, what it means, and the ends of the scale of its bars."""

    name: str
    is_number: bool = False
    help: str | None = None
    scale: tuple[Value, Value] | None = None


def table(
    rows: Sequence[Sequence[TableCell | str | int | None]],
    columns: Sequence[str | Heading],
    *,
    alt: str,
    select: str | None = None,
    name: str | None = None,
) -> int | None:
    """Show a table of what is passed and no more.

    Parameters
    ----------
    rows
        Texts, which are shown as they are, counts, and `TableCell`s, whose values are written in the user's language.
    columns
        Their names, or with what else heads them; a column of counts stands on the right by itself.
    alt : str
        What the table is called by those who cannot see what heads it.
    select : str, optional
        The parameter of the address in which a row can be chosen; its first cell is a link then.
    name : str, optional
        What its file is called.

    Returns
    -------
    int or None
        The place of the row that was chosen.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    shown = [[_shown(cell.value) for cell in row] for row in cells]
    headings = _headings(columns, cells)
    chosen = _chosen(select, len(rows)) if select else None
    with st.container(gap=None):
        if len(rows) > MOST_IN_PAGE:
            chosen = _frame(shown, headings, alt=alt, select=select)
        else:
            _html(cells, shown, headings, alt=alt, select=select, chosen=chosen)
        if rows:
            _file(shown, headings, name or alt, reruns.key(alt))
    return chosen


def _headings(columns: Sequence[str | Heading], cells: Sequence[Sequence[TableCell]]) -> list[Heading]:
    """What heads each column."""
    headings = [
        column if isinstance(column, Heading) else Heading(column, _is_counted(cells, place))
        for place, column in enumerate(columns)
    ]
    names = _apart([privacy.shown(heading.name) for heading in headings])
    return [heading._replace(name=name) for heading, name in zip(headings, names, strict=True)]


def _apart(names: Sequence[str]) -> list[str]:
    """The names of columns, the later of two equal ones numbered: a name of others may be one of ours."""
    lines = list[str]()
    for name in names:
        shown, number = name, 1
        while shown in lines:
            number += 1
            shown = f"{name} ({number})"
        lines.append(shown)
    return lines


def _is_counted(cells: Sequence[Sequence[TableCell]], place: int) -> bool:
    return bool(place and cells) and all(isinstance(row[place].value, int | float) for row in cells)


def _cell(value: TableCell | str | int | None) -> TableCell:
    """A cell; a text is shown as it is."""
    return value if isinstance(value, TableCell) else TableCell(Name(value) if isinstance(value, str) else value)


def _shown(value: Value) -> ShownCell:
    """A value with its words; texts of others are made safe to show."""
    return ShownCell(value, privacy.shown(render(value)))


def _html(
    cells: Sequence[Sequence[TableCell]],
    shown: Sequence[Sequence[ShownCell]],
    headings: Sequence[Heading],
    *,
    alt: str,
    select: str | None,
    chosen: int | None,
) -> None:
    columns = [
        HtmlColumn(heading.name, heading.is_number, heading.help, bars.scale(*heading.scale) if heading.scale else "")
        for heading in headings
    ]
    rows = [
        [
            HtmlCell(
                words.words,
                _href(cell, select if column == 0 else None, place),
                bars.bar(cell.bar, f"{headings[column].name} {words.words}") if cell.bar else "",
            )
            for column, (cell, words) in enumerate(zip(row, line, strict=True))
        ]
        for place, (row, line) in enumerate(zip(cells, shown, strict=True))
    ]
    st.html(html_table(columns, rows, name=privacy.shown(alt), chosen=chosen))


def _href(cell: TableCell, select: str | None, place: int) -> str | None:
    """Where a cell leads: to its answers, or to the same page with its row chosen."""
    if select:
        return links.here(**{select: str(place + 1)})
    return links.href(cell.link) if cell.link else None


def _chosen(select: str, count: int) -> int | None:
    """The place of the row that the address names."""
    asked = url_state.get(select)
    if asked is None:
        return None
    if not (asked.isascii() and asked.isdigit() and 1 <= int(asked[:9]) <= count):
        url_state.not_known(select, asked)
        return None
    return int(asked) - 1


def _frame(
    shown: Sequence[Sequence[ShownCell]], headings: Sequence[Heading], *, alt: str, select: str | None
) -> int | None:
    """Rows that are drawn as they come into sight; counts stay numbers, so that they can be sorted."""
    rows = [[cell.value if isinstance(cell.value, int | float) else cell.words for cell in row] for row in shown]
    frame = pd.DataFrame(rows, columns=[heading.name for heading in headings])
    options: dict[str, Any] = {
        "hide_index": True,
        "height": HEIGHT,
        "lazy": len(rows) > LAZY_FROM,
        "column_config": {
            heading.name: st.column_config.Column(help=heading.help) for heading in headings if heading.help
        },
    }
    if select is None:
        st.dataframe(frame, alt=alt, **options)
        return None
    state = st.dataframe(frame, alt=alt, key=select, on_select="rerun", selection_mode="single-row", **options)
    places = state["selection"]["rows"]
    return int(places[0]) if places and places[0] < len(rows) else None


def _file(shown: Sequence[Sequence[ShownCell]], headings: Sequence[Heading], name: str, key: str) -> None:
    """The button that makes the file when it is pressed, beside the page and in the language of now."""
    st.download_button(
        "CSV",
        data=partial(_content, [heading.name for heading in headings], shown, language()),
        file_name=f"{file_name(name)}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"csv-{key}",
        help=say("frame.csv_help"),
        type="tertiary",
    )


def _content(names: Sequence[str], shown: Sequence[Sequence[ShownCell]], code: str) -> bytes:
    laid_out = exact(names, shown)
    return as_csv([text(column, code) for column in laid_out.columns], laid_out.rows)
