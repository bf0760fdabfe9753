"""The JSON of scores that labels mapped to P(right)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.domain.score_map import MeasuredMap
from annotate.present.schemas.base import ActionModel, EstimateModel, Model
from proxy.evaluation.score_map import ScoreMap

if TYPE_CHECKING:
    from annotate.workflow.judging.score_map import ScoreMapping


class LabelKindsModel(Model):
    """How many labels say right, and how many wrong."""

    right: int
    wrong: int


class MapPointsModel(Model):
    """P(right) at these scores; straight lines between. `language` is null for all answers without a map of their own."""

    language: str | None
    scores: tuple[float, ...]
    shares: tuple[float, ...]


class ScoreMapModel(Model):
    """A map that was measured: Brier's score before and after, the first minus the second, and the share on the wrong half.

    `lowest` is the bound that holds at all looks together; of judges whose 1 is bad, scores are turned round first.
    """

    judge: str
    maps: str
    signature: str
    points: tuple[MapPointsModel, ...]
    brier_before: EstimateModel
    brier: EstimateModel
    gain: EstimateModel
    lowest: float | None
    wrong_before: EstimateModel
    wrong: EstimateModel
    labels: LabelKindsModel
    at: str
    in_force: bool


class ScoreMappedModel(ActionModel, schema="assay/score_map/1"):
    """What mapping a score came to; `not_mapped` is null where the map was put in force."""

    judge: str
    base: str
    share: float
    tuning: LabelKindsModel
    measuring: LabelKindsModel
    map: ScoreMapModel | None
    not_mapped: str | None
    mapped: int

    @classmethod
    def computed(cls, result: ScoreMapping) -> Mapping[str, object]:
        """Give the map that was measured."""
        return {"map": map_of(result.measured) if result.measured else None}


class ScoreMapUndoneModel(ActionModel, schema="assay/score_map_undone/1"):
    """The map that is in force no longer."""

    map: ScoreMapModel

    @classmethod
    def computed(cls, result: MeasuredMap) -> Mapping[str, object]:
        """Give the map."""
        return {"map": map_of(result)}


MODELS = {"mapped": ScoreMappedModel, "undone": ScoreMapUndoneModel}


def map_of(measured: MeasuredMap) -> ScoreMapModel:
    """Make the model of a map."""
    contrast = measured.contrast
    points = (_points(None, measured.maps.whole), *(_points(*own) for own in sorted(measured.maps.languages.items())))
    return ScoreMapModel.of(
        judge=measured.judge,
        maps=measured.base,
        signature=measured.signature,
        points=points,
        brier_before=contrast.before,
        brier=contrast.after,
        gain=contrast.gain,
        lowest=contrast.lowest,
        wrong_before=contrast.wrong_before,
        wrong=contrast.wrong_after,
        labels={"right": measured.right, "wrong": measured.wrong},
        at=measured.at,
        in_force=measured.is_in_force,
    )


def _points(language: str | None, own: ScoreMap) -> MapPointsModel:
    return MapPointsModel.of(language=language, scores=own.scores, shares=own.shares)
