"""Measure how far the proxy agrees with annotators, from the ledger's evidence.

Every label stands for the items that it was drawn to stand for; a label without a draw never enters. What the design cannot
identify is None with a reason that says what to label. Sensitivity and its like speak of scored items, correctness of all
items in the frame.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from proxy.evaluation.confusion_rates import DERIVED, DRAWS, NOTHING_SCORED, VerdictProportions, derived, table
from proxy.evaluation.domains import (
    AUDIT_NEEDED,
    UNLABELLED,
    Evidence,
    Unknown,
    of_verdict,
    out_of_reach,
    part,
    unreachable,
)
from proxy.evaluation.estimate import Estimate, as_long_run, bounds, of_proportion
from proxy.evaluation.ledger import PlacedDraws, Total, by_stratum, by_verdict
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.stats.agreement.confusion import Cells
from proxy.stats.sampling.survey import Proportion

# Chosen: up to 2 % out of reach moves correctness by at most 2 points, less than the usual interval, and the bounds include it.
NEGLIGIBLE = 0.02
NO_WAVE = "not measurable: no wave has been drawn; run `assay sample --labels N`"


WITHOUT_SOME = (
    "estimated without {where}; the interval holds whatever they are: label {count} more items among {where} "
    "to narrow it"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumReport:
    """A stratum and its labels.

    `response` is the share of its draws that have a right or wrong label, `rate` the share of its items that were drawn. Both
    count what was done, and are no estimates.
    """

    stratum: str
    size: int
    drawn: int
    right: int
    wrong: int
    unsure: int

    @property
    def response(self) -> float | None:
        """The response rate, (right + wrong) / drawn."""
        return (self.right + self.wrong) / self.drawn if self.drawn else None

    @property
    def rate(self) -> float | None:
        """The share of the stratum's items that were drawn."""
        return self.drawn / self.size if self.size else None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfusionCounts:
    """The 2x2 table of labels, unweighted."""

    right_pass: int
    wrong_pass: int
    right_fail: int
    wrong_fail: int

    @property
    def labels(self) -> int:
        """The number of labels in all four cells."""
        return self.right_pass + self.wrong_pass + self.right_fail + self.wrong_fail


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementReport:
    """The agreement of the proxy with annotators, on the items that some wave's frame held."""

    correctness: Estimate
    correctness_long_run: Estimate
    pass_precision: Estimate
    npv: Estimate
    sensitivity: Estimate
    specificity: Estimate
    accuracy: Estimate
    f1: Estimate
    kappa: Estimate
    mcc: Estimate
    ac1: Estimate
    counts: ConfusionCounts
    shares: Cells | None
    strata: tuple[StratumReport, ...]

    def known(self, estimate: Estimate) -> Estimate:
        """Return a quantity that needs passed and failed items alike, or why the labels of one side do not tell."""
        return estimate if self.shares is not None else Estimate(estimate=None, n=estimate.n, reason=self.kappa.reason)


def measure(evidence: Evidence, draws: int = DRAWS) -> AgreementReport:
    """Estimate all quantities of the 2x2 table, with intervals from `draws` Beta draws.

    `shares` is the table for all scored items.
    """
    if not evidence.totals:
        return _nothing_drawn()
    proportions = proportions_of(evidence)
    correctness = correctness_of(evidence)
    is_known = proportions.scored > 0 and not any(isinstance(proportion, Unknown) for proportion in proportions[:2])
    counts = counts_of(evidence)
    return AgreementReport(
        correctness=correctness,
        correctness_long_run=as_long_run(correctness),
        pass_precision=pass_precision_of(evidence, proportions),
        npv=_wrong_among(proportions.failed, proportions.scored).leaning_on(evidence.predictor),
        **{
            name: estimate.leaning_on(evidence.predictor)
            for name, estimate in on_their_labels(derived(proportions, evidence.grouping, draws), counts).items()
        },
        counts=counts,
        shares=table(proportions) if is_known else None,
        strata=_strata(evidence),
    )


def on_their_labels(estimates: Mapping[str, Estimate], counts: ConfusionCounts) -> dict[str, Estimate]:
    """Set n to the labels that a quantity rests on: a share of right or of wrong answers rests on their labels alone.

    Parameters
    ----------
    estimates : Mapping of str to Estimate
        Quantities by their names.
    counts : ConfusionCounts
        The labels in each cell.

    Returns
    -------
    dict of str to Estimate
    """
    own = {
        "sensitivity": counts.right_pass + counts.right_fail,
        "specificity": counts.wrong_pass + counts.wrong_fail,
    }
    return {
        name: replace(estimate, n=own[name]) if name in own and estimate.estimate is not None else estimate
        for name, estimate in estimates.items()
    }


def _nothing_drawn() -> AgreementReport:
    """Build the report for before the first wave."""
    unknown = Estimate(estimate=None, reason=NO_WAVE)
    return AgreementReport(
        correctness=unknown,
        correctness_long_run=unknown,
        pass_precision=unknown,
        npv=unknown,
        **dict.fromkeys(DERIVED, unknown),
        counts=ConfusionCounts(right_pass=0, wrong_pass=0, right_fail=0, wrong_fail=0),
        shares=None,
        strata=(),
    )


