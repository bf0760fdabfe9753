"""Recall at k."""

from __future__ import annotations

from proxy.judges.metrics.ranking import IdRanking, RankingMetric, worked


def recall(ranking: IdRanking, k: int | None) -> float:
    """Return relevant among the first k / all known to be relevant."""
    return ranking.hits(k) / len(ranking.grades)


METRIC = RankingMetric(
    name="recall",
    formula="distinct relevant passages among the first k / all passages known to be relevant",
    source="trec_eval recall; agrees with ranx; without k the document-level context recall",
    misses="the order; relevant passages that nobody has marked",
    examples=(worked("recall", [1, 1, 0], 2 / 3, relevant=3),),
    measure=recall,
)
