"""List the LLM judges and the metrics that ask a model by name, and the presets; build the judges of a choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from proxy.errors import UsageError
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.judges.llm.context_relevance import LlmContextRelevance
from proxy.judges.llm.faithfulness import LlmFaithfulness
from proxy.judges.llm.grading import answer_relevance, aspect, correctness, faithfulness_yes_no, overall
from proxy.judges.llm.one_call import LlmContextRelevanceAndFaithfulness
from proxy.judges.metrics.catalogue import model_metrics
from proxy.judges.metrics.embedding_metric import EmbeddingMetric
from proxy.text.suggestion import did_you_mean

DEFAULT = ("context_relevance", "faithfulness")
JUDGES = (*DEFAULT, "answer_relevance", "correctness", "correctness_vs_reference", "faithfulness_yes_no", "overall")
NAMES = (*JUDGES, *model_metrics())
# The four evaluators of llama-index-core 0.14 with their scales: points / 4, yes or no on the whole answer, points / 2, and
# grades from 1 to 5 of which 4 is right. The wording is ours, and what cannot be read is a failure, never 0.
PRESETS = {"llamaindex": ("context_relevance", "faithfulness_yes_no", "answer_relevance", "correctness")}


@dataclass(frozen=True, kw_only=True, slots=True)
class MenuChoice:
    """The judges to build, and how those that can be asked in several ways are asked.

    `one_call` asks context relevance and faithfulness together; `per_passage` asks context relevance of each passage;
    `right_from` is the least grade, 4 or 5, that counts as right; `aspects` are names with their definitions.
    """

    names: Sequence[str] = DEFAULT
    one_call: bool = False
    per_passage: bool = False
    right_from: int = 4
    aspects: Mapping[str, str] = field(default_factory=dict)


def build(setup: Setup, choice: MenuChoice) -> tuple[LlmJudge, ...]:
    """Build the judges of a choice, in its order, aspects last; UsageError for unknown ones."""
    unknown = [name for name in choice.names if name not in NAMES and name not in choice.aspects]
    if unknown:
        meant = did_you_mean(unknown[0], NAMES)
        raise UsageError(f"a model has no judge {unknown[0]}: it has {', '.join(NAMES)}{meant}")
    clash = [name for name in choice.aspects if name in NAMES or not name.isidentifier()]
    if clash:
        raise UsageError(
            f"an aspect cannot be called {clash[0]!r}: give it a name of its own, in letters, digits and _"
        )
    if choice.right_from not in (4, 5):
        raise UsageError(f"the least grade that is right is 4 or 5, not {choice.right_from}")
    names = [name for name in dict.fromkeys(choice.names) if name not in choice.aspects]
    judges: list[LlmJudge] = []
    if choice.one_call:
        missing = [name for name in DEFAULT if name not in names]
        if missing or choice.per_passage:
            raise UsageError("--one-call is for context_relevance and faithfulness together, on all passages at once")
        judges.append(LlmContextRelevanceAndFaithfulness(setup=setup))
        names = [name for name in names if name not in DEFAULT]
    judges += [_named(setup, choice, name) for name in names]
    return (*judges, *(aspect(setup, name, definition) for name, definition in choice.aspects.items()))


def _named(setup: Setup, choice: MenuChoice, name: str) -> LlmJudge:
    """Build the judge with this name."""
    if metric := model_metrics().get(name):
        return metric.asked(setup)
    if name == "faithfulness":
        return LlmFaithfulness(setup=setup)
    if name == "context_relevance":
        return LlmContextRelevance(setup=setup, per_passage=choice.per_passage)
    if name == "answer_relevance":
        return answer_relevance(setup)
    if name == "faithfulness_yes_no":
        return faithfulness_yes_no(setup)
    if name == "overall":
        return overall(setup)
    return correctness(setup, right_from=choice.right_from, with_reference=name == "correctness_vs_reference")


def asks_model(choice: MenuChoice) -> bool:
    """Return whether some judge of the choice asks a model for words."""
    return bool(choice.aspects) or any(
        name not in model_metrics() or model_metrics()[name].prompts for name in choice.names
    )


def compares_vectors(choice: MenuChoice) -> bool:
    """Return whether some judge of the choice compares vectors."""
    return any(isinstance(model_metrics().get(name), EmbeddingMetric) for name in choice.names)
