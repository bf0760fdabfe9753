"""Tell what a command did: one sentence, a few lines under it, and what to know beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotate.domain.message import Code, Message, Step, message
from annotate.present.document import Block, Document, Section


class WrittenFile(NamedTuple):
    """A file that was written, and how many rows it has."""

    file: str
    rows: int


def done(answer: Message, *blocks: Block, notes: Iterable[Message | str] = (), steps: Sequence[Step] = ()) -> Document:
    """Tell what was done, the rest under it, and what to know beside it."""
    return Document(answer, sections=(Section(None, blocks),), notes=tuple(notes), next=tuple(steps))


def exported(result: WrittenFile, what: str, steps: Sequence[Step] = ()) -> Document:
    """Tell what was written: rows, draws, labels, annotations or revisions."""
    return done(message(f"actions.{what}_written", count=result.rows, file=Code(result.file)), steps=steps)
