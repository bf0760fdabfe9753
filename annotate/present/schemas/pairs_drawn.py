"""The JSON of what was drawn to compare systems, or would be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import PairsDrawn
from annotate.present.schemas.base import ActionModel, Model, read_from
from annotate.present.schemas.waves import StratumModel
from proxy.planning.strata import Stratum


class DifferencePowerModel(Model):
    """Of a difference of two systems: in what share of cases it is shown, and which is shown in 8 of 10 cases.

    Both hold if every draw is labelled right or wrong. `basis` counts the labelled pairs, for more than two systems their labels,
    that this follows from; `assumed` says that no label predicts how many answers are right, so three of four are taken to be.
    """

    difference: float
    share: float
    detectable: float
    basis: int
    assumed: bool = read_from("is_assumed", "assumed")


class PairsDrawnModel(ActionModel):
    """What was drawn; `power` is what it is expected to show once all of it is labelled."""

    SCHEMA: ClassVar[str] = "assay/pairs_drawn/1"

    asked: int
    left: int
    waiting: int
    wave: int = read_from("number", "wave")
    dry_run: bool = read_from("is_proposal", "dry_run")
    seed: int
    systems: tuple[str, ...] = read_from("names", "systems")
    design: WaveDesign
    questions: int
    answers: int
    power: DifferencePowerModel | None
    drawn: int = read_from("draws", "drawn")
    failed: int
    complete_pairs: int = read_from("pairs", "complete_pairs")
    strata: tuple[StratumModel, ...]

    @classmethod
    def computed(cls, result: PairsDrawn) -> Mapping[str, object]:
        """Count the failed answers."""
        failed = sum(part.drawn for part in result.strata if part.kind is Stratum.FAILED)
        strata = tuple(map(StratumModel.of_plan, result.strata))
        return {"failed": failed, "strata": strata}


MODELS = {"document": PairsDrawnModel}
