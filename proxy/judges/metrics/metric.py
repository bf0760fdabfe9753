"""Declare a metric: its standard name, formula, source, what it needs, what it misses, and worked numbers.

A metric declares all of this beside its formula, in a file of its own; the catalogue in the docs is made from it. A value that
the formula does not define is `UndefinedValue`, never 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proxy.judges.base import Judge
from proxy.records import Item


class MetricNeed(StrEnum):
    """What an item must hold for a metric to be defined."""

    MODEL = "a model"
    EMBEDDINGS = "an embedding model"
    QUESTION = "question"
    CONTEXTS = "contexts"
    ANSWER = "answer"
    REFERENCE = "reference"
    CONTEXT_IDS = "ids of the contexts"
    RELEVANT_IDS = "relevant_ids"


# What nobody knows of traffic before an expert has looked: a metric that needs it is no proxy.
GOLD = frozenset({MetricNeed.REFERENCE, MetricNeed.RELEVANT_IDS})


class UndefinedValue(NamedTuple):
    """The reason why a metric has no value for an item."""

    reason: str


class WorkedNumber(NamedTuple):
    """An item, the judge that scores it, and the value that its source or its formula gives; `given` shows the item in words.

    `replies` are what a model says to each ask of a metric that needs one, `vectors` those of the texts that it compares.
    """

    judge: str
    item: Item
    expected: float
    given: str
    replies: tuple[tuple[str, ...], ...] = ()
    vectors: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric(ABC):
    """A metric with a standard name and an exact definition.

    Attributes
    ----------
    name
        The standard name.
    formula
        The value of one item; the value of a system is the mean over its items, unless the formula says more.
    source
        Who defined it, or which implementation it agrees with.
    needs
        What an item must hold.
    misses
        What a high or a low value does not show.
    examples
        Worked numbers; each is a test.
    version
        Part of the signature: another definition is another version.
    package
        The package that computes it, if it does not come with Assay: the extra `assay[metrics]` brings it.
    is_higher_better
        False where 1 is bad: "above a threshold" is no pass then, so no rule is offered that reads it.
    takes_k
        Whether it may be cut at rank k, as in `ndcg@10`.
    """

    name: str
    formula: str
    source: str
    needs: tuple[MetricNeed, ...]
    misses: str
    examples: tuple[WorkedNumber, ...]
    version: int = 1
    package: str | None = None
    is_higher_better: bool = True
    takes_k: bool = False

    @property
    def is_reference_free(self) -> bool:
        """Whether it can score traffic of which no expert has said what is right."""
        return GOLD.isdisjoint(self.needs)

    @abstractmethod
    def judge(self) -> Judge | None:
        """Return the judge that scores items by this metric; None where that takes a model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeMetric(Metric):
    """A metric with a judge of its own, which does more than apply a formula."""

    own_judge: Judge

    def judge(self) -> Judge:
        """Return the judge."""
        return self.own_judge
