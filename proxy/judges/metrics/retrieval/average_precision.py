"""Average precision, over all relevant passages and over those that were retrieved."""

from __future__ import annotations

from proxy.judges.metrics.ranking import IdRanking, RankingMetric, summed_precision, worked


def _summed_precision(ranking: IdRanking, k: int | None) -> float:
    """Sum the precision at the rank of each relevant passage among the first k."""
    return summed_precision(gain > 0 for gain in ranking.gains(k))


def average_precision(ranking: IdRanking, k: int | None) -> float:
    """Return the sum / all relevant passages."""
    return _summed_precision(ranking, k) / len(ranking.grades)


def retrieved_average_precision(ranking: IdRanking, k: int | None) -> float:
    """Return the sum / relevant passages among the first k, 0 without any."""
    return _summed_precision(ranking, k) / max(1, ranking.hits(k))


METRICS = (
    RankingMetric(
        name="average_precision",
        formula="Σ precision@rank over the relevant passages among the first k / all passages known to be relevant; "
        "MAP is the mean over items",
        source="trec_eval map; agrees with ranx, and with scikit-learn where every relevant passage is retrieved",
        misses="whether the passages suffice for an answer; grades",
        examples=(
            worked("average_precision", [1, 0, 1], 5 / 6),
            worked("average_precision", [1, 0, 1], 5 / 9, relevant=3),
        ),
        measure=average_precision,
    ),
    RankingMetric(
        name="id_context_precision_ap",
        formula="Σ precision@rank over the relevant passages among the first k / relevant passages among them; 0 without any",
        source="the formula of Ragas' context precision, with known ids in place of a model's verdicts",
        misses="what was not retrieved: one relevant passage at rank 1 scores 1",
        examples=(
            worked("id_context_precision_ap", [1, 0, 1, 0, 1], (1 + 2 / 3 + 3 / 5) / 3),
            worked("id_context_precision_ap", [1, 0, 1], 5 / 6),
            worked("id_context_precision_ap", [1, 1, 0, 1], 11 / 12),
            worked("id_context_precision_ap", [1, 1, 0, 0], 1.0),
            worked("id_context_precision_ap", [0, 0], 0.0, relevant=1),
        ),
        measure=retrieved_average_precision,
    ),
)
