"""What a run of every stage came to: its steps in order, each with how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class RunStatus(IntEnum):
    """How a stage or a run ended; the numbers are the exit statuses of the command."""

    DONE = 0
    FAILED = 1
    GATE_FAILED = 3
    PARTIAL = 4  # some rows were refused, or some items failed


# A run ended as the first of these that one of its stages ended with.
MOST_SERIOUS = (RunStatus.FAILED, RunStatus.GATE_FAILED, RunStatus.PARTIAL)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStage:
    """A stage that was run or left out.

    Attributes
    ----------
    stage
        Its name, that of the command.
    at
        When it began, in UTC.
    status
        How it ended.
    result
        What it returned; None where it failed or was left out.
    reason
        Why it failed, or why it was left out.
    """

    stage: str
    at: str
    status: RunStatus
    result: Any = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The steps of a run, in order."""

    steps: tuple[RunStage, ...]

    @property
    def status(self) -> RunStatus:
        """The most serious status of all steps."""
        statuses = {step.status for step in self.steps}
        return next((status for status in MOST_SERIOUS if status in statuses), RunStatus.DONE)
