"""Worst and best case over draws without a right or wrong, against Wilson's limits of statsmodels and tables written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from proxy.evaluation.agreement import measure
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import cells_of
from proxy.evaluation.worst_case import cases, filled, spanned
from proxy.stats.sampling.survey import proportion
from support.agreement import FAIL, PASS, RIGHT, UNSURE, WRONG, wave
from support.evidence import ledger

NAMES = ("correctness", "pass_precision", "npv", *DERIVED)

# 700 passed and 300 failed items times a thousand: a frame so large that no finite population correction is left.
FRAME = wave(("failed", FAIL, 300_000, 10, 24, 6), ("passed", PASS, 700_000, 48, 6, 6))


def none_valued(evidence: Evidence) -> list[float | None]:
    return [0.9 if sampled.verdict is PASS else 0.1 for sampled in evidence.sample]


def by_hand(right: tuple[int, int]) -> tuple[float, float, float, float]:
    """p, V, Satterthwaite's df and deff after the pull of 54 and so many right of the 60 passes and 40 fails that were drawn."""
    shares, n = np.array([0.7, 0.3]), np.array([60, 40])
    p = np.array(right) / n
    terms = shares**2 * p * (1 - p) / (n - 1)
    v, df = float(terms.sum()), float(terms.sum() ** 2 / (terms**2 / (n - 1)).sum())
    whole = float(shares @ p)
    deff, errors = v * 100 / (whole * (1 - whole)), 100 * min(whole, 1 - whole)
    return whole, v, df, (errors * deff + 1) / (errors + 1) if deff < 1 else deff


def wilson(p: float, n: float, df: float, confidence: float = 0.95) -> tuple[float, float]:
    """Another's Wilson interval, with the quantile of t in place of z."""
    alpha = 2 * stats.norm.sf(stats.t.ppf((1 + confidence) / 2, df))
    low, high = proportion_confint(p * n, n, alpha=alpha, method="wilson")
    return float(low), float(high)


def long_run(estimate: Estimate) -> tuple[float, float]:
    assert estimate.long_run is not None
    return estimate.long_run


def test_correctness_reaches_from_all_wrong_to_all_right() -> None:
    """.635 and .750, and the union of their intervals .5484 to .8148, of all 100 drawn answers."""
    extremes = cases(FRAME, none_valued(FRAME))
    (low, v, low_df, low_deff), (high, _, high_df, high_deff) = by_hand((48, 10)), by_hand((54, 16))

    assert (v, low_df, low_deff) == pytest.approx((0.001761506, 89.347528, 0.766407), abs=1e-6)
    assert (extremes.worst.correctness.estimate, extremes.best.correctness.estimate) == pytest.approx((0.635, 0.75))
    assert (low, high) == pytest.approx((0.635, 0.75))
    assert extremes.worst.correctness.n == extremes.best.correctness.n == 100
    united = spanned("correctness", measure(FRAME).correctness, extremes.worst.correctness, extremes.best.correctness)
    wanted = (wilson(low, 100 / low_deff, low_df)[0], wilson(high, 100 / high_deff, high_df)[1])
    assert wanted == pytest.approx((0.548439, 0.814770), abs=1e-6)
    assert long_run(united) == pytest.approx(wanted, abs=2e-5)


def test_the_one_sided_limit_is_that_of_the_lower_case_alone() -> None:
    """.562823, one-sided 95 %: the end of the two-sided interval at 90 %."""
    low = filled(FRAME, dict.fromkeys((PASS, FAIL), WRONG))
    limit = proportion(low.arrays, cells_of(low.totals, low.placed)).long_run(0.9).low
    p, _, df, deff = by_hand((48, 10))

    assert limit == pytest.approx(wilson(p, 100 / deff, df, 0.9)[0], abs=2e-5)
    assert limit == pytest.approx(0.562823, abs=2e-5)


def test_precision_takes_its_own_missing_answers_alone() -> None:
    """48 to 54 of 60, at n - 1 = 59: .678311 to .954366."""
    extremes = cases(FRAME, none_valued(FRAME))
    united = spanned(
        "pass_precision", measure(FRAME).pass_precision, extremes.worst.pass_precision, extremes.best.pass_precision
    )

    assert (extremes.worst.pass_precision.estimate, extremes.best.pass_precision.estimate) == pytest.approx((0.8, 0.9))
    assert long_run(united) == pytest.approx((wilson(0.8, 59, 59)[0], wilson(0.9, 59, 59)[1]), abs=2e-5)
    assert long_run(united) == pytest.approx((0.678311, 0.954366), abs=2e-5)


