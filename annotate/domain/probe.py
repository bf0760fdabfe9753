"""Records of probing a model with questions from the passages that answers failed on: what it would take, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from proxy.questions.probe import ProbeCondition, ProbeScore, ProbeVerdict, ReadingAbility
from proxy.questions.records import DropReason


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeEstimate:
    """What a probe would take. Nothing has been sent.

    `questions` can be asked, of `passages` that `answers` failed on; `calls` are still to be made, the others are kept. `making`
    are the calls to the model that makes questions, at most; `cost` is None where a price is not known.
    """

    model: str
    answers: int
    passages: int
    questions: int
    calls: int
    making: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbedQuestion:
    """A question that was asked, what was expected and what the model answered; `answers` are the ids that failed."""

    answers: Sequence[str]
    question: str
    expected: str
    condition: ProbeCondition
    verdict: ProbeVerdict
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Probed:
    """What a probe came to.

    Attributes
    ----------
    model : str
        The model that was asked.
    ability : ReadingAbility
        What the answers show of it, by the questions that were asked with all passages.
    answers, without : int
        The wrong answers at the synthesis stage, and those of which no question could be made.
    scores : sequence of ProbeScore
        The share answered right in each condition.
    questions : sequence of ProbedQuestion
        Each question in each condition.
    dropped : mapping
        Questions that were not asked, by reason.
    own, cut : int
        Questions left out because the model had made them, or because their passage is not sent whole.
    requests, tokens, cost, stopped
        What this run took, and why it did not come to its end.
    """

    model: str
    ability: ReadingAbility
    answers: int
    without: int
    scores: Sequence[ProbeScore]
    questions: Sequence[ProbedQuestion]
    dropped: Mapping[DropReason, int] = field(default_factory=dict)
    own: int = 0
    cut: int = 0
    requests: int = 0
    tokens: int = 0
    cost: float | None = None
    stopped: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every question was asked."""
        return self.stopped is None and all(
            question.verdict is not ProbeVerdict.UNANSWERED for question in self.questions
        )
