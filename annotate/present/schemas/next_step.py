"""The JSON of what to do next; it has no more than what every answer has."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.message import Step
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, document_fields


class NextStepModel(AnswerModel, schema="assay/next/1"):
    """What to do next, in `next`."""


MODEL = NextStepModel


def of(_: Sequence[Step], document: Document) -> NextStepModel:
    """Make the model of the steps, with their commands as the document has them."""
    first, *others = document.next
    steps = (Step(document.answer, first.commands), *others)
    return NextStepModel.of(**document_fields(NextStepModel, document._replace(next=steps)))
