"""Find the metrics by name, and list them all: a file in `retrieval` or `text` that declares one is enough."""

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
from proxy.judges.metrics import retrieval, text
from proxy.judges.metrics.metric import Metric
from proxy.judges.metrics.ranking import BEFORE, RankingJudge, RankingMetric

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
    """Return every metric: those of retrieval, then those of text, each group in the order of its files."""
    return tuple(metric for package in (retrieval, text) for metric in _declared(package.__name__, package.__path__))


def judge_named(name: str) -> Judge | None:
    """Return the judge of a metric, such as `token_f1`, `ndcg@10` or `recall_before_reranking@20`; None for no metric."""
    match = _NAME.fullmatch(name)
    metric = _by_name().get(match["metric"]) if match else None
    if match is None or metric is None:
        return None
    if isinstance(metric, RankingMetric):
        k = None if match["k"] is None else int(match["k"])
        if k is None or metric.takes_k:
            return RankingJudge(metric=metric, k=k, is_before=match["before"] is not None)
        return None
    return metric.judge() if match["metric"] == name else None


def metric_of(judge: str) -> Metric | None:
    """Return the metric by which the judge of this name scores; None for no metric."""
    match = _NAME.fullmatch(judge)
    return _by_name().get(match["metric"]) if match and judge_named(judge) is not None else None


def require_package(judge: str) -> None:
    """Raise UsageError where the judge of this name is computed by a package that is not installed."""
    metric = metric_of(judge)
    if metric is not None and metric.package is not None and find_spec(metric.package) is None:
        raise UsageError(f"{judge} is computed by {metric.package}: pip install 'assay[metrics]'")


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Metric]:
    return {metric.name: metric for metric in metrics()}


def _declared(package: str, path: Iterable[str]) -> Iterator[Metric]:
    for module in sorted(info.name for info in iter_modules(path)):
        declared = import_module(f"{package}.{module}")
        yield from getattr(declared, "METRICS", None) or (declared.METRIC,)
