"""Say what context recall and precision tell of wrong answers, what to try where that is shown, and else what would tell."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.domain.message import Command, EvidenceText, IntervalBasis, Kind, Message, Number, Value, message
from annotate.present.document import Detail, Section
from proxy.diagnosis import MATTERS, StageContrast
from proxy.diagnosis.retrieval_metrics import WELL_RETRIEVED, Finding, RetrievalMetrics

POINTS = Number(MATTERS, Kind.POINTS)


def section(metrics: RetrievalMetrics | None) -> Section:
    """Say what the metrics tell, or how they come to be known."""
    title = message("diagnosis.retrieval_metrics")
    if metrics is None:
        command = Command("assay judge --judges id_context_recall,id_context_precision")
        return Section(title, (message("diagnosis.retrieval_unknown", command=command),), Detail.FULL)
    return Section(title, tuple(_lines(metrics)))


def _lines(metrics: RetrievalMetrics) -> Iterator[Message]:
    yield from _of_contrast(metrics, "recall", metrics.recall, metrics.thresholds.recall)
    yield from _of_contrast(metrics, "precision", metrics.precision, metrics.thresholds.precision)
    yield _of_model(metrics)
    yield message("diagnosis.retrieval_basis", count=metrics.answers)


def _of_model(metrics: RetrievalMetrics) -> Message:
    """Say whether most wrong answers were well retrieved, and what follows from it."""
    is_few_alone = metrics.of_model is Finding.OPEN and metrics.of_most is Finding.RULED_OUT
    return message(
        "diagnosis.model_few" if is_few_alone else f"diagnosis.model_{metrics.of_model}",
        share=EvidenceText(metrics.well_retrieved, Kind.SHARE),
        recall=Number(WELL_RETRIEVED.recall, Kind.DIGITS),
        precision=Number(WELL_RETRIEVED.precision, Kind.DIGITS),
    )


def _of_contrast(metrics: RetrievalMetrics, name: str, contrast: StageContrast, threshold: float) -> Iterator[Message]:
    """Say whether low values make answers wrong, and what would tell where that is open."""
    difference = EvidenceText(contrast.difference, Kind.POINTS, IntervalBasis.WINDOW, is_signed=True)
    finding = metrics.of_contrast(contrast)
    values: dict[str, Value] = {"threshold": Number(threshold, Kind.THRESHOLD), "difference": difference}
    yield message(
        f"diagnosis.{name}_{finding}", **values, **({"points": POINTS} if finding is Finding.RULED_OUT else {})
    )
    if finding is not Finding.OPEN or metrics.objections:
        return
    if contrast.missing:
        yield message("diagnosis.missing_widens", count=contrast.missing)
        return
    if not any(contrast.needed):
        return
    if not contrast.is_possible:
        yield message("diagnosis.not_possible", points=POINTS)
        return
    low, high = contrast.needed
    key = "retrieval_more" if contrast.difference.estimate is not None else "retrieval_least"
    points = {"points": POINTS} if key == "retrieval_more" else {}
    yield message(f"diagnosis.{key}", metric=message(f"diagnosis.metric_{name}"), low=low, high=high, **points)
