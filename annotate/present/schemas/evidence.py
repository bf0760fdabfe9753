"""The JSON of what a report rests on: inter-annotator agreement, and the evidence ledger."""

from __future__ import annotations

from annotate.analysis.report.report import ProjectReport
from annotate.domain.sampling.outcomes import Overlap
from annotate.present.schemas.base import EstimateModel, Model, Sentence
from annotate.present.schemas.compared_rules import OF_A_PROXY
from annotate.present.schemas.keyed import FieldsOf
from proxy.evaluation.annotator_agreement import AnnotatorPair, Reliability, freed_of_noise
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger, JudgeEvidence, Objection

CASES = ("correctness", *OF_A_PROXY, "auroc", "false_passes")


class AgreementModel(Model):
    """Inter-annotator agreement, the ceiling that it puts on any proxy, and correctness freed of annotators' errors.

    `neighbours`: how much more often the verdicts on two answers to a question differ where these were read one after the other.
    """

    items: int
    overlap: FieldsOf[Overlap]
    agreement: EstimateModel
    alpha: EstimateModel
    ac1: EstimateModel
    error: EstimateModel
    prevalence: float | None
    ceiling: EstimateModel
    kappa_ceiling: EstimateModel
    warning: Sentence | None
    reliability: Reliability
    correctness: EstimateModel
    neighbours: EstimateModel
    pairs: tuple[FieldsOf[AnnotatorPair], ...]


class EvidenceModel(Model):
    """The evidence ledger: what became of the draws, the cases that follow, and what else a claim rests on.

    `among_judged` are the quantities of the report without the draws that have no right or wrong; the report's own intervals hold
    whatever these are.
    """

    drawn: int
    answered: int
    unsure: int
    unanswered: int
    pending: int
    unsure_share: float
    unanswered_share: float
    pending_share: float
    passed_drawn: int
    passed_answered: int
    passed_unsure: int
    passed_unanswered: int
    passed_pending: int
    passed_unsure_share: float
    passed_unanswered_share: float
    passed_pending_share: float
    failed_drawn: int
    failed_answered: int
    failed_unsure: int
    failed_unanswered: int
    failed_pending: int
    failed_unsure_share: float
    failed_unanswered_share: float
    failed_pending_share: float
    pending_waves: tuple[int, ...]
    among_judged: dict[str, EstimateModel]
    worst_case: dict[str, EstimateModel]
    best_case: dict[str, EstimateModel]
    annotators: Reliability
    alpha: EstimateModel
    read_twice: int
    groups: int
    questions: int
    effective_clusters: float
    clusters_in_traffic: float
    intraclass_correlation: float
    without_passages: int
    labelled_without_passages: int
    judges: tuple[FieldsOf[JudgeEvidence], ...]
    chose: int
    objections: tuple[FieldsOf[Objection], ...]


def annotators(report: ProjectReport) -> AgreementModel:
    """Give what annotators agree on, with correctness freed of their errors."""
    annotator_agreement = report.annotator_agreement
    same = AgreementModel.model_fields.keys() - {"items", "overlap", "correctness", "neighbours"}
    return AgreementModel.of(
        **{name: getattr(annotator_agreement, name) for name in same},
        items=annotator_agreement.n,
        overlap=report.overlap,
        correctness=freed_of_noise(report.agreement.correctness, annotator_agreement.noise),
        neighbours=report.neighbours.effect,
    )


def evidence(ledger: EvidenceLedger) -> EvidenceModel:
    """Give the evidence ledger, with its cases."""
    clusters, annotator_agreement = ledger.clusters, ledger.annotators
    return EvidenceModel.of(
        **_draws("", ledger.draws),
        **_draws("passed_", ledger.passed),
        **_draws("failed_", ledger.failed),
        pending_waves=ledger.pending_waves,
        among_judged={name: ledger.among_judged(name) for name in CASES},
        worst_case={name: ledger.worst(name) for name in CASES},
        best_case={name: ledger.best(name) for name in CASES},
        annotators=annotator_agreement.reliability,
        alpha=annotator_agreement.alpha,
        read_twice=annotator_agreement.n,
        groups=clusters.groups,
        questions=clusters.questions,
        effective_clusters=clusters.effective,
        clusters_in_traffic=clusters.there,
        intraclass_correlation=clusters.alike,
        without_passages=ledger.without_passages,
        labelled_without_passages=ledger.labelled_without_passages,
        judges=tuple(ledger.judges),
        chose=len(ledger.chose),
        objections=tuple(ledger.against()),
    )


def _draws(prefix: str, counts: DrawCounts) -> dict[str, int | float]:
    """What became of draws, each count and share by its name; the shares are weighted by design."""
    return {f"{prefix}{name}": getattr(counts, name) for name in counts.__slots__}