def proportions_of(evidence: Evidence) -> VerdictProportions:
    """Estimate both sides, and the pass share among scored items that annotators can judge."""
    passed, failed = of_verdict(evidence, Verdict.PASS), of_verdict(evidence, Verdict.FAIL)
    sizes = [
        proportion.size
        if isinstance(proportion, Proportion)
        else float(_size(evidence.totals, verdict) if proportion else 0)
        for proportion, verdict in ((passed, Verdict.PASS), (failed, Verdict.FAIL))
    ]
    scored = sum(sizes)
    return VerdictProportions(passed, failed, sizes[0] / scored if scored else 0.0, scored)


def _size(totals: Sequence[Total], verdict: Verdict) -> int:
    return sum(total.size for total in totals if total.verdict is verdict)


def correctness_of(evidence: Evidence) -> Estimate:
    """Estimate the share of right answers among all framed items; bounds where labels cannot speak for some.

    Where what is out of reach is NEGLIGIBLE the estimate is that of the others, and its interval the bounds.
    """
    return _correctness(evidence).leaning_on(evidence.predictor)


def pass_precision_of(evidence: Evidence, proportions: VerdictProportions | None = None) -> Estimate:
    """Estimate P(right | pass), the share of right answers among the framed items that pass.

    Parameters
    ----------
    evidence : Evidence
        The draws.
    proportions : VerdictProportions, optional
        Both sides of the proxy where they are known already.

    Returns
    -------
    Estimate
    """
    passed, _, _, scored = proportions or proportions_of(evidence)
    empty = "undefined: the proxy passes no item that could be drawn"
    return _right_among(passed, empty, scored).leaning_on(evidence.predictor)


def _correctness(evidence: Evidence) -> Estimate:
    if not evidence.returned:
        return Estimate(estimate=None, reason=UNLABELLED)
    missing = unreachable(evidence, tuple(Verdict))
    known = part(evidence, tuple(Verdict))
    if isinstance(known, Proportion) and not missing:
        return of_proportion(known)
    sizes = Counter[str]()
    for total in out_of_reach(evidence, tuple(Verdict)):
        sizes[total.stratum] += total.size
    where = ", ".join(f"{size:,} items of {stratum}" for stratum, size in sorted(sizes.items()))
    among = Reason(
        "not measurable: label {count} more items among {where}", count=min(missing, AUDIT_NEEDED), where=where
    )
    match known:
        case Proportion():
            share = missing / (missing + known.size)
            if share > NEGLIGIBLE:
                return bounds(known, share, among)
            reason = Reason(WITHOUT_SOME, where=where, count=min(missing, AUDIT_NEEDED))
            return replace(bounds(known, share, reason), estimate=known.p)
        case Unknown(n=n, missing=0) if not missing:
            return Estimate(estimate=None, n=n, reason="annotators could not judge any drawn item")
        case Unknown(n=n, missing=few):
            needed = min(few + missing, AUDIT_NEEDED)
            return Estimate(
                estimate=None, n=n, reason=Reason("not measurable: label {count} more drawn items", count=needed)
            )
    return Estimate(estimate=None, reason=among)


def _right_among(passed: Proportion | Unknown | None, empty: str, scored: float) -> Estimate:
    """Estimate P(right) on one side, or say why it is not known."""
    match passed:
        case Proportion():
            return of_proportion(passed)
        case Unknown(reason=reason, n=n):
            return Estimate(estimate=None, n=n, reason=reason)
    return Estimate(estimate=None, reason=empty if scored else NOTHING_SCORED)


def _wrong_among(failed: Proportion | Unknown | None, scored: float) -> Estimate:
    """Estimate P(wrong | fail), the negative predictive value."""
    return _right_among(failed, "undefined: the proxy fails no item that could be drawn", scored).complement()


def pass_rate(passed: int, failed: int) -> Estimate:
    """Compute the share of scored items that pass; it is counted on every item, so the window needs no interval."""
    if not passed + failed:
        return Estimate(estimate=None, reason="no item has a verdict: run `assay judge`")
    share = passed / (passed + failed)
    return Estimate(estimate=share, low=share, high=share, n=passed + failed, method="counted on every scored item")


def counts_of(evidence: Evidence) -> ConfusionCounts:
    """Count the labels in each cell of the 2x2 table.

    Parameters
    ----------
    evidence : Evidence
        The draws.

    Returns
    -------
    ConfusionCounts
    """
    right, wrong = (by_verdict(draws.counts()) for draws in _right_and_wrong(evidence))
    return ConfusionCounts(
        right_pass=right[Verdict.PASS],
        wrong_pass=wrong[Verdict.PASS],
        right_fail=right[Verdict.FAIL],
        wrong_fail=wrong[Verdict.FAIL],
    )


def _right_and_wrong(evidence: Evidence) -> tuple[PlacedDraws, PlacedDraws]:
    """Return the verdicts and strata of the right and of the wrong labels."""
    is_right = evidence.arrays.right > 0
    return evidence.placed.only(is_right), evidence.placed.only(evidence.decided & ~is_right)


def _strata(evidence: Evidence) -> tuple[StratumReport, ...]:
    sizes: dict[str, int] = defaultdict(int)
    for total in evidence.totals:
        sizes[total.stratum] += total.size
    drawn = Counter(map(attrgetter("stratum"), evidence.sample))
    right, wrong = (by_stratum(draws.counts()) for draws in _right_and_wrong(evidence))
    unsure = by_stratum(evidence.placed.only(~evidence.decided).counts())
    return tuple(
        StratumReport(
            stratum=name,
            size=size,
            drawn=drawn[name],
            right=right[name],
            wrong=wrong[name],
            unsure=unsure[name],
        )
        for name, size in sorted(sizes.items())
    )
