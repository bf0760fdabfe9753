"""Sort labelled answers by the stage that their scores put in question, and count them.

Retrieval comes first: synthesis is in question only where the passages were relevant, reranking where relevant passages were
retrieved and then dropped, and an answer that is relevant and faithful yet wrong is the proxy's own miss. Answers without
passages are a part of their own. Counts never name a stage (`naming` does). Both thresholds are strict: "on topic but cannot
answer", exactly 0.5, is not relevant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.harm import called_wrong
from proxy.records import Judgement

# The middle of [0, 1], as in the default rule; --relevance-threshold and --faithfulness-threshold change it.
THRESHOLD = 0.5


class Stage(StrEnum):
    """The stage that the scores of an answer put in question; UNTOLD where a score that is needed is missing."""

    RETRIEVAL = "retrieval"
    RERANK = "rerank"
    SYNTHESIS = "synthesis"
    PROXY = "proxy"
    NO_PASSAGES = "no_passages"
    UNTOLD = "untold"


class StageEvidence(NamedTuple):
    """The scores of an answer as relevant passages and faithful answer (None without a score), and whether it has passages."""

    is_relevant: bool | None
    is_faithful: bool | None
    has_passages: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether no passages are logged, whatever score was imported: search may have found none, or nobody kept them."""
        return not self.has_passages

    @property
    def stage(self) -> Stage:
        """The stage in question here, before the list before reranking is consulted."""
        if self.is_empty:
            return Stage.NO_PASSAGES
        if self.is_relevant is False:
            return Stage.RETRIEVAL
        if self.is_relevant is None or self.is_faithful is None:
            return Stage.UNTOLD
        return Stage.PROXY if self.is_faithful else Stage.SYNTHESIS


QUADRANTS = (
    StageEvidence(False, True),
    StageEvidence(False, False),
    StageEvidence(True, False),
    StageEvidence(True, True),
)
MEANING = {
    QUADRANTS[0]: "passages scored low, answer faithful to them",
    QUADRANTS[1]: "passages scored low, answer not faithful to them",
    QUADRANTS[2]: "passages scored high, answer not faithful to them",
    QUADRANTS[3]: "passages scored high, answer faithful to them",
}
# Beside the quadrants: what lacks passages or a score.
UNSCORED = {
    StageEvidence(None, None, has_passages=False): "no passages logged",
    StageEvidence(False, None): "passages scored low, no score of faithfulness",
    StageEvidence(True, None): "passages scored high, no score of faithfulness",
    StageEvidence(None, None): "no score of context relevance",
}


class LabelledScores(NamedTuple):
    """A label with the two scores of its item, None where a judge gave none, and whether it has any passage."""

    judgement: Judgement
    context_relevance: float | None
    faithfulness: float | None
    has_passages: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Quadrant:
    """A combination of relevant or not and faithful or not, with its label counts; None: a score is missing."""

    is_relevant: bool | None
    is_faithful: bool | None
    right: int
    wrong: int
    has_passages: bool = True

    @property
    def description(self) -> str:
        """A description of the scores of these answers."""
        return (MEANING | UNSCORED)[StageEvidence(self.is_relevant, self.is_faithful, self.has_passages)]


def place_of(
    relevance: float | None,
    faithfulness: float | None,
    *,
    has_passages: bool = True,
    relevance_threshold: float = THRESHOLD,
    faithfulness_threshold: float = THRESHOLD,
) -> StageEvidence:
    """Return the place of an answer with these scores; passing is strictly above the threshold."""
    return StageEvidence(
        None if relevance is None else relevance > relevance_threshold,
        None if faithfulness is None else faithfulness > faithfulness_threshold,
        has_passages,
    )


def quadrants(labelled: Iterable[LabelledScores]) -> tuple[Quadrant, ...]:
    """Count right and wrong labels in the four quadrants at the threshold 0.5, then in what lacks passages or a score."""
    counts = Counter(
        (
            quadrant_row(place_of(scores.context_relevance, scores.faithfulness, has_passages=scores.has_passages)),
            scores.judgement,
        )
        for scores in labelled
    )
    rows = [
        Quadrant(
            is_relevant=place.is_relevant,
            is_faithful=place.is_faithful,
            has_passages=place.has_passages,
            right=counts[place, Judgement.RIGHT],
            wrong=counts[place, Judgement.WRONG],
        )
        for place in (*QUADRANTS, *UNSCORED)
    ]
    return tuple(
        quadrant for place, quadrant in enumerate(rows) if place < len(QUADRANTS) or quadrant.right + quadrant.wrong
    )


def quadrant_row(place: StageEvidence) -> StageEvidence:
    """Return the row of `quadrants` for an answer in this place; answers without passages, or without relevance, share a row."""
    if place.is_empty or place.is_relevant is None:
        return StageEvidence(None, None, place.has_passages)
    return place


def wrong_share(evidence: Evidence, everything: int, is_blamed: Sequence[bool] | None = None) -> Estimate:
    """Estimate P(in this part and wrong) among `everything` answers: (N_part / N) P(wrong | part), N_part of all traffic.

    The interval is that of P(wrong | part) for this window, times the known share. `is_blamed`, one for each item of the
    sample, keeps of the wrong answers only those that are to count.
    """
    size = sum(total.size for total in evidence.totals)
    if not everything:
        return Estimate(estimate=None, reason="not measurable: no wave holds an answer; run `assay sample --labels N`")
    if not size:
        return Estimate(estimate=0.0, low=0.0, high=0.0, method="no answer of the traffic is here")
    right = correctness_of(evidence if is_blamed is None else called_wrong(evidence, is_blamed))
    low, high = (0.0, 1.0) if right.low is None or right.high is None else (right.low, right.high)
    share = size / everything
    if all(item.judgement is None for item in evidence.sample):
        answers = "the one answer" if size == 1 else f"any of the {size:,} answers"
        right = replace(
            right, reason=f"not measurable: nobody has judged {answers} there; run `assay sample --labels N`"
        )
    return replace(
        right,
        estimate=None if right.estimate is None else share * (1 - right.estimate),
        low=share * (1 - high),
        high=share * (1 - low),
        long_run=None,
    )
