"""The proxy against people: what a design can say, what it cannot, and every number by another way."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

import pytest
from sklearn import metrics

from proxy.agreement import AgreementReport, design_effect_of_groups, measure, pass_rate
from proxy.cells import SampledItem, Total
from proxy.derived import DERIVED
from proxy.estimate import Estimate
from proxy.records import Judgement, Verdict
from proxy.stats.intervals import Interval, wilson

RIGHT, WRONG, UNSURE = Judgement
PASS, FAIL, UNSCORED = Verdict
BOTH_SIDES = tuple(DERIVED)
QUANTITIES = ("correctness", "pass_precision", *BOTH_SIDES)


def labelled(
    stratum: str, verdict: Verdict, right: int, wrong: int, unsure: int = 0, *, without: int = 0
) -> list[SampledItem]:
    """Drawn items of one cell, each in a group of its own."""
    said = [RIGHT] * right + [WRONG] * wrong + [UNSURE] * unsure + [None] * without
    return [SampledItem(stratum, verdict, one, f"{stratum}-{verdict}-{k}") for k, one in enumerate(said)]


def found(report: AgreementReport) -> Mapping[str, Estimate]:
    return {name: getattr(report, name) for name in QUANTITIES}


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def long_width(estimate: Estimate) -> float:
    assert estimate.long_run is not None
    return estimate.long_run.high - estimate.long_run.low


# The worked example: 15,500 passed and 4,500 failed items, 172 of 200 and 22 of 50 right.
TOTALS = [Total("passed", PASS, 15_500), Total("failed", FAIL, 4_500)]
PASSED = labelled("passed", PASS, 172, 28)
FAILED = labelled("failed", FAIL, 22, 28)


def test_the_worked_example() -> None:
    """Correctness .7655; the rest are scikit-learn's weighted values, to ten digits."""
    report = measure(TOTALS, PASSED + FAILED)
    expected = {"correctness": 0.7655, "pass_precision": 0.86, "sensitivity": 0.8706727629, "accuracy": 0.7925}
    expected |= {"specificity": 0.5373134328, "f1": 0.8653034729, "kappa": 0.4138004096, "mcc": 0.4139495165}

    assert {name: one.estimate for name, one in found(report).items()} == pytest.approx(expected, abs=1e-10)
    for name, one in found(report).items():
        assert one.low is not None, name
        assert one.high is not None, name
        assert one.low < expected[name] < one.high, name
        assert one.reason is None, name
        assert one.n == (200 if name == "pass_precision" else 250), name
    # The delta method has .0182499881 for the standard error of recall, so a logit interval of .8305 to .9024.
    assert (report.sensitivity.low, report.sensitivity.high) == pytest.approx((0.8305, 0.9024), abs=0.005)
    assert report.pass_precision.long_run == pytest.approx(wilson(0.86, 200, df=199), abs=1e-12)


def test_labels_on_passed_items_alone_measure_precision_and_nothing_else() -> None:
    """Whatever needs the failed items is None, and the reason says how many to label there."""
    report = measure(TOTALS, PASSED)

    assert report.pass_precision.estimate == 0.86
    for name in BOTH_SIDES:
        one = getattr(report, name)
        assert (one.estimate, one.low, one.high, one.long_run) == (None, None, None, None), name
        assert "label 30 items below the threshold" in one.reason, name
        assert "4,500 of 4,500" in one.reason, name
    assert report.shares is None


