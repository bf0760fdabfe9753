"""Say what to do next with a judge that was aligned."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from annotate.analysis.next_step.commands import DRAW
from annotate.domain.message import Step, message

if TYPE_CHECKING:
    from annotate.workflow.judging.alignment import AlignmentRun


def after_aligning(run: AlignmentRun, model: str) -> tuple[Step, ...]:
    """Have a version in force score the traffic; where labels are too few, draw more."""
    if run.alignment is not None and run.alignment.is_in_force:
        command = f"assay judge --backend openai --model {shlex.quote(model)} --judges {run.judge}"
        return (Step(message("steps.judge_aligned"), (command,)),)
    if run.lacks_labels:
        return (Step(message("steps.label_to_align"), (DRAW,)),)
    return ()
