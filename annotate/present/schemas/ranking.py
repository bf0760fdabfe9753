"""The JSON of a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from annotate.analysis.comparison.rank import Ranked, gate_of
from annotate.present import ranking
from annotate.present.messages import text
from annotate.present.schemas.base import AnswerModel, EstimateModel, GateModel, Model, Sentence, read_from
from proxy.comparison.ranking import Against, SystemStanding
from proxy.evaluation.evidence_ledger import Doubt


class RankedSystemModel(Model):
    """A system with its rate here and in the long run, and the ranks that it may have."""

    system: str
    answers: int
    labels: int
    correctness: EstimateModel
    correctness_long_run: EstimateModel
    best_rank: int | None
    worst_rank: int | None
    out_of_reach: int


class AgainstModel(Model):
    """A pair of systems, the better one minus the other, and whether they are distinguished."""

    better: str
    worse: str
    difference: EstimateModel
    p_value: float
    p_value_long_run: float
    is_clear: bool
    is_clear_long_run: bool
    is_open: bool


class ObjectionModel(Model):
    """What forbids to tell any two apart."""

    doubt: Doubt
    reason: Sentence


class RankingModel(AnswerModel, schema="assay/ranking/1"):
    """Which of several systems is best: by the share of right answers, or of answers that do not fail the `criterion`."""

    criterion: str | None
    rule: str
    questions: int
    shared_questions: int = read_from("shared", "shared_questions")
    is_census: bool
    missing: dict[str, int]
    objections: tuple[ObjectionModel, ...]
    systems: tuple[RankedSystemModel, ...]
    pairs: tuple[AgainstModel, ...]
    notes: tuple[Sentence, ...]
    gate: GateModel

    @classmethod
    def computed(cls, result: Ranked) -> Mapping[str, object]:
        """Give the systems and the pairs by name, and the gate."""
        return {
            "rule": f"{result.rule.name} v{result.rule.version}",
            "missing": dict(zip(result.names, result.missing, strict=True)),
            "systems": tuple(_system(result, standing) for standing in result.standings.systems),
            "pairs": tuple(_against(result, pair) for pair in result.standings.pairs),
            "gate": gate_of(result),
        }


MODEL = RankingModel


def _system(result: Ranked, standing: SystemStanding) -> RankedSystemModel:
    system, why = result.systems[standing.number], ranking.reason(result, standing)
    words = text(why) if why else None
    return RankedSystemModel.of(
        system=system.name,
        answers=system.answers,
        labels=standing.labels,
        correctness=replace(standing.correctness, reason=words),
        correctness_long_run=replace(standing.long_run, reason=words or standing.long_run.reason),
        best_rank=standing.best,
        worst_rank=standing.worst,
        out_of_reach=system.out_of_reach,
    )


def _against(result: Ranked, pair: Against) -> AgainstModel:
    return AgainstModel.of(
        better=result.names[pair.better],
        worse=result.names[pair.worse],
        difference=pair.difference,
        p_value=pair.p_value,
        p_value_long_run=pair.p_long_run,
        is_clear=pair.is_clear,
        is_clear_long_run=pair.is_lasting,
        is_open=pair.is_open,
    )
