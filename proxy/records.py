"""Define the records that every part shares: items, scores, labels. Frozen, keyword-only, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """The proxy's verdict on an item. Machines pass or fail; annotators say right or wrong."""

    PASS = "pass"  # noqa: S105 (a verdict, no password)
    FAIL = "fail"
    UNSCORED = "unscored"


class Judgement(StrEnum):
    """An annotator's verdict on an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


class LabelBasis(StrEnum):
    """The basis of a label."""

    ONE_ANNOTATOR = "one annotator"
    AGREEMENT = "agreement"
    MAJORITY = "majority"
    ADJUDICATION = "adjudication"
    DISAGREEMENT = "disagreement"


class FailureKind(StrEnum):
    """The reason why a judge gave no score."""

    NOT_APPLICABLE = "not_applicable"
    INVALID = "invalid"
    REFUSED = "refused"
    ERROR = "error"
    UNANSWERED = "unanswered"


class Support(StrEnum):
    """How the passages relate to one sentence of an answer."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    NO_CLAIM = "no_claim"
    UNSURE = "unsure"


class Context(NamedTuple):
    """One retrieved passage, in rank order within its item. A tuple, as traffic has many: made in a quarter of the time."""

    text: str
    id: str | None = None
    title: str | None = None
    score: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One earlier message of the conversation."""

    role: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One question, its contexts and answer, frozen for judging.

    `id` is the caller's or a content hash, and always text. `timestamp` is ISO 8601 in UTC. `group` is what items share
    when they are not independent: a conversation, a patient, a session; it does not make two answers a pair. `metadata`
    holds every field that Assay does not know, as it came; it never leaves the house.
    """

    id: str
    question: str
    answer: str
    contexts: tuple[Context, ...] = ()
    system: str | None = None
    timestamp: str | None = None
    group: str | None = None
    language: str | None = None
    history: tuple[Turn, ...] = ()
    reference: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class SentenceVerdict:
    """A judge's verdict on one sentence of the answer; never shown to an expert before the expert's own verdict.

    `value` in [0, 1] is how far the sentence is supported, None where it claims nothing. `passage` is the rank, from 1, of
    the passage that bears it most, `quote` the words there. `notes` are hints such as a number that no passage holds.
    """

    sentence: str
    support: Support
    value: float | None
    passage: int | None = None
    quote: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """A judge's number in [0, 1] on one item, with a reason that a person can read.

    `signature` names all that shaped the number: judge, version, settings. Another signature is another score. A judge of
    sentences gives a verdict on each, a judge of passages a value in [0, 1] for each in rank order (None where it has none).
    """

    item_id: str
    judge: str
    signature: str
    value: float
    reason: str = ""
    seconds: float | None = None
    sentences: tuple[SentenceVerdict, ...] = ()
    passages: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score lies in [0, 1], got {self.value!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeFailure:
    """A judge's failure to score one item: never a 0, always with its reason, and the reply where a model gave one."""

    item_id: str
    judge: str
    signature: str
    kind: FailureKind
    reason: str
    seconds: float | None = None
    raw: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """The resolved human verdict on an item.

    `wave` is the wave whose draw the label answers; None means hand-picked: weight 0 in every estimate. `basis` None is a
    label from before this was noted.
    """

    item_id: str
    judgement: Judgement
    wave: int | None = None
    annotator: str | None = None
    reference: str | None = None
    causes: tuple[str, ...] = ()
    harm: str | None = None
    rationale: str | None = None
    at: str | None = None
    basis: LabelBasis | None = None
