"""Hit rate: is any relevant passage retrieved?"""

from __future__ import annotations

from proxy.judges.metrics.ranking import IdRanking, RankingMetric, worked


def hit_rate(ranking: IdRanking, k: int | None) -> float:
    """Return 1 where a relevant passage is among the first k, else 0."""
    return float(ranking.hits(k) > 0)


METRIC = RankingMetric(
    name="hit_rate",
    formula="1 if a relevant passage is among the first k, else 0",
    source="TREC success; agrees with ranx",
    misses="how many relevant passages are missing, and at which rank the first one stands",
    examples=(worked("hit_rate@3", [0, 1, 0, 1], 1.0), worked("hit_rate@1", [0, 1, 0, 1], 0.0)),
    measure=hit_rate,
)
