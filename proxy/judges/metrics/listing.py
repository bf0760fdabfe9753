"""List the catalogue of metrics as plain records: what each declares of itself, and what is left out and why."""

from __future__ import annotations

from typing import NamedTuple

from proxy.judges.metrics.catalogue import LEFT_OUT, LeftOut, metrics
from proxy.judges.metrics.metric import Metric


class WorkedValue(NamedTuple):
    """A worked number: the judge, the item in words, and the value."""

    judge: str
    given: str
    expected: float


class MetricEntry(NamedTuple):
    """A metric of the catalogue.

    `takes_k` says that it may be cut at rank k (`ndcg@10`), and also read the list before reranking (`ndcg_before_reranking@10`).
    `package` is what the extra `assay[metrics]` brings for it. `is_higher_better` is False where 1 is bad.
    """

    name: str
    formula: str
    source: str
    needs: tuple[str, ...]
    lowest: float
    highest: float
    misses: str
    examples: tuple[WorkedValue, ...]
    takes_k: bool
    package: str | None
    is_higher_better: bool


class MetricListing(NamedTuple):
    """The metrics, and those of the literature that are left out."""

    metrics: tuple[MetricEntry, ...]
    left_out: tuple[LeftOut, ...]


def listing() -> MetricListing:
    """List the catalogue."""
    return MetricListing(tuple(map(_entry, metrics())), LEFT_OUT)


def _entry(metric: Metric) -> MetricEntry:
    return MetricEntry(
        name=metric.name,
        formula=metric.formula,
        source=metric.source,
        needs=tuple(need.value for need in metric.needs),
        lowest=0.0,
        highest=1.0,
        misses=metric.misses,
        examples=tuple(WorkedValue(number.judge, number.given, number.expected) for number in metric.examples),
        takes_k=metric.takes_k,
        package=metric.package,
        is_higher_better=metric.is_higher_better,
    )