def test_quantities_of_both_sides_lie_between_opposite_corners() -> None:
    """Missing passes wrong and missing fails right, and the reverse; kappa and MCC by scikit-learn's weights."""
    extremes = cases(FRAME, none_valued(FRAME))
    wanted = {"sensitivity": (0.823529, 0.893617), "specificity": (0.5625, 0.762712), "kappa": (0.392523, 0.653110)}
    for name, ends in {**wanted, "mcc": (0.392953, 0.653157)}.items():
        ours = tuple(getattr(summary, name).estimate for summary in (extremes.worst, extremes.best))
        assert ours == pytest.approx(ends, abs=1e-6), name
    for report, (right_pass, right_fail) in zip((extremes.worst, extremes.best), ((48, 16), (54, 10)), strict=True):
        weights = [
            right_pass / 60 * 0.7,
            (60 - right_pass) / 60 * 0.7,
            right_fail / 40 * 0.3,
            (40 - right_fail) / 40 * 0.3,
        ]
        said, passed = [1, 0, 1, 0], [1, 1, 0, 0]
        assert report.kappa.estimate == pytest.approx(cohen_kappa_score(said, passed, sample_weight=weights))
        assert report.mcc.estimate == pytest.approx(matthews_corrcoef(said, passed, sample_weight=weights))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_way_to_fill_in_what_is_missing_leaves_the_corners(seed: int) -> None:
    """Random labels in place of the missing ones never lead beyond the worst or the best case, in any quantity."""
    rng = np.random.default_rng(seed)
    rows = [
        (stratum, verdict, int(rng.integers(200, 2_000)), *map(int, rng.integers(3, 25, 4)))
        for stratum, verdict in (("a", FAIL), ("b", PASS), ("c", PASS))
    ]
    evidence = wave(
        *[(name, verdict, size, right, wrong, unsure, 0) for name, verdict, size, right, wrong, unsure, _ in rows]
    )
    values = [float(rng.random()) for _ in evidence.sample]
    extremes = cases(evidence, values)
    for _ in range(25):
        sample = [
            draw
            if draw.judgement is not UNSURE
            else draw._replace(judgement=RIGHT if rng.random() < rng.random() else WRONG)
            for draw in evidence.sample
        ]
        whole = measure(Evidence(totals=evidence.totals, sample=sample, drawings=evidence.drawings))
        for name in NAMES:
            low, value, high = (getattr(measured, name).estimate for measured in (extremes.worst, whole, extremes.best))
            assert low - 1e-9 <= value <= high + 1e-9, name
        told = np.array([draw.judgement is RIGHT for draw in sample])
        if 0 < told.sum() < len(told):
            weight = np.array([1 / draw.chances[0] for draw in sample])
            auroc = roc_auc_score(told, values, sample_weight=weight)
            assert extremes.worst_auroc.estimate is not None
            assert extremes.best_auroc.estimate is not None
            assert extremes.worst_auroc.estimate - 1e-9 <= auroc <= extremes.best_auroc.estimate + 1e-9


@pytest.mark.parametrize("digits", [1, 9])
def test_the_extreme_area_is_that_of_all_thresholds(digits: int) -> None:
    """Every digit of it, as when the estimate is worked out at every threshold; with ties, and with each value once."""
    rng = np.random.default_rng(digits)
    for _ in range(5):
        rows = [
            (name, verdict, 1_000, *map(int, rng.integers(3, 9, 3)), 0) for name, verdict in (("a", FAIL), ("b", PASS))
        ]
        evidence = wave(*rows)
        values = [round(float(rng.random()), digits) for _ in evidence.sample]
        extremes = cases(evidence, values)
        for extreme, pick, is_worst in ((extremes.worst_auroc, min, True), (extremes.best_auroc, max, False)):
            thresholds = [
                -math.inf,
                *sorted(
                    {value for value, draw in zip(values, evidence.sample, strict=True) if draw.judgement is UNSURE}
                ),
            ]
            everywhere = [auroc_of(valued(_split(evidence, values, at, is_worst), values)[0]) for at in thresholds]
            known = [estimate for estimate in everywhere if estimate.estimate is not None]
            assert extreme == pick(known, key=lambda estimate: estimate.estimate)


def _split(evidence: Evidence, values: list[float], threshold: float, is_worst: bool) -> Evidence:
    """The unsure draws right up to the threshold and wrong above it, or the reverse."""
    sample = [
        draw
        if draw.judgement is not UNSURE
        else draw._replace(judgement=RIGHT if (value <= threshold) == is_worst else WRONG)
        for draw, value in zip(evidence.sample, values, strict=True)
    ]
    return evidence.with_sample(sample)


def test_nothing_missing_is_nothing_changed() -> None:
    """Both corners are the report itself."""
    evidence = wave(("failed", FAIL, 3_000, 10, 30), ("passed", PASS, 7_000, 54, 6))
    extremes, report = cases(evidence, none_valued(evidence)), measure(evidence)

    assert extremes.worst == report == extremes.best
    for name in NAMES:
        assert spanned(
            name, getattr(report, name), getattr(extremes.worst, name), getattr(extremes.best, name)
        ) == getattr(report, name)


def test_a_corner_that_is_undefined_leaves_everything_possible() -> None:
    """All passes right but two unsure, nothing failed by annotators' word: specificity is undefined in one corner."""
    among = Estimate(estimate=0.5, low=0.4, high=0.6, n=9, long_run=None)
    undefined = Estimate(estimate=None, reason="undefined")

    assert spanned("kappa", among, undefined, undefined) == among
    from proxy.stats.intervals import Interval

    known = Estimate(estimate=0.5, low=0.4, high=0.6, n=9, long_run=Interval(0.3, 0.7))
    assert spanned("kappa", known, undefined, undefined).long_run == Interval(-1.0, 1.0)
    assert spanned("specificity", known, undefined, undefined).long_run == Interval(0.0, 1.0)
    assert not math.isnan(known.estimate or 0.0)


def test_a_worst_kappa_below_0_is_written_as_a_coefficient() -> None:
    """Whichever way the 60 open draws of each verdict went; a share would be refused."""
    account = ledger(("passed", PASS, 1000, 25, 15, 0, 60), ("failed", FAIL, 1000, 15, 25, 0, 60))
    low, high = account.among_judged("kappa").long_run or (0.0, 0.0)
    worst = account.worst("kappa").estimate

    [objection] = account.against(quantity="kappa", width=high - low)

    assert worst is not None
    assert worst < 0
    assert f"; in the worst case kappa is {worst:.2f}" in objection.reason
