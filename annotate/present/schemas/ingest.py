"""The JSON of what was taken in, and of quarantine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from annotate.domain.reasons import Reason, together
from annotate.present.ingest import QuarantinedRow
from annotate.present.schemas.base import ActionModel, Model

<<<<<<< HEAD
if TYPE_CHECKING:
    from annotate.present.ingest import QuarantinedRow
    from annotate.workflow.gold.import_references import ImportedReferences
    from annotate.workflow.ingest.batches import Intake
    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested

=======
>>>>>>> port-actions

class ReasonModel(Model):
    """Why rows were refused, and how many."""

    reason: str
    rows: int


class DroppedModel(ReasonModel):
    """Why times were dropped, how many, and one of them."""

    example: str


class IntakeModel(ActionModel):
    """What became of the rows of an import."""

    PARTS = ("intake",)

    rows: int
    quarantined: int = Field(validation_alias="refused")
    repaired: int
    reasons: tuple[ReasonModel, ...]
    times_dropped: tuple[DroppedModel, ...] = Field(validation_alias="dropped")


class TrafficModel(IntakeModel):
    """What traffic added."""

    SCHEMA: ClassVar[str] = "assay/ingest/1"
    PARTS = ("intake", "added")

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
    PARTS = ("intake", "imported.kept", "imported", "progress")

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


class ReferencesModel(IntakeModel):
    """What references became candidates of the gold set."""

    SCHEMA: ClassVar[str] = "assay/gold_import/1"

    added: int
    without_item: int
    unchanged: int


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

    @classmethod
    def beside(cls, result: Sequence[QuarantinedRow]) -> Mapping[str, object]:
        """Count the reasons."""
        reasons = together(Reason(row[3], 1) for row in result)
        rows = [dict(zip(RowModel.model_fields, row, strict=True)) for row in result]
        return {"rows": len(rows), "reasons": reasons, "quarantine": rows}


MODELS = {
    "traffic": TrafficModel,
    "feedback": FeedbackModel,
<<<<<<< HEAD
    "scores_import": ScoresModel,
    "labels_import": LabelsModel,
    "gold_import": ReferencesModel,
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


def references(result: ImportedReferences, document: Document) -> ReferencesModel:
    """Make the model of references that were taken in."""
    return ReferencesModel.of_document(document, **_intake(result.intake), **result.kept._asdict())


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
=======
    "scores": ScoresModel,
    "labels": LabelsModel,
    "quarantine": QuarantineModel,
}
>>>>>>> port-actions
