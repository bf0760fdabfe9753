"""Which stage failed: labelled items with their scores in, quadrants and the next place to look out.

Retrieval comes first: synthesis is blamed only where the contexts were relevant, and an answer that is relevant and
faithful yet wrong is the proxy's own miss. The counts are those of the labels at hand, not of all traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.records import Judgement

CUT = 0.5


class LabelledScores(NamedTuple):
    """A label with the two scores of its item; None where a judge gave none."""

    judgement: Judgement
    context_relevance: float | None
    faithfulness: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Quadrant:
    """One combination of relevant or not and faithful or not, with what people said of its items."""

    is_relevant: bool
    is_faithful: bool
    right: int
    wrong: int

    @property
    def meaning(self) -> str:
        """What a wrong answer in this quadrant points to."""
        return {
            (True, True): "the proxy's own misses: relevant passages, faithful answer, yet wrong",
            (True, False): "synthesis: the passages fit the question, the answer leaves them",
            (False, True): "retrieval: the passages miss the question, the answer keeps to them",
            (False, False): "retrieval first: the passages miss the question, the answer leaves them too",
        }[self.is_relevant, self.is_faithful]


def quadrants(labelled: Iterable[LabelledScores]) -> tuple[Quadrant, ...]:
    """The four quadrants at the cut 0.5 (passing is strictly above), with right and wrong labels in each."""
    counts: dict[tuple[bool, bool, Judgement], int] = {}
    for one in labelled:
        if one.context_relevance is not None and one.faithfulness is not None:
            place = (one.context_relevance > CUT, one.faithfulness > CUT, one.judgement)
            counts[place] = counts.get(place, 0) + 1
    return tuple(
        Quadrant(
            is_relevant=relevant,
            is_faithful=faithful,
            right=counts.get((relevant, faithful, Judgement.RIGHT), 0),
            wrong=counts.get((relevant, faithful, Judgement.WRONG), 0),
        )
        for relevant in (False, True)
        for faithful in (True, False)
    )


def where_to_look(found: Sequence[Quadrant]) -> str:
    """The stage that most wrong answers point to, and what to try there."""
    wrong = sum(one.wrong for one in found)
    if not wrong:
        return "No labelled wrong answer has both scores: label more failed items to see where the app fails."
    retrieval = sum(one.wrong for one in found if not one.is_relevant)
    synthesis = sum(one.wrong for one in found if one.is_relevant and not one.is_faithful)
    missed = wrong - retrieval - synthesis
    if retrieval >= max(synthesis, missed):
        return (
            f"Look at retrieval first: {retrieval} of {wrong} wrong answers came with passages that miss the question. "
            "Try a larger k, smaller chunks, another embedder, or fill the gap in the knowledge base; then run end to end again."
        )
    if synthesis >= missed:
        return (
            f"Look at synthesis: in {synthesis} of {wrong} wrong answers the passages fit and the answer left them. "
            "Try a stricter prompt (only from the passages), fewer passages, or another model; then run end to end again."
        )
    return (
        f"Read the proxy's own misses: {missed} of {wrong} wrong answers look relevant and faithful. Such answers need "
        "another judge (does it answer the question that was asked?); then run end to end again."
    )
