"""Declare a metric that asks a model: a generator of asks that ends in a value, under one signature for all its prompts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from proxy.judges.llm.asking import Ask, Unreadable
from proxy.judges.llm.base import Setup, Steps, not_applicable, scored, unreadable
from proxy.judges.llm.embedding import TextsToEmbed
from proxy.judges.llm.shown_item import ANSWER, PASSAGES, QUESTION, REFERENCE, ShownItem
from proxy.judges.metrics.metric import Metric, MetricNeed, UndefinedValue, WorkedNumber
from proxy.records import Context, Item
from proxy.text.language import quoted

_PARTS = {
    MetricNeed.QUESTION: QUESTION,
    MetricNeed.CONTEXTS: PASSAGES,
    MetricNeed.ANSWER: ANSWER,
    MetricNeed.REFERENCE: REFERENCE,
}
_SHOWN = 3


class ModelValue(NamedTuple):
    """The value of an item, in [0, 1], with its reason."""

    value: float
    reason: str


# An Ask is answered by a Reply, TextsToEmbed by a tuple with the vector of each.
Measuring = Generator[Ask | TextsToEmbed, Any, ModelValue | UndefinedValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelMetric(Metric):
    """A metric that asks a model; `measure` gets the item as the model is shown it, `prompts` are all that it uses."""

    prompts: tuple[str, ...]
    measure: Callable[[ShownItem], Measuring]

    @property
    def options(self) -> str:
        """The options that name its model."""
        return "--model M"

    def judge(self) -> None:
        """Return no judge: without a model there is none."""

    def asked(self, setup: Setup) -> ModelMetricJudge:
        """Return the judge that asks a model under this setup."""
        return ModelMetricJudge(setup=setup, metric=self)


@dataclass(frozen=True, kw_only=True)
class ModelMetricJudge:
    """An LLM judge that scores by a metric."""

    setup: Setup
    metric: ModelMetric

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The single score of an item."""
        name = self.metric.name
        return ((name, self.setup.signature(name, self.metric.prompts, self.metric.version)),)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signature's digest stands for."""
        return self.setup.settings(self.metric.prompts)

    def steps(self, item: Item) -> Steps:
        """Ask step by step; a reply that cannot be read, after one repair, leaves no value."""
        shown = ShownItem(setup=self.setup, item=item)
        parts = parts_of_needs(self.metric.needs)
        if reason := shown.missing(parts):
            return not_applicable(self, item, reason)
        try:
            measured = yield from self.metric.measure(shown)
        except Unreadable as fault:
            return unreadable(self, item, fault)
        if isinstance(measured, UndefinedValue):
            return not_applicable(self, item, measured.reason)
        return (scored(item, self.judges[0], measured.value, measured.reason + shown.note(parts)),)


def parts_of_needs(needs: Sequence[MetricNeed]) -> list[str]:
    """Return the parts of an item that these needs name."""
    return [_PARTS[need] for need in needs if need in _PARTS]


def share(texts: Sequence[str], verdicts: Sequence[bool], counted: str, *, is_good: bool = True) -> ModelValue:
    """Return true verdicts / verdicts; `counted` is such as "statements are supported".

    The reason quotes the texts that are to blame: those of the false verdicts, or of the true ones where these are not good.
    """
    blamed = [quoted(text) for text, verdict in zip(texts, verdicts, strict=True) if verdict is not is_good]
    more = f" and {len(blamed) - _SHOWN} more" if len(blamed) > _SHOWN else ""
    named = f"{'; not' if is_good else ''}: {', '.join(blamed[:_SHOWN])}{more}" if blamed else ""
    return ModelValue(sum(verdicts) / len(verdicts), f"{sum(verdicts)} of {len(verdicts)} {counted}{named}")


def scripted(
    judge: str, given: str, expected: float, *replies: Sequence[str], passages: int = 1, answer: str = "An answer."
) -> WorkedNumber:
    """Return the worked number of an item to which a model replies so: to each ask the texts of a list, or verdicts in order."""
    contexts = tuple(Context(text=f"Passage {rank}.") for rank in range(1, passages + 1))
    item = Item(id=judge, question="A question?", answer=answer, reference="A reference.", contexts=contexts)
    return WorkedNumber(judge=judge, item=item, expected=expected, given=given, replies=tuple(map(tuple, replies)))


def embedded(
    judge: str, given: str, expected: float, *vectors: Sequence[float], replies: Sequence[Sequence[str]] = ()
) -> WorkedNumber:
    """Return the worked number of an item whose texts have these vectors, in the order in which they are asked for."""
    number = scripted(judge, given, expected, *replies)
    return number._replace(vectors=tuple(map(tuple, vectors)))
