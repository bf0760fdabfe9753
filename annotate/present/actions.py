"""Build the document of a command that has finished: a sentence, the lines below it, notes and next steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotate.domain.message import Code, Message, Step, message
from annotate.present.document import Block, Document, Section


class WrittenFile(NamedTuple):
    """A file that an export wrote, and its number of rows."""

    file: str
    rows: int


def command_document(
    answer: Message, *blocks: Block, notes: Iterable[Message | str] = (), steps: Sequence[Step] = ()
) -> Document:
    """Build the document of a finished command.

    Parameters
    ----------
    answer : Message
        What the command did.
    blocks : Block
        The lines and tables below it.
    notes : iterable of Message or str
        Warnings and reasons, which go to standard error.
    steps : sequence of Step
        What to do next.

    Returns
    -------
    Document
        With one section that has no title.
    """
    return Document(answer, sections=(Section(None, blocks),), notes=tuple(notes), next=tuple(steps))


def exported(result: WrittenFile, what: str = "rows", steps: Sequence[Step] = ()) -> Document:
    """Build the document of an export: rows, draws, labels, annotations or revisions."""
    key = "actions.no_draws" if what == "draws" and not result.rows else f"actions.{what}_written"
    return command_document(message(key, count=result.rows, file=Code(result.file)), steps=steps)