def test_labels_on_passed_items_alone_bound_correctness() -> None:
    """[W low, W high + (1 - W)], W = .775: never a point, and never narrower than the unlabelled share.

    With normal quantiles and no finite population correction the vector is .6239534233 to .9235308846.
    """
    report = measure(TOTALS, PASSED)
    low, high = wilson(0.86, 200 / (1 - 200 / 15_500), df=199)
    long_low, long_high = wilson(0.86, 200, df=199)
    one = report.correctness

    assert one.estimate is None
    assert (one.low, one.high) == pytest.approx((0.775 * low, 0.775 * high + 0.225), abs=1e-12)
    assert (one.low, one.high) == pytest.approx((0.6239534233, 0.9235308846), abs=1e-3)
    assert one.long_run == pytest.approx((0.775 * long_low, 0.775 * long_high + 0.225), abs=1e-12)
    assert one.reason is not None
    assert "label 30 more items of failed (0 labels for 4500 items)" in one.reason
    assert report.correctness_long_run.estimate is None
    assert (report.correctness_long_run.low, report.correctness_long_run.high) == one.long_run


def test_the_bounds_hold_whatever_the_unlabelled_items_are() -> None:
    """All failed items wrong, or all right: both truths lie inside, when the passed labels are a census."""
    totals = [Total("passed", PASS, 40), Total("failed", FAIL, 10)]
    one = measure(totals, labelled("passed", PASS, 30, 10)).correctness

    assert (one.low, one.high) == pytest.approx((30 / 50, 40 / 50), abs=1e-12)


def test_few_failed_items_ask_for_no_more_labels_than_there_are() -> None:
    """4 failed items need 4 labels, not 30."""
    report = measure([Total("passed", PASS, 400), Total("failed", FAIL, 4)], PASSED)

    assert "label 4 items below the threshold" in str(report.kappa.reason)
    assert "label 4 more items of failed" in str(report.correctness.reason)


class Known(NamedTuple):
    """A window whose every label is known."""

    totals: Sequence[Total]
    sample: Sequence[SampledItem]


def window(seed: int) -> Known:
    """Every item of made-up traffic in three strata, all labelled."""
    rng = random.Random(seed)
    sample = [
        SampledItem(rng.choice("abc"), rng.choice([PASS, FAIL]), rng.choice([RIGHT, RIGHT, WRONG]), str(k))
        for k in range(rng.randint(40, 90))
    ]
    cells = {(one.stratum, one.verdict) for one in sample}
    totals = [Total(s, v, sum((one.stratum, one.verdict) == (s, v) for one in sample)) for s, v in cells]
    return Known(totals, sample)


@pytest.mark.parametrize("seed", range(5))
def test_everything_labelled_is_the_truth(seed: int) -> None:
    """Estimates are scikit-learn's on the items themselves, window intervals have no width, long-run ones do."""
    known = window(seed)
    report = measure(known.totals, known.sample)
    right = [one.judgement is RIGHT for one in known.sample]
    passes = [one.verdict is PASS for one in known.sample]
    truth = {
        "correctness": sum(right) / len(right),
        "pass_precision": metrics.precision_score(right, passes),
        "sensitivity": metrics.recall_score(right, passes),
        "specificity": metrics.recall_score(right, passes, pos_label=False),
        "accuracy": metrics.accuracy_score(right, passes),
        "f1": metrics.f1_score(right, passes),
        "kappa": metrics.cohen_kappa_score(right, passes),
        "mcc": metrics.matthews_corrcoef(right, passes),
    }

    for name, one in found(report).items():
        assert one.estimate == pytest.approx(truth[name], abs=1e-12), name
        assert width(one) == pytest.approx(0, abs=1e-12), name
        assert long_width(one) > 0.05, name
        assert one.long_run is not None, name
        assert one.long_run.low < truth[name] < one.long_run.high, name


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
    report = measure(totals, sample)
    rest = wilson(134 / 160, 160 / (1 - 160 / 19_440), df=159)

    assert report.correctness.estimate == pytest.approx(0.82155, abs=1e-12)
    assert width(report.correctness) == pytest.approx((rest.high - rest.low) * 19_440 / 20_000, abs=1e-12)
    # Passed: 120 + 19,440 x .8375 = 16,401 right of 19,840; failed: 30 of 160, all of them seen.
    assert report.pass_precision.estimate == pytest.approx(16_401 / 19_840, abs=1e-12)
    assert report.sensitivity.estimate == pytest.approx(16_401 / 16_431, abs=1e-12)
    assert report.specificity.estimate == pytest.approx(130 / (130 + 280 + 3_159), abs=1e-12)


