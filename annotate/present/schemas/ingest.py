"""The JSON of what was taken in, and of quarantine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from annotate.domain.reasons import Reason, together
from annotate.present.document import Document
from annotate.present.schemas.base import ActionModel, Model

if TYPE_CHECKING:
    from annotate.present.ingest import QuarantinedRow
    from annotate.workflow.ingest.batches import Intake
    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested


class ReasonModel(Model):
    """Why rows were refused, and how many."""

    reason: str
    rows: int


class DroppedModel(Model):
    """Why times were dropped, how many, and one of them."""

    reason: str
    rows: int
    example: str


class IntakeModel(ActionModel):
    """What became of the rows of an import."""

    rows: int
    quarantined: int
    repaired: int
    reasons: tuple[ReasonModel, ...]
    times_dropped: tuple[DroppedModel, ...]


class TrafficModel(IntakeModel):
    """What traffic added."""

    SCHEMA: ClassVar[str] = "assay/ingest/1"

    added: int
    revised: int
    updated: int
    unchanged: int
    items: int


class FeedbackModel(IntakeModel):
    """What feedback was new, and what the store has now."""

    SCHEMA: ClassVar[str] = "assay/feedback/1"

    new: int
    thumbs_down: int
    thumbs_up: int
    unmatched: int


class ScoresModel(IntakeModel):
    """What scores were new."""

    SCHEMA: ClassVar[str] = "assay/scores_import/1"

    new: int


class LabelsModel(IntakeModel):
    """What labels were added, and how far the labelling is."""

    SCHEMA: ClassVar[str] = "assay/labels_import/1"

    added: int
    revised: int
    unchanged: int
    outdated: int
    to_draws: int
    labelled: int
    drawn: int
    hand_picked: int
    before_draw: int
    blank: int
    disagreements: int


class RowModel(Model):
    """A row that could not be read."""

    stage: str
    source: str
    line: int
    reason: str
    at: str


class QuarantineModel(ActionModel):
    """Rows that could not be read, with the reasons counted."""

    SCHEMA: ClassVar[str] = "assay/quarantine/1"

    rows: int
    reasons: tuple[ReasonModel, ...]
    quarantine: tuple[RowModel, ...]


MODELS = {
    "ingest": TrafficModel,
    "feedback": FeedbackModel,
    "scores_import": ScoresModel,
    "labels_import": LabelsModel,
    "quarantine": QuarantineModel,
}


def traffic(result: Ingested, document: Document) -> TrafficModel:
    """Make the model of traffic that was taken in."""
    return TrafficModel.of_document(document, **_intake(result.intake), **result.added._asdict(), items=result.items)


def feedback(result: ImportedFeedback, document: Document) -> FeedbackModel:
    """Make the model of feedback that was taken in."""
    names = ("new", "thumbs_down", "thumbs_up", "unmatched")
    return FeedbackModel.of_document(
        document, **_intake(result.intake), **{name: getattr(result, name) for name in names}
    )


def scores(result: ImportedScores, document: Document) -> ScoresModel:
    """Make the model of scores that were taken in."""
    return ScoresModel.of_document(document, **_intake(result.intake), new=result.new)


def labels(result: ImportedLabels, document: Document) -> LabelsModel:
    """Make the model of labels that were taken in."""
    imported, progress = result.imported, result.progress
    return LabelsModel.of_document(
        document,
        **_intake(result.intake),
        **imported.kept._asdict(),
        **{name: getattr(imported, name) for name in ("to_draws", "before_draw", "blank")},
        labelled=progress.labelled,
        drawn=progress.drawn,
        hand_picked=result.hand_picked,
        disagreements=result.disagreements,
    )


def quarantine(rows: Sequence[QuarantinedRow], document: Document) -> QuarantineModel:
    """Make the model of the rows in quarantine."""
    return QuarantineModel.of_document(
        document,
        rows=len(rows),
        reasons=together(Reason(row[3], 1) for row in rows),
        quarantine=[dict(zip(RowModel.model_fields, row, strict=True)) for row in rows],
    )


def _intake(intake: Intake) -> dict[str, Any]:
    return {
        "rows": intake.rows,
        "quarantined": intake.refused,
        "repaired": intake.repaired,
        "reasons": intake.reasons,
        "times_dropped": intake.dropped,
    }
