"""The proxy against annotators under any design: strata taken whole, groups, and a changed rule, each weighted by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proxy.evaluation.agreement import measure
from proxy.evaluation.ledger import SampledItem, Total
from proxy.stats.intervals import wilson
from support.agreement import (
    EXAMPLE,
    FAIL,
    FAILED,
    PASS,
    PASSED,
    TOTALS,
    estimates_of,
    labelled,
    long_width,
    one_wave,
    wave,
    width,
)


def test_a_thumbs_down_stratum_taken_whole_has_weight_one() -> None:
    """560 thumbed-down items with 150 right, all labelled, and 134 of 160 of the other 19,440: .82155, not .394.

    The window's width is the rest's alone, 19,440 / 20,000 of it.
    """
    totals = [
        Total("thumbs_down", PASS, 400),
        Total("thumbs_down", FAIL, 160),
        Total("passed", PASS, 19_440),
    ]
    sample = [
        *labelled("thumbs_down", PASS, 120, 280),
        *labelled("thumbs_down", FAIL, 30, 130),
        *labelled("passed", PASS, 134, 26),
    ]
    report = measure(one_wave(totals, sample))
    # deff (1 - f) n / (n - 1), pulled to 1 - f^2 by one of 26 + 1 errors
    f = 160 / 19_440
    rest = wilson(134 / 160, 160 * 27 / (26 * (1 - f) * 160 / 159 + 1 - f**2), df=159)

    assert report.correctness.estimate == pytest.approx(0.82155, abs=1e-12)
    assert width(report.correctness) == pytest.approx((rest.high - rest.low) * 19_440 / 20_000, abs=1e-12)
    # Passed: 120 + 19,440 x .8375 = 16,401 right of 19,840; failed: 30 of 160, all of them seen.
    assert report.pass_precision.estimate == pytest.approx(16_401 / 19_840, abs=1e-12)
    assert report.sensitivity.estimate == pytest.approx(16_401 / 16_431, abs=1e-12)
    assert report.specificity.estimate == pytest.approx(130 / (130 + 280 + 3_159), abs=1e-12)


def in_pairs(sample: Sequence[SampledItem]) -> list[SampledItem]:
    """Two items in a group, next to each other."""
    return [sampled._replace(group=f"{sampled.stratum}-{k // 2}") for k, sampled in enumerate(sample)]


def test_groups_that_agree_widen_the_long_run_only() -> None:
    """Each question asked twice with the same label; the window does not care.

    In units of p (1 - p): the draw adds (1 - f) / 199, the items behind it 1 / 15,500, and the 100 pairs as much again as the
    200 labels have of their own, 100/99 x 1/200. Both come from the same labels, so standard errors add up in the df.
    """
    alone, paired = measure(EXAMPLE), measure(one_wave(TOTALS, in_pairs(PASSED + FAILED), grouping=2))
    drawn, behind = (1 - 200 / 15_500) / 199, 1 / 15_500 + 100 / 99 / 200
    df = (drawn + behind) ** 2 / (drawn / 199**0.5 + behind / 99**0.5) ** 2

    assert paired.pass_precision.long_run == pytest.approx(wilson(0.86, 1 / (drawn + behind), df=df), abs=1e-12)
    for name, estimate in estimates_of(paired).items():
        ungrouped = getattr(alone, name)
        assert (estimate.estimate, estimate.low, estimate.high) == (
            ungrouped.estimate,
            ungrouped.low,
            ungrouped.high,
        ), name
        assert long_width(estimate) > 1.2 * long_width(ungrouped), name


def test_groups_that_disagree_never_narrow_the_long_run() -> None:
    """Pairs of one right and one wrong label would have no variance between them: the labels' own is the least."""
    rows = ("passed", PASS, 1_000, 50, 50)
    mixed = [draw._replace(group=str(k % 50)) for k, draw in enumerate(labelled("passed", PASS, 50, 50))]
    report = measure(one_wave([Total("passed", PASS, 1_000)], mixed))

    assert long_width(report.pass_precision) >= long_width(measure(wave(rows)).pass_precision)


