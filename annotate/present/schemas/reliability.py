"""The JSON of what a rule's value says of P(right)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from annotate.analysis.calibration.reliability import RuleReliability
from annotate.present.schemas.base import AnswerModel, Model, Sentence, read_from
from annotate.present.schemas.keyed import FieldsOf
from proxy.evaluation.calibration_error import Gap
from proxy.evaluation.reliability_curve import Band, Briers
from proxy.evaluation.threshold import value_of


class LeftOutDrawsModel(Model):
    """Draws of which no share speaks."""

    drawn: int
    unsure: int
    open: int


class ReliabilityModel(AnswerModel, schema="assay/reliability/1"):
    """What a rule's value says of P(right); `preferred` is null where no map is to be read."""

    PARTS = ("curve",)

    value: str
    labels: int = read_from("n", "labels")
    right: float | None
    reason: Sentence | None
    unseen: str | None
    bands: tuple[FieldsOf[Band], ...]
    brier: FieldsOf[Briers] | None = read_from("briers", "brier")
    ece: FieldsOf[Gap] | None = read_from("gap", "ece")
    preferred: Literal["platt", "isotonic"] | None
    left_out: LeftOutDrawsModel

    @classmethod
    def computed(cls, result: RuleReliability) -> Mapping[str, object]:
        """Give the value, why there is none, and which map is to be read."""
        curve = result.curve
        better = "isotonic" if curve.prefers_isotonic else "platt"
        return {
            "value": value_of(result.rule),
            "reason": result.unscored.reason if result.unscored else curve.reason,
            "preferred": None if curve.reason or not curve.tells else better,
            "left_out": result,
        }


MODEL = ReliabilityModel
