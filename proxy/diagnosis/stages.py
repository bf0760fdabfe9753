"""Which stage failed: labelled answers with their two scores in, stages, quadrants and the next place to look out.

Retrieval comes first: synthesis is blamed only where the passages were relevant, a rerank fault lies where relevant passages
were retrieved and then dropped, and an answer that is relevant and faithful yet wrong is the proxy's own miss. Both cuts are
strict: "on topic but cannot answer", exactly 0.5, is not relevant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

from proxy.agreement import correctness_of
from proxy.cells import DECIDED
from proxy.domains import Evidence
from proxy.estimate import Estimate
from proxy.records import Judgement

CUT = 0.5
FEWEST = 5
RERUN = "then run end to end again"


class Stage(StrEnum):
    """What a wrong answer points to, in the order in which to mend; UNTOLD where a score that is needed is missing."""

    RETRIEVAL = "retrieval"
    RERANK = "rerank"
    SYNTHESIS = "synthesis"
    PROXY = "proxy"
    UNTOLD = "untold"


class Place(NamedTuple):
    """Where an answer stands: relevant passages, faithful answer (None without a score), and whether it has passages."""

    is_relevant: bool | None
    is_faithful: bool | None
    has_passages: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether retrieval gave nothing, so that no judge of passages could speak."""
        return self.is_relevant is None and not self.has_passages

    @property
    def stage(self) -> Stage:
        """What a wrong answer here points to, before anyone has looked at the list before reranking."""
        if self.is_empty or self.is_relevant is False:
            return Stage.RETRIEVAL
        if self.is_relevant is None or self.is_faithful is None:
            return Stage.UNTOLD
        return Stage.PROXY if self.is_faithful else Stage.SYNTHESIS


QUADRANTS = (Place(False, True), Place(False, False), Place(True, False), Place(True, True))
MEANING = {
    QUADRANTS[0]: "retrieval: the passages miss the question, the answer keeps to them",
    QUADRANTS[1]: "retrieval first: the passages miss the question, the answer leaves them too",
    QUADRANTS[2]: "synthesis: the passages fit the question, the answer leaves them",
    QUADRANTS[3]: "the proxy's own misses: relevant passages, faithful answer, yet wrong",
}
# Beside the quadrants: what lacks a score, and what a wrong answer there points to all the same.
UNSCORED = {
    Place(None, None, has_passages=False): "retrieval: no passage came, so the passages have no score",
    Place(False, None): "retrieval: the passages miss the question; a score of faithfulness is missing",
    Place(True, None): "cannot be told: the passages fit the question; a score of faithfulness is missing",
    Place(None, None): "cannot be told: a score of context relevance is missing",
}
# How the sentence begins, what it says of "k of n wrong answers", and what to try.
LOOK = {
    Stage.RETRIEVAL: (
        "Look at retrieval first",
        "{share} came with passages that miss the question",
        "Try a larger k, smaller chunks, another embedder, or fill the gap in the knowledge base",
    ),
    Stage.RERANK: (
        "Look at the reranker first",
        "for {share} relevant passages were retrieved and then dropped",
        "Try to run without it, let it keep more passages, or take another one",
    ),
    Stage.SYNTHESIS: (
        "Look at synthesis",
        "in {share} the passages fit and the answer left them",
        "Try a stricter prompt (only from the passages), fewer passages, or another model",
    ),
    Stage.PROXY: (
        "Read the proxy's own misses",
        "{share} look relevant and faithful",
        "Such answers need another judge (does it answer the question that was asked?) or a stricter cut",
    ),
}


NAMES = {**{stage: stage.value for stage in Stage}, Stage.RERANK: "reranking", Stage.PROXY: "the proxy itself"}
NO_PASSAGES = "no labelled answer has a passage; if the app searches, bring what it found as `contexts`"


class LabelledScores(NamedTuple):
    """A label with the two scores of its item, None where a judge gave none, and whether it has any passage."""

    judgement: Judgement
    context_relevance: float | None
    faithfulness: float | None
    has_passages: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Quadrant:
    """One combination of relevant or not and faithful or not, with what people said of its items; None: a score is missing."""

    is_relevant: bool | None
    is_faithful: bool | None
    right: int
    wrong: int
    has_passages: bool = True

    @property
    def meaning(self) -> str:
        """What a wrong answer in this quadrant points to."""
        return (MEANING | UNSCORED)[Place(self.is_relevant, self.is_faithful, self.has_passages)]


def place_of(
    relevance: float | None,
    faithfulness: float | None,
    *,
    has_passages: bool = True,
    relevance_cut: float = CUT,
    faithfulness_cut: float = CUT,
) -> Place:
    """The place of an answer with these scores; passing is strictly above the cut."""
    return Place(
        None if relevance is None else relevance > relevance_cut,
        None if faithfulness is None else faithfulness > faithfulness_cut,
        has_passages,
    )