def test_groups_widen_what_is_known_of_the_pass_share_too() -> None:
    """All 400 items are labelled in pairs: every variance doubles, that of the pass share too, so sqrt(2) in all."""
    totals = [Total("passed", PASS, 200), Total("failed", FAIL, 200)]
    sample = labelled("passed", PASS, 180, 20) + labelled("failed", FAIL, 60, 140)
    alone, paired = one_wave(totals, sample), one_wave(totals, in_pairs(sample), grouping=2)

    assert long_width(measure(paired).sensitivity) / long_width(measure(alone).sensitivity) == pytest.approx(
        2**0.5, rel=0.02
    )


def test_a_changed_rule_is_measured_with_the_weights_of_the_draw() -> None:
    """Strata by the old rule, verdicts by the new one: the post-stratified sums, by hand.

    Old passed 800 (80 labels), now 600 pass and 200 fail; old failed 200 (40 labels), now 50 pass and 150 fail.
    Right among pass: 600 x 54/60 + 50 x 8/10 = 580 of 650; among fail: 200 x 5/20 + 150 x 6/30 = 80 of 350.
    """
    totals = [Total("passed", PASS, 600), Total("passed", FAIL, 200), Total("failed", PASS, 50)]
    totals += [Total("failed", FAIL, 150)]
    sample = [
        *labelled("passed", PASS, 54, 6),
        *labelled("passed", FAIL, 5, 15),
        *labelled("failed", PASS, 8, 2),
        *labelled("failed", FAIL, 6, 24),
    ]
    report = measure(one_wave(totals, sample))
    right_pass, right_fail, wrong_pass, wrong_fail = 580, 80, 70, 270

    expected = {
        "correctness": 0.66,
        "pass_precision": 580 / 650,
        "sensitivity": right_pass / (right_pass + right_fail),
        "specificity": wrong_fail / (wrong_pass + wrong_fail),
        "accuracy": 0.85,
        "f1": 2 * right_pass / (2 * right_pass + wrong_pass + right_fail),
    }
    # Kappa: chance agreement .65 x .66 + .35 x .34.
    expected["kappa"] = (0.85 - (0.65 * 0.66 + 0.35 * 0.34)) / (1 - (0.65 * 0.66 + 0.35 * 0.34))
    for name, value in expected.items():
        assert getattr(report, name).estimate == pytest.approx(value, abs=1e-12), name
    # The labels are 62 of 70 right among the passed: .8857, against .8923 weighted.
    assert report.pass_precision.estimate != pytest.approx(62 / 70, abs=1e-3)
    # Where the labels fall on the verdicts as the items do, post-stratified and Horvitz-Thompson sums are equal.
    horvitz_thompson = (54 * 10 + 5 * 10 + 8 * 5 + 6 * 5) / 1_000
    assert report.correctness.estimate == pytest.approx(horvitz_thompson, abs=1e-12)


def test_a_changed_rule_gives_no_number_from_cells_that_nobody_labelled() -> None:
    """Only passed items were audited; under the new rule some of the failed ones pass: precision is gone too."""
    totals = [Total("passed", PASS, 600), Total("passed", FAIL, 200), Total("failed", PASS, 50)]
    totals += [Total("failed", FAIL, 150)]
    report = measure(one_wave(totals, labelled("passed", PASS, 54, 6) + labelled("passed", FAIL, 5, 15)))

    for name, estimate in estimates_of(report).items():
        assert estimate.estimate is None, name
        assert estimate.reason, name
    assert "50 of 650" in str(report.pass_precision.reason)
    assert "above the threshold" in str(report.pass_precision.reason)
    # The 800 labelled ones are estimated; the other 200 may be anything.
    assert report.correctness.low is not None
    assert width(report.correctness) > 0.2
