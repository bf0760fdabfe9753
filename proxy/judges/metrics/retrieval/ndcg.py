"""Normalised discounted cumulative gain, with linear and with exponential gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from proxy.judges.metrics.metric import UndefinedValue
from proxy.judges.metrics.ranking import IdRanking, RankingMetric, worked

# log2(3), the discount at rank 2; log2(5) that at rank 4.
_EXAMPLE = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))


def _ndcg(gain: Callable[[float], float]) -> Callable[[IdRanking, int | None], float | UndefinedValue]:
    """Return the metric with this gain of a grade."""

    def measure(ranking: IdRanking, k: int | None) -> float | UndefinedValue:
        try:
            best = _dcg(map(gain, sorted(ranking.grades.values(), reverse=True)[:k]))
            given = _dcg(map(gain, ranking.gains(k)))
        except OverflowError:
            return UndefinedValue("a grade is too large for an exponential gain")
        return given / best if best else UndefinedValue("the grades are too small for an exponential gain")

    return measure


def _dcg(gains: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


METRICS = (
    RankingMetric(
        name="ndcg",
        formula="DCG / ideal DCG, DCG = Σ grade / log2(rank + 1) over the first k; the ideal over all distinct relevant passages",
        source="Järvelin and Kekäläinen 2002, as trec_eval; agrees with ranx ndcg and scikit-learn ndcg_score",
        misses="whether the passages suffice for an answer; a passage that nobody has marked counts as irrelevant",
        examples=(worked("ndcg@4", [0, 1, 0, 1], _EXAMPLE),),
        measure=_ndcg(float),
    ),
    RankingMetric(
        name="ndcg_burges",
        formula="as ndcg with the gain 2^grade − 1; the same where all grades are 1",
        source="Burges et al. 2005; agrees with ranx ndcg_burges",
        misses="as ndcg; a high grade outweighs many low ones",
        examples=(worked("ndcg_burges@4", [0, 1, 0, 1], _EXAMPLE),),
        measure=_ndcg(lambda grade: 2**grade - 1),
    ),
)
