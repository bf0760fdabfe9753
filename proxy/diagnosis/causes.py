"""Name likely and possible causes of a stage's failures, and what to do about them.

The causes and countermeasures of each stage are data. The rule: a cause is likely only where something at hand speaks for it
(`clues`); all others are possible, and said to be so.
"""

from __future__ import annotations

from typing import NamedTuple

from proxy.diagnosis.clues import (
    Clue,
    Sight,
    Teller,
    fact,
    long_or_short,
    more_often,
    most,
    no_less_often,
    noisy,
    shifted,
)
from proxy.diagnosis.stages import Stage
from proxy.reason import Reason, joined

# Chosen: half of the usual threshold for a relevant passage.
NOTHING_NEAR = 0.25
# Chosen: a search by two words can mean many things.
FEW_WORDS = 2


class Cause(NamedTuple):
    """A cause with what to do about it; `evidence` is None where nothing at hand speaks for it."""

    name: str
    remedy: str
    evidence: str | None
    is_likely: bool


class _Suspect(NamedTuple):
    name: str
    remedy: str
    clues: tuple[Teller, ...] = ()


def causes_of(stage: Stage, sight: Sight) -> tuple[Cause, ...]:
    """List the known causes of the stage, most evidence first; none that right answers show as often as wrong ones."""
    causes: list[tuple[bool, float, Cause]] = []
    for suspect in SUSPECTS.get(stage, ()):
        seen = [hint for clue in suspect.clues if (hint := clue(sight)) is not None]
        hints = [hint for hint in seen if hint.is_telling or not hint.is_against]
        if seen and not hints:
            continue
        telling = [hint for hint in hints if hint.is_telling]
        evidence = joined([hint.words for hint in telling or hints]) if hints else None
        cause = Cause(suspect.name, suspect.remedy, evidence, bool(telling))
        causes.append((not telling, -max((hint.share for hint in telling), default=0.0), cause))
    return tuple(cause for _, _, cause in sorted(causes, key=lambda entry: entry[:2]))


def _is_gap(clue: Clue) -> bool:
    """Return whether nothing near the question was retrieved, and no other system is known to find more."""
    best = most(clue.passages, clue.relevance)
    return best is not None and best <= NOTHING_NEAR and not clue.elsewhere and not clue.ids_found


SUSPECTS: dict[Stage, tuple[_Suspect, ...]] = {
    Stage.RETRIEVAL: (
        _Suspect(
            "k too small",
            "retrieve more passages (a larger k)",
            (
                fact(
                    "another system with more passages finds relevant ones",
                    lambda clue: any(count > clue.contexts for count in clue.elsewhere),
                ),
                shifted("passages", lambda clue: clue.contexts, -1),
            ),
        ),
        _Suspect(
            "knowledge gap",
            "add what is missing to the knowledge base, and mark it (`assay gold mark GOLD_ID`)",
            (
                fact("marked “the knowledge base lacks this”", lambda clue: clue.lacks_knowledge),
                more_often(
                    Reason("no passage comes near the question, the best at most {value}", value=str(NOTHING_NEAR)),
                    _is_gap,
                ),
                fact(
                    "no gap, as another system finds relevant passages",
                    lambda clue: bool(clue.elsewhere),
                    is_telling=False,
                ),
            ),
        ),
        _Suspect(
            "chunking",
            "cut documents another way: along headings, smaller or with overlap",
            (
                long_or_short,
                shifted(
                    "characters a passage",
                    lambda clue: clue.contexts_chars / clue.contexts if clue.contexts_chars else None,
                ),
            ),
        ),
        _Suspect(
            "embedder",
            "try another embedder, or search by words beside it (hybrid)",
            (
                fact("a passage known to be relevant was not retrieved", lambda clue: clue.ids_found is False),
                fact(
                    "another system finds relevant passages with no more of them",
                    lambda clue: any(count <= clue.contexts for count in clue.elsewhere),
                ),
            ),
        ),
        _Suspect(
            "unclear query",
            "rewrite the query before the search: with the turns before it, in full words",
            (
                more_often(
                    Reason("the question has at most {count} words that carry meaning", count=FEW_WORDS),
                    lambda clue: clue.question_words <= FEW_WORDS,
                ),
                more_often("the question hangs on earlier turns", lambda clue: clue.has_history),
            ),
        ),
        _Suspect(
            "the judge of context relevance",
            "read these: if the passages do answer, take another judge or a lower --relevance-threshold",
            (fact("a passage known to be relevant was there", lambda clue: bool(clue.ids_kept)), no_less_often),
        ),
    ),
    Stage.RERANK: (
        _Suspect(
            "the reranker itself",
            "run without it, or take another one (of the language of the passages)",
            (
                fact(
                    "without reranking a relevant passage would have been kept",
                    lambda clue: clue.first_relevant is not None and clue.first_relevant <= clue.contexts,
                ),
            ),
        ),
        _Suspect(
            "it keeps too few",
            "let it keep more passages",
            (
                fact(
                    "a relevant passage stood further down than as many as are kept",
                    lambda clue: clue.first_relevant is not None and clue.first_relevant > clue.contexts,
                ),
            ),
        ),
        _Suspect(
            "it reads passages cut short", "smaller chunks, or a reranker that reads longer ones", (long_or_short,)
        ),
    ),
    Stage.SYNTHESIS: (
        _Suspect(
            "it adds what the passages do not say",
            "prompt “answer only from the passages, else say so”; a self-check before answering",
            (
                more_often("sentences that no passage holds", lambda clue: clue.not_found > 0),
                fact("annotators name “Passages say otherwise”", lambda clue: "unfaithful" in clue.named),
            ),
        ),
        _Suspect(
            "it misreads the passages",
            "another model; a self-check against the passages",
            (fact("sentences that contradict the passages", lambda clue: clue.contradicted > 0),),
        ),
        _Suspect(
            "it refuses though the passages fit",
            "a prompt that is less timid; better order of the passages",
            (more_often("the answer refuses", lambda clue: clue.refuses),),
        ),
        _Suspect("noise among the passages", "a smaller k, shorter chunks, or a reranker", (noisy,)),
        _Suspect(
            "too much to read",
            "fewer or shorter passages, the best first",
            (shifted("characters of passages", lambda clue: clue.contexts_chars, 1),),
        ),
    ),
}
