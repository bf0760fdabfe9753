"""Build the document of a run of every stage: a line a stage as it ends, and in the end how the run ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from annotate.domain.message import Message, Name, message
from annotate.present.actions import command_document
from annotate.present.document import Document
from annotate.present.messages import one_line

if TYPE_CHECKING:
    from annotate.domain.run_record import Run, RunStage
    from annotate.present.answer import Answer


class ToldStep(NamedTuple):
    """A stage that was run or left out, and its result as its own command tells it."""

    step: RunStage
    answer: Answer[Any] | None

    @property
    def line(self) -> Message:
        """What it came to."""
        what = self.answer.document.answer if self.answer else one_line(self.step.reason, None)
        return message(f"run.{self.step.status.name.lower()}", what=what)


class ToldRun(NamedTuple):
    """A run, and its stages as their commands tell them."""

    run: Run
    steps: Sequence[ToldStep]


def step(result: ToldStep) -> Message:
    """Say when a stage began, and what it came to."""
    return message("run.step", at=Name(result.step.at), stage=Name(result.step.stage), line=result.line)


def document(result: ToldRun) -> Document:
    """Say how the run ended, and each stage."""
    statuses = [step.step.status for step in result.steps]
    count = statuses.count(result.run.status)
    answer = message(f"run.ended_{result.run.status.name.lower()}", count=count, stages=len(statuses))
    return command_document(answer, *map(step, result.steps))
