"""Measure end users' feedback as a detector of wrong answers, and of right ones: its own precision and recall.

A thumb is read as a verdict: it splits the sample into two domains. That is valid even if it came after the draw: the
chances were fixed before. Labels are weighted by 1 / inclusion probability: P(wrong | thumb down) is the weighted share in the
domain, and P(thumb down | wrong) follows from both domains and the counted share of thumbs, as sensitivity from pass and fail.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from proxy.evaluation.agreement import NO_WAVE, counts_of, on_their_labels, proportions_of
from proxy.evaluation.confusion_rates import DERIVED, DRAWS, VerdictProportions, derived
from proxy.evaluation.domains import AUDIT_NEEDED, UNLABELLED, Evidence, Unknown
from proxy.evaluation.estimate import Estimate, of_proportion
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.stats.agreement import confusion
from proxy.stats.intervals import Interval, joined, wilson
from proxy.stats.sampling.survey import Proportion

# Chosen, as in `agreement`: up to 2 % that nobody could draw moves a rate by at most 2 points, and the interval includes it.
NEGLIGIBLE = 0.02
WORDS = {
    Verdict.FAIL: {
        True: "not measurable: label {count} answers with a thumb down ({missing} of {size} are not covered by a label)",
        False: "not measurable: label {count} answers without a thumb down ({missing} of {size} are not covered by a label)",
    },
    Verdict.PASS: {
        True: "not measurable: label {count} answers with a thumb up ({missing} of {size} are not covered by a label)",
        False: "not measurable: label {count} answers without a thumb up ({missing} of {size} are not covered by a label)",
    },
}
NONE_THERE = {
    Verdict.FAIL: "no answer that could be drawn has a thumb down",
    Verdict.PASS: "no answer that could be drawn has a thumb up",
}
NO_SUCH_LABEL = {
    Verdict.FAIL: "undefined: no item was wrong among the labels",
    Verdict.PASS: "undefined: no item was right among the labels",
}
NOT_JUDGED = "annotators could not judge any of these answers"
OTHER = {Verdict.FAIL: Verdict.PASS, Verdict.PASS: Verdict.FAIL}
RECALL = {Verdict.FAIL: "specificity", Verdict.PASS: "sensitivity"}


class Detection(NamedTuple):
    """How well a thumb finds what it stands for: P(meant | thumb) and P(thumb | meant)."""

    precision: Estimate
    recall: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedbackQuality:
    """A thumb down as a sign of a wrong answer, a thumb up as one of a right answer."""

    down_precision: Estimate
    down_recall: Estimate
    up_precision: Estimate
    up_recall: Estimate


def feedback_quality(down: Evidence, up: Evidence, draws: int = DRAWS) -> FeedbackQuality:
    """Measure both thumbs.

    Parameters
    ----------
    down : Evidence
        The ledger with FAIL for an answer with a thumb down, PASS for one without, UNSCORED where nobody could have rated it.
    up : Evidence
        The same ledger with PASS for an answer with a thumb up, FAIL for one without.
    draws : int
        How many Beta draws make an interval of recall.

    Returns
    -------
    FeedbackQuality
    """
    of_down, of_up = detection(down, Verdict.FAIL, draws), detection(up, Verdict.PASS, draws)
    return FeedbackQuality(
        down_precision=of_down.precision,
        down_recall=of_down.recall,
        up_precision=of_up.precision,
        up_recall=of_up.recall,
    )


def detection(evidence: Evidence, thumb: Verdict, draws: int = DRAWS) -> Detection:
    """Measure one thumb: FAIL finds wrong answers, PASS finds right ones.

    Where no label speaks for some of the thumbs, such as those that came after the last wave, both are bounded by what these
    could be; where none speaks for some of the answers without a thumb, recall is not measurable.
    """
    if not evidence.totals:
        return _both(Estimate(estimate=None, reason=NO_WAVE))
    if not _size(evidence, (thumb,)):
        return _both(Estimate(estimate=None, reason=NONE_THERE[thumb]))
    if not evidence.returned:
        return _both(Estimate(estimate=None, reason=UNLABELLED))
    detected = _detection(evidence, thumb, draws)
    if detected.precision.estimate is None:
        reached = _without_unlabelled(evidence, thumb)
        missing = _size(evidence, (thumb,)) - _size(reached, (thumb,))
        if missing and _size(reached, (thumb,)):
            detected = _bounded(_detection(reached, thumb, draws), _size(reached, (thumb,)), missing, thumb)
    return Detection(*(estimate.leaning_on(evidence.predictor) for estimate in detected))


def _detection(evidence: Evidence, thumb: Verdict, draws: int) -> Detection:
    proportions = proportions_of(evidence)
    marked, others = (
        (proportions.failed, proportions.passed) if thumb is Verdict.FAIL else (proportions.passed, proportions.failed)
    )
    if not isinstance(marked, Proportion):
        return _both(_unknown(evidence, marked, thumb, is_marked=True))
    right = of_proportion(marked)
    right = replace(right, long_run=right.long_run and _behind(marked, right.long_run, evidence.grouping))
    precision = right if thumb is Verdict.PASS else right.complement()
    if isinstance(others, Unknown):
        return Detection(precision, _unknown(evidence, others, thumb, is_marked=False))
    recall = on_their_labels(derived(proportions, evidence.grouping, draws), counts_of(evidence))[RECALL[thumb]]
    if recall.estimate is None:
        return Detection(precision, replace(recall, reason=NO_SUCH_LABEL[thumb]))
    return Detection(precision, _from_ends(recall, proportions, thumb, evidence.grouping))


def _behind(marked: Proportion, long_run: Interval, grouping: float) -> Interval:
    """Widen P(right) behind the thumbs to what the window leaves open and what so many thumbs, all labelled, would.

    Both errors are independent (`joined`). Where a few labels stand for many thumbs beside others that were seen whole, one
    effective n for all of them knows too little of the few: the long run would seem better known than the window.
    """
    return _wider(long_run, joined(marked.p, [marked.window(), wilson(marked.p, marked.size / grouping)]))


def _from_ends(recall: Estimate, proportions: VerdictProportions, thumb: Verdict, grouping: float) -> Estimate:
    """Widen recall to what the ends of both sides' own intervals give.

    Of a side with few labels, all right, Beta draws hardly reach 1, which may well be so of the few answers with a thumb: the
    ends do.
    """
    name, known = RECALL[thumb], [proportion for proportion in proportions[:2] if isinstance(proportion, Proportion)]
    if recall.estimate is None or recall.low is None or recall.high is None or len(known) < 2:
        return recall
    share = proportions.pass_share
    centre = [*(proportion.p for proportion in known), share]
    window = _moved(name, centre, [proportion.window() for proportion in known])
    low, high = _wider(Interval(recall.low, recall.high), joined(recall.estimate, window))
    behind = [interval for proportion in known if (interval := proportion.long_run())]
    long_run = recall.long_run
    if long_run and len(behind) == len(known):
        ends = _moved(name, centre, [*behind, wilson(share, proportions.scored / grouping)])
        long_run = _wider(long_run, joined(recall.estimate, ends))
    return replace(recall, low=low, high=high, long_run=long_run)


def _wider(first: Interval, second: Interval) -> Interval:
    return Interval(min(first.low, second.low), max(first.high, second.high))


def _moved(name: str, centre: Sequence[float], ends: Sequence[Interval]) -> list[Interval]:
    """Compute between what the quantity lies as one of P(right | pass), P(right | fail), P(pass) at a time moves to its ends."""

    def at(values: Sequence[float]) -> float:
        return float(DERIVED[name](confusion.cells(*values)))

    value = at(centre)
    moved = []
    for place, interval in enumerate(ends):
        reached = [at([*centre[:place], end, *centre[place + 1 :]]) for end in interval]
        defined = [value, *(number for number in reached if not math.isnan(number))]
        moved.append(Interval(min(defined), max(defined)))
    return moved


def _unknown(evidence: Evidence, part: Unknown | None, thumb: Verdict, *, is_marked: bool) -> Estimate:
    """Say what to label."""
    if part is None or not part.missing:
        return Estimate(estimate=None, n=part.n if part else 0, reason=NOT_JUDGED)
    size = _size(evidence, (thumb if is_marked else OTHER[thumb],))
    reason = Reason(
        WORDS[thumb][is_marked], count=min(part.missing, AUDIT_NEEDED), missing=min(part.missing, size), size=size
    )
    return Estimate(estimate=None, n=part.n, reason=reason)


def _without_unlabelled(evidence: Evidence, thumb: Verdict) -> Evidence:
    """Return the evidence without the thumbs of strata from which no thumb with a label came back."""
    known = {item.stratum for item in evidence.returned if item.verdict is thumb}
    totals = [
        total._replace(verdict=Verdict.UNSCORED)
        if total.verdict is thumb and (total.stratum not in known or not total.is_reachable)
        else total
        for total in evidence.totals
    ]
    return replace(evidence, totals=totals, columns=evidence.arrays)


def _bounded(known: Detection, reached: int, missing: int, thumb: Verdict) -> Detection:
    """Widen what holds for the thumbs that labels reach by all that the others could be.

    With m others beside r thumbs of which a share p is meant, the share among all is from p r / (r + m) to (p r + m) / (r + m).
    With R = k / (k + w), k = p r of the thumbs meant and w of what has none, recall is R or more: (k + x) / (k + x + w) grows in
    x, up to m, and falls in k for one R.
    """
    share = missing / (reached + missing)
    reason = Reason(WORDS[thumb][True], count=min(missing, AUDIT_NEEDED), missing=missing, size=reached + missing)
    precision, recall = known
    if precision.estimate is None or precision.low is None or precision.high is None:
        return known
    is_negligible = share <= NEGLIGIBLE

    def mixed(interval: Interval) -> Interval:
        return Interval(interval.low * (1 - share), interval.high * (1 - share) + share)

    def raised(interval: Interval, meant: float) -> Interval:
        k = meant * reached
        return Interval(interval.low, (k + missing) / (k / interval.high + missing) if k and interval.high else 1.0)

    low, high = mixed(Interval(precision.low, precision.high))
    behind = precision.long_run
    wider = replace(
        precision,
        estimate=precision.estimate if is_negligible else None,
        low=low,
        high=high,
        reason=reason,
        long_run=behind and mixed(behind),
    )
    if recall.estimate is None or recall.low is None or recall.high is None:
        return Detection(wider, recall)
    low, high = raised(Interval(recall.low, recall.high), precision.low)
    return Detection(
        wider,
        replace(
            recall,
            estimate=recall.estimate if is_negligible else None,
            low=low,
            high=high,
            reason=reason,
            long_run=recall.long_run and behind and raised(recall.long_run, behind.low),
        ),
    )


def _both(unknown: Estimate) -> Detection:
    return Detection(unknown, unknown)


def _size(evidence: Evidence, verdicts: Collection[Verdict]) -> int:
    return sum(total.size for total in evidence.totals if total.verdict in verdicts)
