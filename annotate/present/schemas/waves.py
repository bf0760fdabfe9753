"""The JSON of a wave that was drawn, or would be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import Proposed, StreamState
from annotate.present.schemas import predictor
from annotate.present.schemas.base import AnswerModel, EstimateModel, Model, Sentence, read_from
from annotate.present.schemas.keyed import answer_model
from annotate.present.schemas.predictor import PredictorModel
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


class WaveModel(AnswerModel, schema="assay/wave/1"):
    """A wave with its strata, and what it leaves unknown."""

    PARTS = ("request", "drawn")

    wave: int = read_from("number", "wave")
    dry_run: bool = read_from("is_proposal", "dry_run")
    seed: int
    drawn: int = read_from("draws", "drawn")
    size: int
    slice: str | None = read_from("part", "slice")
    design: WaveDesign
    notes: tuple[Sentence, ...]
    size_by_chance: EstimateModel | None
    strata: tuple[StratumModel, ...]
    predictor: PredictorModel | None

    @classmethod
    def computed(cls, result: Proposed) -> Mapping[str, object]:
        """Give the strata with their size."""
        strata = result.drawn.strata
        return {
            "size": sum(part.size for part in strata),
            "notes": result.notes,
            "size_by_chance": result.drawn.size,
            "strata": tuple(map(StratumModel.of_plan, strata)),
            "predictor": predictor.of(result.drawn.predictor),
        }


MODEL = WaveModel
MODELS = {"stream": answer_model(StreamState, AnswerModel, schema="assay/stream/1")}
