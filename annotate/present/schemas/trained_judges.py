"""The JSON of a training of judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.present.schemas.base import ActionModel, EstimateModel, Model
from annotate.present.schemas.keyed import FieldsOf
from proxy.judges.trained.training import NotTrained

if TYPE_CHECKING:
    from annotate.workflow.judging.trained_judges import TrainedHere, TrainingRun


class TrainedJudgeModel(Model):
    """A judge that was trained, with its AUROC and the offline judge's on synthetic pairs that were held out.

    `pairs` counts these by kind, `answers` the questions and passages that they were made from. `shrinkage` is how far it was
    shrunk towards the offline judge; null where it ranks answers just as that one does.
    """

    judge: str
    signature: str
    taught: int
    pairs: dict[str, int]
    answers: int
    auroc: EstimateModel
    auroc_of_offline_judge: EstimateModel
    difference: EstimateModel
    shrinkage: float | None


class TrainingModel(ActionModel, schema="assay/training/1"):
    """What taught, and which judges were trained; `not_trained` has the criteria with too few pairs of either kind.

    `of_test_questions` counts references of questions that were built from passages, `unreviewed` those that nobody has accepted.
    """

    seed: int
    references: int
    of_gold: int
    of_traffic: int
    of_test_questions: int
    unreviewed: int
    questions_that_score: int
    unsupported: int
    judges: tuple[TrainedJudgeModel, ...]
    not_trained: tuple[FieldsOf[NotTrained], ...]

    @classmethod
    def computed(cls, result: TrainingRun) -> Mapping[str, object]:
        """Give the counts of what was read."""
        read = result.read
        return {
            "references": len(read.answers),
            "of_gold": read.of_gold,
            "of_traffic": read.of_traffic,
            "of_test_questions": read.of_questions,
            "unreviewed": read.unreviewed,
            "questions_that_score": read.scoring,
            "unsupported": read.unsupported,
            "judges": tuple(map(_judge, result.judges)),
        }


MODELS = {"training": TrainingModel}


def _judge(judge: TrainedHere) -> TrainedJudgeModel:
    held_out = judge.held_out
    return TrainedJudgeModel.of(
        judge=judge.judge,
        signature=judge.signature,
        taught=judge.taught,
        pairs={kind.name.lower(): count for kind, count in held_out.pairs.items()},
        answers=held_out.answers,
        auroc=held_out.trained,
        auroc_of_offline_judge=held_out.stock,
        difference=held_out.difference,
        shrinkage=judge.shrinkage,
    )
