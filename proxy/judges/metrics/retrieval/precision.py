"""Precision at k."""

from __future__ import annotations

from proxy.judges.metrics.metric import UndefinedValue
from proxy.judges.metrics.ranking import IdRanking, RankingMetric, worked


def precision(ranking: IdRanking, k: int | None) -> float | UndefinedValue:
    """Return relevant among the first k / k; without k, / the length of the ranking."""
    length = len(ranking.ids) if k is None else k
    return ranking.hits(k) / length if length else UndefinedValue("nothing was retrieved, so there is no share of it")


METRIC = RankingMetric(
    name="precision",
    formula="relevant passages among the first k / k, also where fewer than k were retrieved; without k / passages retrieved",
    source="trec_eval P; agrees with ranx",
    misses="the order, and what was not retrieved; with few relevant passages it cannot reach 1",
    examples=(worked("precision@4", [0, 1, 0, 1], 0.5),),
    measure=precision,
)
