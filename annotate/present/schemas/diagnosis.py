"""The JSON of a diagnosis: what is named or why nothing is, counts of labels, and shares with intervals."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.analysis.diagnosis import Diagnoses, Diagnosis, Miss
from annotate.analysis.diagnosis.inputs import Thresholds
from annotate.present.schemas import naming as naming_schema
from annotate.present.schemas.base import AnswerModel, EstimateModel, Model, read_from
from annotate.present.schemas.keyed import FieldsOf
from annotate.present.schemas.naming import LabelsNeededModel, NamingModel
from proxy.diagnosis import Stage, StageContrast
from proxy.diagnosis.causes import Cause
from proxy.diagnosis.retrieval_metrics import (
    WELL_RETRIEVED,
    Finding,
    RetrievalAdvice,
    RetrievalBounds,
    RetrievalMetrics,
    RetrievalThresholds,
)
from proxy.text.controls import displayable


class FailedModel(Model):
    """On how many items a judge gave no score for this reason."""

    items: int
    reason: str


class JudgedModel(Model):
    """What a judge said of an answer."""

    judge: str
    value: float | None
    reason: str


class MissModel(Model):
    """An answer that is scored relevant and faithful, and is wrong all the same."""

    item_id: str
    question: str
    answer: str
    judges: tuple[JudgedModel, ...]
    rationale: str | None
    causes: tuple[str, ...]
    harm: str | None


class QuadrantModel(Model):
    """Answers and labels by what the judges score."""

    name: str
    answers: int
    right: int
    wrong: int
    wrong_of_traffic: EstimateModel = read_from("share", "wrong_of_traffic")


class StageFindingModel(Model):
    """The labels where a stage is in question."""

    stage: Stage
    wrong: int
    right: int
    also_unfaithful: int
    wrong_of_traffic: EstimateModel = read_from("share", "wrong_of_traffic")
    causes: tuple[FieldsOf[Cause], ...]


class CauseByStageModel(Model):
    """How many wrong answers of a stage annotators explain by a cause."""

    cause: str
    stage: Stage
    answers: int


class NamedCauseModel(Model):
    """A cause that annotators name, and its share of the wrong answers."""

    cause: str
    wrong: int
    of_wrong: EstimateModel = read_from("share", "of_wrong")


class SystemDiagnosisModel(Model):
    """The diagnosis of one system."""

    system: str | None
    answers: int
    framed: int
    right: int
    wrong: int
    unsure: int
    hand_picked: int
    naming: NamingModel
    cannot_be_scored: FailedModel | None
    misses: tuple[MissModel, ...]
    quadrants: tuple[QuadrantModel, ...]
    findings: tuple[StageFindingModel, ...]
    causes_by_stage: tuple[CauseByStageModel, ...]
    named_causes: tuple[NamedCauseModel, ...]
    disagreements: tuple[str, ...]


class MetricContrastModel(Model):
    """How much oftener answers on the low side are wrong, and the labels that either side lacks to show what matters."""

    difference: EstimateModel
    finding: Finding
    labels_needed: LabelsNeededModel


class RetrievalMetricsModel(Model):
    """What context recall and precision tell of wrong answers; `advice` is what an interval shows.

    `well_retrieved` is the share of the wrong answers with at least the recall and precision of `well_retrieved_bounds`.
    """

    thresholds: FieldsOf[RetrievalThresholds]
    answers: int
    recall: MetricContrastModel
    precision: MetricContrastModel
    well_retrieved: EstimateModel
    well_retrieved_bounds: FieldsOf[RetrievalBounds]
    model: Finding
    advice: tuple[RetrievalAdvice, ...]


class DiagnosisModel(AnswerModel, schema="assay/diagnosis/1"):
    """Which stage of the app to look at first; `missing` names the judges without a score."""

    thresholds: FieldsOf[Thresholds]
    signatures: dict[str, str]
    missing: tuple[str, ...]
    all: NamingModel
    systems: tuple[SystemDiagnosisModel, ...]
    unlabelled: tuple[str | None, ...]
    malformed: int
    retrieval: RetrievalMetricsModel | None

    @classmethod
    def computed(cls, result: Diagnoses) -> Mapping[str, object]:
        """Give what is named for all systems and for each, and what retrieval metrics tell."""
        return {
            "all": naming_schema.of(result.whole),
            "systems": tuple(map(_system, result.each)),
            "retrieval": _retrieval(result.retrieval) if result.retrieval else None,
        }


MODEL = DiagnosisModel


def _retrieval(metrics: RetrievalMetrics) -> RetrievalMetricsModel:
    return RetrievalMetricsModel.of(
        thresholds=metrics.thresholds,
        answers=metrics.answers,
        well_retrieved=metrics.well_retrieved,
        well_retrieved_bounds=WELL_RETRIEVED,
        model=metrics.of_model,
        advice=metrics.advice,
        recall=_contrast(metrics, metrics.recall),
        precision=_contrast(metrics, metrics.precision),
    )


def _contrast(metrics: RetrievalMetrics, contrast: StageContrast) -> MetricContrastModel:
    bad, good = contrast.needed
    return MetricContrastModel.of(
        difference=contrast.difference,
        finding=metrics.of_contrast(contrast),
        labels_needed=LabelsNeededModel(bad=bad, good=good),
    )


def _system(diagnosis: Diagnosis) -> SystemDiagnosisModel:
    sizes = ("system", "answers", "framed", "right", "wrong", "unsure", "hand_picked")
    return SystemDiagnosisModel.of(
        **{name: getattr(diagnosis, name) for name in sizes},
        naming=naming_schema.of(diagnosis.naming),
        cannot_be_scored=diagnosis.failed,
        misses=tuple(map(_miss, diagnosis.misses)),
        quadrants=tuple(diagnosis.corners),
        findings=tuple(diagnosis.findings),
        causes_by_stage=tuple(
            CauseByStageModel(cause=cause, stage=stage, answers=count)
            for (cause, stage), count in sorted(diagnosis.named.items())
        ),
        named_causes=tuple(diagnosis.causes),
        disagreements=tuple(diagnosis.disagreements),
    )


def _miss(miss: Miss) -> MissModel:
    item, label = miss.item, miss.label
    return MissModel(
        item_id=item.id,
        question=displayable(item.question),
        answer=displayable(item.answer),
        judges=tuple(
            JudgedModel(judge=judge, value=value, reason=displayable(reason)) for judge, value, reason in miss.reasons
        ),
        rationale=None if label.rationale is None else displayable(label.rationale),
        causes=tuple(label.causes),
        harm=label.harm,
    )
