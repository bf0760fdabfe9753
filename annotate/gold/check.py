"""A system's new answers held against the gold set: what stayed right, broke, was mended or is still wrong, and what it shows.

In come comparisons of an entry's own answer with the new one, out comes a Check. The rule: where the judge was seen to err on the
entry's own answer it is not believed on the new one, each question counts once, and what has no answer is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from annotate.gold.matching import Asked
from proxy.records import Judgement, Label
from proxy.stats.composed_difference import composed_difference
from proxy.stats.corrected_difference import corrected_difference
from proxy.stats.intervals import Interval, wilson
from proxy.stats.paired import Difference, Pairs, bonett_price, mcnemar_mid_p
from proxy.stats.rogan_gladen import Count

# Half of the judge's scale: good cuts lie from .3 to .7 from one set to the next, so none is right for all.
DEFAULT_CUT = 0.5
# From 20 answers of each kind on, the corrected interval holds the truth as often as it says (see the tests of its coverage).
MIN_KNOWN = 20
SERIOUS = "serious"


class SaidBy(StrEnum):
    """Who says that the new answer is right or wrong."""

    PERSON = "a person's label"
    SAME = "the same words as an answer that is known"
    JUDGE = "the judge"


class Fate(StrEnum):
    """What became of an entry."""

    KEPT = "kept right"
    BROKE = "broke"
    MENDED = "mended"
    STILL_WRONG = "still wrong"
    NO_OLD = "no old answer"
    CANNOT_TELL = "the judge cannot tell"
    NOT_JUDGED = "could not be judged"
    NO_ANSWER = "no answer"


COMPARED = {
    (True, True): Fate.KEPT,
    (True, False): Fate.BROKE,
    (False, True): Fate.MENDED,
    (False, False): Fate.STILL_WRONG,
}


class Said(NamedTuple):
    """Whether an answer is right, who says so, and why; `is_right` None where nobody could say."""

    is_right: bool | None
    by: SaidBy
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """An entry with its own answer and the new one; `old_passes` is what the judge says of the entry's own answer."""

    entry: Asked
    label: Label | None = None
    old_answer: str | None = None
    new_id: str | None = None
    new_answer: str | None = None
    new_label: Label | None = None
    said: Said | None = None
    old_passes: bool | None = None

    @property
    def was_right(self) -> bool | None:
        """What people said of the entry's own answer; None where there is none, or they were unsure."""
        return judged_by_people(self.label)

    @property
    def fate(self) -> Fate:
        """What became of the entry."""
        if self.said is None:
            return Fate.NO_ANSWER
        if self.said.is_right is None:
            return Fate.NOT_JUDGED
        if self.was_right is None:
            return Fate.NO_OLD
        if self.said.by is SaidBy.JUDGE and self.old_passes is not self.was_right:
            return Fate.CANNOT_TELL
        return COMPARED[self.was_right, self.said.is_right]

    @property
    def is_serious(self) -> bool:
        """Whether people call the old wrong answer, or the new one, seriously harmful."""
        return any(
            one is not None and one.judgement is Judgement.WRONG and one.harm == SERIOUS
            for one in (self.label, self.new_label)
        )


class JudgeAgainstPeople(NamedTuple):
    """How the judge does on answers that people labelled and that have a reference in other words, each question once."""

    right_passes: Count
    wrong_fails: Count


class Share(NamedTuple):
    """A share with its interval."""

    x: int
    n: int
    interval: Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """What a check came to. `pairs` are the questions compared, each once: right before and now, only before, only now, never.

    `difference` is the new share right minus the old, `corrected` the same freed of the judge's errors, over `corrected_of`
    questions; `if_missing_wrong` counts what has no answer as wrong. Where the judge cannot tell of some, `composed` is the
    difference if those change sides as often as the others that were right, or wrong, before.
    """

    comparisons: Sequence[Comparison]
    pairs: Pairs
    difference: Difference | None
    mid_p: float | None
    new_share: Share | None
    judge: JudgeAgainstPeople
    corrected: Difference | None
    corrected_of: int
    why_not_corrected: str
    if_missing_wrong: Difference | None
    untold: int
    composed: Difference | None
    by_basis: Mapping[SaidBy, int]

    def of(self, *fates: Fate) -> list[Comparison]:
        """The entries with one of these fates, most harmful first."""
        return sorted(
            (one for one in self.comparisons if one.fate in fates),
            key=lambda one: (not one.is_serious, one.entry.gold_id),
        )

    @property
    def serious(self) -> list[Comparison]:
        """Entries whose wrong answer people call seriously harmful, and that are wrong now."""
        wrong_now = (one for one in self.comparisons if one.said is not None and one.said.is_right is False)
        return [one for one in wrong_now if one.is_serious]

    @property
    def headline(self) -> Difference | None:
        """What the verdict rests on: corrected, else composed where the judge cannot tell of some, else as seen."""
        return self.corrected or (self.composed if self.untold else self.difference)

    @property
    def takes_judges_word(self) -> bool:
        """Whether the headline takes what the judge says as true, so that its errors are in no interval."""
        return self.corrected is None and bool(self.by_basis.get(SaidBy.JUDGE))

    @property
    def is_worse(self) -> bool:
        """Whether the new system is shown to be worse: the whole interval lies below 0."""
        return self.headline is not None and self.headline.high < 0


