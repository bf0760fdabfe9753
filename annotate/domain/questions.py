"""Records of building test questions: what is asked for, what came of it, and how a question stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotate.domain.gold import GoldStatus
from proxy.errors import UsageError
from proxy.questions.records import Ability, BuiltQuestion, DropReason, Expected, QuestionItem, QuestionKind
from proxy.text.alternatives import alternatives


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionRequest:
    """What to build: at most so many questions of each kind, and the conditions of their items.

    With a model it is also how many passages, and pairs of passages, are asked about.
    """

    single: int = 50
    multi: int = 25
    noise_rates: tuple[float, ...] = (0.0, 0.5, 0.8)
    passages: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.single, self.multi) < 0 or self.passages < 1:
            raise UsageError(
                "numbers of questions are 0 or more, and an item without an answer has at least one passage"
            )
        if not self.noise_rates or not all(0 <= rate <= 0.95 for rate in self.noise_rates):
            raise UsageError(
                "a noise rate is the share of passages that do not hold the answer, 0 to 0.95, like 0,0.5,0.8; items with "
                "none that holds it are built beside"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionsBuilt:
    """What building came to.

    `passages` were read, without repeats; of `unread` more there was no room, and `refused` rows of the file hold none. `added`
    counts new questions by kind, `unchanged` those that were there before, `items` new test items by ability, of which
    `items_of_known` belong to questions that were there before, `missing` those that could not be made for want of passages or
    of a fact to change. `dropped` counts questions by the reason why they were not kept, `without_fact` passages that hold
    nothing a pattern asks for (None: a model asked). `requests` and `tokens` are what a model was asked in this run; `stopped`
    says why it did not come to its end.
    """

    passages: int
    unread: int = 0
    refused: int = 0
    added: Mapping[QuestionKind, int] = field(default_factory=dict)
    unchanged: int = 0
    items: Mapping[Ability, int] = field(default_factory=dict)
    items_of_known: int = 0
    missing: Mapping[Ability, int] = field(default_factory=dict)
    dropped: Mapping[DropReason, int] = field(default_factory=dict)
    without_fact: int | None = None
    requests: int = 0
    tokens: int = 0
    cost: float | None = None
    stopped: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every row was read, and the run came to its end."""
        return self.stopped is None and not self.refused


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredQuestion:
    """A question as the store has it: its gold entry, how that stands, and its test items."""

    question_id: str
    gold_id: str
    status: GoldStatus
    question: BuiltQuestion
    items: tuple[QuestionItem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAnswerFile:
    """A file of answers to test items: of which system, None for the only one, and whether accepted questions alone count."""

    path: str
    system: str | None = None
    accepted: bool = False


def as_corrected(expected: Expected, reference: str) -> Expected | None:
    """Return what is expected by a reference that a person wrote.

    Parameters
    ----------
    expected : Expected
        What was expected when the question was built: a group for each part.
    reference : str
        The reference now: alternatives with bars between them, or the parts with semicolons between them.

    Returns
    -------
    Expected or None
        As many groups as before; one whose first text stays keeps its other texts. None where the parts are not as many.
    """
    parts = reference.split(";") if len(expected) > 1 else [reference]
    groups = tuple(tuple(alternatives(part)) for part in parts)
    if len(groups) != len(expected) or not all(groups):
        return None
    return tuple(old if new == old[:1] else new for old, new in zip(expected, groups, strict=True))
