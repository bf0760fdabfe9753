"""Find the metrics by name, and list them all: a file in one of the packages here that declares one is enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import NamedTuple

from proxy.errors import UsageError
from proxy.judges.base import Judge
from proxy.judges.metrics import embedding, model, retrieval, text
from proxy.judges.metrics.metric import Metric
from proxy.judges.metrics.model_metric import ModelMetric
from proxy.judges.metrics.ranking import BEFORE, RankingJudge, RankingMetric
from proxy.text.suggestion import did_you_mean, nearest

_NAME = re.compile(rf"(?P<metric>[A-Za-z]\w*?)(?P<before>{BEFORE})?(?:@(?P<k>[1-9]\d{{0,5}}))?")


class LeftOut(NamedTuple):
    """A metric of the literature that Assay does not ship, and the reason."""

    name: str
    reason: str


LEFT_OUT = (
    LeftOut(
        "BERTScore", "it downloads a model of its own, and its numbers depend on which; bring it as a plug-in judge"
    ),
    LeftOut(
        "Euclidean and Manhattan distance",
        "distances without an upper bound: no score in [0, 1] without a scale",
    ),
    LeftOut("retrieval accuracy", "another name for `hit_rate@1` in some guides, for `precision` in others: say which"),
)


@lru_cache(maxsize=1)
def metrics() -> tuple[Metric, ...]:
    """Return every metric: those of retrieval, of text, and those that ask a model, each group in the order of its files."""
    packages = (retrieval, text, model, embedding)
    return tuple(metric for package in packages for metric in _declared(package.__name__, package.__path__))


def model_metrics() -> dict[str, ModelMetric]:
    """Return the metrics that ask a model, by name."""
    return {metric.name: metric for metric in metrics() if isinstance(metric, ModelMetric)}


def judge_named(name: str) -> Judge | None:
    """Return the judge of a metric, such as `token_f1`, `ndcg@10` or `recall_before_reranking@20`; None for no metric.

    There is none for a metric that asks a model either, which the menu of such judges has.
    """
    match, metric = _NAME.fullmatch(name), metric_of(name)
    if match is not None and isinstance(metric, RankingMetric):
        k = None if match["k"] is None else int(match["k"])
        return RankingJudge(metric=metric, k=k, is_before=match["before"] is not None)
    return None if metric is None else metric.judge()


def metric_of(judge: str) -> Metric | None:
    """Return the metric by which the judge of this name scores; None for no metric."""
    match = _NAME.fullmatch(judge)
    metric = _by_name().get(match["metric"]) if match else None
    if match is None or metric is None:
        return None
    is_known = match["k"] is None or metric.takes_k if isinstance(metric, RankingMetric) else metric.name == judge
    return metric if is_known else None


def suggestion(name: str, others: Iterable[str] = ()) -> str:
    """Return how a name that no judge has was probably meant, with its k; `others` are judges that are no metrics."""
    stem, at, k = name.partition("@")
    before = BEFORE if stem.casefold().endswith(BEFORE) else ""
    near = nearest(stem[: len(stem) - len(before)], _by_name())
    if not at or near is None or not isinstance(_by_name()[near], RankingMetric):
        return did_you_mean(name, [*others, *_by_name()])
    if metric_of(f"{near}@{k}") is None:
        return f"; k is a whole number of at least 1, as in {near}{before}@10"
    return f"; did you mean {near}{before}@{k}?"


def require_runnable(judge: str) -> None:
    """Raise UsageError where this judge cannot be run without more: it asks a model, or its package is not installed."""
    metric = metric_of(judge)
    if isinstance(metric, ModelMetric):
        raise UsageError(f"{judge} asks a model: `assay judge --judges {judge} --backend openai {metric.options}`")
    if metric is not None and metric.package is not None and find_spec(metric.package) is None:
        raise UsageError(f"{judge} is computed by {metric.package}: pip install 'assay[metrics]'")


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Metric]:
    return {metric.name: metric for metric in metrics()}


def _declared(package: str, path: Iterable[str]) -> Iterator[Metric]:
    for module in sorted(info.name for info in iter_modules(path)):
        declared = import_module(f"{package}.{module}")
        yield from getattr(declared, "METRICS", None) or (declared.METRIC,)
