"""The JSON of what an action on the gold set came to."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.domain.gold import GoldStatus
from annotate.domain.gold.outcomes import Accepted, Retired
from annotate.present.schemas.base import ActionModel


class AddModel(ActionModel, schema="assay/gold_add/1"):
    """A reference that was saved, and the wrong answers to its question that it leaves."""

    gold_id: str
    answers_left: tuple[str, ...]


class RetireModel(ActionModel, schema="assay/gold_retire/1"):
    """Entries that were retired, and the entries of each status now; test questions are counted apart."""

    changed: int
    candidate: int
    accepted: int
    retired: int
    test_questions: dict[GoldStatus, int]

    @classmethod
    def computed(cls, result: Accepted | Retired) -> Mapping[str, object]:
        """Give the entries of each status a key of their own."""
        return {status.value: count for status, count in result.counts.items()}


class AcceptModel(RetireModel, schema="assay/gold_accept/1"):
    """Entries that were accepted; `withheld` are those that need a look of their own, with the reason."""

    corrections: int
    own: int
    withheld: dict[str, str]


class KeepModel(ActionModel, schema="assay/gold_keep/1"):
    """An entry that stays as it is, and whether that took a flag off it."""

    gold_id: str
    changed: bool


class EditModel(KeepModel, schema="assay/gold_edit/1"):
    """An entry, whether its reference changed, and its status now."""

    entry_status: GoldStatus


class MarkModel(ActionModel, schema="assay/gold_mark/1"):
    """Entries whose mark changed, and how many the knowledge base lacks."""

    changed: int
    knowledge_base_lacks: int


class PolicyModel(ActionModel, schema="assay/gold_policy/1"):
    """What the team asks for."""

    second_person: bool
    traffic_references: bool


class ReleaseModel(ActionModel, schema="assay/gold_release/1"):
    """A release, its entries by role, and what was left out."""

    PARTS = ("release",)

    name: str
    hash: str
    entries: int
    roles: dict[str, int]
    flagged: int
    conflicting: int
    same_as: str | None


class ExportModel(ActionModel, schema="assay/gold_export/1"):
    """Entries that were written to a file."""

    file: str
    rows: int
    forgotten: int
    candidates: int
    flattened: int
    joined: int
    altered: int


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
