"""Fill in the draws that nobody called right or wrong, so that every quantity has a worst and a best case.

Denominators are all drawn items. A quantity of the 2x2 table rises with P(right | pass) and falls with P(right | fail), or,
where lower is better, the reverse. So either way the worst case has missing passes wrong and missing fails right, the best case
the reverse; no search is needed. Correctness is worst where every missing answer is wrong. Manski (1995), Identification
Problems in the Social Sciences, ch. 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from proxy.evaluation.agreement import AgreementReport, correctness_of, measure
from proxy.evaluation.confusion_rates import DERIVED, RANGES, SHARE, Range
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate, as_long_run
from proxy.evaluation.false_passes import false_passes
from proxy.evaluation.ledger import DECIDED
from proxy.records import Judgement, Verdict
from proxy.stats.calibration.auroc import areas_by_edge
from proxy.stats.intervals import Interval

RIGHT, WRONG = Judgement.RIGHT, Judgement.WRONG
PASS, FAIL, UNSCORED = Verdict.PASS, Verdict.FAIL, Verdict.UNSCORED
WORST = {PASS: WRONG, FAIL: RIGHT, UNSCORED: WRONG}
RANGES_OF_CASES = RANGES | {"false_passes": Range(0.0, 1.0, is_higher_better=False)}
# Areas nearer than this may differ by rounding alone.
ROUNDING = 1e-9
BEST = {PASS: RIGHT, FAIL: WRONG, UNSCORED: RIGHT}


class Cases(NamedTuple):
    """The report, the AUROC of the rule's value and the share that passes wrongly, in the worst and in the best case."""

    worst: AgreementReport
    best: AgreementReport
    worst_auroc: Estimate
    best_auroc: Estimate
    worst_false_passes: Estimate
    best_false_passes: Estimate

    def worst_of(self, quantity: str) -> Estimate:
        """Return a quantity in its worst case, by its name in the report."""
        beside = {"auroc": self.worst_auroc, "false_passes": self.worst_false_passes}
        estimate: Estimate = beside[quantity] if quantity in beside else getattr(self.worst, quantity)
        return estimate

    def best_of(self, quantity: str) -> Estimate:
        """Return a quantity in its best case, by its name in the report."""
        beside = {"auroc": self.best_auroc, "false_passes": self.best_false_passes}
        estimate: Estimate = beside[quantity] if quantity in beside else getattr(self.best, quantity)
        return estimate

    def with_correctness(self, other: Cases) -> Cases:
        """Replace correctness by that of other cases, which rests on more labels."""
        worst, best = (
            replace(report, correctness=source.correctness, correctness_long_run=source.correctness_long_run)
            for report, source in zip(self[:2], other[:2], strict=True)
        )
        return self._replace(worst=worst, best=best)


def cases(evidence: Evidence, values: Sequence[float | None]) -> Cases:
    """Measure the worst and the best case.

    Parameters
    ----------
    evidence : Evidence
        Every draw, at the chances and with the drawings that it would have if all had been answered.
    values : sequence of float or None
        The rule's value of each item of the sample.
    """
    worst, best = (filled(evidence, label) for label in (WORST, BEST))
    return Cases(
        worst=_corner(evidence, worst, WRONG),
        best=_corner(evidence, best, RIGHT),
        worst_auroc=_auroc(evidence, values, is_worst=True),
        best_auroc=_auroc(evidence, values, is_worst=False),
        worst_false_passes=false_passes(worst),
        best_false_passes=false_passes(best),
    )


def over_cases(drawn: Evidence, among: AgreementReport, wrong: Estimate) -> tuple[AgreementReport, Estimate]:
    """Widen what is measured of the proxy, so that it holds whatever the missing draws are; correctness stays as it is.

    Parameters
    ----------
    drawn : Evidence
        Every draw, as for `cases`.
    among : AgreementReport
        What is measured on the draws that are called right or wrong.
    wrong : Estimate
        The share of answers that pass and are wrong, on the same draws.

    Returns
    -------
    tuple of AgreementReport and Estimate
    """
    worst, best = (filled(drawn, label) for label in (WORST, BEST))
    wider = widened(among, measure(worst), measure(best))
    return wider, spanned("false_passes", wrong, false_passes(worst), false_passes(best))


