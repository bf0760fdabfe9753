"""Say what to do next with a judge that was aligned."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotate.analysis.next_step.commands import DRAW
from annotate.analysis.next_step.judging import reading
from annotate.analysis.signatures import model_of
from annotate.domain.alignment import Alignment
from annotate.domain.message import Name, Step, message
from proxy.evaluation.candidates import JudgeKey, single
from proxy.text.addresses import without_secrets

if TYPE_CHECKING:
    from annotate.workflow.judging.alignment import AlignmentRun
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.judging.score_map import ScoreMapping

# Why a score stays as it is where more labels may tell.
LACKS_LABELS = ("few_tuning", "few_measuring", "not_shown")


def after_aligning(run: AlignmentRun, request: ModelRequest) -> tuple[Step, ...]:
    """Have a version in force score the traffic; where labels are too few, draw more."""
    if run.alignment is not None and run.alignment.is_in_force:
        command = f"assay judge --backend openai {_asking(run.judge, request)} --judges {run.judge}"
        return (Step(message("steps.judge_aligned"), (command,)),)
    if run.lacks_labels:
        return (Step(message("steps.label_to_align"), (DRAW,)),)
    return ()


def after_mapping(mapping: ScoreMapping) -> tuple[Step, ...]:
    """Let a rule read the mapped score, where it passes some answers and fails others; where labels are too few, draw more."""
    measured = mapping.measured
    if measured is not None and measured.is_in_force and measured.maps.separates:
        key = JudgeKey(judge=measured.judge, signature=measured.signature)
        return (Step(message("steps.score_mapped"), (reading(single(key), {key.judge: key.signature}),)),)
    if mapping.not_mapped is not None and mapping.not_mapped.value in LACKS_LABELS:
        return (Step(message("steps.label_to_align"), (DRAW,)),)
    return ()


def align_again(out_of_force: Sequence[Alignment], request: ModelRequest) -> tuple[Step, ...]:
    """Have a judge that was asked without its version learn again: from the guidelines of that version, where it has some."""
    return tuple(
        Step(message("steps.align_again", judge=Name(version.judge)), _aligning(version, request))
        for version in out_of_force
    )


def _aligning(version: Alignment, request: ModelRequest) -> tuple[str, ...]:
    judge = shlex.quote(version.judge)
    aligned = f"assay align {judge} {_asking(version.judge, request)}"
    if not version.guidelines:
        return (aligned,)
    before = f" --model {shlex.quote(model)}" if (model := model_of(version.bare)) else ""
    exported = f"assay align {judge}{before} --export guidelines.txt"
    return (exported, f"{aligned} --guidelines guidelines.txt")


def _asking(judge: str, request: ModelRequest) -> str:
    address = f" --base-url {shlex.quote(without_secrets(request.url))}" if request.url else ""
    definition = request.options.choice.aspects.get(judge)
    aspect = f" --aspect {shlex.quote(f'{judge}={definition}')}" if definition else ""
    return f"--model {shlex.quote(request.model or '')}{address}{aspect}"
