"""Find what speaks for a cause in labelled answers: hints with their counts.

The rule: a fact about these answers (a mark, an id, an annotator's word) speaks for itself; what right answers may have too tells
only where chance does not explain the difference (the 95 % interval of AUROC leaves out one half).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from proxy.reason import Reason
from proxy.stats.calibration.auroc import auroc
from proxy.stats.intervals import Interval

# Characters. Chosen: more than a page's half, about 330 English words, and less than two sentences, about 25.
LONG, SHORT = 2000, 150
# The usual threshold of relevance, and the share above which most passages lie.
LOW = 0.5
# Chosen: fewer answers on a side tell little of an AUROC.
ENOUGH = 10
SLIGHTLY = 0.6  # AUROC of one who tells nothing is .5


@dataclass(frozen=True, kw_only=True, slots=True)
class Clue:
    """The facts about a labelled answer; None where a fact is not known.

    `passages` are the relevance judge's values of single passages, `elsewhere` how many passages another system had that found
    relevant ones for the same question, `first_relevant` at which rank one stood in the list before reranking, `margin` how far
    the lower of its two scores is above its threshold. `ids_found` says, where relevant passages are known by id, whether one
    was retrieved; `ids_kept` whether the answer was given one.
    """

    contexts: int
    contexts_chars: int
    question_words: int
    has_history: bool = False
    relevance: float | None = None
    passages: tuple[float | None, ...] = ()
    contradicted: int = 0
    not_found: int = 0
    refuses: bool = False
    margin: float | None = None
    lacks_knowledge: bool = False
    elsewhere: tuple[int, ...] = ()
    first_relevant: int | None = None
    ids_found: bool | None = None
    ids_kept: bool | None = None
    named: frozenset[str] = frozenset()


class Sight(NamedTuple):
    """The wrong answers of a stage, all wrong and all right answers of the system, and the threshold of context relevance."""

    wrong: Sequence[Clue]
    all_wrong: Sequence[Clue]
    right: Sequence[Clue]
    threshold: float


class Hint(NamedTuple):
    """The evidence for a cause: the share of the wrong answers that show it, and whether it exceeds chance.

    `is_against` where right answers have it as often: then it speaks against the cause.
    """

    words: Reason
    share: float
    is_telling: bool = True
    is_against: bool = False


Teller = Callable[[Sight], Hint | None]


def fact(words: str, holds: Callable[[Clue], bool], *, is_telling: bool = True) -> Teller:
    """Make a clue of a fact that speaks for itself, or against the cause where it is not telling."""

    def clue(sight: Sight) -> Hint | None:
        count = sum(map(holds, sight.wrong))
        share = count / len(sight.wrong)
        reason = Reason("{fact} ({count} of {whole})", fact=words, count=count, whole=len(sight.wrong))
        return Hint(reason, share, is_telling) if count else None

    return clue


def more_often(words: str, holds: Callable[[Clue], bool]) -> Teller:
    """Make a clue that right answers may show too: it tells where wrong ones show it more often than chance explains."""

    def clue(sight: Sight) -> Hint | None:
        count, others = sum(map(holds, sight.wrong)), sum(map(holds, sight.right))
        if not count:
            return None
        telling = _differ([holds(answer) for answer in sight.wrong], [holds(answer) for answer in sight.right]) > 0
        share, against = (
            count / len(sight.wrong),
            not _is_likelier((count, len(sight.wrong)), (others, len(sight.right))),
        )
        reason = _beside(words, (count, len(sight.wrong)), (others, len(sight.right)))
        return Hint(reason, share, telling, against)

    return clue


def shifted(words: str, value: Callable[[Clue], float | None], direction: int = 0) -> Teller:
    """Make a clue of a number: it tells where wrong answers have more of it (direction 1), less (-1), or either (0)."""

    def clue(sight: Sight) -> Hint | None:
        wrong = [number for answer in sight.wrong if (number := value(answer)) is not None]
        right = [number for answer in sight.right if (number := value(answer)) is not None]
        sign = _differ(wrong, right)
        if not sign or direction not in (0, sign):
            return None
        reason = Reason(
            "{what}: a median of {wrong} in {count} wrong answers, of {right} in {others} right ones",
            what=words,
            wrong=round(median(wrong)),
            count=len(wrong),
            right=round(median(right)),
            others=len(right),
        )
        return Hint(reason, len(wrong) / len(sight.wrong))

    return clue


def _beside(fact: str, wrong: tuple[int, int], right: tuple[int, int]) -> Reason:
    """Say a fact with how many wrong answers have it and, where there are any, right ones: (count, of) each."""
    (count, whole), (others, rights) = wrong, right
    if not rights:
        return Reason("{fact} ({count} of {whole})", fact=fact, count=count, whole=whole)
    template = "{fact} ({count} of {whole}; right answers: {others} of {rights})"
    return Reason(template, fact=fact, count=count, whole=whole, others=others, rights=rights)


def _differ(wrong: Sequence[float], right: Sequence[float]) -> int:
    """Return 1 where wrong answers have more, -1 where they have less, 0 where the AUROC's 95 % interval holds one half."""
    low, high = _auroc(wrong, right)
    return 1 if low > 0.5 else -1 if high < 0.5 else 0


