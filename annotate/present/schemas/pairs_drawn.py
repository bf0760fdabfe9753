"""The JSON of what was drawn to compare systems, or would be."""

from __future__ import annotations

from typing import ClassVar

from annotate.domain.sampling.designs import Design
from annotate.domain.sampling.outcomes import PairsDrawn
from annotate.present.document import Document
from annotate.present.schemas.base import ActionModel, Model
from proxy.planning.strata import Stratum


class StratumModel(Model):
    """What is drawn of a stratum."""

    stratum: str
    size: int
    drawn: int


class PairsDrawnModel(ActionModel):
    """What was drawn; `detectable` is the difference that is shown in 8 of 10 cases once all of it is labelled."""

    SCHEMA: ClassVar[str] = "assay/pairs_drawn/1"

    asked: int
    left: int
    waiting: int
    wave: int
    dry_run: bool
    seed: int
    systems: tuple[str, ...]
    design: Design
    questions: int
    answers: int
    detectable: float | None
    drawn: int
    failed: int
    complete_pairs: int
    strata: tuple[StratumModel, ...]


MODEL = PairsDrawnModel


def of(result: PairsDrawn, document: Document) -> PairsDrawnModel:
    """Make the model of what was drawn."""
    same = ("asked", "left", "waiting", "seed", "design", "questions", "answers", "detectable")
    return PairsDrawnModel.of_document(
        document,
        **{name: getattr(result, name) for name in same},
        wave=result.number,
        dry_run=result.is_proposal,
        systems=result.names,
        drawn=result.draws,
        failed=sum(part.drawn for part in result.strata if part.kind is Stratum.FAILED),
        complete_pairs=result.pairs,
        strata=tuple(StratumModel(stratum=part.stratum, size=part.size, drawn=part.drawn) for part in result.strata),
    )
