"""How far the proxy agrees with people: stratum totals and the labelled sample in, an AgreementReport out.

Every label stands for the items of its cell, whose number is known for all traffic; a label without a draw never enters.
What the design cannot identify is None with a reason that says what to label. Sensitivity and its like speak of scored
items, correctness of all items in the frame.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from proxy.cells import Cell, SampledItem, Total, cells_of, correctness_strata, side_strata
from proxy.derived import DERIVED, NOTHING_SCORED, Side, Sides, Unknown, derived, table
from proxy.estimate import Estimate, as_long_run, bounds, of_proportion
from proxy.records import Judgement, Verdict
from proxy.stats.confusion import Cells
from proxy.stats.survey import Proportion, stratified

AUDIT_NEEDED = 30
NO_WAVE = "not measurable: no wave has been drawn; run `assay sample --labels 200`"
UNLABELLED = (
    "not measurable: no drawn item has a label yet; bring labels with `assay pull` or `assay labels import FILE`"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumReport:
    """A stratum with what came back from it."""

    stratum: str
    size: int
    drawn: int
    right: int
    wrong: int
    unsure: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The 2x2 table of labels as they are, unweighted."""

    right_pass: int
    wrong_pass: int
    right_fail: int
    wrong_fail: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementReport:
    """The proxy against people, on the items that some wave's frame held."""

    correctness: Estimate
    correctness_long_run: Estimate
    pass_precision: Estimate
    sensitivity: Estimate
    specificity: Estimate
    accuracy: Estimate
    f1: Estimate
    kappa: Estimate
    mcc: Estimate
    counts: Counts
    shares: Cells | None
    strata: tuple[StratumReport, ...]


def measure(totals: Sequence[Total], sample: Sequence[SampledItem]) -> AgreementReport:
    """All quantities from the size of each cell and the items drawn. `shares` is the 2x2 table estimated for all scored items."""
    cells = cells_of(totals, sample)
    if not cells:
        return _nothing_drawn()
    clustering = design_effect_of_groups(sample)
    sides = _sides(cells)
    correctness = _correctness(cells, clustering)
    is_known = sides.scored > 0 and not any(isinstance(side, Unknown) for side in sides[:2])
    return AgreementReport(
        correctness=correctness,
        correctness_long_run=as_long_run(correctness),
        pass_precision=_precision(sides, clustering),
        **derived(sides, clustering),
        counts=_counts(sample),
        shares=table(sides) if is_known else None,
        strata=_strata(totals, sample),
    )


def _nothing_drawn() -> AgreementReport:
    """The report before the first wave."""
    unknown = Estimate(estimate=None, reason=NO_WAVE)
    return AgreementReport(
        correctness=unknown,
        correctness_long_run=unknown,
        pass_precision=unknown,
        **dict.fromkeys(DERIVED, unknown),
        counts=_counts(()),
        shares=None,
        strata=(),
    )


def design_effect_of_groups(sample: Sequence[SampledItem]) -> float:
    """Sum m^2 / sum m over the groups' label counts m: the inflation if items of a group were all alike.

    It is the largest that Kish's 1 + (m - 1) rho can be, so long-run intervals are honest whatever rho is.
    """
    sizes = Counter(item.group for item in sample if item.judgement in (Judgement.RIGHT, Judgement.WRONG)).values()
    return sum(m * m for m in sizes) / sum(sizes) if sizes else 1.0


def _side(cells: Sequence[Cell], verdict: Verdict) -> Side:
    """P(right) among the items with this verdict, or why it is unknown."""
    size = sum(cell.size for cell in cells if cell.verdict is verdict)
    strata, missing = side_strata(cells, verdict)
    n = sum(stratum.n for stratum in strata)
    if not any(cell.n + cell.unsure for cell in cells):
        return Unknown(UNLABELLED, 0)
    if missing:
        where = "above the threshold" if verdict is Verdict.PASS else "below the threshold"
        silent = f"{missing:,} of {size:,} have no label that speaks for them"
        reason = f"not measurable: label {min(missing, AUDIT_NEEDED)} items {where} ({silent})"
        return Unknown(reason, n)
    if size and not strata:
        return Unknown(f"people could not judge any {verdict} item", n)
    return stratified(strata) if strata else None


def _precision(sides: Sides, clustering: float) -> Estimate:
    """P(right | pass)."""
    match sides.passed:
        case Proportion() as passed:
            return of_proportion(passed, clustering)
        case Unknown(reason=reason, n=n):
            return Estimate(estimate=None, n=n, reason=reason)
        case _:
            reason = "undefined: no item of the frame passes" if sides.scored else NOTHING_SCORED
            return Estimate(estimate=None, reason=reason)


def _correctness(cells: Sequence[Cell], clustering: float) -> Estimate:
    """The share of right answers among all framed items; bounds where a stratum has too few labels."""
    strata, unknown = correctness_strata(cells)
    if strata and not unknown:
        return of_proportion(stratified(strata), clustering)
    if not any(cell.n + cell.unsure for cell in cells):
        return Estimate(estimate=None, reason=UNLABELLED)
    if not unknown:
        return Estimate(estimate=None, reason="people could not judge any drawn item")
    names = ", ".join(f"{cell.stratum} ({cell.n} of {cell.size} items labelled right or wrong)" for cell in unknown)
    share = sum(cell.size for cell in unknown) / sum(cell.size for cell in cells)
    needed = min(sum(cell.unseen for cell in unknown), AUDIT_NEEDED)
    reason = f"not measurable: label {needed} more items of {names}"
    if not strata:
        return Estimate(estimate=None, n=sum(cell.n for cell in unknown), reason=reason)
    return bounds(stratified(strata), share, clustering, reason)


def _sides(cells: Sequence[Cell]) -> Sides:
    """Both sides, and the pass share among scored items that people can judge."""
    passed = sum(cell.judgeable for cell in cells if cell.verdict is Verdict.PASS)
    scored = passed + sum(cell.judgeable for cell in cells if cell.verdict is Verdict.FAIL)
    share = passed / scored if scored else 0.0
    return Sides(_side(cells, Verdict.PASS), _side(cells, Verdict.FAIL), share, scored)


def pass_rate(passed: int, failed: int) -> Estimate:
    """Passed among scored: counted on every item, so the window needs no interval."""
    if not passed + failed:
        return Estimate(estimate=None, reason="no item has a verdict: run `assay judge`")
    share = passed / (passed + failed)
    return Estimate(estimate=share, low=share, high=share, n=passed + failed, method="counted on every scored item")


def _counts(sample: Sequence[SampledItem]) -> Counts:
    table = Counter((item.judgement, item.verdict) for item in sample)
    return Counts(
        right_pass=table[Judgement.RIGHT, Verdict.PASS],
        wrong_pass=table[Judgement.WRONG, Verdict.PASS],
        right_fail=table[Judgement.RIGHT, Verdict.FAIL],
        wrong_fail=table[Judgement.WRONG, Verdict.FAIL],
    )


def _strata(totals: Sequence[Total], sample: Sequence[SampledItem]) -> tuple[StratumReport, ...]:
    sizes: dict[str, int] = defaultdict(int)
    for total in totals:
        sizes[total.stratum] += total.size
    drawn = Counter(item.stratum for item in sample)
    labels = Counter((item.stratum, item.judgement) for item in sample)
    return tuple(
        StratumReport(
            stratum=name,
            size=size,
            drawn=drawn[name],
            right=labels[name, Judgement.RIGHT],
            wrong=labels[name, Judgement.WRONG],
            unsure=labels[name, Judgement.UNSURE],
        )
        for name, size in sorted(sizes.items())
    )
