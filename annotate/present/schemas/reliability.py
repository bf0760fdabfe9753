"""The JSON of what a rule's value says of P(right)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from annotate.analysis.calibration.reliability import Explained
from annotate.present.schemas.base import AnswerModel, Model, held_as
from annotate.present.schemas.keyed import Keys
from proxy.evaluation.reliability_curve import Band, Briers
from proxy.evaluation.threshold import value_of


class GapModel(Model):
    """The expected calibration error, and what a perfectly calibrated value would show on as many labels."""

    estimate: float = held_as("ece", "estimate")
    if_perfect: float


class LeftOutModel(Model):
    """Draws of which no share speaks."""

    drawn: int
    unsure: int
    open: int


class ReliabilityModel(AnswerModel, schema="assay/reliability/1"):
    """What a rule's value says of P(right); `preferred` is null where no map is to be read."""

    PARTS = ("meaning",)

    value: str
    labels: int = held_as("n", "labels")
    right: float | None
    reason: str | None
    unseen: str | None
    bands: tuple[Keys[Band], ...]
    brier: Keys[Briers] | None = held_as("briers", "brier")
    ece: GapModel | None = held_as("gap", "ece")
    preferred: Literal["platt", "isotonic"] | None
    left_out: LeftOutModel

    @classmethod
    def beside(cls, result: Explained) -> Mapping[str, object]:
        """Give the value, why there is none, and which map is to be read."""
        meaning = result.meaning
        better = "isotonic" if meaning.prefers_isotonic else "platt"
        return {
            "value": value_of(result.rule),
            "reason": result.unscored.reason if result.unscored else meaning.reason,
            "preferred": None if meaning.reason or not meaning.tells else better,
            "left_out": result,
        }


MODEL = ReliabilityModel