def widened(among: AgreementReport, worst: AgreementReport, best: AgreementReport) -> AgreementReport:
    """Widen the intervals of every quantity of the proxy from one case to the other."""
    names = ("pass_precision", "npv", *DERIVED)
    wider = {name: spanned(name, *(getattr(report, name) for report in (among, worst, best))) for name in names}
    return replace(among, **wider)  # type: ignore[arg-type] # each is an Estimate in the place of one


def filled(evidence: Evidence, label: Mapping[Verdict, Judgement]) -> Evidence:
    """Label every draw that is unsure or unanswered by its verdict."""
    sample = [
        item if item.judgement in DECIDED else item._replace(judgement=label[item.verdict]) for item in evidence.sample
    ]
    return evidence.with_sample(sample)


def _corner(evidence: Evidence, corner: Evidence, everywhere: Judgement) -> AgreementReport:
    """Measure one corner; for correctness every missing answer gets the same label, whatever its verdict."""
    report = measure(corner)
    correctness = correctness_of(filled(evidence, dict.fromkeys(Verdict, everywhere)))
    return replace(report, correctness=correctness, correctness_long_run=as_long_run(correctness))


def _auroc(evidence: Evidence, values: Sequence[float | None], *, is_worst: bool) -> Estimate:
    """Compute the extreme AUROC over all thresholds: missing answers are right below it and wrong above, or the reverse.

    Of any two missing answers with labels against the order, swapping them moves the AUROC further: a threshold is the extreme.
    It is sought by the areas alone; only where they are the same but for rounding are the estimates compared.
    """
    labels = valued(filled(evidence, dict.fromkeys(Verdict, RIGHT)), values)[0]
    is_scored = ~np.isnan(np.array(values, dtype=np.float64))
    is_missing = np.array([item.judgement not in DECIDED for item in evidence.sample], dtype=np.bool_)[is_scored]
    edges = np.array([-np.inf, *np.unique(labels.values[is_missing])])
    areas = areas_by_edge(labels.values, labels.right, labels.draws.weight, is_missing, edges, is_right_below=is_worst)
    outermost = min if is_worst else max
    known_areas = areas[~np.isnan(areas)]
    near = edges[np.abs(areas - outermost(known_areas)) <= ROUNDING] if len(known_areas) else edges[:1]
    estimates = []
    for edge in near:
        # Of a draw only what was said of it changes from threshold to threshold.
        right = np.where(is_missing, (labels.values <= edge) == is_worst, labels.right)
        estimates.append(auroc_of(replace(labels, draws=replace(labels.draws, right=right.astype(np.float64)))))
    known = [estimate for estimate in estimates if estimate.estimate is not None]
    return outermost(known, key=lambda estimate: estimate.estimate or 0.0) if known else estimates[0]


def spanned(name: str, among: Estimate, worst: Estimate, best: Estimate) -> Estimate:
    """Widen the estimate's intervals: from the low end of one case to the high end of the other.

    The low end is that of the worst case, where lower is better that of the best. Never narrower than the estimate's own
    interval; where a corner is undefined, anything in the quantity's range is possible.
    """
    if among.long_run is None:
        return among
    # Correctness, pass precision, NPV and AUROC are not derived from both sides: shares, of which more is better.
    lowest, highest, is_higher_better = RANGES_OF_CASES.get(name, SHARE)
    lower, upper = (worst, best) if is_higher_better else (best, worst)
    low, high = lower.long_run.low if lower.long_run else lowest, upper.long_run.high if upper.long_run else highest
    return replace(
        among,
        low=None if among.low is None else min(among.low, lowest if lower.low is None else lower.low),
        high=None if among.high is None else max(among.high, highest if upper.high is None else upper.high),
        long_run=Interval(min(among.long_run.low, low), max(among.long_run.high, high)),
    )