def test_unsure_labels_are_counted_and_left_out() -> None:
    """40 of 200 passed labels are unsure, so 80 % of 1,000 passed items can be judged: W = 800 / 1,300.

    Correctness = (800 x 120/160 + 500 x 10/50) / 1,300.
    """
    totals = [Total("passed", PASS, 1_000), Total("failed", FAIL, 500)]
    sample = labelled("passed", PASS, 120, 40, 40) + labelled("failed", FAIL, 10, 40)
    report = measure(totals, sample)

    assert report.correctness.estimate == pytest.approx((800 * 0.75 + 500 * 0.2) / 1_300, abs=1e-12)
    assert report.pass_precision.estimate == 0.75
    assert report.correctness.n == 210
    assert report.accuracy.estimate == pytest.approx((800 * 0.75 + 500 * 0.8) / 1_300, abs=1e-12)
    assert [(one.stratum, one.drawn, one.unsure) for one in report.strata] == [("failed", 50, 0), ("passed", 200, 40)]


def test_nothing_is_known_where_all_labels_are_unsure() -> None:
    """A census of unsure labels judges nothing; no number, no division by zero."""
    report = measure([Total("passed", PASS, 3)], labelled("passed", PASS, 0, 0, 3))

    for name, one in found(report).items():
        assert one.estimate is None, name
        assert one.reason, name
    assert report.correctness.reason == "people could not judge any drawn item"


def test_one_label_in_all_is_no_estimate_and_is_not_denied() -> None:
    """The reason asks for more labels; it does not say that there is none."""
    one = measure([Total("unscored", UNSCORED, 500)], labelled("unscored", UNSCORED, 1, 0)).correctness

    assert (one.estimate, one.n) == (None, 1)
    assert one.reason == "not measurable: label 30 more items of unscored (1 labels for 500 items)"


def test_one_unsure_label_does_not_take_its_stratum_out_of_the_estimate() -> None:
    """4,500 failed items with a single unsure label stay unknown: bounds, not the passed items' share."""
    report = measure(TOTALS, [*PASSED, *labelled("failed", FAIL, 0, 0, 1)])

    assert report.correctness.estimate is None
    assert width(report.correctness) > 0.225
    assert report.accuracy.estimate is None


def test_a_stratum_with_one_label_of_many_is_refused_and_named() -> None:
    """The other strata cannot speak for it."""
    totals = [*TOTALS, Total("unscored", UNSCORED, 2_000)]
    report = measure(totals, [*PASSED, *FAILED, *labelled("unscored", UNSCORED, 1, 0)])

    assert report.correctness.estimate is None
    assert "unscored (1 labels for 2000 items)" in str(report.correctness.reason)
    assert report.kappa.estimate == pytest.approx(0.4138004096, abs=1e-10), "which speaks of scored items"


def test_nothing_drawn() -> None:
    """Every quantity says that a wave is needed."""
    report = measure([], [])

    for name, one in found(report).items():
        assert one.estimate is None, name
        assert "assay sample" in str(one.reason), name
    assert (report.shares, report.strata) == (None, ())


def test_drawn_and_not_labelled() -> None:
    """Every quantity is None with a reason, and the strata show what was drawn."""
    report = measure(TOTALS, labelled("passed", PASS, 0, 0, without=20) + labelled("failed", FAIL, 0, 0, without=5))

    for name, one in found(report).items():
        assert (one.estimate, one.low, one.high) == (None, None, None), name
        assert "not measurable" in str(one.reason), name
    assert [(one.stratum, one.drawn, one.right) for one in report.strata] == [("failed", 5, 0), ("passed", 20, 0)]


