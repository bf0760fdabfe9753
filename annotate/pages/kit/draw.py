"""Draw parts of a document on a page: figures as cards, tables, messages as markdown that shows names literally."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from annotate.analysis.next_step.commands import FILES
from annotate.charts import intervals
from annotate.charts.intervals import Bar
from annotate.domain.message import Kind, Message, Number, Step, Value
from annotate.pages.kit import layout, linked, links, pictures, texts
from annotate.pages.kit.layout import PageHead, Tone
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.tables import Heading, TableCell
from annotate.present.document import Block, Chart, Detail, Document, Excerpt, Figure, Figures, Section, Status, Table
from annotate.present.figure_table import below
from annotate.present.scaled_bars import scaled_bars
from annotate.present.svg import IntervalsLine

TONES = {
    Status.MET: Tone.GOOD,
    Status.DONE: Tone.GOOD,
    Status.OPEN: Tone.OPEN,
    Status.MISSED: Tone.BAD,
    Status.UNMEASURABLE: Tone.UNKNOWN,
}


def answer(document: Document, headline: str | None = None, *, head: PageHead | None = None) -> None:
    """Draw the sentence with its colour, and a headline where there is one: at the head of the page, or where it stands."""
    say_answer = head.answer if head else layout.answer
    say_answer(TONES[document.status], render(document.answer), headline)


def section(part: Section | None, *, headed: bool = True) -> None:
    """Draw a section under its title, which the page may have said already; a title may hold names of others."""
    if part is None or not part.blocks:
        return
    if part.title and headed:
        texts.heading(escaped(render(part.title)))
    for block in part.blocks:
        _block(block, part.title)


def sections(parts: Iterable[Section], key: str) -> None:
    """Draw brief sections as they are, and each of the others behind an expander; `key` is their part of the page."""
    for place, part in enumerate(parts):
        if part.detail is not Detail.FULL or part.title is None:
            section(part)
            continue
        with st.expander(escaped(render(part.title)), on_change="rerun", key=f"{key}-{place}") as rest:
            if rest.open:
                section(part, headed=False)


def messages(lines: Iterable[Value]) -> None:
    """Draw messages in small letters, a line each; counts of labelled answers as links to these."""
    every = list(lines)
    if linked.has_links(every):
        linked.show(every)
    else:
        texts.small([render(line) for line in every])


def paragraph(words: Message | str) -> None:
    """Draw a message as a paragraph."""
    st.markdown(escaped(render(words)))


def capital(words: str) -> str:
    """Begin a sentence of ours with a capital letter."""
    return words[:1].upper() + words[1:]


def cards(block: Figures, columns: int = 3) -> None:
    """Draw figures side by side."""
    with st.grid(columns):
        for figure in block.figures:
            card(figure)
    if block.caption:
        st.caption(escaped(render(block.caption)))


def card(figure: Figure) -> None:
    """Draw a figure: its value, its course, and below it its intervals and what it rests on."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(
            escaped(render(figure.label)),
            render(Number(figure.estimate.estimate, figure.kind, figure.is_signed)),
            help=render(figure.help) if figure.help else None,
            chart_data=figure.course if len(figure.course) > 1 else None,
            chart_type="bar" if figure.kind is Kind.COUNT else "line",
            delta_color="blue",
        )
        messages(below(figure))


def chart(block: Chart) -> None:
    """Draw shares as dots with both intervals; of other pictures, say what they show."""
    if block.kind != "intervals":
        messages([block.alt])
        return
    lines: Sequence[IntervalsLine] = block.data  # type: ignore[assignment] # as `present` fills it by its kind
    bars = [
        Bar(render(line.name), say(f"measures.{name}"), line.estimate, *ends)
        for line in lines
        for name, ends in (("window", line.window), ("long_run", line.long_run))
        if ends
    ]
    pictures.show(intervals.intervals(bars), words=render(block.alt))


def table(
    block: Table, title: Message | None = None, *, select: str | None = None, items: Sequence[str] = ()
) -> int | None:
    """Draw a table, its counts as links to their answers.

    With `select` one row can be chosen, whose place comes back; with `items`, an id for each row, its first cell opens that item.
    """
    drawn = [
        scaled_bars([row[place] for row in block.rows], column.mark) if column.has_bars else None
        for place, column in enumerate(block.columns)
    ]
    columns = [
        Heading(
            texts.others(render(column.label)),
            column.is_number,
            render(column.help) if column.help else None,
            bars.ends if bars else None,
        )
        for column, bars in zip(block.columns, drawn, strict=True)
    ]
    rows = [
        [
            TableCell(
                value,
                links.item(items[place]) if items and column == 0 else links.answers(value),
                bars.bars[place] if bars else None,
            )
            for column, (value, bars) in enumerate(zip(row, drawn, strict=True))
        ]
        for place, row in enumerate(block.rows)
    ]
    caption = render(block.caption) if block.caption else ""
    chosen = layout.table(
        rows, columns, alt=render(title) if title else caption, select=select, name=block.name or None
    )
    if caption:
        st.caption(escaped(caption))
    return chosen


def notes(document: Document) -> None:
    """Draw what weakens the answer, a bullet each."""
    st.markdown("\n".join(f"- {escaped(capital(render(note)).removesuffix('.'))}." for note in document.notes))


def steps(following: Sequence[Step]) -> None:
    """Draw what to do next, with its commands; where no Label Studio is known, how one is started."""
    for step in following:
        st.markdown(escaped(render(step.message)))
        layout.commands(step.commands)
    if any(command in FILES.commands for step in following for command in step.commands):
        st.caption(escaped(say("steps.by_file")))


def _block(block: Block, title: Message | None) -> None:
    match block:
        case Figures():
            cards(block)
        case Table():
            table(block, title)
        case Excerpt():
            texts.heading(escaped(render(block.title)))
            for label, words in block.texts:
                texts.small([render(label)])
                st.text(texts.others(words))
        case Chart():
            chart(block)
        case _:
            messages([block])
