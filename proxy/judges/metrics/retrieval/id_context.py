"""Ragas' context precision and recall by id: shares of two sets of ids."""

from __future__ import annotations

from proxy.judges.metrics.metric import UndefinedValue
from proxy.judges.metrics.ranking import IdRanking, RankingMetric, worked


def id_context_precision(ranking: IdRanking, _: int | None) -> float | UndefinedValue:
    """Return the share of the distinct retrieved ids that are relevant."""
    distinct = len(set(ranking.ids))
    return (
        ranking.hits() / distinct if distinct else UndefinedValue("nothing was retrieved, so there is no share of it")
    )


def id_context_recall(ranking: IdRanking, _: int | None) -> float:
    """Return the share of the relevant ids that were retrieved."""
    return ranking.hits() / len(ranking.grades)


METRICS = (
    RankingMetric(
        name="id_context_precision",
        formula="distinct relevant ids retrieved / distinct ids retrieved (precision counts a repeated passage as irrelevant)",
        source="Ragas IDBasedContextPrecision; the share that other guides call context precision",
        misses="the order, and what was not retrieved",
        examples=(worked("id_context_precision", [1, 0, 1, 0], 0.5), worked("id_context_precision", [1, 1, 0, 0], 0.5)),
        measure=id_context_precision,
        takes_k=False,
    ),
    RankingMetric(
        name="id_context_recall",
        formula="distinct relevant ids retrieved / relevant ids; the same as recall without k",
        source="Ragas IDBasedContextRecall",
        misses="the order; relevant passages that nobody has marked",
        examples=(
            worked("id_context_recall", [1, 1, 0], 0.5, relevant=4),
            worked("id_context_recall", [1, 1], 2 / 3, relevant=3),
        ),
        measure=id_context_recall,
        takes_k=False,
    ),
)
