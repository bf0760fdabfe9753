"""Draw parts of a document on a page: figures as cards, tables, messages as markdown that shows names literally."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from annotate.domain.message import Message, Number, Step, Value
from annotate.pages.kit import layout, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import told
from annotate.present.document import Block, Chart, Detail, Excerpt, Figure, Figures, Section, Status, Table
from annotate.present.figure_table import below
from annotate.store import Store

TONES = {
    Status.MET: Tone.GOOD,
    Status.DONE: Tone.GOOD,
    Status.OPEN: Tone.OPEN,
    Status.MISSED: Tone.BAD,
    Status.UNMEASURABLE: Tone.UNKNOWN,
}


def section(part: Section | None, *, headed: bool = True) -> None:
    """Draw a section under its title, which the page may have said already."""
    if part is None or not part.blocks:
        return
    if part.title and headed:
        texts.heading(escaped(told(part.title)))
    for block in part.blocks:
        _block(block, part.title)


def sections(parts: Iterable[Section], key: str) -> None:
    """Draw brief sections as they are, and each of the others behind an expander; `key` is their part of the page."""
    for place, part in enumerate(parts):
        if part.detail is Detail.BRIEF or part.title is None:
            section(part)
            continue
        with st.expander(escaped(told(part.title)), on_change="rerun", key=f"{key}-{place}") as rest:
            if rest.open:
                section(part, headed=False)


def messages(lines: Iterable[Message | str]) -> None:
    """Draw messages in small letters, a line each."""
    texts.small([told(line) for line in lines])


def table(block: Table, title: Message | None = None, *, select: str | None = None) -> int | None:
    """Draw a table; with `select` (its key) one row can be chosen, whose place comes back."""
    columns = [told(column.label) for column in block.columns]
    kinds = [column.is_number for column in block.columns]
    rows = [[_cell(*cell) for cell in zip(row, kinds, strict=True)] for row in block.rows]
    caption = told(block.caption) if block.caption else ""
    place = layout.table(rows, columns, alt=caption or told(title), select=select)
    if caption:
        st.caption(escaped(caption))
    return place


def steps(store: Store, following: Sequence[Step]) -> None:
    """Draw what to do next, with its commands."""
    for step in following:
        st.markdown(escaped(told(step.message)))
        layout.commands(store, step.commands)


def _block(block: Block, title: Message | None) -> None:
    match block:
        case Figures():
            _cards(block.figures)
        case Table():
            table(block, title)
        case Excerpt():
            texts.heading(escaped(told(block.title)))
            for label, words in block.texts:
                texts.small([told(label)])
                st.text(texts.others(words))
        case Chart():
            messages([block.alt])
        case _:
            messages([block])


def _cards(figures: Sequence[Figure]) -> None:
    with st.grid(3):
        for figure in figures:
            with st.container(border=True, height="stretch", gap="xsmall"):
                value = told(Number(figure.estimate.estimate, figure.kind, figure.is_signed))
                st.metric(escaped(told(figure.label)), value)
                messages(below(figure))


def _cell(value: Value, is_number: bool) -> object:
    """A count of a column of numbers stays one, so that it can be sorted."""
    return value if is_number and isinstance(value, int) else told(value)
