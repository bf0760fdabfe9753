"""The JSON of what was taken in, and of quarantine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from annotate.domain.quarantine import QuarantinedRow
from annotate.domain.reasons import RefusalReason, together
from annotate.domain.timestamps import Dropped
from annotate.domain.tool_score import Unscaled
from annotate.files.encodings import GuessedFile
from annotate.files.json_cells import JsonCells
from annotate.present.schemas.base import ActionModel, Model, read_from
from annotate.present.schemas.keyed import FieldsOf
from annotate.traffic.how_read import Untold
from annotate.traffic.wide_scores import ProposedColumn
from proxy.records import Context, Turn

if TYPE_CHECKING:
    from annotate.workflow.ingest.receive import Ingested


class ReplacedModel(Model):
    """What redaction replaces in what was read, by kind, in how many of the answers or votes that were looked at.

    `ids` of answers hold such a value, and leave as they are.
    """

    kinds: dict[str, int]
    rows: int
    looked_at: int
    ids: int


class IntakeModel(ActionModel):
    """What became of the rows of an import.

    `dismissed` rows are wanted by nobody, `replaced` is null where redaction is off, `guessed` are files that are no UTF-8, and
    `json_cells` files with columns of texts written as JSON, and their cells that are none.
    """

    PARTS: ClassVar[tuple[str, ...]] = ("intake",)

    rows: int
    quarantined: int = read_from("refused", "quarantined")
    dismissed: int
    repaired: int
    reasons: tuple[FieldsOf[RefusalReason], ...]
    times_dropped: tuple[FieldsOf[Dropped], ...]
    scores_dropped: FieldsOf[Dropped] | None
    replaced: ReplacedModel | None
    guessed: tuple[FieldsOf[GuessedFile], ...]
    json_cells: tuple[FieldsOf[JsonCells], ...]


class FieldReadModel(Model):
    """Where a field of ours was read: its path, the kind of place, and in how many of the answers that were looked at."""

    name: str
    path: str = read_from("origin.path", "path")
    place: str = read_from("origin.place", "place")
    spans: int = read_from("origin.spans", "spans")
    rows: int


class HowReadModel(Model):
    """How a file was read; `recognised` of the `looked_at` first rows have the shape of its format."""

    file: str
    format: str
    recognised: int
    looked_at: int
    answers: int
    fields: tuple[FieldReadModel, ...]
    unused: tuple[str, ...]
    too_long: tuple[str, ...]
    scores: tuple[str, ...]
    untold: tuple[FieldsOf[Untold], ...]
    parents_untold: bool
    without_contexts: int
    without_time: int
    without_words: int
    as_none: int
    by_id_alone: int
    passages: tuple[int, int] | None
    separator: str | None
    group_column: str | None
    history_column: str | None
    time_path: str | None
    contexts_path: str | None
    thumbs: tuple[str, ...]
    proposed: tuple[str, ...]


class ExampleModel(Model):
    """An answer as a dry run read it."""

    id: str
    question: str
    answer: str
    contexts: tuple[FieldsOf[Context], ...]
    history: tuple[FieldsOf[Turn], ...]
    system: str | None
    timestamp: str | None
    group: str | None
    reference: str | None


class TrafficModel(IntakeModel, schema="assay/ingest/1"):
    """What traffic added, and how it was read; `stop` and `examples` are of a dry run alone."""

    PARTS = ("intake", "added")

    sources: tuple[HowReadModel, ...]
    unanswered: dict[str, int] = read_from("intake.unanswered", "unanswered")
    outranked: int = read_from("intake.outranked", "outranked")
    without_root: int
    without_content: int
    failed: int
    feedback: int
    scores: int
    evaluations: tuple[str, ...]
    read_as: dict[str, str]
    put_in_force: bool = read_from("effect.put_in_force", "put_in_force")
    unread: dict[str, str] = read_from("effect.unread", "unread")
    scores_without_item: int = read_from("waiting.without_item", "scores_without_item")
    scores_unscaled: tuple[FieldsOf[Unscaled], ...] = read_from("waiting.unscaled", "scores_unscaled")
    is_dry: bool
    stop: str | None
    examples: tuple[ExampleModel, ...]

    added: int
    revised: int
    updated: int
    unchanged: int
    repeated: int
    items: int

    @classmethod
    def computed(cls, result: Ingested) -> Mapping[str, object]:
        """Give the examples of a dry run."""
        return {"examples": [item for how in result.sources if result.is_dry for item in how.examples]}


class FeedbackIntakeModel(IntakeModel, schema="assay/feedback/1"):
    """What feedback was new, how many rows hold none, by the reason, and what the store has now."""

    new: int
    none: dict[str, int]
    thumbs_down: int
    thumbs_up: int
    unmatched: int


class ScoresIntakeModel(IntakeModel, schema="assay/scores_import/1"):
    """What scores were new, how many of them are failures, and how many rows hold none, by the reason, and how many wait.

    Which columns of a table were judges, or may be.
    """

    new: int
    failed: int
    none: dict[str, int]
    judges: tuple[str, ...]
    unused: tuple[str, ...]
    proposed: tuple[FieldsOf[ProposedColumn], ...]
    scores_without_item: int = read_from("waiting.without_item", "scores_without_item")
    scores_unscaled: tuple[FieldsOf[Unscaled], ...] = read_from("waiting.unscaled", "scores_unscaled")
    read_as: dict[str, str]
    put_in_force: bool = read_from("effect.put_in_force", "put_in_force")
    unread: dict[str, str] = read_from("effect.unread", "unread")


class SentModel(ActionModel, schema="assay/scores_sent/1"):
    """How many scores were sent where; `without_trace` have no trace to stand beside."""

    destination: str
    sent: int
    without_trace: int


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
    drawn_since: int
    blank: int
    passages_unasked: int
    unsure_corrections: int
    disagreements: int


class ReferencesModel(IntakeModel, schema="assay/gold_import/1"):
    """What references became candidates of the gold set."""

    PARTS = ("intake", "kept")

    added: int
    without_item: int
    unchanged: int


class QuarantineModel(ActionModel, schema="assay/quarantine/1"):
    """Rows that could not be read, with the reasons counted."""

    rows: int
    reasons: tuple[FieldsOf[RefusalReason], ...]
    quarantine: tuple[FieldsOf[QuarantinedRow], ...]

    @classmethod
    def computed(cls, result: Sequence[QuarantinedRow]) -> Mapping[str, object]:
        """Count the reasons."""
        reasons = together(RefusalReason(row.reason, 1) for row in result)
        return {"rows": len(result), "reasons": reasons, "quarantine": tuple(result)}


class DismissedModel(ActionModel, schema="assay/quarantine_dismissed/1"):
    """Rows in quarantine that somebody does not want, and how many are open still."""

    rows: int
    open: int


MODELS = {
    "traffic": TrafficModel,
    "feedback": FeedbackIntakeModel,
    "scores": ScoresIntakeModel,
    "sent": SentModel,
    "labels": LabelsModel,
    "references": ReferencesModel,
    "quarantine": QuarantineModel,
    "dismissed": DismissedModel,
}
