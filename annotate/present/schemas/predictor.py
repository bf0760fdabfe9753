"""The JSON of what predicted the unlabelled answers; an estimate that uses it names its signature."""

from __future__ import annotations

from annotate.present.schemas.base import Model
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.predictor import PredictorSource


class PredictingJudgeModel(Model):
    """A judge whose scores predict."""

    judge: str
    signature: str


class PredictorModel(Model):
    """What a predictor was fitted to: the same rule, scores and labels give the same signature.

    `salt` is the key of the hash that gives a question one of the `folds`; no label predicts its own fold.
    """

    signature: str
    rule: str
    judges: tuple[PredictingJudgeModel, ...]
    labels: int
    folds: int
    salt: str


def of(source: PredictorSource | None) -> PredictorModel | None:
    """Make the model of what predicted, if anything did."""
    if source is None:
        return None
    judges = tuple(PredictingJudgeModel(judge=judge, signature=signature) for judge, signature in source.judges)
    names = ("signature", "rule", "labels", "folds", "salt")
    return PredictorModel.of(**{name: getattr(source, name) for name in names}, judges=judges)


def behind(*estimates: Estimate) -> tuple[PredictorModel, ...]:
    """Make the model of each predictor that these lean on."""
    sources = {
        estimate.predictor.signature: estimate.predictor for estimate in estimates if estimate.predictor is not None
    }
    return tuple(model for source in sources.values() if (model := of(source)) is not None)
