"""Hold what an answer says, once: every renderer draws this.

A builder turns a result into a Document: messages by key and values, figures, tables, charts, notes and next steps. Nothing here
is formatted; language, medium and width are the renderer's.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from annotate.domain.message import Kind, Message, Quote, Step, Value
from proxy.evaluation.estimate import Estimate


class Status(StrEnum):
    """What the answer means; colour and sign follow."""

    MET = "met"  # shown to hold
    OPEN = "open"  # more labels could decide it
    MISSED = "missed"  # shown not to hold
    UNMEASURABLE = "unmeasurable"  # nothing here can tell
    DONE = "done"  # something was done, or only told


class Detail(StrEnum):
    """Whether a section is shown by default, whole because somebody asked for it, or with --full and behind an expander."""

    BRIEF = "brief"
    ASKED = "asked"
    FULL = "full"


class Figure(NamedTuple):
    """A quantity by its name in the JSON; `basis` stands in place of intervals where it is counted.

    `is_exact` says that every answer it speaks of is labelled. A card shows more: what it means, its course by week from the
    oldest on, and further lines.
    """

    name: str
    label: Value
    estimate: Estimate
    kind: Kind
    basis: Message | None = None
    is_signed: bool = False
    is_exact: bool = False
    help: Message | None = None
    course: tuple[float, ...] = ()
    lines: tuple[Message | str, ...] = ()


class Figures(NamedTuple):
    """Quantities side by side: a row each in text, a card each on a page."""

    figures: tuple[Figure, ...]
    caption: Message | None = None


class Column(NamedTuple):
    """A column of a table; numbers stand on the right. `is_wide` may be cut short where the line ends.

    A page shows `help`, and where it `has_bars` its intervals as bars on one scale, with a tick at the `mark`.
    """

    label: Value
    is_number: bool = False
    is_wide: bool = False
    help: Message | None = None
    has_bars: bool = False
    mark: float | None = None


class Table(NamedTuple):
    """A table; `name` is its key in the JSON, where it has one. `most` rows are shown by default, all with --full."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: Message | None = None
    name: str = ""
    most: int | None = None


class Excerpt(NamedTuple):
    """An answer of the traffic: how it is called, and its texts with what each is; `is_whole` where --full cuts none short."""

    title: Message
    texts: tuple[tuple[Message, Quote], ...]
    is_whole: bool = False


class Chart(NamedTuple):
    """A picture by the name of the function that draws it, its data, and what it shows in words."""

    kind: str
    data: object
    alt: Message


# A plain `str` is a sentence from below, such as a warning.
Block: TypeAlias = Message | str | Figures | Table | Excerpt | Chart


class Section(NamedTuple):
    """A part of the answer under its title."""

    title: Message | None
    blocks: tuple[Block, ...]
    detail: Detail = Detail.BRIEF


class Condition(NamedTuple):
    """A condition of a gate in brief: what must hold, whether it does in a word, and what was measured or why nothing was."""

    wanted: Value
    status: Status
    standing: Message
    measured: Value


class Document(NamedTuple):
    """What an answer says: the sentence first, then what it rests on.

    `conditions` are those of its gate, for who decides in a pull request: drawn as Markdown and written as JUnit.
    """

    answer: Message
    status: Status = Status.DONE
    sections: tuple[Section, ...] = ()
    notes: tuple[Message | str, ...] = ()
    next: tuple[Step, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def section(self, key: str) -> Section | None:
        """Return the section whose title has this key; None where the document has none."""
        return next((section for section in self.sections if section.title and section.title.key == key), None)

    @property
    def basis(self) -> Section | None:
        """What the answer rests on: the section without a title; None where there is none."""
        return next((section for section in self.sections if section.title is None), None)

    def with_after(self, key: str, added: Section) -> Document:
        """Return the document with another section after the one whose title has this key."""
        place = 1 + next(
            place for place, section in enumerate(self.sections) if section.title and section.title.key == key
        )
        return self._replace(sections=(*self.sections[:place], added, *self.sections[place:]))

    def figures(self) -> Iterator[Figure]:
        """Yield every measured quantity."""
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, Figures):
                    yield from block.figures
