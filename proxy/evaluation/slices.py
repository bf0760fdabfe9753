"""Find the slices of traffic in which the proxy errs more often than elsewhere.

Two errors are looked for: passed answers that are wrong, failed answers that are right. Each slice is compared with the
rest of the same side, one-sided, and every test that was made counts in the adjusted p of all. What has too few labels
is listed.

The tests and the shuffles read the labels alone, so that no prediction can make a slice look worse. What is shown of a slice, its
share, that of the rest and the difference, is estimated as in any other part of the traffic (`assisted`), with what all
scores predict of its unlabelled answers. A slice is named only where the test and the interval of the difference agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation import domains
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import STRATIFIED
from proxy.evaluation.evidence_ledger import SilentShare, can_turn
from proxy.evaluation.predictor import PredictorSource
from proxy.records import Verdict
from proxy.stats.intervals import CONFIDENCE, Interval
from proxy.stats.sampling.clusters import Ways
from proxy.stats.sampling.survey import Proportion
from proxy.stats.testing.detectable import detectable_share
from proxy.stats.testing.paired import DifferenceInterval, mover_difference
from proxy.stats.testing.permutation import (
    Group,
    GroupComparison,
    LabelledErrors,
    adjusted_for_search,
    compared,
    excess,
    together,
)

# Chosen: of 10 labels, 5 errors where a fifth is usual have a p of .03; with fewer labels a slice must be nearly all wrong.
FEWEST = 10
# A field that predicts this share of the right and of the wrong labels, of passed and of failed answers, is what annotators
# said, written down elsewhere; with fewer labels it may be chance.
TRUTH_FEWEST_LABELS, TRUTH_LEAST_PREDICTED = 20, 0.95
# The usual level, over all tests together.
LEVEL = 0.05
# The slice of which the power is told: a fifth of the labels of its side.
PART = 0.2
# A miss is what harms, and what the traffic is about is what a team can act on: their tests count double.
IMPORTANCE_OF_MISSES, IMPORTANCE_OF_SUBJECTS = 2.0, 2.0

LABELS_ALONE = "Wilson at the effective number of labels"

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


class Mistake(StrEnum):
    """What the proxy did wrong."""

    WRONG_PASS = "wrong_pass"  # noqa: S105 (a cell of the table, no password)
    RIGHT_FAIL = "right_fail"


VERDICT_OF = {Mistake.WRONG_PASS: Verdict.PASS, Mistake.RIGHT_FAIL: Verdict.FAIL}


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """A part of the traffic: a field and its value. `is_searched` where nobody named the field before looking.

    `is_subject` says that the field tells what the traffic is, not merely what form an item has.
    """

    field: str
    value: str
    is_searched: bool
    is_subject: bool

    @property
    def name(self) -> str:
        """The name that messages and commands use."""
        return f"{self.field}: {self.value}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DecidedLabels:
    """The decided labels of one side: which are mistakes, the items each stands for, its group and its question."""

    mistake: Mistake
    is_error: Mask
    weight: Numbers
    cluster: NDArray[np.intp]
    question: NDArray[np.intp] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """The share of mistakes in a group, with its interval; `n` labels of which `errors` are mistakes.

    `long_run` is the interval for the rate behind this window and `predictor` what predicted the unlabelled answers; None of
    both where the labels alone tell the share.
    """

    n: int
    errors: int
    estimate: float
    interval: Interval
    long_run: Interval | None = None
    predictor: PredictorSource | None = None

    @property
    def method(self) -> str:
        """How the interval was made."""
        return LABELS_ALONE if self.predictor is None else STRATIFIED


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceFinding:
    """A tested slice. `p_value` is its own, `adjusted_p` is adjusted for all tests, and so is the interval of `difference`.

    `twins` hold the very same labels.
    """

    slice: Slice
    mistake: Mistake
    here: Share
    elsewhere: Share
    difference: DifferenceInterval
    p_value: float
    adjusted_p: float
    twins: tuple[Slice, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Untested:
    """A slice without enough labels: `missing` more are needed in it, or where it is nearly all, `missing_elsewhere`."""

    slice: Slice
    mistake: Mistake
    n: int
    missing: int
    missing_elsewhere: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SlicePower:
    """What the labels of a side can show: a slice of `part` of them is detected in 8 of 10 cases at this `share`.

    `base` is the share of mistakes among all `labels`; `share` is None where no share would be found so often.
    """

    mistake: Mistake
    labels: int
    base: float
    part: float
    tests: int
    share: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """All slices of both sides, the smallest adjusted p first; `level` is the adjusted p up to which a slice is reported.

    `power` is known before any slice is looked at.
    """

    tested: Sequence[SliceFinding]
    untested: Sequence[Untested]
    level: float
    power: Sequence[SlicePower] = ()

    @property
    def confidence(self) -> float:
        """The confidence of the differences: 1 - level R / m, R of m tests being up to the level."""
        passing = sum(finding.adjusted_p <= self.level for finding in self.tested)
        return _confidence(self.level, passing, len(self.tested))

    @property
    def worse(self) -> list[SliceFinding]:
        """The slices that are shown to be worse than the rest, by the adjusted p and by the interval of the difference."""
        return [finding for finding in self.tested if finding.adjusted_p <= self.level and finding.difference.low > 0]


class SideWeight(NamedTuple):
    """Weights of drawn answers in a slice, and elsewhere on its side."""

    here: float
    elsewhere: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceLabels:
    """A slice with the labels of each side that lie in it: `members` has a mask for each of the sides, in their order."""

    slice: Slice
    members: tuple[Mask, ...]


class Parted(NamedTuple):
    """The evidence on a slice and on all that is outside of it, each a part of one whole."""

    here: Evidence
    elsewhere: Evidence


@dataclass(frozen=True, slots=True)
class _Test:
    """A test to be made, on the labels at this place; twins share it."""

    place: int
    mask: Mask
    slices: list[Slice]


def examine(
    labels_by_mistake: Sequence[DecidedLabels],
    parts: Sequence[SliceLabels],
    rng: np.random.Generator,
    level: float = LEVEL,
) -> Examined:
    """Test every slice with FEWEST labels in it and elsewhere, and adjust over all tests of all sides.

    Benjamini-Hochberg on p over importance, importances of mean 1 fixed beforehand (Genovese, Roeder, Wasserman 2006, Biometrika
    93:509); where the least of all p is rarer than that in shuffles of the labels, which know how slices overlap, the share of
    such shuffles stands (Westfall and Young 1993). None is smaller than the share of shuffles in which the least of the two is as
    small: where no slice is worse, at most one run in twenty reports one, however slices overlap. The intervals of the
    differences have the confidence 1 - level R / m, R of m tests being up to the level (Benjamini and Yekutieli 2005, JASA
    100:71).
    """
    tests, untested = _sorted(labels_by_mistake, parts)
    if not tests:
        return Examined(tested=(), untested=untested, level=level)
    results: list[GroupComparison] = []
    chances: list[Numbers] = []
    for number, labels in enumerate(labels_by_mistake):
        own = [test for test in tests if test.place == number]
        if own:
            outcome = excess(_errors_of(labels), np.array([test.mask for test in own]), rng)
            results += outcome.compared
            chances.append(outcome.shuffled)
    importance = np.array([_importance(labels_by_mistake[test.place].mistake, test.slices) for test in tests])
    importance /= importance.mean()
    p = np.array([result.p for result in results])
    adjusted = adjusted_for_search(p / importance, np.concatenate(chances) / importance[:, None])
    confidence = _confidence(level, int((adjusted <= level).sum()), len(tests))
    tested = [
        _finding(test, labels_by_mistake[test.place].mistake, result, float(q), confidence)
        for test, result, q in zip(tests, results, adjusted, strict=True)
    ]
    return Examined(
        tested=sorted(
            tested, key=lambda finding: (finding.adjusted_p, finding.p_value, finding.mistake, finding.slice.name)
        ),
        untested=untested,
        level=level,
        power=[_power(labels, tests, level) for labels in labels_by_mistake if len(labels.is_error)],
    )


def assisted(examined: Examined, parted: Callable[[Slice], Parted]) -> Examined:
    """Return the tests with the shares and differences of the slices as all scores help to estimate them.

    The difference estimator of `proxy.evaluation.domains` in the slice and outside of it; the difference is that of two parts
    without a common item, joined by MOVER at the confidence that all tests together ask for. The p-values stay: they are those
    of the labels alone.

    Parameters
    ----------
    examined : Examined
        Every test.
    parted : callable
        Gives the evidence on a slice, and on the rest.

    Returns
    -------
    Examined
        The same tests; where labels are too few in a part of a slice, the shares that the labels alone tell.
    """
    confidence = examined.confidence
    return replace(
        examined, tested=[_assisted(finding, parted(finding.slice), confidence) for finding in examined.tested]
    )


def _assisted(finding: SliceFinding, parted: Parted, confidence: float) -> SliceFinding:
    mistake, predictor = finding.mistake, parted.here.predictor
    here, elsewhere = (domains.part(evidence, (VERDICT_OF[mistake],)) for evidence in parted)
    if predictor is None or not isinstance(here, Proportion) or not isinstance(elsewhere, Proportion):
        return finding
    # What was seen whole is known; whether traffic like it would be worse is not.
    is_known = here.rest is None and elsewhere.rest is None
    spans = [
        _of_mistakes((known.long_run(confidence) if is_known else None) or known.window(confidence), mistake)
        for known in (here, elsewhere)
    ]
    first, second = (
        _helped(finding.here, here, mistake, predictor),
        _helped(finding.elsewhere, elsewhere, mistake, predictor),
    )
    difference = mover_difference(first.estimate, spans[0], second.estimate, spans[1])
    return replace(finding, here=first, elsewhere=second, difference=difference)


def _helped(share: Share, known: Proportion, mistake: Mistake, predictor: PredictorSource) -> Share:
    """Return the share of mistakes as scores help to estimate it, with the labels that it rests on."""
    long_run = known.long_run()
    return replace(
        share,
        estimate=known.p if mistake is Mistake.RIGHT_FAIL else 1 - known.p,
        interval=_of_mistakes(known.window(), mistake),
        long_run=long_run and _of_mistakes(long_run, mistake),
        predictor=predictor,
    )


def _of_mistakes(right: Interval, mistake: Mistake) -> Interval:
    """Return the interval of the share of mistakes from that of right answers."""
    return right if mistake is Mistake.RIGHT_FAIL else Interval(1 - right.high, 1 - right.low)


def is_turnable(finding: SliceFinding, missing: SideWeight, labelled: SideWeight) -> bool:
    """Return whether drawn answers without a right or wrong could turn a finding.

    Parameters
    ----------
    finding : SliceFinding
        A slice that is shown to be worse.
    missing, labelled : SideWeight
        The weights of the drawn answers of its side without and with a right or wrong.

    Returns
    -------
    bool
        Whether nothing is left of the difference if they went the other way in the slice and outside of it.
    """
    here, elsewhere = (
        SilentShare(share.estimate, silent / (silent + spoken))
        for share, silent, spoken in zip((finding.here, finding.elsewhere), missing, labelled, strict=True)
    )
    return can_turn(max(0.0, finding.difference.low), here, elsewhere)


def _power(labels: DecidedLabels, tests: Sequence[_Test], level: float) -> SlicePower:
    """Estimate what could be detected, by Bonferroni over the tests of both sides: a little less than the search finds."""
    whole = together(_errors_of(labels))
    share = detectable_share(whole.share, PART * whole.effective_n, (1 - PART) * whole.effective_n, level / len(tests))
    return SlicePower(
        mistake=labels.mistake, labels=whole.n, base=whole.share, part=PART, tests=len(tests), share=share
    )


def is_truth(is_right: Mask, passes: Mask, values: Sequence[str]) -> bool:
    """Whether the values of a field tell right from wrong, nearly always, among passed and among failed answers.

    One value a label. A value says what most of its labels say; one that is seen once, or as often right as wrong, says nothing.
    """
    n = len(values)
    if n < TRUTH_FEWEST_LABELS or is_right.all() or not is_right.any() or passes.all() or not passes.any():
        return False
    _, place = np.unique(np.array(values, dtype=np.str_), return_inverse=True)
    right, wrong = np.bincount(place, is_right)[place], np.bincount(place, ~is_right)[place]
    is_predicted = (right + wrong > 1) & np.where(is_right, right > wrong, wrong > right)
    groups = [verdict & kind for verdict in (passes, ~passes) for kind in (is_right, ~is_right)]
    return all(is_predicted[group].mean() >= TRUTH_LEAST_PREDICTED for group in groups if group.any())


def against(labels: DecidedLabels, mask: Mask, of: Slice) -> SliceFinding | Untested:
    """Test one slice against the rest of its side, without adjustment."""
    if missing := _missing(labels, mask, of):
        return missing
    result = compared(_errors_of(labels), mask)
    return _finding(_Test(0, mask, [of]), labels.mistake, result, result.p, CONFIDENCE)


def _confidence(level: float, passing: int, tests: int) -> float:
    return 1 - level * max(1, passing) / max(1, tests)


def _errors_of(labels: DecidedLabels) -> LabelledErrors:
    return LabelledErrors(labels.is_error.astype(np.float64), labels.weight, Ways.of(labels.cluster, labels.question))


def _sorted(
    labels_by_mistake: Sequence[DecidedLabels], parts: Sequence[SliceLabels]
) -> tuple[list[_Test], list[Untested]]:
    """List the tests by side, equal sets of labels once, and the slices with too few labels."""
    tests: dict[tuple[int, bytes], _Test] = {}
    untested: list[Untested] = []
    for number, labels in enumerate(labels_by_mistake):
        for part in parts:
            mask = part.members[number]
            if missing := _missing(labels, mask, part.slice):
                untested.append(missing)
                continue
            tests.setdefault((number, mask.tobytes()), _Test(number, mask, [])).slices.append(part.slice)
    return list(tests.values()), untested


def _missing(labels: DecidedLabels, mask: Mask, of: Slice) -> Untested | None:
    """Count the labels that a test lacks; None where it has enough."""
    n = int(mask.sum())
    missing, elsewhere = max(0, FEWEST - n), max(0, FEWEST - (len(mask) - n))
    if not missing and not elsewhere:
        return None
    return Untested(slice=of, mistake=labels.mistake, n=n, missing=missing, missing_elsewhere=elsewhere)


def _importance(mistake: Mistake, slices: Sequence[Slice]) -> float:
    miss = IMPORTANCE_OF_MISSES if mistake is Mistake.WRONG_PASS else 1.0
    return miss * (IMPORTANCE_OF_SUBJECTS if any(part.is_subject for part in slices) else 1.0)


def _finding(
    test: _Test, mistake: Mistake, result: GroupComparison, adjusted: float, confidence: float
) -> SliceFinding:
    here, elsewhere = result.here, result.elsewhere
    return SliceFinding(
        slice=test.slices[0],
        mistake=mistake,
        here=_share(here),
        elsewhere=_share(elsewhere),
        difference=mover_difference(
            here.share, here.interval(confidence), elsewhere.share, elsewhere.interval(confidence)
        ),
        p_value=result.p,
        adjusted_p=adjusted,
        twins=tuple(test.slices[1:]),
    )


def _share(group: Group) -> Share:
    return Share(n=group.n, errors=group.errors, estimate=group.share, interval=group.interval())
