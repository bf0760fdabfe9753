"""Say what to do next, with commands as they must be typed for a store."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from annotate.domain.message import Step, message
from annotate.present.document import Document, Status
from annotate.settings import DEFAULT_STORE


def document(steps: Sequence[Step]) -> Document:
    """Build the document of next steps: the first is the answer, its commands and the others follow."""
    first, *others = steps
    commands = Step(message("steps.run"), first.commands)
    return Document(answer=first.message, status=Status.DONE, next=(commands, *others))


def typed(command: str, store: Path, default: Path = Path(DEFAULT_STORE)) -> str:
    """Return a command as it must be typed for this store; only `default` needs no --db."""
    path, here = store.resolve(), Path.cwd()
    if path == default.resolve():
        return command
    return f"{command} --db {shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))}"


def for_store(document: Document, store: Path, default: Path = Path(DEFAULT_STORE)) -> Document:
    """Return the document with the commands of its next steps as they must be typed for this store."""
    steps = [
        step._replace(commands=tuple(typed(command, store, default) for command in step.commands))
        for step in document.next
    ]
    return document._replace(next=tuple(steps))