def _is_likelier(wrong: tuple[int, int], right: tuple[int, int]) -> bool:
    """Return whether a larger share of wrong than of right answers has it, (count, of) each; True without right ones."""
    return not right[1] or wrong[0] * right[1] > right[0] * wrong[1]


def _auroc(wrong: Sequence[float], right: Sequence[float]) -> Interval:
    """Estimate P(a wrong answer has more than a right one) with its 95 % interval; [0, 1] where it is not known."""
    area = auroc([*wrong, *right], [1] * len(wrong) + [0] * len(right)) if wrong and right else None
    return Interval(0.0, 1.0) if area is None else area.interval()


def long_or_short(sight: Sight) -> Hint | None:
    """Hint at passages of unusual length, which right answers may have had too."""
    sizes, others = (
        [answer.contexts_chars / answer.contexts for answer in answers if answer.contexts_chars]
        for answers in (sight.wrong, sight.right)
    )
    if not sizes or SHORT <= median(sizes) <= LONG:
        return None
    words = Reason("a passage has a median of {count} characters", count=round(median(sizes)))
    wrong, right = ((sum(not SHORT <= size <= LONG for size in group), len(group)) for group in (sizes, others))
    return Hint(words, len(sizes) / len(sight.wrong), is_telling=False, is_against=not _is_likelier(wrong, right))


def _noise(answer: Clue, threshold: float = LOW) -> float | None:
    """Compute the share of the passages that miss the question."""
    known = [value for value in answer.passages if value is not None]
    return sum(value <= threshold for value in known) / len(known) if len(known) > 1 else None


def no_less_often(sight: Sight) -> Hint | None:
    """Hint that right answers come with off-topic passages hardly less often, which clears those of blame.

    That is shown by ENOUGH such right answers and an AUROC that is at most SLIGHTLY above one half.
    """
    wrong, right = (
        [answer.relevance <= sight.threshold for answer in answers if answer.relevance is not None]
        for answers in (sight.all_wrong, sight.right)
    )
    if not sum(right) or all(answer.relevance is None for answer in sight.wrong):
        return None
    words = Reason(
        "{others} of {rights} right answers have such passages too, against {count} of {whole} wrong ones",
        others=sum(right),
        rights=len(right),
        count=sum(wrong),
        whole=len(wrong),
    )
    is_alike = sum(right) >= ENOUGH and len(wrong) >= ENOUGH and _auroc(wrong, right).high <= SLIGHTLY
    return Hint(words, sum(right) / len(right), is_alike)


def noisy(sight: Sight) -> Hint | None:
    """Hint that most passages, each by itself, miss the question."""
    shares = [share for answer in sight.wrong if (share := _noise(answer, sight.threshold)) is not None]
    many = sum(share > LOW for share in shares)
    if not many:
        return None
    others = [share for answer in sight.right if (share := _noise(answer, sight.threshold)) is not None]
    many_right = sum(share > LOW for share in others)
    words = _beside("most passages miss the question on their own", (many, len(shares)), (many_right, len(others)))
    against = not _is_likelier((many, len(shares)), (many_right, len(others)))
    return Hint(words, many / len(sight.wrong), _differ(shares, others) > 0, against)


def most(passages: Sequence[float | None], otherwise: float | None) -> float | None:
    """Return the value of the best passage."""
    known = [value for value in passages if value is not None]
    return max(known, default=otherwise)
