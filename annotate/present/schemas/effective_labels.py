"""The JSON of the effective labels: the size of a plain random sample that would tell as much."""

from __future__ import annotations

from annotate.present.schemas.base import EstimateModel
from annotate.present.schemas.keyed import FieldsOf
from proxy.evaluation.effective_labels import JudgeShare


class EffectiveLabelsModel(EstimateModel):
    """The size of a plain random sample that would tell as much of correctness as these `n` labels.

    `scores` says how many of them all scores add, `judges` what each judge adds to the others.
    """

    scores: FieldsOf[JudgeShare] | None
    judges: tuple[FieldsOf[JudgeShare], ...]
