"""Types of the gold set, and the reference that an item offers to it, from the best source there is.

What a person wrote comes before an answer that annotators call right, that before a reference that came with the traffic, and
that before an end user's correction, which anybody could have written. Nothing is promoted by itself: what a person has
accepted, retired or written is never changed by a later label.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from annotate.domain.identity import is_among
from annotate.domain.turns import to_text
from proxy.errors import UsageError
from proxy.records import Judgement, Label, Turn


class GoldStatus(StrEnum):
    """Status of an entry."""

    CANDIDATE = "candidate"
    ACCEPTED = "accepted"
    RETIRED = "retired"


class GoldSource(StrEnum):
    """Source of a reference."""

    WRITTEN = "written by an annotator"
    RIGHT_ANSWER = "an answer labelled right"
    APP = "written in the app"
    COMMAND = "written on the command line"
    IMPORT = "imported from a file"
    TRAFFIC = "came with the traffic"
    CORRECTION = "an end user's correction"
    MODEL = "drafted by a model"
    SYNTHETIC = "built from the passages"


class GoldRole(StrEnum):
    """Use of an entry.

    `BETWEEN` is for nothing, because its question is near to questions of two roles. `SYNTHETIC` entries were built from passages
    and asked by no user: they stand apart from the rest of the gold set, and every read but those by name leaves them out.
    """

    TEST = "test"
    CALIBRATION = "calibration"
    EXAMPLES = "examples"
    BETWEEN = "between roles"
    SYNTHETIC = "synthetic"


# What a person put here; a later label does not change it.
WRITTEN_HERE = (GoldSource.APP, GoldSource.COMMAND, GoldSource.IMPORT)
# What nobody has vouched for until it is accepted.
UNCHECKED = (GoldSource.TRAFFIC, GoldSource.CORRECTION)


class GoldRevision(NamedTuple):
    """One step of an entry, with what its reference was then.

    `origin` is the code of the proposal that its text began as, and `edit_distance` how many characters differ from that.
    """

    at: str
    status: GoldStatus
    who: str
    why: str
    reference: str
    source: GoldSource
    origin: str | None = None
    edit_distance: int | None = None


class Overtaken(UsageError):
    """An entry has changed since the user saw it."""


class Candidate(NamedTuple):
    """A reference that is offered."""

    reference: str
    source: GoldSource
    annotator: str | None


class Others(NamedTuple):
    """Offers of an item beside its label: the reference that came with it, an end user's correction and who sent it."""

    reference: str | None = None
    correction: str | None = None
    sender: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldEntry:
    """A question with a reference: an item's, or one of its own that was imported.

    `revision` is the number of its newest revision, `flag` what changed behind it since it was accepted, in words, `basis`
    what its label said at that moment, `cluster` the name of the near-duplicate questions that it belongs to. `item_id`,
    `question`, `contexts` and `history`: an imported entry has no item and holds its own; all others find theirs with the item.
    """

    gold_id: str
    item: int | None
    item_id: str | None
    reference: str
    status: GoldStatus
    source: GoldSource
    annotator: str | None
    updated_at: str
    flag: str | None = None
    basis: str | None = None
    lacks_knowledge: bool = False
    role: GoldRole | None = None
    cluster: str | None = None
    revision: int = 0
    question: str | None = None
    contexts: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()


def candidate(label: Label, answer: str) -> Candidate | None:
    """Return the candidate that a label offers to the gold set, if any."""
    if label.judgement is Judgement.WRONG and label.reference:
        return Candidate(label.reference, GoldSource.WRITTEN, label.annotator)
    if label.judgement is Judgement.RIGHT and answer.strip():
        return Candidate(answer, GoldSource.RIGHT_ANSWER, label.annotator)
    return None


def offered(label: Label | None, answer: str, others: Others) -> Candidate | None:
    """Return the best that an item offers; nothing while its label is unsure."""
    if label is not None and label.judgement is Judgement.UNSURE:
        return None
    best = candidate(label, answer) if label else None
    if best is None and others.reference and others.reference.strip():
        return Candidate(others.reference, GoldSource.TRAFFIC, None)
    if best is None and others.correction and others.correction.strip():
        return Candidate(others.correction, GoldSource.CORRECTION, others.sender)
    return best


def has_reference(entry: GoldEntry | None) -> bool:
    """Return whether a wrong answer needs no reference any more: a person wrote or accepted another one than the answer."""
    if entry is None or entry.status is GoldStatus.RETIRED or entry.source is GoldSource.RIGHT_ANSWER:
        return False
    return entry.status is GoldStatus.ACCEPTED or entry.source not in UNCHECKED


def stands(entry: GoldEntry) -> bool:
    """Return whether a person wrote or accepted what an entry says; another text for its question is a second reference."""
    return has_reference(entry) or (entry.status is GoldStatus.ACCEPTED and entry.flag is None)


def is_own(entry: GoldEntry, who: str) -> bool:
    """Return whether `who` stands behind the reference; several annotators share a field with commas between them."""
    return entry.annotator is not None and is_among(who, [entry.annotator, *entry.annotator.split(", ")])


def gold_id(item_id: str, revision: int) -> str:
    """Return a stable name for the entry of one revision of an item."""
    return _name(f"{item_id}|{revision}")


def imported_id(question: str, reference: str, history: Sequence[Turn] = ()) -> str:
    """Return a stable name for an entry without an item; the same question, conversation and reference are the same entry."""
    before = f"{to_text(history)}|" if history else ""
    return _name(f"imported|{before}{len(question)}|{question}|{reference}")


def synthetic_entry(question: str, reference: str, contexts: Sequence[str], *, maker: str, now: str) -> GoldEntry:
    """Return a candidate that was built from passages; the same question, reference and passages are the same entry.

    `maker` is what built it: a template, or the signature of a model. `reference` may hold alternatives (`1889 | in 1889`).
    """
    content = json.dumps([question, reference, list(contexts)])
    return GoldEntry(
        gold_id=_name(f"synthetic|{content}"),
        item=None,
        item_id=None,
        reference=reference,
        status=GoldStatus.CANDIDATE,
        source=GoldSource.SYNTHETIC,
        annotator=maker,
        updated_at=now,
        role=GoldRole.SYNTHETIC,
        question=question,
        contexts=tuple(contexts),
    )


def _name(text: str) -> str:
    return "gold-" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