def test_nothing_scored() -> None:
    """Correctness needs no judge; all else says that the judges have not run."""
    report = measure([Total("unscored", UNSCORED, 500)], labelled("unscored", UNSCORED, 30, 10))

    assert report.correctness.estimate == 0.75
    for name in ("pass_precision", *BOTH_SIDES):
        one = getattr(report, name)
        assert one.estimate is None, name
        assert "assay judge" in str(one.reason), name


def test_only_passes_in_the_frame() -> None:
    """Nothing fails: sensitivity is 1 and specificity 0 by counting, kappa 0, MCC undefined; the long run leaves room."""
    report = measure([Total("passed", PASS, 1_000)], labelled("passed", PASS, 45, 5))

    assert (report.correctness.estimate, report.pass_precision.estimate) == (0.9, 0.9)
    assert (report.sensitivity.estimate, width(report.sensitivity)) == (1, 0)
    assert (report.specificity.estimate, width(report.specificity)) == (0, 0)
    assert report.kappa.estimate == pytest.approx(0)
    assert report.mcc.estimate is None
    assert "undefined" in str(report.mcc.reason)
    assert long_width(report.specificity) > 0


def test_only_fails_in_the_frame() -> None:
    """No pass: precision is undefined, not 0."""
    report = measure([Total("failed", FAIL, 1_000)], labelled("failed", FAIL, 5, 45))

    assert report.pass_precision.estimate is None
    assert "no item of the frame passes" in str(report.pass_precision.reason)
    assert (report.sensitivity.estimate, report.specificity.estimate) == (0, 1)


def test_one_class_only_is_undefined_where_it_must_be() -> None:
    """All labels right: no specificity, no MCC; never a 0 or a 1 in their place."""
    report = measure(TOTALS, labelled("passed", PASS, 40, 0) + labelled("failed", FAIL, 40, 0))

    assert report.correctness.estimate == 1
    for name in ("specificity", "mcc"):
        assert getattr(report, name).estimate is None, name
        assert "undefined" in getattr(report, name).reason, name
    assert report.sensitivity.estimate == pytest.approx(0.775)


def test_groups_widen_the_long_run_only() -> None:
    """Each question asked twice, both labelled: deff = sum m^2 / sum m = 2; the window does not care."""
    pairs = [one._replace(group=f"{one.stratum}-{k // 2}") for k, one in enumerate(PASSED + FAILED)]
    alone, paired = measure(TOTALS, PASSED + FAILED), measure(TOTALS, pairs)

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
    alone, paired = (long_width(measure(totals, each).sensitivity) for each in (sample, pairs))

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
    report = measure(totals, sample)
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
    report = measure(totals, labelled("passed", PASS, 54, 6) + labelled("passed", FAIL, 5, 15))

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
    report = measure(totals, sample)

    assert report.correctness.estimate == pytest.approx((375 + 90 + 80) / 1_000, abs=1e-12)
    assert report.pass_precision.estimate == pytest.approx(465 / 600, abs=1e-12)
    assert report.accuracy.estimate == pytest.approx((465 + 320) / 1_000, abs=1e-12)


def test_the_estimate_is_unbiased_over_every_possible_draw() -> None:
    """All ways to draw 3 of 6 passed and 2 of 4 failed items: the mean estimates are the truth."""
    passed, failed = [RIGHT, RIGHT, RIGHT, RIGHT, WRONG, WRONG], [RIGHT, WRONG, WRONG, WRONG]
    totals = [Total("passed", PASS, 6), Total("failed", FAIL, 4)]
    reports = [
        measure(
            totals,
            [SampledItem("passed", PASS, passed[k], str(k)) for k in chosen]
            + [SampledItem("failed", FAIL, failed[k], str(k)) for k in audited],
        )
        for chosen in itertools.combinations(range(6), 3)
        for audited in itertools.combinations(range(4), 2)
    ]

    def mean(name: str) -> float:
        return float(sum(getattr(report, name).estimate for report in reports) / len(reports))

    assert mean("correctness") == pytest.approx(0.5, abs=1e-12)
    assert mean("pass_precision") == pytest.approx(4 / 6, abs=1e-12)
    assert mean("accuracy") == pytest.approx((4 + 3) / 10, abs=1e-12)


