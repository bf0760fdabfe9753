"""Declare a metric that compares the vectors of texts, alone or beside what a model says.

A cosine lies in [-1, 1] and a score in [0, 1]: a value below 0 counts as 0 and says so, any other is that of the definition.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from proxy.errors import UsageError
from proxy.judges.base import MODEL
from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.base import Setup, digest_of
from proxy.judges.llm.embedding import EmbeddingSettings, NoCosine, TextsToEmbed, Vector, cosine
from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.metrics.model_metric import ModelMetric, ModelMetricJudge, ModelValue

Cosines = Generator[TextsToEmbed, tuple[Vector, ...], tuple[float, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingMetric(ModelMetric):
    """A metric whose `measure` asks for vectors; without `prompts` it asks for nothing else.

    `shaped_by` are the settings of a run that its value depends on, by their names in EmbeddingSettings.
    """

    prompts: tuple[str, ...] = ()
    shaped_by: tuple[str, ...] = ()

    @property
    def options(self) -> str:
        """The options that name the models."""
        return "--model M --embedding-model E" if self.prompts else "--embedding-model E"

    def asked(self, setup: Setup) -> EmbeddingMetricJudge:
        """Return the judge under this setup.

        Raises
        ------
        UsageError
            Where it names no embedding model.
        """
        if setup.embeddings is None:
            raise UsageError(
                f"{self.name} compares vectors: name an embedding model with --embedding-model, or in [judge] of assay.toml"
            )
        return EmbeddingMetricJudge(setup=setup, metric=self, embeddings=setup.embeddings)


@dataclass(frozen=True, kw_only=True)
class EmbeddingMetricJudge(ModelMetricJudge):
    """A judge that scores by a metric of vectors; its signature names every model that it needs."""

    metric: EmbeddingMetric
    embeddings: EmbeddingSettings

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The single score of an item."""
        name, version, metric = self.metric.name, self.metric.version, self.metric
        if metric.prompts:
            return ((name, self.setup.signature(name, metric.prompts, version, **self._own)),)
        return ((name, f"{name}{MODEL}{self.embeddings.model.model}|v{version}|{digest_of(self.settings)}"),)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signature's digest stands for."""
        if self.metric.prompts:
            return self.setup.settings(self.metric.prompts, **self._own)
        masking = {"masking": self.setup.masking} if self.setup.masking else {}
        return {"url": self.embeddings.model.url, **masking, **self._own}

    @property
    def _own(self) -> dict[str, object]:
        place = {"embedding_url": self.embeddings.model.url, "embedding_model": self.embeddings.model.model}
        return {**place, **{name: getattr(self.embeddings, name) for name in self.metric.shaped_by}}


def settings_of(shown: ShownItem) -> EmbeddingSettings:
    """Return the settings of the run, without which no judge is built."""
    if shown.setup.embeddings is None:
        raise AssertionError("a metric that compares vectors has an embedding model")
    return shown.setup.embeddings


def cosines(text: str, others: Sequence[str]) -> Cosines:
    """Ask for the vectors of a text and of others, and return the cosine of each of these to it.

    Raises
    ------
    Unreadable
        Where one of them has no direction, or its length is another's.
    """
    vectors = yield TextsToEmbed((text, *others))
    try:
        return tuple(cosine(vectors[0], other) for other in vectors[1:])
    except NoCosine as fault:
        raise Unreadable(str(fault), "") from None


def from_zero(value: float, reason: str) -> ModelValue:
    """Return the value of a definition as a score: below 0 it is 0."""
    return ModelValue(max(0.0, value), f"{reason}, which counts as 0" if value < 0 else reason)
