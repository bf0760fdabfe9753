"""The JSON of a wave that was drawn, or would be."""

from __future__ import annotations

from typing import ClassVar, Self

from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import Proposed, Size
from annotate.present.document import Document
from annotate.present.schemas.base import AnswerModel, Keys, Model, told
from proxy.planning.allocation import StratumPlan


class StratumModel(Model):
    """What is drawn of a stratum; no `inclusion_probability` where each item has its own."""

    stratum: str
    size: int
    drawn: int
    inclusion_probability: float | None

    @classmethod
    def of_plan(cls, part: StratumPlan) -> Self:
        """Make the model of a stratum of a plan."""
        probability = part.inclusion_probability if part.is_fixed else None
        return cls.of(stratum=part.stratum, size=part.size, drawn=part.drawn, inclusion_probability=probability)


class WaveModel(AnswerModel):
    """A wave with its strata, and what it leaves unknown."""

    SCHEMA: ClassVar[str] = "assay/wave/1"

    wave: int
    dry_run: bool
    seed: int
    drawn: int
    size: int
    slice: str | None
    design: Design
    notes: tuple[str, ...]
    size_by_chance: Keys[Size] | None
    strata: tuple[StratumModel, ...]


MODEL = WaveModel


def of(result: Proposed, document: Document) -> WaveModel:
    """Make the model of a wave that is told by this document."""
    drawn, request = result.drawn, result.request
    return WaveModel.of(
        **told(WaveModel, document),
        wave=drawn.number,
        dry_run=result.is_proposal,
        seed=request.seed,
        drawn=drawn.draws,
        size=sum(part.size for part in drawn.strata),
        slice=request.part,
        design=request.design,
        notes=result.notes,
        size_by_chance=drawn.size,
        strata=tuple(map(StratumModel.of_plan, drawn.strata)),
    )
