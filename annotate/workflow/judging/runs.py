"""Records of a run of LLM judges: its options, its outcomes and its costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotate.store.scores.calls import Used
from proxy.judges.llm.base import CONTEXT_LIMIT, LlmJudge, Outcome, Setup
from proxy.judges.llm.canaries import MOST
from proxy.judges.llm.embedding import EmbeddingModel, EmbeddingSettings
from proxy.judges.menu import MenuChoice
from proxy.llm.budget import Prices
from proxy.llm.embeddings import FUNCTION
from proxy.llm.openai_client import address
from proxy.records import FailureKind, JudgeFailure, Score

# Reasons that are distinguished; a run over all traffic must not keep one for each item.
_REASONS = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingRequest:
    """The embedding model whose vectors judges compare.

    Attributes
    ----------
    model
        Its name at the endpoint, or what the scores by `function` are called by.
    url
        The endpoint, which speaks OpenAI's protocol; None: OpenAI's own. Of a function, what names its version.
    function
        A function of the user's in place of an endpoint: it gets a list of texts and returns a row of numbers for each.
    prices
        What a million tokens cost.
    similarity_threshold, similarity_weight, generated_questions
        As `EmbeddingSettings` has them.
    """

    model: str
    url: str | None = None
    function: Callable[[list[str]], object] | None = None
    prices: Prices | None = None
    similarity_threshold: float | None = None
    similarity_weight: float = 0.25
    generated_questions: int = 3

    @property
    def settings(self) -> EmbeddingSettings:
        """What shapes the scores."""
        return EmbeddingSettings(
            model=self.identity,
            similarity_threshold=self.similarity_threshold,
            similarity_weight=self.similarity_weight,
            generated_questions=self.generated_questions,
        )

    @property
    def identity(self) -> EmbeddingModel:
        """The model as signatures and the store name it."""
        url = self.url or FUNCTION if self.function else address(self.url)
        return EmbeddingModel(url=url, model=self.model)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The options of a run. `parameters` are those of the request that the user asks for; `rows` are the items, None for all.

    `versions` makes what is asked in place of the choice: versions on trial, whose outcomes no report reads.
    """

    choice: MenuChoice = field(default_factory=MenuChoice)
    concurrency: int = 16
    deadline: float = 60.0
    attempts: int = 8
    prompts: Path | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    context_limit: int = CONTEXT_LIMIT
    prices: Prices | None = None
    embeddings: EmbeddingRequest | None = None
    most_money: float | None = None
    most_tokens: int | None = None
    most_items: int | None = None
    rows: Sequence[int] | None = None
    asks_failed_again: bool = False
    probes_again: bool = False
    versions: Callable[[Setup], Sequence[LlmJudge]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CanaryResult:
    """The result of one judge on the run's canary; `value` None where it gave no score."""

    judge: str
    signature: str
    value: float | None
    reason: str

    @property
    def is_fooled(self) -> bool:
        """Whether the judge was talked into a good verdict."""
        return self.value is not None and self.value > MOST


def canary_result(outcome: Outcome) -> CanaryResult:
    """Return a judge's result on the canary; of its sentences the first is the false claim."""
    value = None if isinstance(outcome, JudgeFailure) else outcome.value
    reason = outcome.reason
    if isinstance(outcome, Score) and outcome.sentences:
        claim = outcome.sentences[0]
        value, reason = claim.value, f"{claim.support}: {claim.sentence}"
    return CanaryResult(judge=outcome.judge, signature=outcome.signature, value=value, reason=reason)


@dataclass
class ModelJudged:
    """The record of a run so far: scores, failures by kind and their reasons, canaries; how it ended and what it used."""

    scores: int = 0
    failures: dict[FailureKind, int] = field(default_factory=dict)
    canaries: list[CanaryResult] = field(default_factory=list)
    judges: tuple[LlmJudge, ...] = ()
    used: list[Used] = field(default_factory=list)
    attempts: Mapping[str, int] = field(default_factory=dict)
    stopped: str | None = None
    is_fault: bool = False
    reasons: Counter[str] = field(default_factory=Counter)
    _by_signature: Counter[str] = field(default_factory=Counter)

    @property
    def items(self) -> int:
        """Items of which some judge has said something, or failed to."""
        return max(self._by_signature.values(), default=0)

    @property
    def failed(self) -> int:
        """Failures that are no abstentions."""
        return sum(count for kind, count in self.failures.items() if kind is not FailureKind.NOT_APPLICABLE)

    def count(self, outcomes: Sequence[Outcome]) -> None:
        """Add the outcomes of one job."""
        for outcome in outcomes:
            self._by_signature[outcome.signature] += 1
            if not isinstance(outcome, JudgeFailure):
                self.scores += 1
                continue
            self.failures[outcome.kind] = self.failures.get(outcome.kind, 0) + 1
            if outcome.kind is not FailureKind.NOT_APPLICABLE and (
                len(self.reasons) < _REASONS or outcome.reason in self.reasons
            ):
                self.reasons[outcome.reason] += 1
