"""The JSON of what annotators said, of how each labels, and of what waits for a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator

from annotate.analysis.labelling.rows import AnnotatorActivity, WaitingCases, annotation_rows
from annotate.domain.adjudication import name_of
from annotate.domain.annotator_activity import LogCounts
from annotate.present.labels import NOTE_RULE, ItemHistory
from annotate.present.messages import text
from annotate.present.schemas.base import ActionModel, Model, read_from
from annotate.present.schemas.keyed import FieldsOf

if TYPE_CHECKING:
    from annotate.store.labels.opposite_labels import LabelledItem
    from annotate.workflow.labelling.adjudicate import Adjudicated


class AnnotationModel(Model):
    """What an annotator said of an item."""

    annotator: str
    label: str
    reference: str | None
    causes: tuple[str, ...]
    harm: str | None
    rationale: str | None


class RevisionModel(AnnotationModel):
    """A revision of an annotation, as it came."""

    item_id: str
    form_version: str | None
    seconds: float | None
    at: str | None
    source: str
    annotation_id: str
    edited_by: str | None
    deleted: bool
    received_at: str
    passage_relevance: tuple[str, ...]
    context_sufficiency: str | None


class LabelHistoryModel(ActionModel, schema="assay/label_history/1"):
    """Every revision of every annotation of an item."""

    item_id: str
    revisions: tuple[RevisionModel, ...]

    @classmethod
    def computed(cls, result: ItemHistory) -> Mapping[str, object]:
        """Give the rows of a file of annotations."""
        return {"revisions": list(annotation_rows(result.revisions))}


class NotIndependentModel(Model):
    """Second annotations that say nothing of agreement."""

    in_one_project: int
    without_name: int


class AnnotatorSummaryModel(Model):
    """How one annotator labels: `n` labels (unsure included), skips, shares, the median time of `timed` labels.

    `agreement` is the share of pairs with another's right or wrong on the same item that are alike, over `pairs` of them.
    Labels are `faster_than_reading` that took less time than question and answer take to read at twice the usual speed.
    """

    name: str
    n: int
    skipped: int
    unsure: float | None
    right: float | None
    seconds: float | None
    timed: int
    agreement: float | None
    pairs: int
    faster_than_reading: int
    notes: tuple[Annotated[str, BeforeValidator(text)], ...]


class AnnotatorsModel(ActionModel, schema="assay/annotators/1"):
    """How each annotator labels, and what happened to annotations."""

    annotators: tuple[AnnotatorSummaryModel, ...]
    rule: str
    log: tuple[FieldsOf[LogCounts], ...]
    not_independent: NotIndependentModel = read_from("uncounted", "not_independent")

    @classmethod
    def computed(cls, _: AnnotatorActivity) -> Mapping[str, object]:
        """Give the rule by which a note stands."""
        return {"rule": text(NOTE_RULE)}


class CaseModel(Model):
    """An item that waits for a decision, without the names of its annotators."""

    item_id: str
    why: str
    serious: bool
    skips: int
    readings: tuple[AnnotationModel, ...]


class DisagreementsModel(ActionModel, schema="assay/disagreements/1"):
    """What waits for a decision, the most urgent first; for draws `left`, handed on by everybody, no annotator is left."""

    disagreements: tuple[CaseModel, ...]
    second_annotator: int = read_from("second_readings", "second_annotator")
    left: int
    opposite: int

    @classmethod
    def computed(cls, result: WaitingCases) -> Mapping[str, object]:
        """Give the cases without names."""
        same = ("reference", "causes", "harm", "rationale")
        cases = [
            {
                "item_id": case.item_id,
                "why": str(case.why),
                "serious": case.is_serious,
                "skips": case.skips,
                "readings": [
                    {name: getattr(reading, name) for name in same}
                    | {"annotator": name_of(place), "label": str(reading.judgement)}
                    for place, reading in enumerate(case.readings)
                ],
            }
            for case in result.cases
        ]
        return {"disagreements": cases, "opposite": len(result.opposite)}


class LabelledModel(Model):
    """An item with its label and whose it is."""

    item_id: str
    label: str = read_from("judgement", "label")
    annotator: str


class OppositeModel(ActionModel, schema="assay/opposite_labels/1"):
    """The same answer to the same question with opposite labels, in groups."""

    opposite: tuple[tuple[LabelledModel, ...], ...]

    @classmethod
    def computed(cls, result: Sequence[Sequence[LabelledItem]]) -> Mapping[str, object]:
        """Give the groups."""
        return {"opposite": result}


class AdjudicatedModel(ActionModel, schema="assay/adjudicated/1"):
    """What an item is now, and by what."""

    item_id: str
    label: str | None
    basis: str | None
    added: bool = read_from("is_new", "added")
    waiting: int

    @classmethod
    def computed(cls, result: Adjudicated) -> Mapping[str, object]:
        """Give the label, where there is one."""
        label = result.label
        return {"label": label and label.judgement, "basis": label and label.basis}


MODELS = {
    "history": LabelHistoryModel,
    "annotators": AnnotatorsModel,
    "disagreements": DisagreementsModel,
    "opposite": OppositeModel,
    "adjudicated": AdjudicatedModel,
}
