"""The JSON of what the gold set holds: entries, what waits, near-duplicates, the history of an entry, releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from annotate.domain.conversation import as_rows
from annotate.domain.gold import GoldEntry, GoldRole, GoldSource, GoldStatus
from annotate.domain.gold.release import Difference, Release
from annotate.present.document import Document
from annotate.present.gold_lists import History
from annotate.present.schemas.base import AnswerModel, Model, told
from proxy.records import Turn

if TYPE_CHECKING:
    from annotate.analysis.gold.review import GoldEntries, NearDuplicates, Waiting


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


class PairModel(Model):
    """Two entries that ask nearly the same."""

    one: str
    other: str
    conflict: bool


class StepOfEntryModel(Model):
    """One step of an entry, with what its reference was then."""

    at: str
    status: GoldStatus
    who: str
    why: str
    reference: str
    source: GoldSource


class ReleaseRowModel(Model):
    """A release with its hash."""

    name: str
    at: str
    who: str
    hash: str
    entries: int


class EntriesModel(AnswerModel):
    """The entries, and the wrong answers that still need a reference."""

    SCHEMA: ClassVar[str] = "assay/gold_list/1"

    gold: tuple[EntryModel, ...]
    without_reference: tuple[str, ...]
    knowledge_base_lacks: int


class ReviewModel(AnswerModel):
    """What waits for a person."""

    SCHEMA: ClassVar[str] = "assay/gold_review/1"

    waiting: tuple[WaitingModel, ...]


class DuplicatesModel(AnswerModel):
    """The pairs that ask nearly the same, and how many are in conflict."""

    SCHEMA: ClassVar[str] = "assay/gold_duplicates/1"

    pairs: tuple[PairModel, ...]
    conflicts: int


class HistoryModel(AnswerModel):
    """Each step of an entry, oldest first."""

    SCHEMA: ClassVar[str] = "assay/gold_history/1"

    gold_id: str
    revisions: tuple[StepOfEntryModel, ...]


class ReleasesModel(AnswerModel):
    """Every release, oldest first."""

    SCHEMA: ClassVar[str] = "assay/gold_releases/1"

    releases: tuple[ReleaseRowModel, ...]


class DifferenceModel(AnswerModel):
    """What a release has that another has not, by gold id."""

    SCHEMA: ClassVar[str] = "assay/gold_diff/1"

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[str, ...]
    marked: tuple[str, ...]


MODELS = {
    "gold_list": EntriesModel,
    "gold_review": ReviewModel,
    "gold_duplicates": DuplicatesModel,
    "gold_history": HistoryModel,
    "gold_releases": ReleasesModel,
    "gold_diff": DifferenceModel,
}


def entries(result: GoldEntries, document: Document) -> EntriesModel:
    """Make the model of the entries."""
    return EntriesModel.of(
        **told(EntriesModel, document),
        gold=[
            _row(EntryModel, entry, result.questions[entry.gold_id], result.histories.get(entry.gold_id, ()))
            for entry in result.entries
        ],
        without_reference=[item.id for item in result.missing],
        knowledge_base_lacks=result.lacking,
    )


def waiting(result: Sequence[Waiting], document: Document) -> ReviewModel:
    """Make the model of what waits."""
    return ReviewModel.of(
        **told(ReviewModel, document),
        waiting=[_row(WaitingModel, each.entry, each.question, each.history, doubts=each.doubts) for each in result],
    )


def duplicates(result: NearDuplicates, document: Document) -> DuplicatesModel:
    """Make the model of the pairs that ask nearly the same."""
    pairs = [{"one": pair.one, "other": pair.other, "conflict": pair.is_conflict} for pair in result.pairs]
    return DuplicatesModel.of(**told(DuplicatesModel, document), pairs=pairs, conflicts=result.conflicts)


def history(result: History, document: Document) -> HistoryModel:
    """Make the model of the history of an entry."""
    return HistoryModel.of(**told(HistoryModel, document), gold_id=result.gold_id, revisions=result.revisions)


def releases(result: Sequence[Release], document: Document) -> ReleasesModel:
    """Make the model of the releases."""
    return ReleasesModel.of(**told(ReleasesModel, document), releases=result)


def difference(result: Difference, document: Document) -> DifferenceModel:
    """Make the model of what two releases differ in."""
    return DifferenceModel.of(**told(DifferenceModel, document), **result._asdict())


def _row(
    model: type[Model], entry: GoldEntry, question: str, before: Sequence[Turn], **more: object
) -> Mapping[str, Any]:
    """An entry under the keys of a model, with its question as it was asked."""
    asked = {"question": question, "history": as_rows(before), **more}
    return {name: asked.get(name, getattr(entry, name, None)) for name in model.model_fields}
