"""Choose the threshold of a rule's value, with a guarantee for this window, for the long run, or none.

The grid comes from all traffic, never from the labels, and what no label can speak for counts as wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.guarantee import Proof
from proxy.rule import DEFAULT_THRESHOLD, Rule
from proxy.stats.calibration.threshold import CertifiedThreshold, Need, certify, first_tested, grid, needs, number_below
from proxy.stats.calibration.threshold_tests import Claim, Split, ThresholdTest, fewest_labels, walk

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
# Chosen: chances up to twice the rarest, up to four times, and more; further classes would hold few labels each.
CLASSES = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Choosers:
    """The draws that choose, as arrays of one length: value, right, weight, lot, and `chances` as in `ScoredTraffic`.

    `right` is 1 where an annotator called the answer right; what is wrong, unsure or unanswered is 0, and `undecided` holds for
    the latter two (None: for no draw). `ways` has the cluster of each once for each way of
    clustering, `together` what one lot drew at once (None: each had its own), and `share` of all draws choose.
    """

    values: Numbers
    right: Numbers
    weights: Numbers
    lots: Numbers
    chances: Numbers
    ways: tuple[Indices, ...] = ()
    together: Indices | None = None
    share: float = 1.0
    undecided: Mask | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredTraffic:
    """Every item that the rule gave a value, as arrays of one length.

    `chances` is that of the item to be drawn in any wave; `is_framed` is False for what no wave could draw
    as it is newer, `is_reachable` for what no drawing with labels could have drawn.
    """

    values: Numbers
    chances: Numbers
    is_framed: Mask
    is_reachable: Mask


@dataclass(frozen=True, kw_only=True, slots=True)
class ThresholdChoice:
    """The certified threshold of each claim, the one to put in force, all tests made, and the nearest one where none certifies.

    `certified` is that of the strongest claim that was shown, or that was asked for. `claims` are those that hold at its
    threshold, `coverage` the share of the scored items that would pass, `best` the test with the fewest errors among those
    with labels enough to show anything. `undecided_test` is the part that failed, where draws that nobody could judge or
    answered are among its errors.
    """

    by_claim: Mapping[Claim, CertifiedThreshold]
    certified: CertifiedThreshold
    claims: tuple[Claim, ...]
    steps: Sequence[ThresholdTest]
    coverage: float | None
    need: Need | None
    best: ThresholdTest | None
    undecided_test: ThresholdTest | None = None

    def step(self) -> ThresholdTest:
        """Return the test at the threshold."""
        return next(step for step in self.steps if step.threshold == self.certified.threshold)

    def proofs(self) -> tuple[Proof, ...]:
        """Return the evidence at the threshold for each claim that holds; none without a threshold."""
        return tuple(_proof(claim, self.step()) for claim in self.claims)


def choose(
    labels: Choosers, traffic: ScoredTraffic, *, precision: float, confidence: float, asked: Claim | None = None
) -> ThresholdChoice:
    """Find the lowest threshold with P(right | value >= threshold) >= precision at this confidence, by Learn-then-Test.

    Without `asked` the threshold is that of the long run where there is one, else that of this window. ValueError where no item
    has a value.
    """
    thresholds, delta = grid(traffic.values), 1 - confidence
    steps = walk(
        labels.values,
        labels.right,
        thresholds,
        1 - precision,
        delta,
        weights=labels.weights,
        lots=labels.lots,
        splits=[_split(labels, traffic, float(threshold)) for threshold in thresholds],
        ways=labels.ways,
        together=labels.together,
        share=labels.share,
        undecided=labels.undecided,
    )
    by_claim = {claim: certify(steps, claim, delta) for claim in Claim}
    wanted = asked or (Claim.LONG_RUN if by_claim[Claim.LONG_RUN].threshold is not None else Claim.WINDOW)
    lowest, fewest = by_claim[wanted].threshold, fewest_labels(1 - precision, delta)
    best = min(
        (step for step in steps if step.n >= fewest), key=lambda step: (step.errors / step.n, -step.n), default=None
    )
    need = needs(steps, delta) if lowest is None else None
    failed = (first_tested(steps, wanted), None if need else best)
    return ThresholdChoice(
        by_claim=by_claim,
        certified=by_claim[wanted],
        claims=tuple(claim for claim in Claim if lowest is not None and _holds(by_claim[claim], claim, lowest, steps)),
        steps=steps,
        coverage=None if lowest is None else float((traffic.values >= lowest).mean()),
        need=need,
        best=best,
        undecided_test=next((step for step in failed if step and step.undecided_labels), None)
        if lowest is None
        else None,
    )


def _holds(certified: CertifiedThreshold, claim: Claim, lowest: float, steps: Sequence[ThresholdTest]) -> bool:
    """Whether the walk of a claim tested this threshold on its way: it certified all that it passed."""
    tested = next(step for step in steps if step.threshold == lowest).p_value(claim)
    return certified.threshold is not None and certified.threshold <= lowest and tested is not None


def _proof(claim: Claim, step: ThresholdTest) -> Proof:
    """Return what the test of a threshold shows of a claim; the long run counts clusters where labels share any."""
    by_cluster = claim is Claim.LONG_RUN and step.is_clustered
    return Proof(
        claim=claim,
        n=step.labels if by_cluster else step.n,
        errors=step.wrong if by_cluster else step.errors,
        p_value=step.p_value(claim) or 0.0,
        clusters=step.clusters if by_cluster else None,
    )


def _split(labels: Choosers, traffic: ScoredTraffic, threshold: float) -> Split:
    """Class the items at or above a threshold: labelled up to twice, up to four times, or more often than the rarest."""
    above = traffic.is_framed & (traffic.values >= threshold)
    spoken = above & traffic.is_reachable & (traffic.chances > 0)
    if not spoken.any() or not len(labels.values):
        return Split(np.zeros(len(labels.values), dtype=np.intp), np.ones(1), 1.0)
    rarest = float(traffic.chances[spoken].min())
    sizes = np.bincount(_class(traffic.chances[spoken], rarest), minlength=CLASSES).astype(np.float64)
    return Split(
        classes=_class(labels.chances, rarest),
        shares=sizes / sizes.sum(),
        unseen=1 - float(spoken.sum()) / float(above.sum()),
        size=int(above.sum()),
    )


def _class(chances: Numbers, rarest: float) -> Indices:
    """Return 0 for chances up to twice the rarest, and so on; -1 for rarer ones, which lie below the threshold."""
    steps = np.floor(np.log2(np.maximum(chances, 1e-300) / rarest) + 1e-9)
    return np.asarray(np.clip(steps, -1, CLASSES - 1), dtype=np.intp)


def value_of(rule: Rule) -> str:
    """Return the rule's expression without its threshold."""
    return rule.expression.rpartition(">")[0].strip()


def is_rule_of(rule: Rule, judge: str) -> bool:
    """Return whether the rule's value is the score of this judge and nothing else."""
    return value_of(rule).strip("() ") == judge


def threshold_for(rule: Rule, judge: str) -> float:
    """Return the threshold of a judge's scores: the rule's own where it reads this judge alone, else the default one."""
    return rule.threshold if is_rule_of(rule, judge) else DEFAULT_THRESHOLD


def calibrated(rule: Rule, threshold: float) -> str:
    """Return the rule's expression so that it passes exactly the values at or above the threshold."""
    return f"{value_of(rule)} > {number_below(threshold)!r}"
