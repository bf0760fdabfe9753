"""The JSON of what the gold set holds: entries, what waits, near-duplicates, the history of an entry, releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotate.domain.gold import GoldEntry, GoldRole, GoldSource, GoldStatus
from annotate.domain.gold.entries import GoldRevision
from annotate.domain.gold.release import Difference, Release
from annotate.domain.gold.sources import SourceChange
from annotate.domain.turns import as_rows
from annotate.present.schemas.base import ActionModel, Model
from annotate.present.schemas.keyed import FieldsOf, answer_model
from proxy.records import Turn

if TYPE_CHECKING:
    from annotate.analysis.gold.review import GoldEntries, NearDuplicates, WaitingEntry


class WaitingModel(Model):
    """An entry that waits for a person, with what speaks against it."""

    gold_id: str
    status: GoldStatus
    source: GoldSource
    question: str
    history: tuple[dict[str, str], ...]
    reference: str
    revision: int
    doubts: tuple[str, ...]
    source_changes: tuple[FieldsOf[SourceChange], ...]


class EntryModel(Model):
    """An entry of the gold set."""

    gold_id: str
    item_id: str | None
    status: GoldStatus
    source: GoldSource
    annotator: str | None
    question: str
    history: tuple[dict[str, str], ...]
    reference: str
    flag: str | None
    lacks_knowledge: bool
    role: GoldRole | None
    revision: int
    corrects: tuple[str, ...]
    source_changes: tuple[FieldsOf[SourceChange], ...]


class PairModel(Model):
    """Two entries that ask nearly the same."""

    one: str
    other: str
    conflict: bool


class UncoveredQuestionModel(Model):
    """A question that needs a reference, with the ids of its wrong answers."""

    question: str
    history: tuple[dict[str, str], ...]
    item_ids: tuple[str, ...]


class EntriesModel(ActionModel, schema="assay/gold_list/2"):
    """The entries, and the questions whose wrong answers still need a reference."""

    gold: tuple[EntryModel, ...]
    without_reference: tuple[UncoveredQuestionModel, ...]
    answers_without_reference: int
    knowledge_base_lacks: int
    without_passage_ids: int

    @classmethod
    def computed(cls, result: GoldEntries) -> Mapping[str, object]:
        """Give each entry with its question."""
        return {
            "gold": [
                _row(
                    EntryModel,
                    entry,
                    result.questions[entry.gold_id],
                    result.histories.get(entry.gold_id, ()),
                    corrects=tuple(result.corrects.get(entry.gold_id, ())),
                    source_changes=tuple(result.changes.get(entry.gold_id, ())),
                )
                for entry in result.entries
            ],
            "without_reference": [
                {"question": asked.question, "history": as_rows(asked.history), "item_ids": asked.item_ids}
                for asked in result.missing
            ],
            "answers_without_reference": result.missing_answers,
            "knowledge_base_lacks": result.lacking,
            "without_passage_ids": result.without_ids,
        }


class ReviewModel(ActionModel, schema="assay/gold_review/1"):
    """What waits for a person."""

    waiting: tuple[WaitingModel, ...]

    @classmethod
    def computed(cls, result: Sequence[WaitingEntry]) -> Mapping[str, object]:
        """Give each entry with its question and its doubts."""
        rows = [
            _row(
                WaitingModel,
                pair.entry,
                pair.question,
                pair.history,
                doubts=pair.doubts,
                source_changes=tuple(pair.changes),
            )
            for pair in result
        ]
        return {"waiting": rows}


class DuplicatesModel(ActionModel, schema="assay/gold_duplicates/1"):
    """The pairs that ask nearly the same, and how many are in conflict."""

    pairs: tuple[PairModel, ...]
    conflicts: int

    @classmethod
    def computed(cls, result: NearDuplicates) -> Mapping[str, object]:
        """Say of each pair whether it is in conflict."""
        return {
            "pairs": [{"one": pair.first, "other": pair.other, "conflict": pair.is_conflict} for pair in result.pairs]
        }


class GoldHistoryModel(ActionModel, schema="assay/gold_history/1"):
    """Each step of an entry, oldest first."""

    gold_id: str
    revisions: tuple[FieldsOf[GoldRevision], ...]


class ReleasesModel(ActionModel, schema="assay/gold_releases/1"):
    """Every release, oldest first."""

    releases: tuple[FieldsOf[Release], ...]

    @classmethod
    def computed(cls, result: Sequence[Release]) -> Mapping[str, object]:
        """Take the list, which is all there is."""
        return {"releases": result}


MODELS = {
    "entries": EntriesModel,
    "waiting": ReviewModel,
    "duplicates": DuplicatesModel,
    "history": GoldHistoryModel,
    "releases": ReleasesModel,
    "difference": answer_model(Difference, ActionModel, schema="assay/gold_diff/1"),
}


def _row(
    model: type[Model], entry: GoldEntry, question: str, before: Sequence[Turn], **more: object
) -> Mapping[str, Any]:
    """An entry under the keys of a model, with its question as it was asked."""
    asked = {"question": question, "history": as_rows(before), **more}
    return {name: asked.get(name, getattr(entry, name, None)) for name in model.model_fields}
