"""The gold set: labels in, candidates out; a person accepts or retires them, and every step is kept.

A wrong label with a reference becomes a candidate, a right label offers its answer as one. Nothing is promoted by itself:
what a person has accepted or retired is never changed by a later label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from proxy.records import Item, Judgement, Label

EXPORT_COLUMNS = (
    *("gold_id", "question", "reference", "contexts", "item_id", "system", "annotator", "role", "release"),
    *("status", "source", "label", "wave", "label_at", "updated_at", "language"),
)


class GoldStatus(StrEnum):
    """Where an entry stands."""

    CANDIDATE = "candidate"
    ACCEPTED = "accepted"
    RETIRED = "retired"


class GoldSource(StrEnum):
    """Where a reference comes from."""

    WRITTEN = "written by an annotator"
    RIGHT_ANSWER = "an answer labelled right"
    APP = "written in the app"
    COMMAND = "written on the command line"


class Candidate(NamedTuple):
    """A reference that a label offers."""

    reference: str
    source: GoldSource
    annotator: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldEntry:
    """One item with a reference."""

    gold_id: str
    item: int
    item_id: str
    reference: str
    status: GoldStatus
    source: GoldSource
    annotator: str | None
    updated_at: str


def candidate(label: Label, answer: str) -> Candidate | None:
    """What a label offers to the gold set, if anything."""
    if label.judgement is Judgement.WRONG and label.reference:
        return Candidate(label.reference, GoldSource.WRITTEN, label.annotator)
    if label.judgement is Judgement.RIGHT and answer.strip():
        return Candidate(answer, GoldSource.RIGHT_ANSWER, label.annotator)
    return None


def is_contradicted(entry: GoldEntry, label: Label | None) -> bool:
    """Whether an answer was taken for right and its label has said otherwise since."""
    offered = entry.source is GoldSource.RIGHT_ANSWER and entry.status is not GoldStatus.RETIRED
    return offered and (label is None or label.judgement is not Judgement.RIGHT)


def gold_id(item_id: str, revision: int) -> str:
    """A stable name for the entry of one revision of an item."""
    return "gold-" + blake2b(f"{item_id}|{revision}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def export_row(entry: GoldEntry, item: Item, label: Label | None) -> Mapping[str, object]:
    """An entry as the gold file holds it, with where it comes from."""
    return {
        "gold_id": entry.gold_id,
        "question": item.question,
        "reference": entry.reference,
        "contexts": [context.text for context in item.contexts],
        "item_id": entry.item_id,
        "system": item.system,
        "annotator": entry.annotator,
        "role": None,
        "release": None,
        "status": entry.status.value,
        "source": entry.source.value,
        "label": label.judgement.value if label else None,
        "wave": label.wave if label else None,
        "label_at": label.at if label else None,
        "updated_at": entry.updated_at,
        "language": item.language,
    }
