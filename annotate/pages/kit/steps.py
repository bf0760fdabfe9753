"""Show what to do next: its words and its commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.loop import StepState
from annotate.analysis.next_step.loop import next_step as step_of
from annotate.analysis.report.report import ProjectReport
from annotate.domain.message import Step
from annotate.pages.kit.messages import render, say
from annotate.project.store_access import way_of


def next_step(report: ProjectReport, db: Path) -> tuple[Step, ...]:
    """What to do next with this store."""
    return step_of(StepState(report=report, way=way_of(db)))


def in_words(steps: Sequence[Step]) -> str:
    """The steps in the user's language; where no Label Studio is known, how one is started."""
    words = [render(step.message) for step in steps]
    commands = {command for step in steps for command in step.commands}
    return " ".join([*words, *([say("steps.by_file")] if commands & set(FILES.commands) else [])])


def commands_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """Every command of the steps, in their order."""
    return tuple(command for step in steps for command in step.commands)
