"""The JSON of what a rule's value says of P(right)."""

from __future__ import annotations

from typing import ClassVar, Literal

from annotate.analysis.calibration.reliability import Explained
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, Keys, Model, told
from proxy.evaluation.reliability_curve import Band, Briers
from proxy.evaluation.threshold import value_of


class GapModel(Model):
    """The expected calibration error, and what a perfectly calibrated value would show on as many labels."""

    estimate: float
    if_perfect: float


class LeftOutModel(Model):
    """Draws of which no share speaks."""

    drawn: int
    unsure: int
    open: int


class ReliabilityModel(AnswerModel):
    """What a rule's value says of P(right); `preferred` is null where no map is to be read."""

    SCHEMA: ClassVar[str] = "assay/reliability/1"

    value: str
    labels: int
    right: float | None
    reason: str | None
    unseen: str | None
    bands: tuple[Keys[Band], ...]
    brier: Keys[Briers] | None
    ece: GapModel | None
    preferred: Literal["platt", "isotonic"] | None
    left_out: LeftOutModel


MODEL = ReliabilityModel


def of(explained: Explained, document: Document) -> ReliabilityModel:
    """Make the model of what a rule's value says of P(right)."""
    meaning = explained.meaning
    better = "isotonic" if meaning.prefers_isotonic else "platt"
    return ReliabilityModel.of(
        **told(ReliabilityModel, document),
        value=value_of(explained.rule),
        labels=meaning.n,
        right=meaning.right,
        reason=explained.unscored.reason if explained.unscored else meaning.reason,
        unseen=meaning.unseen,
        bands=tuple(meaning.bands),
        brier=meaning.briers,
        ece={"estimate": meaning.gap.ece, "if_perfect": meaning.gap.if_perfect} if meaning.gap else None,
        preferred=None if meaning.reason or not meaning.tells else better,
        left_out={"drawn": explained.drawn, "unsure": explained.unsure, "open": explained.open},
    )
