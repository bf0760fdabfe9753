"""Compare a system's new answers with the gold set: what stayed right, broke, was fixed or is still wrong.

A judge that was not shown to tell right from wrong answers here decides nothing: what only it says is UNCHECKED. Where a
checked judge errs on the entry's own answer it is not believed on the new one. Each question counts once, and what is listed is
what is counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from typing import NamedTuple

from annotate.domain.gold.matching import GoldQuestion
from proxy.evaluation.estimate import Estimate
from proxy.reason import Reason
from proxy.records import Judgement, Label
from proxy.stats.agreement.rogan_gladen import Count, rogan_gladen
from proxy.stats.intervals import CONFIDENCE, wilson
from proxy.stats.testing.composed_difference import composed_difference
from proxy.stats.testing.corrected_difference import MIN_YOUDEN, corrected_difference
from proxy.stats.testing.paired import DifferenceInterval, Pairs, bonett_price, mcnemar_mid_p

# Half of the judge's scale: good thresholds lie from .3 to .7 from one set to the next, so none is right for all.
DEFAULT_THRESHOLD = 0.5
# From 20 answers of each kind on, the corrected interval holds the truth as often as it says (see the tests of its coverage).
MIN_KNOWN = 20
SERIOUS = "serious"
NONE_KNOWN = "no such answer has a label and a reference in other words"


class SaidBy(StrEnum):
    """Source of the verdict on the new answer."""

    ANNOTATOR = auto()  # a label
    SAME = auto()  # the same words as an answer that is known
    JUDGE = auto()


class Fate(StrEnum):
    """Outcome of an entry in the comparison."""

    KEPT = auto()  # right before and now
    BROKE = auto()
    MENDED = auto()
    STILL_WRONG = auto()
    NO_OLD = auto()  # nobody called the old answer right or wrong
    CANNOT_TELL = auto()  # the judge errs on the old answer
    UNCHECKED = auto()  # left to a judge that was not checked
    NOT_JUDGED = auto()
    NO_ANSWER = auto()


class CheckOutcome(Enum):
    """What the check shows of the new system."""

    EMPTY = auto()  # there is no entry
    UNCHECKED = auto()  # answers are left to a judge that was not checked here
    UNCOMPARED = auto()  # nothing is right or wrong both before and now
    WORSE = auto()
    BETTER = auto()
    FEW = auto()  # the interval is beside 0, and so few questions do that by chance
    MISSING = auto()  # better, unless the questions without an answer count as wrong
    OPEN = auto()


COMPARED = {
    (True, True): Fate.KEPT,
    (True, False): Fate.BROKE,
    (False, True): Fate.MENDED,
    (False, False): Fate.STILL_WRONG,
}


class Said(NamedTuple):
    """Verdict on an answer, who gives it, and why; `is_right` None where nobody could say."""

    is_right: bool | None
    by: SaidBy
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """An entry with its own answer and the new one; `old_passes` is what the judge says of the entry's own answer.

    `is_checked` tells whether that judge was shown to tell right from wrong answers here.
    """

    entry: GoldQuestion
    label: Label | None = None
    old_answer: str | None = None
    new_id: str | None = None
    new_answer: str | None = None
    new_label: Label | None = None
    verdict: Said | None = None
    old_passes: bool | None = None
    is_checked: bool = True

    @property
    def was_right(self) -> bool | None:
        """Label of the entry's own answer; None where there is none, or they were unsure."""
        return judged_by_annotators(self.label)

    @property
    def fate(self) -> Fate:
        """Outcome of the entry."""
        if self.verdict is None:
            return Fate.NO_ANSWER
        if self.verdict.is_right is None:
            return Fate.NOT_JUDGED
        if self.verdict.by is SaidBy.JUDGE and not self.is_checked:
            return Fate.UNCHECKED
        if self.was_right is None:
            return Fate.NO_OLD
        if self.verdict.by is SaidBy.JUDGE and self.old_passes is not self.was_right:
            return Fate.CANNOT_TELL
        return COMPARED[self.was_right, self.verdict.is_right]

    @property
    def is_serious(self) -> bool:
        """Whether annotators call the old wrong answer, or the new one, seriously harmful."""
        return any(
            label is not None and label.judgement is Judgement.WRONG and label.harm == SERIOUS
            for label in (self.label, self.new_label)
        )


