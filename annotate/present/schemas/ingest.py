"""The JSON of what was taken in, and of quarantine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from annotate.domain.reasons import RefusalReason, together
from annotate.domain.timestamps import Dropped
from annotate.present.ingest import QuarantinedRow
from annotate.present.schemas.base import ActionModel, Keys, Model, held_as


class IntakeModel(ActionModel):
    """What became of the rows of an import."""

    PARTS: ClassVar[tuple[str, ...]] = ("intake",)

    rows: int
    quarantined: int = held_as("refused", "quarantined")
    repaired: int
    reasons: tuple[Keys[RefusalReason], ...]
    times_dropped: tuple[Keys[Dropped], ...] = held_as("dropped", "times_dropped")


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
    PARTS = ("intake", "kept")

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
    reasons: tuple[Keys[RefusalReason], ...]
    quarantine: tuple[RowModel, ...]

    @classmethod
    def beside(cls, result: Sequence[QuarantinedRow]) -> Mapping[str, object]:
        """Count the reasons."""
        reasons = together(RefusalReason(row[3], 1) for row in result)
        rows = [dict(zip(RowModel.model_fields, row, strict=True)) for row in result]
        return {"rows": len(rows), "reasons": reasons, "quarantine": rows}


MODELS = {
    "traffic": TrafficModel,
    "feedback": FeedbackModel,
    "scores": ScoresModel,
    "labels": LabelsModel,
    "references": ReferencesModel,
    "quarantine": QuarantineModel,
}
