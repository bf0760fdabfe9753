"""The JSON of the effective labels: the size of a plain random sample that would tell as much."""

from __future__ import annotations

from annotate.present.schemas.base import Model


class JudgeShareModel(Model):
    """How many effective labels a judge's scores add to the others, or all scores to none."""

    judge: str
    added: float
    low: float
    high: float


class EffectiveLabelsModel(Model):
    """The size of a plain random sample that would tell as much of correctness as these labels."""

    labels: int
    effective: float | None
    low: float | None
    high: float | None
    scores: JudgeShareModel | None
    judges: tuple[JudgeShareModel, ...]
    reason: str | None
