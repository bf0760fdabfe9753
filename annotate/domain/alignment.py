"""Define an alignment: a version of a model's judge that labels guided, what guides it, and how it was measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proxy.evaluation.alignment import GuidanceKind
from proxy.evaluation.estimate import Estimate

# What the events are called that put a version in force, and out of it again.
ALIGNED = "judge aligned"
UNDONE = "judge alignment undone"
# A person's guidelines that wait in a file to be measured.
GUIDELINES_SAVED = "judge guidelines saved"


class NotAligned(StrEnum):
    """Why a judge stays as it is."""

    FEW_TUNING = "few_tuning"
    FEW_MEASURING = "few_measuring"
    NO_SCORES = "no_scores"
    BEST_AS_IT_IS = "best_as_it_is"
    FAILS_MORE = "fails_more"
    NOT_SHOWN = "not_shown"
    OBJECTION = "objection"
    STOPPED = "stopped"


class ChosenExample(NamedTuple):
    """A labelled answer that a version may show: its row, and the name that stands for its texts and its label."""

    item: int
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentFigures:
    """The AUROC of a version and of the judge beside it on measuring labels, and the first minus the second.

    `lowest` is the bound below which the long-run difference does not lie, however often one looks and however many versions
    were measured before.
    """

    base: Estimate
    aligned: Estimate
    difference: Estimate
    lowest: float | None
    right: int
    wrong: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Alignment:
    """A version that was measured.

    Attributes
    ----------
    key
        Its row in the store; 0 before it is kept.
    judge
        The name of the judge.
    bare, base, signature
        The signatures of the judge without any guidance, of what was in force beside it, and of this version.
    kind, guidelines, examples
        What guides it: guidelines in their order, and the labelled answers to choose from.
    figures
        How it was measured.
    at
        When, ISO 8601 in UTC.
    is_in_force
        Whether `assay judge` asks it.
    """

    key: int = 0
    judge: str
    bare: str
    base: str
    signature: str
    kind: GuidanceKind
    guidelines: tuple[str, ...]
    examples: tuple[ChosenExample, ...]
    figures: AlignmentFigures
    at: str
    is_in_force: bool