def test_no_estimate_leaves_its_range_or_its_interval() -> None:
    """Random designs: every low <= estimate <= high, shares in [0, 1], coefficients in [-1, 1], never nan."""
    rng = random.Random(3)
    for _ in range(150):
        totals, sample = [], []
        for stratum, verdict in itertools.product("ab", (PASS, FAIL, UNSCORED)):
            size = rng.choice([0, 1, 3, rng.randint(5, 300)])
            n = rng.randint(0, min(size, 40))
            right = rng.choice([0, n, rng.randint(0, n)])
            unsure = rng.randint(0, n - right)
            totals.append(Total(stratum, verdict, size))
            sample += labelled(stratum, verdict, right, n - right - unsure, unsure)
        report = measure(totals, sample)
        for name, one in found(report).items():
            floor = -1.0 if name in {"kappa", "mcc"} else 0.0
            if one.estimate is None:
                assert one.reason, (name, totals)
                continue
            for low, high in ((one.low, one.high), one.long_run or (None, None)):
                assert low is not None, name
                assert high is not None, name
                assert floor <= low <= one.estimate + 1e-12, (name, one)
                assert one.estimate - 1e-12 <= high <= 1 + 1e-12, (name, one)


def test_the_same_labels_always_give_the_same_interval() -> None:
    """No random draw is hidden in a report, and the order of the items does not matter."""
    sample = PASSED + FAILED
    shuffled = random.Random(2).sample(sample, len(sample))

    assert found(measure(TOTALS, sample)) == found(measure(TOTALS, shuffled))


def test_more_labels_narrow_every_window_interval_to_nothing() -> None:
    """The same shares at 5 %, 20 %, 60 % and 100 % labelled."""
    totals = [Total("passed", PASS, 400), Total("failed", FAIL, 200)]
    widths = []
    for k in (1, 4, 12, 20):
        sample = labelled("passed", PASS, 17 * k, 3 * k) + labelled("failed", FAIL, 3 * k, 7 * k)
        widths.append([width(one) for one in found(measure(totals, sample)).values()])

    for wide, narrow in itertools.pairwise(widths):
        assert all(a > b for a, b in zip(wide, narrow, strict=True)), (wide, narrow)
    assert widths[-1] == pytest.approx([0] * len(QUANTITIES), abs=1e-12)


def test_the_table_of_labels_is_shown_as_it_is() -> None:
    """Counts are unweighted, shares are of all scored items; unsure, open and unscored labels are in neither."""
    sample = [
        *PASSED,
        *FAILED,
        *labelled("passed", PASS, 0, 0, 3, without=2),
        *labelled("unscored", UNSCORED, 4, 4),
    ]
    report = measure([*TOTALS, Total("unscored", UNSCORED, 100)], sample)

    assert [getattr(report.counts, one.name) for one in fields(report.counts)] == [172, 28, 22, 28]
    assert report.shares is not None
    assert float(sum(report.shares)) == pytest.approx(1)


def test_the_pass_rate_is_counted() -> None:
    """Passed among scored, on every item: no interval is needed, and none scored is no 0."""
    assert pass_rate(31, 9).estimate == 0.775
    assert (pass_rate(31, 9).low, pass_rate(31, 9).high, pass_rate(31, 9).n) == (0.775, 0.775, 40)
    assert pass_rate(0, 0).estimate is None
    assert "assay judge" in str(pass_rate(0, 0).reason)


def test_the_long_run_correctness_speaks_of_the_rate_alone() -> None:
    """The same estimate, with the interval of the long run in the place of the window's."""
    report = measure(TOTALS, PASSED + FAILED)
    one = report.correctness_long_run

    assert one.estimate == report.correctness.estimate
    assert Interval(*(value for value in (one.low, one.high) if value is not None)) == report.correctness.long_run
    assert one.long_run is None