def quadrants(labelled: Iterable[LabelledScores]) -> tuple[Quadrant, ...]:
    """The four quadrants at the cut 0.5, with right and wrong labels in each; then what lacks a score, where it has labels.

    So every wrong answer is in one row, and its stage is that of `Place.stage`.
    """
    counts = Counter(
        (_row(place_of(one.context_relevance, one.faithfulness, has_passages=one.has_passages)), one.judgement)
        for one in labelled
    )
    found = [
        Quadrant(
            is_relevant=place.is_relevant,
            is_faithful=place.is_faithful,
            has_passages=place.has_passages,
            right=counts[place, Judgement.RIGHT],
            wrong=counts[place, Judgement.WRONG],
        )
        for place in (*QUADRANTS, *UNSCORED)
    ]
    return tuple(one for place, one in enumerate(found) if place < len(QUADRANTS) or one.right + one.wrong)


def _row(place: Place) -> Place:
    """The row of an answer in this place: what one row of them takes together is alike."""
    if place.is_relevant is None:
        return Place(None, None, not place.is_empty)
    return place._replace(has_passages=True)


def where_to_look(labelled: Iterable[LabelledScores]) -> str:
    """The stage that most wrong answers point to at the cut 0.5, and what to try there."""
    labelled = list(labelled)
    counts = Counter(
        place_of(one.context_relevance, one.faithfulness, has_passages=one.has_passages).stage
        for one in labelled
        if one.judgement is Judgement.WRONG
    )
    first = most(counts)
    if first is None:
        return "No labelled wrong answer has the scores that tell: label more failed items to see where the app fails."
    if not any(one.has_passages for one in labelled):
        return f"Which stage fails cannot be told: {NO_PASSAGES}."
    if is_too_few(counts):
        words = too_few(counts)
        return f"{words[0].upper()}{words[1:]} (`assay diagnose` shows the counts)."
    if (other := rival(counts, first)) is not None:
        both = f"{NAMES[first]} or {NAMES[other]}"
        shares = f"{counts[first]} and {counts[other]} of {counts.total()} wrong answers"
        return f"It is open whether {both} is the bottleneck: {shares} (`assay diagnose` weighs them); label more."
    return f"{look(first, counts[first], counts.total())} {LOOK[first][2]}; {RERUN}."


def most(counts: Mapping[Stage, float]) -> Stage | None:
    """The stage with the most; a tie goes to the earlier one, for mending it may mend what comes after. None without any."""
    told = [(counts.get(stage, 0), -place, stage) for place, stage in enumerate(Stage) if stage is not Stage.UNTOLD]
    count, _, stage = max(told)
    return stage if count > 0 else None


def is_too_few(counts: Mapping[Stage, float]) -> bool:
    """Whether fewer than FEWEST wrong answers point to any stage: then none is named as the bottleneck."""
    return _told(counts) < FEWEST


def too_few(counts: Mapping[Stage, float]) -> str:
    """The words for that, with the number of wrong answers that point to a stage."""
    told = _told(counts)
    return f"too few to name a stage: {told:g} wrong answer{'' if told == 1 else 's'}; label more"


def rival(counts: Mapping[Stage, float], first: Stage) -> Stage | None:
    """The stage with the next most, where it is less than sqrt(a + b) behind: the standard error of a - b if both are equal."""
    other = most({stage: count for stage, count in counts.items() if stage is not first})
    if other is None or counts[first] - counts[other] >= sqrt(counts[first] + counts[other]):
        return None
    return other


def _told(counts: Mapping[Stage, float]) -> float:
    return sum(count for stage, count in counts.items() if stage is not Stage.UNTOLD)


def look(stage: Stage, wrong: int, of: int) -> str:
    """The sentence that names a stage, with how many of the wrong answers point to it."""
    start, words, _ = LOOK[stage]
    return f"{start}: {words.format(share=f'{wrong} of {of} wrong answers')}."


def wrong_share(evidence: Evidence, everything: int, is_blamed: Sequence[bool] | None = None) -> Estimate:
    """P(in this part and wrong) among all `everything` answers: (N_part / N) P(wrong | part), N_part known of all traffic.

    The interval is that of P(wrong | part) for this window, times the known share. `is_blamed`, one for each item of the
    sample, keeps of the wrong answers only those that are to count.
    """
    size = sum(one.size for one in evidence.totals)
    if not everything:
        return Estimate(
            estimate=None, reason="not measurable: no wave holds an answer; run `assay sample --labels 200`"
        )
    if not size:
        return Estimate(estimate=0.0, low=0.0, high=0.0, method="no answer of the traffic is here")
    right = correctness_of(evidence if is_blamed is None else _blamed(evidence, is_blamed))
    low, high = (0.0, 1.0) if right.low is None or right.high is None else (right.low, right.high)
    share = size / everything
    if all(one.judgement is None for one in evidence.sample):
        answers = "the one answer" if size == 1 else f"any of the {size:,} answers"
        right = replace(
            right, reason=f"not measurable: nobody has judged {answers} there; run `assay sample --labels 100`"
        )
    return replace(
        right,
        estimate=None if right.estimate is None else share * (1 - right.estimate),
        low=share * (1 - high),
        high=share * (1 - low),
        long_run=None,
    )


def _blamed(evidence: Evidence, is_blamed: Sequence[bool]) -> Evidence:
    """The evidence on another question: every decided label is right but for those that are blamed."""
    sample = [
        item._replace(judgement=Judgement.WRONG if blamed else Judgement.RIGHT) if item.judgement in DECIDED else item
        for item, blamed in zip(evidence.sample, is_blamed, strict=True)
    ]
    return replace(evidence, sample=sample, columns=None, whole=evidence.whole or evidence)
