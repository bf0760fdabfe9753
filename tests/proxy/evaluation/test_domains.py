"""A rule that cuts across the strata: its estimates and variances against the domain estimator, written out with numpy."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from proxy.evaluation.agreement import measure
from proxy.evaluation.domains import Evidence, Unknown, of_verdict, part
from proxy.evaluation.ledger import Drawing, PlacedDraws, SampledItem, Total
from proxy.stats.effective import effective_n
from proxy.stats.sampling.survey import Proportion
from support.agreement import (
    FAIL,
    PASS,
    RIGHT,
    UNSCORED,
    UNSURE,
    WRONG,
    estimates_of,
    labelled,
    long_width,
    one_wave,
    wave,
    width,
)

# (stratum, verdict, size, right, wrong) of the new rule on strata that the old one made.
ROWS = (
    *(("passed", PASS, 600, 54, 6), ("passed", FAIL, 200, 5, 15)),
    *(("failed", PASS, 50, 8, 2), ("failed", FAIL, 150, 6, 24)),
)


def known(found_: object) -> Proportion:
    assert isinstance(found_, Proportion)
    return found_


def by_numpy(verdict: object) -> tuple[float, float, float, float, float]:
    """P(right) of a verdict, post-stratified; V of z = w (y - p_c) inside the domain and 0 outside, by stratum, with fpc and not.

    The fourth is that of the long run: with fpc, and p (1 - p) / N for the N items of the domain. The last is 1 / Kish's n.
    """
    cells = {
        stratum: (size, right, wrong) for stratum, row_verdict, size, right, wrong in ROWS if row_verdict is verdict
    }
    total = sum(size for size, _, _ in cells.values())
    p = sum(size * right / (right + wrong) for size, right, wrong in cells.values()) / total
    window = without = 0.0
    for stratum, (size, right, wrong) in cells.items():
        drawn = sum(row[3] + row[4] for row in ROWS if row[0] == stratum)
        whole = sum(row[2] for row in ROWS if row[0] == stratum)
        inside = np.repeat([1.0, 0.0], [right, wrong]) - right / (right + wrong)
        z = np.concatenate([size / (right + wrong) / total * inside, np.zeros(drawn - right - wrong)])
        without += drawn * float(np.var(z, ddof=1))
        window += (1 - drawn / whole) * drawn * float(np.var(z, ddof=1))
    unequal = sum((size / total) ** 2 / (right + wrong) for size, right, wrong in cells.values())
    return p, window, without, window + p * (1 - p) / total, unequal


@pytest.mark.parametrize("verdict", [PASS, FAIL])
def test_a_rule_across_the_strata_has_the_domain_estimators_variance(verdict: object) -> None:
    """Estimate, and the effective sizes that the variances give."""
    p, window, without, long_run, unequal = by_numpy(verdict)
    proportion = known(of_verdict(wave(*ROWS), verdict))  # type: ignore[arg-type]
    left, errors = window / without, proportion.n * min(p, 1 - p)
    deff, pull = window * proportion.n / (p * (1 - p)), left * (2 - left)
    nearest = min(max(deff, pull), max(pull, left * proportion.n * unequal))
    expected = (errors * deff + nearest) / (errors + 1)

    assert proportion.p == pytest.approx(p, abs=1e-12)
    assert proportion.whole.n_long_run == pytest.approx(effective_n(p, long_run, proportion.n), rel=1e-9)
    assert proportion.whole.n_window == pytest.approx(proportion.n / expected, rel=1e-9)


def test_the_whole_is_the_sum_of_its_parts() -> None:
    """Correctness = P(pass) precision + P(fail) P(right | fail), when no cell is thin."""
    evidence = wave(*ROWS)
    passed, failed, whole = (known(part(evidence, verdicts)) for verdicts in ((PASS,), (FAIL,), (PASS, FAIL)))

    assert whole.p == pytest.approx((650 * passed.p + 350 * failed.p) / 1_000, abs=1e-12)
    assert (passed.size, failed.size, whole.size) == (pytest.approx(650), pytest.approx(350), pytest.approx(1_000))


def test_levels_of_one_stratum_are_named_once() -> None:
    """4,500 items that nobody could have drawn lie at three levels of the value: one reason, one number."""
    totals = [Total("failed", FAIL, 1_500, level, is_reachable=False) for level in range(3)]
    drawn = one_wave([Total("passed", PASS, 15_500)], labelled("passed", PASS, 172, 28))
    report = measure(Evidence(totals=[*totals, *drawn.totals], sample=drawn.sample, drawings=drawn.drawings))

    assert report.correctness.reason == "not measurable: label 30 more items among 4,500 items of failed"
    assert "4,500 of 4,500" in str(report.npv.reason)


def test_one_label_and_a_side_without_any() -> None:
    """Nothing is estimated from one label of many, nor of a side that nobody answered for."""
    estimate = part(wave(("a", PASS, 100, 1, 0)), (PASS,))
    unlabelled = of_verdict(wave(("a", PASS, 100, 20, 5), ("b", FAIL, 40, 0, 0)), FAIL)

    assert isinstance(estimate, Unknown)
    assert (estimate.n, estimate.missing) == (1, 99)
    assert isinstance(unlabelled, Unknown)
    assert (
        unlabelled.reason
        == "not measurable: label 30 items below the threshold (40 of 40 have no label that speaks for them)"
    )
    assert part(wave(("a", PASS, 100, 20, 5)), (FAIL,)) is None


def test_poisson_draws_are_weighted_by_their_own_chance() -> None:
    """Hajek: 20 labels at .5 of which 10 are right, 10 at .1 of which 9 are right: (20 + 90) / (40 + 100)."""
    said = [(0.5, RIGHT)] * 10 + [(0.5, WRONG)] * 10 + [(0.1, RIGHT)] * 9 + [(0.1, WRONG)]
    sample = [SampledItem("a", PASS, word, str(k), 0, (pi,), 0) for k, (pi, word) in enumerate(said)]
    drawings = [Drawing(1, "a", 140, 30, 30, 30, is_fixed=False)]
    report = measure(Evidence(totals=[Total("a", PASS, 140)], sample=sample, drawings=drawings))

    assert report.correctness.estimate == pytest.approx(110 / 140, abs=1e-12)
    assert 0 < width(report.correctness) < long_width(report.correctness)


def test_groups_that_nobody_could_judge_do_not_move_the_rest() -> None:
    """40 unsure of 80 passed labels: the same precision as without them, over half as many items."""
    report = measure(wave(("a", PASS, 800, 30, 10, 40, 0), ("b", FAIL, 400, 10, 30)))

    assert report.pass_precision.estimate == 0.75
    assert report.correctness.estimate == pytest.approx((400 * 0.75 + 400 * 0.25) / 800)
    assert {estimate.estimate is None for estimate in estimates_of(report).values()} == {False}
    assert (
        measure(one_wave([Total("a", PASS, 800)], [SampledItem("a", PASS, UNSURE, "g")])).correctness.estimate is None
    )


def test_a_few_items_out_of_reach_widen_the_interval_and_withhold_nothing() -> None:
    """2 of 402 items never answered: the estimate of the others, and an interval that holds were the 2 all wrong or all right."""
    rest = measure(wave(("passed", PASS, 300, 40, 10), ("failed", FAIL, 100, 10, 20))).correctness
    correctness = measure(
        wave(("passed", PASS, 300, 40, 10), ("failed", FAIL, 100, 10, 20), ("unscored", UNSCORED, 2, 0, 0, 0, 2))
    ).correctness
    many = measure(
        wave(("passed", PASS, 300, 40, 10), ("failed", FAIL, 100, 10, 20), ("unscored", UNSCORED, 40, 0, 0, 0, 5))
    ).correctness

    assert correctness.estimate == rest.estimate
    assert correctness.low == pytest.approx(400 / 402 * rest.low)
    assert correctness.high == pytest.approx(400 / 402 * rest.high + 2 / 402)
    assert correctness.reason is not None
    assert "2 items of unscored" in correctness.reason
    assert many.estimate is None, "a tenth is not a few"


def test_a_part_is_the_evidence_on_its_draws_alone() -> None:
    """Numbered draws of the whole, or the draws numbered anew: the same estimate of the passed, in any order of verdicts."""
    whole = wave(("a", PASS, 60, 10, 3, 2, 1), ("a", FAIL, 40, 4, 5, 1, 2), ("b", PASS, 30, 5, 2))
    totals = [total for total in whole.totals if total.verdict is PASS]
    rows = np.array([item.verdict is PASS for item in whole.sample], dtype=np.bool_)
    alone = Evidence(totals=totals, sample=[i for i in whole.sample if i.verdict is PASS], drawings=whole.drawings)
    verdict = np.array([item.verdict is PASS for item in whole.returned], dtype=np.intp)
    stratum = np.array([item.stratum == "b" for item in whole.returned], dtype=np.intp)
    numbered = replace(whole, places=PlacedDraws.by((FAIL, PASS), verdict, ("a", "b"), stratum))

    for evidence in (whole, numbered):
        assert part(evidence.part(totals, rows), (PASS,)) == part(alone, (PASS,)) == part(whole, (PASS,))
        assert evidence.part(totals, rows).sample == alone.sample
    assert numbered.placed.counts() == whole.placed.counts() == Counter((i.verdict, i.stratum) for i in whole.returned)
