"""The JSON of one answer: its texts, what the proxy, judges, annotators and users say of it, its draw and its gold entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.analysis.labelling.rows import status_of
from annotate.domain.annotation import ADJUDICATION, Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.passages import passage_names
from annotate.present.schemas.base import AnswerModel, Model, read_from
from annotate.present.schemas.keyed import FieldsOf
from annotate.present.schemas.labels import AnnotationModel
from proxy.records import Item, SentenceVerdict, Turn

if TYPE_CHECKING:
    from annotate.analysis.disagreements import ItemDetail


class RetrievedPassageModel(Model):
    """A passage in rank order, with where it comes from where that is known."""

    id: str | None
    title: str | None
    text: str
    score: float | None
    date: str | None
    source: str | None


class ItemTextsModel(Model):
    """An item with its texts; own fields of the traffic are left out."""

    id: str
    question: str
    history: tuple[FieldsOf[Turn], ...]
    contexts: tuple[RetrievedPassageModel, ...]
    answer: str
    system: str | None
    timestamp: str | None
    group: str | None
    language: str | None
    reference: str | None


class ResolvedLabelModel(AnnotationModel):
    """The label that annotators came to, and what it rests on; `wave` is null where it is hand-picked."""

    label: str = read_from("judgement", "label")
    annotator: str | None  # type: ignore[assignment]  # a label of a file may name nobody
    wave: int | None
    at: str | None
    basis: str | None


class ReadingModel(AnnotationModel):
    """What one annotator says now; `label` also says that it was skipped, handed on or deleted."""

    at: str | None
    adjudicated: bool


class ItemScoreModel(Model):
    """A judge's score under its signature, null where it failed, and its reason."""

    judge: str
    signature: str
    score: float | None = read_from("value", "score")
    reason: str


class JudgedSentencesModel(Model):
    """A judge's verdict on each sentence; `is_rule` where the rule in force reads this signature."""

    judge: str
    signature: str
    is_rule: bool
    verdicts: tuple[FieldsOf[SentenceVerdict], ...]


class NamedCausesModel(Model):
    """Causes that a person named after the annotators."""

    causes: tuple[str, ...]
    who: str
    at: str


class ItemDrawModel(Model):
    """The draw of an item, with its chance."""

    wave: int
    stratum: str
    inclusion_probability: float
    at: str = read_from("drawn_at", "at")


class ItemGoldModel(Model):
    """The entry of an item in the gold set; `flag` says what changed behind it."""

    gold_id: str
    status: str
    source: str
    reference: str
    annotator: str | None
    role: str | None
    flag: str | None


class ItemModel(AnswerModel, schema="assay/item/1"):
    """All that is known of one answer; `kind` is null where the proxy and annotators do not differ, or one has not spoken."""

    item: ItemTextsModel
    verdict: str
    value: float | None
    threshold: float = read_from("rule.threshold", "threshold")
    rule: str
    kind: str | None
    label: ResolvedLabelModel | None
    readings: tuple[ReadingModel, ...]
    judges: tuple[ItemScoreModel, ...] = read_from("judge_results", "judges")
    sentences: tuple[JudgedSentencesModel, ...]
    named_causes: tuple[NamedCausesModel, ...] = read_from("named", "named_causes")
    second_annotator_asked: bool
    feedback: tuple[FieldsOf[Feedback], ...]
    draw: ItemDrawModel | None
    gold: ItemGoldModel | None
    needs_reference: bool
    is_forgotten: bool
    is_changed: bool

    @classmethod
    def computed(cls, result: ItemDetail) -> Mapping[str, object]:
        """Give the texts with the names of passages, the rule in one line, and the readings by what they say."""
        return {
            "item": _item(result.item),
            "rule": f"{result.rule.name} v{result.rule.version}: {result.rule.expression}",
            "readings": [_reading(reading) for reading in result.readings],
            "second_annotator_asked": result.second.asked is not None,
        }


def _item(item: Item) -> dict[str, object]:
    own = ("id", "question", "answer", "system", "timestamp", "group", "language", "reference", "history")
    named = zip(item.contexts, passage_names(item), strict=True)
    contexts = [
        context._asdict() | {"date": name.date or None, "source": name.source or None} for context, name in named
    ]
    return {name: getattr(item, name) for name in own} | {"contexts": contexts}


def _reading(reading: Annotation) -> dict[str, object]:
    same = ("annotator", "reference", "causes", "harm", "rationale", "at")
    is_adjudicated = reading.source == ADJUDICATION
    return {name: getattr(reading, name) for name in same} | {
        "label": status_of(reading),
        "adjudicated": is_adjudicated,
    }


MODEL = ItemModel
