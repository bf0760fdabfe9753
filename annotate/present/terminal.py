"""Draw a Document as plain lines for a terminal.

By default about BRIEF_LINES lines: the answer, the sections that are brief, two notes and the next step; `full` draws all. Where
these are too many, whole sentences go first and figures never do: the order is that of `Rank`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, auto
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from annotate.domain.message import Message, Step, Value, message
from annotate.present.commands import typed
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
from annotate.present.messages import LONGEST_QUOTE, LeavingWriter
from proxy.text.controls import safe

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

# What a terminal of usual height shows without scrolling.
BRIEF_LINES = 25
# Chosen: more notes would take the room of the answer; --full has all.
BRIEF_NOTES = 2
LONG_TABLE = 12  # lines; what is beyond them goes before sentences do
# Chosen: lines of a file or a pipe, where no terminal says its width.
WIDTH = 100
GAP = 2  # columns between two of a table
LEAST_WIDE = 12  # columns that a name keeps in a table
NO_BREAK = "\ue000"  # a sign of private use, one column wide: rich breaks lines at every kind of space
COLOURS = {Status.MET: "green", Status.OPEN: "yellow", Status.MISSED: "red"}


class Rank(IntEnum):
    """What is left out where a document has too many lines, the first to go first; what is KEPT stays whatever the length."""

    SPARE = auto()  # always left out: the notes beyond BRIEF_NOTES
    FURTHER_NOTE = auto()
    FURTHER_LINE = auto()  # of a long table
    SENTENCE = auto()
    NOTE = auto()  # the first, and why a figure is not measurable
    LINE = auto()  # of a table
    FIRST_SENTENCE = auto()
    KEPT = auto()  # figures, and what was asked for


class LineBlock(NamedTuple):
    """Lines that are shown together or not at all."""

    lines: list[str]
    rank: Rank


class TerminalSection(NamedTuple):
    """A section or the notes: the lines above, which go with the last piece, and the pieces."""

    above: list[str]
    pieces: list[LineBlock]

    def lines(self) -> list[str]:
        """Return what is shown of it."""
        return [*self.above, *(line for piece in self.pieces for line in piece.lines)] if self.pieces else []


def fitting(parts: Sequence[TerminalSection], most: int) -> tuple[list[TerminalSection], int]:
    """Leave pieces out, in the order of their ranks and the last first, until what is left fits.

    Parameters
    ----------
    parts : sequence of TerminalSection
        What there is to show.
    most : int
        The lines that there is room for, with a blank line and the line that says how many are left out.

    Returns
    -------
    tuple of list of Part and int
        The same parts with the pieces that are shown, and how many lines those have that are not.
    """
    ranks = {
        (place, number): piece.rank for place, part in enumerate(parts) for number, piece in enumerate(part.pieces)
    }
    first = next(iter(ranks), None)
    if first is not None and ranks[first] is Rank.SENTENCE:
        ranks[first] = Rank.FIRST_SENTENCE
    pieces_of = Counter(place for place, _ in ranks)
    count, left_out, gone = sum(len(part.lines()) for part in parts), 0, set[tuple[int, int]]()
    for place, number in sorted(ranks, key=lambda where: (ranks[where], -where[0], -where[1])):
        has_room = count + 1 + bool(left_out) <= most
        if ranks[place, number] is Rank.KEPT or (has_room and ranks[place, number] is not Rank.SPARE):
            break
        above, pieces = parts[place]
        gone.add((place, number))
        pieces_of[place] -= 1
        left_out += len(pieces[number].lines)
        count -= len(pieces[number].lines) + (0 if pieces_of[place] else len(above))
    shown = [
        TerminalSection(above, [piece for number, piece in enumerate(pieces) if (place, number) not in gone])
        for place, (above, pieces) in enumerate(parts)
    ]
    return shown, left_out


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
        self._writer = LeavingWriter(longest=LONGEST_QUOTE)

    def draw(self, document: Document) -> str:
        head = self._lines(self._styled(document.answer, f"bold {COLOURS.get(document.status, '')}".strip()))
        steps = [line for step in document.next for line in self._step(step)]
        body = [part for section in document.sections if (part := self._section(section)).pieces]
        parts = [*body, TerminalSection([], self._notes(document.notes))]
        left_out = list[str]()
        if not self._full:
            parts, count = fitting(parts, BRIEF_LINES - len(head) - len(steps))
            left_out = self._lines(self._styled(message("values.more_lines", count=count))) if count else []
        *sections, notes = parts
        shown = [line for part in sections for line in part.lines()]
        foot = [*notes.lines(), *steps, *left_out]
        return "".join(f"{line}\n" for line in [*head, *shown, *([""] if foot and shown else []), *foot])

    def _section(self, section: Section) -> TerminalSection:
        if section.detail is Detail.FULL and not self._full:
            return TerminalSection([], [])
        title = self._lines(self._styled(section.title, "bold")) if section.title else []
        pieces = [piece for block in section.blocks for piece in self._block(block) if piece.lines]
        if section.detail is Detail.ASKED:
            pieces = [piece._replace(rank=Rank.KEPT) for piece in pieces]
        return TerminalSection(["", *title], pieces)

    def _block(self, block: Block) -> Iterator[LineBlock]:
        match block:
            case Figures():
                yield from self._figures(block)
            case Table():
                yield from self._table(block)
            case Excerpt():
                yield LineBlock(self._excerpt(block), Rank.SENTENCE)
            case Chart():
                yield LineBlock(self._lines(self._styled(block.alt)) if self._full else [], Rank.SENTENCE)
            case _:
                yield LineBlock(self._lines(self._styled(block)), Rank.SENTENCE)

    def _figures(self, block: Figures) -> Iterator[LineBlock]:
        table = as_table(block)
        yield LineBlock(self._grid(table.columns, table.rows) if table.rows else [], Rank.KEPT)
        yield from (LineBlock(self._lines(self._styled(words)), Rank.NOTE) for words in reasons(block))
        if block.caption:
            yield LineBlock(self._lines(self._styled(block.caption)), Rank.SENTENCE)

    def _table(self, table: Table) -> Iterator[LineBlock]:
        rows, lines = self._rows_shown(table)
        yield from (LineBlock([line], Rank.LINE) for line in lines[:LONG_TABLE])
        yield from (LineBlock([line], Rank.FURTHER_LINE) for line in lines[LONG_TABLE:])
        if more := len(table.rows) - len(rows):
            yield LineBlock(self._lines(self._styled(message("values.more_rows", count=more))), Rank.LINE)
        if table.caption:
            yield LineBlock(self._lines(self._styled(table.caption)), Rank.SENTENCE)

    def _rows_shown(self, table: Table) -> tuple[Sequence[Sequence[Value]], list[str]]:
        """Rows and their lines; of a table that may be cut so few that they fit whole, and one count holds all the others."""
        is_cut = table.most is not None and not self._full
        rows = table.rows[: table.most] if is_cut else table.rows
        lines = self._grid(table.columns, rows) if rows else []
        while is_cut and len(rows) > 1 and len(lines) > LONG_TABLE:
            rows = rows[:-1]
            lines = self._grid(table.columns, rows)
        return rows, lines

    def _excerpt(self, excerpt: Excerpt) -> list[str]:
        writer = LeavingWriter() if excerpt.is_whole and self._full else self._writer
        lines = self._wrapped(writer.write(excerpt.title))
        for label, words in excerpt.texts:
            lines += self._wrapped(writer.write(message("values.colon", label=label, words=words)), indent=4)
        return lines

    def _notes(self, notes: Sequence[Message | str]) -> list[LineBlock]:
        drawn = [self._lines(self._styled(message("values.note", note=note))) for note in notes]
        ranks = [Rank.NOTE, *[Rank.FURTHER_NOTE] * (BRIEF_NOTES - 1), *[Rank.SPARE] * len(notes)]
        return [LineBlock(lines, rank) for lines, rank in zip(drawn, ranks, strict=False)]

    def _step(self, step: Step) -> list[str]:
        # A command has a line of its own, so that it can be copied.
        words = self._wrapped(self._writer.write(message("values.next", words=step.message)))
        return [*words, *(f"    {safe(typed(command))}" for command in step.commands)]

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

        labels = [Text(safe(self._writer.write(column.label))) for column in columns]
        cells = [[Text(_kept(self._writer.write(cell))) for cell in row] for row in rows]
        is_tight = self._is_tight(columns, [labels, *cells])
        grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
        for column, label in zip(columns, labels, strict=True):
            grid.add_column(
                label,
                justify="right" if column.is_number else "left",
                no_wrap=not (column.is_wide or is_tight),
                overflow="ellipsis" if not (column.is_wide or is_tight) else "fold",
            )
        for row in cells:
            grid.add_row(*row)
        return self._lines(grid)

    def _is_tight(self, columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> bool:
        """Whether cells must break, so that columns that may be cut keep LEAST_WIDE."""
        longest = [max(row[place].cell_len for row in rows) for place in range(len(columns))]
        least = [
            min(width, LEAST_WIDE) if column.is_wide else width for column, width in zip(columns, longest, strict=True)
        ]
        return sum(least) + GAP * (len(columns) - 1) > self._width

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
