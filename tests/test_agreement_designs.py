"""The proxy against people under any design: strata taken whole, groups, a changed rule and several waves, each weighted by hand."""

from __future__ import annotations

import pytest

from fixtures_agreement import (
    FAIL,
    FAILED,
    PASS,
    PASSED,
    RIGHT,
    TOTALS,
    UNSURE,
    found,
    labelled,
    long_width,
    width,
)
from proxy.agreement import design_effect_of_groups, measure
from proxy.cells import SampledItem, Total
from proxy.stats.intervals import wilson


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
    rest = wilson(134 / 160, 160 / (1 - 160 / 19_440), df=159)

    assert report.correctness.estimate == pytest.approx(0.82155, abs=1e-12)
    assert width(report.correctness) == pytest.approx((rest.high - rest.low) * 19_440 / 20_000, abs=1e-12)
    # Passed: 120 + 19,440 x .8375 = 16,401 right of 19,840; failed: 30 of 160, all of them seen.
    assert report.pass_precision.estimate == pytest.approx(16_401 / 19_840, abs=1e-12)
    assert report.sensitivity.estimate == pytest.approx(16_401 / 16_431, abs=1e-12)
    assert report.specificity.estimate == pytest.approx(130 / (130 + 280 + 3_159), abs=1e-12)


def test_groups_widen_the_long_run_only() -> None:
    """Each question asked twice, both labelled: deff = sum m^2 / sum m = 2; the window does not care."""
    pairs = [one._replace(group=f"{one.stratum}-{k // 2}") for k, one in enumerate(PASSED + FAILED)]
    alone, paired = measure(one_wave(TOTALS, PASSED + FAILED), measure(TOTALS, pairs))

    assert design_effect_of_groups(PASSED + FAILED) == 1
    assert design_effect_of_groups(pairs) == 2
    assert paired.pass_precision.long_run == pytest.approx(wilson(0.86, 100, df=199), abs=1e-12)
    for name, one in found(paired).items():
        other = getattr(alone, name)
        assert (one.estimate, one.low, one.high) == (other.estimate, other.low, other.high), name
        assert long_width(one) > 1.2 * long_width(other), name


def test_groups_widen_what_is_known_of_the_pass_share_too() -> None:
    """All 400 items are labelled in pairs: every variance doubles, that of the pass share too, so sqrt(2) in all."""
    totals = [Total("passed", PASS, 200), Total("failed", FAIL, 200)]
    sample = labelled("passed", PASS, 180, 20) + labelled("failed", FAIL, 60, 140)
    pairs = [one._replace(group=f"{one.stratum}-{k // 2}") for k, one in enumerate(sample)]
    alone, paired = (long_width(measure(one_wave(totals, each).sensitivity) for each in (sample, pairs)))

    assert paired / alone == pytest.approx(2**0.5, rel=0.02)


def test_groups_without_a_decided_label_do_not_count() -> None:
    """Groups of 3, 1 and 0 decided labels: (9 + 1) / 4."""
    sample = [
        SampledItem("a", PASS, said, group) for group, said in zip("ggghij", [*[RIGHT] * 4, UNSURE, None], strict=True)
    ]

    assert design_effect_of_groups(sample) == 2.5
    assert design_effect_of_groups([]) == 1


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

    for name, one in found(report).items():
        assert one.estimate is None, name
        assert one.reason, name
    assert "50 of 650" in str(report.pass_precision.reason)
    assert "above the threshold" in str(report.pass_precision.reason)
    # The 800 labelled ones are estimated; the other 200 may be anything.
    assert report.correctness.low is not None
    assert width(report.correctness) > 0.2


def test_two_waves_with_different_rates_are_weighted_by_their_own() -> None:
    """Path "1 passed, 2 passed" was drawn twice; items that came later have their own path and rate.

    Correctness = (500 x 30/40 + 100 x 45/50 + 400 x 4/20) / 1,000, not 79 / 110.
    """
    totals = [
        Total("1 passed, 2 passed", PASS, 500),
        Total("2 passed", PASS, 100),
        Total("1 failed, 2 failed", FAIL, 400),
    ]
    sample = [
        *labelled("1 passed, 2 passed", PASS, 30, 10),
        *labelled("2 passed", PASS, 45, 5),
        *labelled("1 failed, 2 failed", FAIL, 4, 16),
    ]
    report = measure(one_wave(totals, sample))

    assert report.correctness.estimate == pytest.approx((375 + 90 + 80) / 1_000, abs=1e-12)
    assert report.pass_precision.estimate == pytest.approx(465 / 600, abs=1e-12)
    assert report.accuracy.estimate == pytest.approx((465 + 320) / 1_000, abs=1e-12)
