"""Say what to do next with a judge that was aligned."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from annotate.analysis.next_step.commands import DRAW
from annotate.domain.message import Step, message
from proxy.text.addresses import without_secrets

if TYPE_CHECKING:
    from annotate.workflow.judging.alignment import AlignmentRun
    from annotate.workflow.judging.model_request import ModelRequest


def after_aligning(run: AlignmentRun, request: ModelRequest) -> tuple[Step, ...]:
    """Have a version in force score the traffic; where labels are too few, draw more."""
    if run.alignment is not None and run.alignment.is_in_force:
        address = f" --base-url {shlex.quote(without_secrets(request.url))}" if request.url else ""
        model = f"--model {shlex.quote(request.model or '')}{address}"
        return (Step(message("steps.judge_aligned"), (f"assay judge --backend openai {model} --judges {run.judge}",)),)
    if run.lacks_labels:
        return (Step(message("steps.label_to_align"), (DRAW,)),)
    return ()
