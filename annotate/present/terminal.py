"""Draw a Document as plain lines for a terminal.

By default at most BRIEF_LINES lines: the answer, the sections that are brief, two notes and the next step; `full` draws all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from annotate.domain.message import Message, Step, Value, message
from annotate.present.document import (
    Block,
    Chart,
    Column,
    Detail,
    Document,
    Excerpt,
    Figures,
    Section,
    Status,
    Table,
)
from annotate.present.figure_table import as_table, reasons
from annotate.present.messages import LONGEST_QUOTE, Writer
from proxy.text.controls import safe

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

BRIEF_LINES = 25
BRIEF_NOTES = 2
WIDTH = 100
NO_BREAK = "\ue000"  # a sign of private use, one column wide: rich breaks lines at every kind of space
COLOURS = {Status.MET: "green", Status.OPEN: "yellow", Status.MISSED: "red"}


def render(document: Document, *, full: bool = False, width: int = WIDTH, colour: bool = False) -> str:
    """Draw a document.

    Parameters
    ----------
    document : Document
        What to draw.
    full : bool
        Draw every section, row and note.
    width : int
        Columns of the terminal; a wide character takes two.
    colour : bool
        Write colours and bold letters as ANSI sequences.

    Returns
    -------
    str
        Lines, each ended by a newline.
    """
    return _Drawing(width=width, full=full, colour=colour).draw(document)


def _kept(words: str) -> str:
    """Words that steer no terminal, with each number and its %, and each n, on one line."""
    return safe(words).replace(" %", f"{NO_BREAK}%").replace("n = ", f"n{NO_BREAK}={NO_BREAK}")


class _Drawing:
    """One drawing of one document."""

    def __init__(self, *, width: int, full: bool, colour: bool) -> None:
        self._width, self._full, self._colour = width, full, colour
        self._writer = Writer(longest=LONGEST_QUOTE)

    def draw(self, document: Document) -> str:
        head = self._lines(self._styled(document.answer, f"bold {COLOURS.get(document.status, '')}".strip()))
        foot = [*self._notes(document.notes), *(line for step in document.next for line in self._step(step))]
        body = [line for section in document.sections for line in self._section(section)]
        if not self._full:
            body = self._cut(body, BRIEF_LINES - len(head) - len(foot) - bool(foot))
        return "".join(f"{line}\n" for line in [*head, *body, *([""] if foot and body else []), *foot])

    def _cut(self, body: list[str], most: int) -> list[str]:
        """The first lines, where all are too many."""
        if len(body) <= most:
            return body
        shown = body[: max(0, most - 1)]
        more = sum(bool(line.strip()) for line in body[len(shown) :])
        return [*shown, *self._lines(self._styled(message("values.more_lines", count=more)))]

    def _section(self, section: Section) -> list[str]:
        if section.detail is Detail.FULL and not self._full:
            return []
        lines = [line for block in section.blocks for line in self._block(block)]
        if not lines:
            return []
        title = self._lines(self._styled(section.title, "bold")) if section.title else []
        return ["", *title, *lines]

    def _block(self, block: Block) -> list[str]:
        match block:
            case Figures():
                return self._figures(block)
            case Table():
                return self._table(block)
            case Excerpt():
                return self._excerpt(block)
            case Chart():
                return self._lines(self._styled(block.alt)) if self._full else []
        return self._lines(self._styled(block))

    def _figures(self, block: Figures) -> list[str]:
        lines = self._table(as_table(block)._replace(caption=None))
        under = [*reasons(block), *([block.caption] if block.caption else [])]
        return [*lines, *(line for words in under for line in self._lines(self._styled(words)))]

    def _table(self, table: Table) -> list[str]:
        rows = table.rows if self._full or table.most is None else table.rows[: table.most]
        lines = self._grid(table.columns, rows) if rows else []
        more = len(table.rows) - len(rows)
        notes = [message("values.more_rows", count=more)] if more else []
        notes += [table.caption] if table.caption else []
        return [*lines, *(line for note in notes for line in self._lines(self._styled(note)))]

    def _excerpt(self, excerpt: Excerpt) -> list[str]:
        lines = self._wrapped(self._writer.write(excerpt.title))
        for label, words in excerpt.texts:
            lines += self._wrapped(self._writer.write(message("values.colon", label=label, words=words)), indent=4)
        return lines

    def _notes(self, notes: Sequence[Message | str]) -> list[str]:
        shown = notes if self._full else notes[:BRIEF_NOTES]
        lines = [line for note in shown for line in self._lines(self._styled(message("values.note", note=note)))]
        more = len(notes) - len(shown)
        return [*lines, *self._lines(self._styled(message("values.more_notes", count=more)))] if more else lines

    def _step(self, step: Step) -> list[str]:
        # A command has a line of its own, so that it can be copied.
        words = self._wrapped(self._writer.write(message("values.next", words=step.message)))
        return [*words, *(f"    {safe(command)}" for command in step.commands)]

    def _styled(self, value: Value, style: str = "") -> RenderableType:
        from rich.text import Text

        return Text(_kept(self._writer.write(value)), style=style)

    def _wrapped(self, words: str, indent: int = 0) -> list[str]:
        from rich.padding import Padding
        from rich.text import Text

        return self._lines(Padding(Text(_kept(words)), (0, 0, 0, indent)))

    def _grid(self, columns: Sequence[Column], rows: Iterable[Sequence[Value]]) -> list[str]:
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in columns:
            grid.add_column(
                Text(safe(self._writer.write(column.label))),
                justify="right" if column.is_number else "left",
                no_wrap=not column.is_wide,
                overflow="ellipsis" if not column.is_wide else "fold",
            )
        for row in rows:
            grid.add_row(*(Text(_kept(self._writer.write(cell))) for cell in row))
        return self._lines(grid)

    def _lines(self, drawn: RenderableType) -> list[str]:
        console = self._console()
        console.print(drawn)
        return [line.rstrip().replace(NO_BREAK, " ") for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]

    def _console(self) -> Console:
        from rich.console import Console

        return Console(
            file=StringIO(),
            width=self._width,
            force_terminal=self._colour,
            color_system="standard" if self._colour else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
