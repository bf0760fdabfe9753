"""Cross two judges at their thresholds: count the answers of all traffic in each quadrant, and the share of the wrong ones there.

The result has the four quadrants, the labelled answers as points, and what has no score. How many answers lie in a quadrant is
counted on all traffic; labels keep the weights that the whole ledger gives them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from annotate.analysis.diagnosis.inputs import Thresholds, stage_judges
from annotate.analysis.diagnosis.weights import Scales, scales
from annotate.analysis.evidence import gather
from annotate.analysis.rule_in_force import rule_in_force, why_some_unscored
from annotate.analysis.selected_items import selected_items
from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.scores.stage_scores import FAITHFULNESS, RELEVANCE, ItemStageScores, Quartered
from proxy.diagnosis import THRESHOLD, Stage, StageEvidence, place_of
from proxy.evaluation.estimate import Estimate
from proxy.records import Judgement, Label
from proxy.rule import Rule, judges_of

# Chosen: the points that a browser draws at once; the counts are of all.
MOST_POINTS = 5_000
USUAL = (RELEVANCE, FAITHFULNESS)
QUADRANTS = (
    StageEvidence(True, True),
    StageEvidence(True, False),
    StageEvidence(False, True),
    StageEvidence(False, False),
)

POSITIONS: Mapping[str, StageEvidence | None] = {
    **dict(zip(("both_above", "up_below", "across_below", "both_below"), QUADRANTS, strict=True)),
    "unscored": None,
}
Outcome: TypeAlias = tuple[StageEvidence | None, Judgement, bool]


class CrossedJudges(NamedTuple):
    """The judges of the two axes, across and up."""

    across: str
    up: str

    @property
    def tells_stages(self) -> bool:
        """Whether a quadrant of these two judges says which stage failed."""
        return tuple(self) == USUAL


class LabelledPoint(NamedTuple):
    """A labelled answer, by its key in the store, with both scores."""

    across: float
    up: float
    judgement: Judgement
    key: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossedQuadrant:
    """Above or below each threshold: framed answers and labels there; `share` are the wrong ones there of all answers.

    `of_answers` is the share of all framed answers that lie here, counted.
    `of_wrong` is the share of all wrong answers that lie here. `place` None is what lacks a score. `stage` is what a wrong
    answer here points to, None where these judges do not tell. `to_retrieval` of the labelled wrong ones point to retrieval
    or reranking, as `assay diagnose` has it: passages that miss the question tell it without a score of faithfulness too.
    """

    place: StageEvidence | None
    answers: int
    of_answers: float | None
    right: int
    wrong: int
    share: Estimate
    of_wrong: Estimate
    stage: Stage | None
    to_retrieval: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossedQuadrants:
    """The quadrants of `framed` answers, of all traffic or a part; at most MOST_POINTS of the `labelled` points are held.

    `hand_picked` of the counted labels were not drawn: they are in the counts and the picture and in no share.
    `why_unscored` is why answers lack a score, None where all have both.
    """

    pair: CrossedJudges
    thresholds: Thresholds
    framed: int
    quadrants: Sequence[CrossedQuadrant]
    points: Sequence[LabelledPoint]
    labelled: int
    hand_picked: int
    why_unscored: str | None


class PairChoice(NamedTuple):
    """The pairs that can be crossed, the usual one first, and why there is no pair."""

    pairs: Sequence[CrossedJudges]
    reason: str | None


def choice(store: Store, rule: Rule) -> PairChoice:
    """Return the usual pair, and every two judges that the rule in force reads; only judges with scores."""
    known = stage_judges(store, rule, Thresholds()).signatures
    rule_judges = judges_of(rule.expression)[0]
    pairs = [USUAL, *((judge, other) for place, judge in enumerate(rule_judges) for other in rule_judges[place + 1 :])]
    crossed = {frozenset(pair): CrossedJudges(*pair) for pair in reversed(pairs) if set(pair) <= set(known)}
    if crossed:
        return PairChoice(list(reversed(crossed.values())), None)
    missing = " and ".join(f"`{judge}`" for judge in USUAL if judge not in known)
    return PairChoice((), f"no answer has a score of {missing}, and the rule in force reads no two other judges")


def build(store: Store, pair: CrossedJudges, *, selection: Selection | None = None) -> CrossedQuadrants:
    """Cross these two judges, for all traffic or for a part of it, as the store is at one moment."""
    key, rule = rule_in_force(store)
    with store.snapshot():
        within = None if selection is None else selected_items(store, selection)
        signatures = stage_judges(store, rule, Thresholds()).signatures
        field = replace(_field(store, pair, signatures), within=selection)
        weights = scales(store, key, rule, field, gather(store, key, [rule], within=within))
        framed = weights.size()
        labels = store.labels.that_count()
        if within is not None:
            labels = {item: label for item, label in labels.items() if item in within}
        lacking = any(_holds(spot.place, None) for spot, _ in weights.totals)
        reason = why_some_unscored(store, {judge: signatures[judge] for judge in pair}) if lacking else None
        standings = store.scores.stage_scores.standings(list(labels), field)
    counts = Counter(_outcomes(pair, standings, labels).values())
    points = [
        LabelledPoint(standing.relevance, standing.faithfulness, labels[row].judgement, row)
        for row, standing in standings.items()
        if standing.relevance is not None and standing.faithfulness is not None
    ]
    return CrossedQuadrants(
        pair=pair,
        thresholds=Thresholds(),
        framed=framed,
        quadrants=[_quadrant(weights, pair, place, counts, framed) for place in (*QUADRANTS, None)],
        points=points[:MOST_POINTS],
        labelled=len(points),
        why_unscored=reason,
        hand_picked=sum(labels[row].wave is None for row in standings),
    )


def labelled_in(
    store: Store, pair: CrossedJudges, quadrant: StageEvidence | None, judgement: Judgement, *, blames: Sequence[bool]
) -> list[int]:
    """Return the rows of the labelled answers that `build` counts in a quadrant.

    Parameters
    ----------
    store : Store
        The project.
    pair : CrossedJudges
        The judges of the two axes.
    quadrant : StageEvidence or None
        The quadrant; None for what lacks a score.
    judgement : Judgement
        What annotators call the answers.
    blames : sequence of bool
        Whether they point to retrieval or reranking: one of the two, or both.

    Returns
    -------
    list of int
    """
    _, rule = rule_in_force(store)
    with store.snapshot():
        labels = store.labels.that_count()
        field = _field(store, pair, stage_judges(store, rule, Thresholds()).signatures)
        standings = store.scores.stage_scores.standings(list(labels), field)
    wanted = {(quadrant, judgement, is_blamed) for is_blamed in blames}
    return [row for row, outcome in _outcomes(pair, standings, labels).items() if outcome in wanted]


def _outcomes(
    pair: CrossedJudges, standings: Mapping[int, ItemStageScores], labels: Mapping[int, Label]
) -> dict[int, Outcome]:
    """Return of each labelled answer its quadrant, what annotators call it, and whether it points to retrieval."""
    places = {
        row: place_of(standing.relevance, standing.faithfulness, has_passages=standing.has_passages)
        for row, standing in standings.items()
    }
    return {row: (_quadrant_of(place), labels[row].judgement, _blames(pair, place)) for row, place in places.items()}


def _field(store: Store, pair: CrossedJudges, signatures: Mapping[str, str]) -> Quartered:
    """Return the field of the side of both thresholds an answer lies on; the first judge stands where relevance does."""
    named = [(judge, signatures[judge]) for judge in pair]
    keys = store.scores.known_keys(named)
    return Quartered(
        relevance=keys[named[0]],
        faithfulness=keys[named[1]],
        relevance_threshold=THRESHOLD,
        faithfulness_threshold=THRESHOLD,
    )


def _holds(place: StageEvidence, quadrant: StageEvidence | None) -> bool:
    """Whether an answer of this place is in the quadrant; passages do not matter where both scores are known."""
    return _quadrant_of(place) == quadrant


def _quadrant_of(place: StageEvidence) -> StageEvidence | None:
    here = place._replace(has_passages=True)
    return here if here in QUADRANTS else None


def _blames(pair: CrossedJudges, place: StageEvidence) -> bool:
    """Whether a wrong answer here points to retrieval or reranking."""
    return pair.tells_stages and place.stage is Stage.RETRIEVAL


def _quadrant(
    weights: Scales,
    pair: CrossedJudges,
    quadrant: StageEvidence | None,
    counts: Mapping[Outcome, int],
    framed: int,
) -> CrossedQuadrant:
    def holds(place: StageEvidence) -> bool:
        return _holds(place, quadrant)

    answers = weights.size(holds)
    right, wrong = (
        [counts[quadrant, judgement, blames] for blames in (True, False)]
        for judgement in (Judgement.RIGHT, Judgement.WRONG)
    )
    return CrossedQuadrant(
        place=quadrant,
        answers=answers,
        of_answers=answers / framed if framed else None,
        right=sum(right),
        wrong=sum(wrong),
        share=weights.share(holds),
        of_wrong=weights.of_wrong(holds),
        stage=quadrant.stage if quadrant is not None and pair.tells_stages else None,
        to_retrieval=wrong[0],
    )
