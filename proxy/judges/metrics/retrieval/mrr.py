"""Mean reciprocal rank: how early does the first relevant passage stand?"""

from __future__ import annotations

from proxy.judges.metrics.ranking import IdRanking, RankingMetric, worked


def reciprocal_rank(ranking: IdRanking, k: int | None) -> float:
    """Return 1 / rank of the first relevant passage among the first k, 0 without one."""
    return next((1 / rank for rank, gain in enumerate(ranking.gains(k), start=1) if gain > 0), 0.0)


METRIC = RankingMetric(
    name="mrr",
    formula="1 / rank of the first relevant passage, 0 if none is among the first k; MRR is the mean over items",
    source="Voorhees 1999 (TREC-8 question answering); agrees with ranx",
    misses="every relevant passage after the first",
    examples=(worked("mrr", [0, 1, 0, 1], 0.5),),
    measure=reciprocal_rank,
)
