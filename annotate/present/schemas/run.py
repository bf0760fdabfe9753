"""The JSON of a run of every stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from annotate.present.messages import text
from annotate.present.run import ToldRun
from annotate.present.schemas.base import ActionModel, Model


class RunStageModel(Model):
    """A stage; `result` is what its command prints with --json, null where it failed or was left out."""

    at: str
    status: int
    line: str
    result: dict[str, Any] | None


class RunModel(ActionModel, schema="assay/run/1"):
    """Every stage of a run, in order, and the exit status of the command."""

    exit_status: int
    ingest: tuple[RunStageModel, ...] = ()
    feedback: tuple[RunStageModel, ...] = ()
    judge: tuple[RunStageModel, ...] = ()
    sample: tuple[RunStageModel, ...] = ()
    push: tuple[RunStageModel, ...] = ()
    pull: tuple[RunStageModel, ...] = ()
    report: tuple[RunStageModel, ...] = ()
    drift: tuple[RunStageModel, ...] = ()

    @classmethod
    def computed(cls, result: ToldRun) -> Mapping[str, object]:
        """Give the steps by stage."""
        by_stage = defaultdict[str, list[RunStageModel]](list)
        for told_step in result.steps:
            step, answer = told_step
            stage_result = answer.to_dict() if answer else None
            model = RunStageModel(at=step.at, status=int(step.status), line=text(told_step.line), result=stage_result)
            by_stage[step.stage].append(model)
        return {"exit_status": int(result.run.status), **by_stage}


MODELS = {"document": RunModel}
