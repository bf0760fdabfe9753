"""What speaks for a cause: labelled answers in, a hint with its counts out.

The rule: a fact about these answers (a mark, an id, a person's word) speaks for itself; what right answers may have too tells
only where chance does not explain the difference (the 95 % interval of AUROC leaves out one half).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from proxy.stats.calibration.auroc import auroc
from proxy.stats.intervals import Interval

LONG, SHORT = 2000, 150
LOW = 0.5
ENOUGH = 10
SLIGHTLY = 0.6  # AUROC of one who tells nothing is .5


@dataclass(frozen=True, kw_only=True, slots=True)
class Clue:
    """What is known of one labelled answer; None where it is not known.

    `passages` are the relevance judge's values of single passages, `elsewhere` how many passages another system had that found
    relevant ones for the same question, `first_relevant` at which rank one stood in the list before reranking, `margin` how far
    the lower of its two scores lies above its cut. `ids_found` says, where relevant passages are known by id, whether one was
    retrieved; `ids_kept` whether the answer was given one.
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
    """The wrong answers of a stage, all wrong and all right answers of the system, and the cut of context relevance."""

    wrong: Sequence[Clue]
    all_wrong: Sequence[Clue]
    right: Sequence[Clue]
    cut: float


class Hint(NamedTuple):
    """What speaks for a cause, for which share of the wrong answers, and whether it is more than chance might do.

    `is_against` where right answers have it as often: then it speaks against the cause.
    """

    words: str
    share: float
    is_telling: bool = True
    is_against: bool = False


Teller = Callable[[Sight], Hint | None]


def fact(words: str, holds: Callable[[Clue], bool], *, is_telling: bool = True) -> Teller:
    """A fact about answers that speaks for itself, or against the cause where it is not telling."""

    def clue(sight: Sight) -> Hint | None:
        count = sum(map(holds, sight.wrong))
        share = count / len(sight.wrong)
        return Hint(f"{words} ({count} of {len(sight.wrong)})", share, is_telling) if count else None

    return clue


def more_often(words: str, holds: Callable[[Clue], bool]) -> Teller:
    """Something that right answers may have too: it tells where wrong ones have it more often than chance explains."""

    def clue(sight: Sight) -> Hint | None:
        count, others = sum(map(holds, sight.wrong)), sum(map(holds, sight.right))
        if not count:
            return None
        beside = f"; right answers: {others} of {len(sight.right)}" if sight.right else ""
        telling = _differ([holds(one) for one in sight.wrong], [holds(one) for one in sight.right]) > 0
        share, against = (
            count / len(sight.wrong),
            not _is_likelier((count, len(sight.wrong)), (others, len(sight.right))),
        )
        return Hint(f"{words} ({count} of {len(sight.wrong)}{beside})", share, telling, against)

    return clue


def shifted(words: str, value: Callable[[Clue], float | None], direction: int = 0) -> Teller:
    """Something counted: it tells where wrong answers have more of it (direction 1), less (-1), or either (0)."""

    def clue(sight: Sight) -> Hint | None:
        wrong = [found for one in sight.wrong if (found := value(one)) is not None]
        right = [found for one in sight.right if (found := value(one)) is not None]
        sign = _differ(wrong, right)
        if not sign or direction not in (0, sign):
            return None
        middles = f"{median(wrong):,.0f} in the middle of {len(wrong)} wrong answers, {median(right):,.0f} of {len(right)} right"
        return Hint(f"{words}: {middles}", len(wrong) / len(sight.wrong))

    return clue


def _differ(wrong: Sequence[float], right: Sequence[float]) -> int:
    """1 where the wrong ones have more, -1 where they have less, 0 where the 95 % interval of AUROC holds one half."""
    low, high = _auroc(wrong, right)
    return 1 if low > 0.5 else -1 if high < 0.5 else 0


def _is_likelier(wrong: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether more of the wrong answers have it than of the right ones, (count, of) each; without right ones it may be."""
    return not right[1] or wrong[0] * right[1] > right[0] * wrong[1]


def _auroc(wrong: Sequence[float], right: Sequence[float]) -> Interval:
    """P(a wrong one has more than a right one), 95 %; anything where it is not known."""
    found = auroc([*wrong, *right], [1] * len(wrong) + [0] * len(right)) if wrong and right else None
    return Interval(0.0, 1.0) if found is None else found.interval()


def people(*names: str) -> Teller:
    """People name one of these causes."""
    words = " or ".join(name.replace("_", " ") for name in names)
    return fact(f"people name “{words}”", lambda one: bool(one.named & set(names)))


def long_or_short(sight: Sight) -> Hint | None:
    """Passages of unusual length, which right answers may have had too."""
    sizes, others = (
        [one.contexts_chars / one.contexts for one in each if one.contexts_chars] for each in (sight.wrong, sight.right)
    )
    if not sizes or SHORT <= median(sizes) <= LONG:
        return None
    words = f"a passage has {median(sizes):,.0f} characters in the middle"
    wrong, right = ((sum(not SHORT <= size <= LONG for size in each), len(each)) for each in (sizes, others))
    return Hint(words, len(sizes) / len(sight.wrong), is_telling=False, is_against=not _is_likelier(wrong, right))


def _noise(one: Clue, cut: float = LOW) -> float | None:
    """The share of the passages that miss the question."""
    known = [value for value in one.passages if value is not None]
    return sum(value <= cut for value in known) / len(known) if len(known) > 1 else None


def no_less_often(sight: Sight) -> Hint | None:
    """Right answers come with passages that miss the question hardly less often: then that does not explain wrong ones.

    That is shown by ENOUGH such right answers and an AUROC that is at most SLIGHTLY above one half.
    """
    wrong, right = (
        [one.relevance <= sight.cut for one in each if one.relevance is not None]
        for each in (sight.all_wrong, sight.right)
    )
    if not sum(right) or all(one.relevance is None for one in sight.wrong):
        return None
    words = f"{sum(right)} of {len(right)} right answers have such passages too, against {sum(wrong)} of {len(wrong)} wrong ones"
    is_alike = sum(right) >= ENOUGH and len(wrong) >= ENOUGH and _auroc(wrong, right).high <= SLIGHTLY
    return Hint(words, sum(right) / len(right), is_alike)


def noisy(sight: Sight) -> Hint | None:
    """Most passages miss the question, alone."""
    shares = [share for one in sight.wrong if (share := _noise(one, sight.cut)) is not None]
    many = sum(share > LOW for share in shares)
    if not many:
        return None
    others = [share for one in sight.right if (share := _noise(one, sight.cut)) is not None]
    theirs = sum(share > LOW for share in others)
    beside = f"; right answers: {theirs} of {len(others)}" if others else ""
    words = f"most passages miss the question on their own ({many} of {len(shares)}{beside})"
    against = not _is_likelier((many, len(shares)), (theirs, len(others)))
    return Hint(words, many / len(sight.wrong), _differ(shares, others) > 0, against)


def most(passages: Sequence[float | None], otherwise: float | None) -> float | None:
    """The value of the best passage."""
    known = [value for value in passages if value is not None]
    return max(known, default=otherwise)
