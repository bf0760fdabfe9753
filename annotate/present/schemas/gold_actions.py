"""The JSON of what an action on the gold set came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from annotate.domain.gold import GoldStatus
from annotate.domain.gold.outcomes import Accepted, Edited, Exported, Kept, Marked, Retired, TeamPolicy
from annotate.present.document import Document
from annotate.present.schemas.base import ActionModel

if TYPE_CHECKING:
    from annotate.workflow.gold.release import Made


class AddModel(ActionModel):
    """A reference that became a candidate."""

    SCHEMA: ClassVar[str] = "assay/gold_add/1"

    gold_id: str


class RetireModel(ActionModel):
    """Entries that were retired, and the entries of each status now."""

    SCHEMA: ClassVar[str] = "assay/gold_retire/1"

    changed: int
    candidate: int
    accepted: int
    retired: int


class AcceptModel(RetireModel):
    """Entries that were accepted; `withheld` are those that need a look of their own, with the reason."""

    SCHEMA: ClassVar[str] = "assay/gold_accept/1"

    corrections: int
    own: int
    withheld: dict[str, str]


class KeepModel(ActionModel):
    """An entry that stays as it is, and whether that took a flag off it."""

    SCHEMA: ClassVar[str] = "assay/gold_keep/1"

    gold_id: str
    changed: bool


class EditModel(KeepModel):
    """An entry, whether its reference changed, and its status now."""

    SCHEMA: ClassVar[str] = "assay/gold_edit/1"

    entry_status: GoldStatus


class MarkModel(ActionModel):
    """Entries whose mark changed, and how many the knowledge base lacks."""

    SCHEMA: ClassVar[str] = "assay/gold_mark/1"

    changed: int
    knowledge_base_lacks: int


class PolicyModel(ActionModel):
    """What the team asks for."""

    SCHEMA: ClassVar[str] = "assay/gold_policy/1"

    second_person: bool
    traffic_references: bool


class ReleaseModel(ActionModel):
    """A release, its entries by role, and what was left out."""

    SCHEMA: ClassVar[str] = "assay/gold_release/1"

    name: str
    hash: str
    entries: int
    roles: dict[str, int]
    flagged: int
    conflicting: int
    same_as: str | None


class ExportModel(ActionModel):
    """Entries that were written to a file."""

    SCHEMA: ClassVar[str] = "assay/gold_export/1"

    file: str
    rows: int
    forgotten: int
    candidates: int


MODELS = {
    "gold_add": AddModel,
    "gold_accept": AcceptModel,
    "gold_retire": RetireModel,
    "gold_edit": EditModel,
    "gold_keep": KeepModel,
    "gold_mark": MarkModel,
    "gold_policy": PolicyModel,
    "gold_release": ReleaseModel,
    "gold_export": ExportModel,
}


def added(gold_id: str, document: Document) -> AddModel:
    """Make the model of a reference that became a candidate."""
    return AddModel.of_document(document, gold_id=gold_id)


def accepted(result: Accepted, document: Document) -> AcceptModel:
    """Make the model of entries that were accepted."""
    names = ("changed", "corrections", "own", "withheld")
    return AcceptModel.of_document(document, **result.counts, **{name: getattr(result, name) for name in names})


def retired(result: Retired, document: Document) -> RetireModel:
    """Make the model of entries that were retired."""
    return RetireModel.of_document(document, changed=result.changed, **result.counts)


def edited(result: Edited, document: Document) -> EditModel:
    """Make the model of an entry that was edited."""
    gold_id, changed, status = result
    return EditModel.of_document(document, gold_id=gold_id, changed=changed, entry_status=status)


def kept(result: Kept, document: Document) -> KeepModel:
    """Make the model of an entry that stays as it is."""
    return KeepModel.of_document(document, **result._asdict())


def marked(result: Marked, document: Document) -> MarkModel:
    """Make the model of entries that were marked."""
    return MarkModel.of_document(document, **result._asdict())


def policy(result: TeamPolicy, document: Document) -> PolicyModel:
    """Make the model of what the team asks for."""
    return PolicyModel.of_document(document, **result._asdict())


def released(result: Made, document: Document) -> ReleaseModel:
    """Make the model of a release."""
    of_release = {name: getattr(result.release, name) for name in ("name", "hash", "entries")}
    of_result = {name: getattr(result, name) for name in ("roles", "flagged", "conflicting", "same_as")}
    return ReleaseModel.of_document(document, **of_release, **of_result)


def exported(result: Exported, document: Document) -> ExportModel:
    """Make the model of entries that were written."""
    return ExportModel.of_document(document, **result._asdict())