class JudgeAgainstAnnotators(NamedTuple):
    """Performance of the judge on answers that annotators labelled, with a reference in other words, each question once."""

    right_passes: Count
    wrong_fails: Count

    @property
    def obstacle(self) -> str:
        """Reason why the judge cannot be used here; empty where it is shown to tell right from wrong answers."""
        right, wrong = self.right_passes.n, self.wrong_fails.n
        if min(right, wrong) < MIN_KNOWN:
            return Reason(
                "it takes {needed} right and {needed} wrong answers with a label and a reference in other words; "
                "there are {right} and {wrong}",
                needed=MIN_KNOWN,
                right=right,
                wrong=wrong,
            )
        if self.right_passes.p + self.wrong_fails.p - 1 < MIN_YOUDEN:
            return "here the judge hardly tells right answers from wrong ones"
        return ""

    @property
    def sensitivity(self) -> Estimate:
        """Share of the right answers that the judge passes."""
        return _share(self.right_passes, NONE_KNOWN)

    @property
    def specificity(self) -> Estimate:
        """Share of the wrong answers that the judge fails."""
        return _share(self.wrong_fails, NONE_KNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """Result of a check. `counted` has one comparison for each question, `superseded` the others.

    `pairs` are the questions compared, each once: right before and now, only before, only now, never.
    `difference` is the new share right minus the old, `corrected` the same freed of the judge's errors; `if_missing_wrong`
    counts what has no answer as wrong. Where the judge cannot tell of some (`untold`), `composed` is the difference if those
    change sides as often as the others that were right, or wrong, before.
    """

    counted: Sequence[Comparison]
    superseded: Sequence[Comparison]
    pairs: Pairs
    difference: Estimate
    mid_p: float | None
    new_share: Estimate
    judge: JudgeAgainstAnnotators
    corrected: Estimate
    if_missing_wrong: Estimate
    untold: int
    composed: Estimate
    by_basis: Mapping[SaidBy, int]
    broken_at_least: int

    @property
    def comparisons(self) -> list[Comparison]:
        """All entries that were compared."""
        return [*self.counted, *self.superseded]

    @property
    def is_decidable(self) -> bool:
        """Whether nothing was left to a judge that was not checked here."""
        return not self.of(Fate.UNCHECKED)

    def of(self, *fates: Fate) -> list[Comparison]:
        """Return the counted entries with one of these fates, most harmful first."""
        return sorted(
            (comparison for comparison in self.counted if comparison.fate in fates),
            key=lambda comparison: (not comparison.is_serious, comparison.entry.gold_id),
        )

    @property
    def serious(self) -> list[Comparison]:
        """Entries whose wrong answer annotators call seriously harmful, and that are wrong now."""
        wrong_now = (
            comparison
            for comparison in self.comparisons
            if comparison.verdict is not None
            and comparison.verdict.is_right is False
            and comparison.fate is not Fate.UNCHECKED
        )
        return [comparison for comparison in wrong_now if comparison.is_serious]

    @property
    def headline(self) -> Estimate:
        """Difference that the verdict rests on: corrected, else composed where the judge cannot tell of some, else as seen."""
        if self.corrected.estimate is not None:
            return self.corrected
        return self.composed if self.untold else self.difference

    @property
    def is_worse(self) -> bool:
        """Whether the new system is shown to be worse: the whole interval is below 0."""
        return self.headline.high is not None and self.headline.high < 0

    @property
    def standing(self) -> CheckOutcome:
        """What the check shows; better and worse only where the whole interval is beside 0."""
        if not self.comparisons:
            return CheckOutcome.EMPTY
        if not self.is_decidable:
            return CheckOutcome.UNCHECKED
        low, missing = self.headline.low, self.if_missing_wrong.low
        if low is None:
            return CheckOutcome.UNCOMPARED
        if low <= 0 and not self.is_worse:
            return CheckOutcome.OPEN
        if self.headline is self.difference and self.mid_p is not None and self.mid_p > 1 - CONFIDENCE:
            return CheckOutcome.FEW
        if self.is_worse:
            return CheckOutcome.WORSE
        return CheckOutcome.MISSING if missing is not None and missing <= 0 else CheckOutcome.BETTER


def judged_by_annotators(label: Label | None) -> bool | None:
    """Return whether annotators say right; None for unsure and for no label."""
    return {Judgement.RIGHT: True, Judgement.WRONG: False}.get(label.judgement) if label is not None else None


def check(comparisons: Sequence[Comparison], judge: JudgeAgainstAnnotators) -> Check:
    """Count the fates and measure the difference."""
    comparisons = [replace(comparison, is_checked=not judge.obstacle) for comparison in comparisons]
    counted = _counted(comparisons)
    names = {comparison.entry.gold_id for comparison in counted}
    compared = [comparison for comparison in counted if comparison.fate in COMPARED.values()]
    with_verdict = [
        comparison for comparison in counted if comparison.fate in (*COMPARED.values(), Fate.CANNOT_TELL, Fate.NO_OLD)
    ]
    right = sum(comparison.verdict.is_right is True for comparison in with_verdict if comparison.verdict)
    pairs = _pairs(compared)
    comparable = [comparison for comparison in counted if comparison.fate in (*COMPARED.values(), Fate.CANNOT_TELL)]
    right_before = sum(comparison.was_right is True for comparison in comparable)
    missing = [
        comparison for comparison in counted if comparison.fate is Fate.NO_ANSWER and comparison.was_right is not None
    ]
    return Check(
        counted=counted,
        superseded=[comparison for comparison in comparisons if comparison.entry.gold_id not in names],
        pairs=pairs,
        difference=_difference(pairs, "no question can be compared"),
        mid_p=mcnemar_mid_p(pairs) if pairs.n else None,
        new_share=_share(Count(x=right, n=len(with_verdict)), "no answer was judged"),
        judge=judge,
        corrected=_corrected(comparisons, judge),
        if_missing_wrong=_difference(_pairs([*compared, *missing] if missing else []), "every question has an answer"),
        untold=len(comparable) - pairs.n,
        composed=_estimate(
            composed_difference(pairs, right_before, len(comparable) - right_before),
            pairs.n,
            "Wilson by old answer, joined",
            "a kind of old answer has no question compared",
        ),
        by_basis=Counter(comparison.verdict.by for comparison in compared if comparison.verdict),
        broken_at_least=_broken_at_least(comparable, judge),
    )


def _counted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Choose one comparison for each question: comparable ones first, then the entry that was changed last."""
    order = [*COMPARED.values(), Fate.CANNOT_TELL, Fate.UNCHECKED, Fate.NO_OLD, Fate.NOT_JUDGED, Fate.NO_ANSWER]
    rank = {fate: max(0, place - len(COMPARED) + 1) for place, fate in enumerate(order)}
    best: dict[str, Comparison] = {}
    for comparison in sorted(
        comparisons, key=lambda comparison: (-rank[comparison.fate], comparison.entry.at, comparison.entry.gold_id)
    ):
        best[comparison.entry.shared] = comparison
    return list(best.values())


def _broken_at_least(comparable: Sequence[Comparison], judge: JudgeAgainstAnnotators) -> int:
    """Return how many right answers broke at least: by annotators' labels, plus the corrected low end of those by the judge."""
    were_right = [comparison for comparison in comparable if comparison.was_right and comparison.verdict]
    known = sum(
        comparison.fate is Fate.BROKE
        for comparison in were_right
        if comparison.verdict and comparison.verdict.by is not SaidBy.JUDGE
    )
    judged = [comparison for comparison in were_right if comparison.verdict and comparison.verdict.by is SaidBy.JUDGE]
    if not judged:
        return known
    passes = Count(
        x=sum(comparison.verdict.is_right is True for comparison in judged if comparison.verdict), n=len(judged)
    )
    interval = rogan_gladen(passes, judge.right_passes, judge.wrong_fails).interval
    return known + (math.ceil(len(judged) * (1 - interval.high) - 1e-9) if interval else 0)


def once(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Choose one comparison for each question: the entry that was changed last."""
    newest: dict[str, Comparison] = {}
    for comparison in sorted(comparisons, key=lambda comparison: (comparison.entry.at, comparison.entry.gold_id)):
        newest[comparison.entry.shared] = comparison
    return list(newest.values())


def _pairs(compared: Sequence[Comparison]) -> Pairs:
    """Count the fates; what has no answer is wrong now."""
    lost = {True: Fate.BROKE, False: Fate.STILL_WRONG, None: Fate.NO_ANSWER}
    counts = Counter(
        lost[comparison.was_right] if comparison.fate is Fate.NO_ANSWER else comparison.fate for comparison in compared
    )
    return Pairs(*(counts[fate] for fate in (Fate.KEPT, Fate.BROKE, Fate.MENDED, Fate.STILL_WRONG)))


def _estimate(difference: DifferenceInterval | None, n: int, method: str, reason: str) -> Estimate:
    if difference is None:
        return Estimate(estimate=None, method=method, reason=reason)
    return Estimate(**difference._asdict(), n=n, method=method)


def _difference(pairs: Pairs, reason: str) -> Estimate:
    """Return the difference as counted, with Bonett and Price's interval; `reason` where there is no pair."""
    counted = None
    if pairs.n:
        counted = bonett_price(pairs)._replace(estimate=(pairs.only_second - pairs.only_first) / pairs.n)
    return _estimate(counted, pairs.n, "Bonett-Price", reason)


def _share(count: Count, reason: str) -> Estimate:
    if not count.n:
        return Estimate(estimate=None, method="Wilson", reason=reason)
    low, high = wilson(count.p, count.n)
    return Estimate(estimate=count.p, low=low, high=high, n=count.n, method="Wilson")


def _corrected(comparisons: Sequence[Comparison], judge: JudgeAgainstAnnotators) -> Estimate:
    """Correct the difference for the judge's errors.

    All questions that were judged are in it, also those where the judge was seen to err: leaving them out would choose the ones
    on which it errs less than the labels say.
    """
    both = once(
        [
            comparison
            for comparison in comparisons
            if comparison.was_right is not None and comparison.verdict and comparison.verdict.is_right is not None
        ]
    )
    judged = [comparison for comparison in both if comparison.verdict and comparison.verdict.by is SaidBy.JUDGE]
    known = [comparison for comparison in both if comparison.verdict and comparison.verdict.by is not SaidBy.JUDGE]
    difference = None
    if judged and not judge.obstacle:
        difference = corrected_difference(_all_pairs(judged), _all_pairs(known), judge.right_passes, judge.wrong_fails)
    reason = judge.obstacle if judged else "nothing was left to the judge"
    return _estimate(difference, len(both), "Rogan-Gladen, paired", reason)


def _all_pairs(both: Sequence[Comparison]) -> Pairs:
    """Count by what annotators said of the old answer and what is said of the new one."""
    counts = Counter((comparison.was_right, comparison.verdict.is_right) for comparison in both if comparison.verdict)
    return Pairs(counts[True, True], counts[True, False], counts[False, True], counts[False, False])
