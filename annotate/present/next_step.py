"""Say what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.message import Step, message
from annotate.present.document import Document, Status


def document(steps: Sequence[Step]) -> Document:
    """Build the document of next steps: the first is the answer, its commands and the others follow."""
    first, *others = steps
    commands = Step(message("steps.run"), first.commands)
    return Document(answer=first.message, status=Status.DONE, next=(commands, *others))