def judged_by_people(label: Label | None) -> bool | None:
    """Right or wrong; None for unsure and for no label."""
    return {Judgement.RIGHT: True, Judgement.WRONG: False}.get(label.judgement) if label is not None else None


def check(comparisons: Sequence[Comparison], judge: JudgeAgainstPeople) -> Check:
    """Count the fates and measure the difference."""
    compared = once([one for one in comparisons if one.fate in COMPARED.values()])
    told = once([one for one in comparisons if one.said is not None and one.said.is_right is not None])
    right = sum(one.said.is_right is True for one in told if one.said)
    pairs = _pairs(compared)
    comparable = once([one for one in comparisons if one.fate in (*COMPARED.values(), Fate.CANNOT_TELL)])
    right_before = sum(one.was_right is True for one in comparable)
    corrected, of, why = _corrected(comparisons, judge)
    missing = [one for one in comparisons if one.fate is Fate.NO_ANSWER and one.was_right is not None]
    with_missing = _pairs(once([one for one in comparisons if one.fate in COMPARED.values()] + missing))
    return Check(
        comparisons=comparisons,
        pairs=pairs,
        difference=_difference(pairs),
        mid_p=mcnemar_mid_p(pairs) if pairs.n else None,
        new_share=Share(right, len(told), wilson(right / len(told), len(told))) if told else None,
        judge=judge,
        corrected=corrected,
        corrected_of=of,
        why_not_corrected=why,
        if_missing_wrong=_difference(with_missing) if missing else None,
        untold=len(comparable) - pairs.n,
        composed=composed_difference(pairs, right_before, len(comparable) - right_before),
        by_basis=Counter(one.said.by for one in compared if one.said),
    )


def once(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """One for each question: the entry that was changed last."""
    newest: dict[str, Comparison] = {}
    for one in sorted(comparisons, key=lambda one: (one.entry.at, one.entry.gold_id)):
        newest[one.entry.shared] = one
    return list(newest.values())


def _pairs(compared: Sequence[Comparison]) -> Pairs:
    """Counts of the fates; what has no answer is wrong now."""
    lost = {True: Fate.BROKE, False: Fate.STILL_WRONG, None: Fate.NO_ANSWER}
    counts = Counter(lost[one.was_right] if one.fate is Fate.NO_ANSWER else one.fate for one in compared)
    return Pairs(*(counts[fate] for fate in (Fate.KEPT, Fate.BROKE, Fate.MENDED, Fate.STILL_WRONG)))


def _difference(pairs: Pairs) -> Difference | None:
    """The difference as counted, with Bonett and Price's interval."""
    if not pairs.n:
        return None
    return bonett_price(pairs)._replace(estimate=(pairs.only_second - pairs.only_first) / pairs.n)


def _corrected(comparisons: Sequence[Comparison], judge: JudgeAgainstPeople) -> tuple[Difference | None, int, str]:
    """The difference freed of the judge's errors, over how many questions; else why there is none.

    All questions that were judged are in it, also those where the judge was seen to err: leaving them out would choose the ones
    on which it errs less than the labels say.
    """
    both = once(
        [one for one in comparisons if one.was_right is not None and one.said and one.said.is_right is not None]
    )
    judged = [one for one in both if one.said and one.said.by is SaidBy.JUDGE]
    if not judged:
        return None, 0, "nothing was left to the judge"
    if min(judge.right_passes.n, judge.wrong_fails.n) < MIN_KNOWN:
        why = f"it takes {MIN_KNOWN} right and {MIN_KNOWN} wrong answers with a label and a reference in other words; there are "
        return None, 0, f"{why}{judge.right_passes.n} and {judge.wrong_fails.n}"
    known = [one for one in both if one.said and one.said.by is not SaidBy.JUDGE]
    found = corrected_difference(_all_pairs(judged), _all_pairs(known), judge.right_passes, judge.wrong_fails)
    return (
        found,
        len(both) if found else 0,
        "" if found else "here the judge hardly tells right answers from wrong ones",
    )


def _all_pairs(both: Sequence[Comparison]) -> Pairs:
    """Counts by what people said of the old answer and what is said of the new one."""
    counts = Counter((one.was_right, one.said.is_right) for one in both if one.said)
    return Pairs(counts[True, True], counts[True, False], counts[False, True], counts[False, False])
