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
    times_dropped: tuple[Keys[Dropped], ...]
    scores_dropped: Keys[Dropped] | None


class TrafficModel(IntakeModel, schema="assay/ingest/1"):
    """What traffic added."""

    PARTS = ("intake", "added")

    added: int
    revised: int
    updated: int
    unchanged: int
    items: int


class FeedbackModel(IntakeModel, schema="assay/feedback/1"):
    """What feedback was new, and what the store has now."""

    new: int
    thumbs_down: int
    thumbs_up: int
    unmatched: int


class ScoresModel(IntakeModel, schema="assay/scores_import/1"):
    """What scores were new."""

    new: int


class LabelsModel(IntakeModel, schema="assay/labels_import/1"):
    """What labels were added, and how far the labelling is."""

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


class ReferencesModel(IntakeModel, schema="assay/gold_import/1"):
    """What references became candidates of the gold set."""

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


class QuarantineModel(ActionModel, schema="assay/quarantine/1"):
    """Rows that could not be read, with the reasons counted."""

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
