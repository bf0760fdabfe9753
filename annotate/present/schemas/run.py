"""The JSON of a run of every stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from annotate.present.messages import text
from annotate.present.run import ToldRun
from annotate.present.schemas.base import ActionModel, Model


class StepModel(Model):
    """A stage; `result` is what its command prints with --json, null where it failed or was left out."""

    at: str
    status: int
    line: str
    result: dict[str, Any] | None


class RunModel(ActionModel, schema="assay/run/1"):
    """Every stage of a run, in order, and the exit status of the command."""

    exit_status: int
    ingest: tuple[StepModel, ...] = ()
    feedback: tuple[StepModel, ...] = ()
    judge: tuple[StepModel, ...] = ()
    sample: tuple[StepModel, ...] = ()
    push: tuple[StepModel, ...] = ()
    pull: tuple[StepModel, ...] = ()
    report: tuple[StepModel, ...] = ()
    drift: tuple[StepModel, ...] = ()

    @classmethod
    def computed(cls, result: ToldRun) -> Mapping[str, object]:
        """Give the steps by stage."""
        by_stage = defaultdict[str, list[StepModel]](list)
        for each in result.steps:
            step, answer = each
            told = answer.to_dict() if answer else None
            model = StepModel(at=step.at, status=int(step.status), line=text(each.line), result=told)
            by_stage[step.stage].append(model)
        return {"exit_status": int(result.run.status), **by_stage}


MODELS = {"document": RunModel}
