"""The JSON of what an action on the gold set came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from annotate.domain.gold import GoldStatus
from annotate.domain.gold.outcomes import Accepted, Retired
from annotate.present.schemas.base import ActionModel


class AddModel(ActionModel):
    """A reference that became a candidate."""

    SCHEMA: ClassVar[str] = "assay/gold_add/1"

    gold_id: str

    @classmethod
    def beside(cls, result: str) -> Mapping[str, object]:
        """Take the id, which is all there is."""
        return {"gold_id": result}


class RetireModel(ActionModel):
    """Entries that were retired, and the entries of each status now."""

    SCHEMA: ClassVar[str] = "assay/gold_retire/1"

    changed: int
    candidate: int
    accepted: int
    retired: int

    @classmethod
    def beside(cls, result: Accepted | Retired) -> Mapping[str, object]:
        """Give the entries of each status a key of their own."""
        return {status.value: count for status, count in result.counts.items()}


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
    PARTS = ("release",)

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
    "added": AddModel,
    "accepted": AcceptModel,
    "retired": RetireModel,
    "edited": EditModel,
    "kept": KeepModel,
    "marked": MarkModel,
    "policy": PolicyModel,
    "released": ReleaseModel,
    "exported": ExportModel,
}
