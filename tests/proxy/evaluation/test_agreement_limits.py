"""The proxy against annotators where labels are missing: what a design cannot say is no number, and the reason says what to label."""

from __future__ import annotations

import pytest

from proxy.evaluation.agreement import correctness_of, measure
from proxy.evaluation.domains import Evidence
from proxy.evaluation.harm import called_wrong, harm_share
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.records import Judgement
from proxy.stats.intervals import wilson
from support.agreement import (
    BOTH_SIDES,
    FAIL,
    PASS,
    PASSED,
    TOTALS,
    UNSCORED,
    estimates_of,
    labelled,
    long_width,
    one_wave,
    wave,
    width,
)


def test_labels_on_passed_items_alone_measure_precision_and_nothing_else() -> None:
    """Whatever needs the failed items is None, and the reason says how many to label there."""
    report = measure(one_wave(TOTALS, PASSED))

    assert report.pass_precision.estimate == pytest.approx(0.86)
    for name in BOTH_SIDES:
        estimate = getattr(report, name)
        assert (estimate.estimate, estimate.low, estimate.high, estimate.long_run) == (None, None, None, None), name
        assert "label 30 items below the threshold" in estimate.reason, name
        assert "4,500 of 4,500" in estimate.reason, name
    assert report.shares is None


def test_labels_on_passed_items_alone_bound_correctness() -> None:
    """[W low, W high + (1 - W)], W = .775: never a point, and never narrower than the unlabelled share.

    With normal quantiles and n = 200 as it is, the vector is .6239534233 to .9235308846. Ours has t of 199 degrees, and the
    deff (1 - f) n / (n - 1), pulled to 1 - f^2 by one of 28 + 1 errors. For the long run
    the passed items are a sample themselves: p (1 - p) / 15,500 more, with 199 degrees too.
    """
    report = measure(one_wave(TOTALS, PASSED))
    f = 200 / 15_500
    low, high = wilson(0.86, 200 * 29 / (28 * (1 - f) * 200 / 199 + 1 - f**2), df=199)
    drawn, behind = (1 - f) / 199, 1 / 15_500
    long_low, long_high = wilson(0.86, 1 / (drawn + behind), df=199)
    plain = wilson(0.86, 200)
    correctness = report.correctness

    assert correctness.estimate is None
    assert (correctness.low, correctness.high) == pytest.approx((0.775 * low, 0.775 * high + 0.225), abs=1e-12)
    assert (0.775 * plain.low, 0.775 * plain.high + 0.225) == pytest.approx((0.6239534233, 0.9235308846), abs=1e-9)
    assert (correctness.low, correctness.high) == pytest.approx((0.6239534233, 0.9235308846), abs=2e-4)
    assert correctness.long_run == pytest.approx((0.775 * long_low, 0.775 * long_high + 0.225), abs=1e-12)
    assert correctness.reason == "not measurable: label 30 more items among 4,500 items of failed"
    assert report.correctness_long_run.estimate is None
    assert (report.correctness_long_run.low, report.correctness_long_run.high) == correctness.long_run


def test_the_bounds_hold_whatever_the_unlabelled_items_are() -> None:
    """All failed items wrong, or all right: both truths lie inside, when the passed labels are a census."""
    correctness = measure(wave(("passed", PASS, 40, 30, 10), ("failed", FAIL, 10, 0, 0))).correctness

    assert (correctness.low, correctness.high) == pytest.approx((30 / 50, 40 / 50), abs=1e-12)


def test_few_failed_items_ask_for_no_more_labels_than_there_are() -> None:
    """4 failed items need 4 labels, not 30."""
    report = measure(one_wave([Total("passed", PASS, 400), Total("failed", FAIL, 4)], PASSED))

    assert "label 4 items below the threshold" in str(report.kappa.reason)
    assert "label 4 more items among 4 items of failed" in str(report.correctness.reason)


def test_unsure_labels_are_counted_and_left_out() -> None:
    """40 of 200 passed labels are unsure, so 80 % of 1,000 passed items can be judged: W = 800 / 1,300.

    Correctness = (800 x 120/160 + 500 x 10/50) / 1,300.
    """
    totals = [Total("passed", PASS, 1_000), Total("failed", FAIL, 500)]
    sample = labelled("passed", PASS, 120, 40, 40) + labelled("failed", FAIL, 10, 40)
    report = measure(one_wave(totals, sample))

    assert report.correctness.estimate == pytest.approx((800 * 0.75 + 500 * 0.2) / 1_300, abs=1e-12)
    assert report.pass_precision.estimate == 0.75
    assert report.correctness.n == 210
    assert report.accuracy.estimate == pytest.approx((800 * 0.75 + 500 * 0.8) / 1_300, abs=1e-12)
    assert [(stratum.stratum, stratum.drawn, stratum.unsure) for stratum in report.strata] == [
        ("failed", 50, 0),
        ("passed", 200, 40),
    ]


def test_nothing_is_known_where_all_labels_are_unsure() -> None:
    """A census of unsure labels judges nothing; no number, no division by zero."""
    report = measure(wave(("passed", PASS, 3, 0, 0, 3, 0)))

    for name, estimate in estimates_of(report).items():
        assert estimate.estimate is None, name
        assert estimate.reason, name
    assert report.correctness.reason == "annotators could not judge any drawn item"


def test_one_label_in_all_is_no_estimate_and_is_not_denied() -> None:
    """The reason asks for more labels; it does not say that there is none."""
    correctness = measure(wave(("unscored", UNSCORED, 500, 1, 0))).correctness

    assert (correctness.estimate, correctness.n) == (None, 1)
    assert correctness.reason == "not measurable: label 30 more drawn items"


def test_one_unsure_label_does_not_take_its_stratum_out_of_the_estimate() -> None:
    """4,500 failed items with a single unsure label stay unknown: bounds, not the passed items' share."""
    report = measure(one_wave(TOTALS, [*PASSED, *labelled("failed", FAIL, 0, 0, 1)]))

    assert report.correctness.estimate is None
    assert width(report.correctness) > 0.225
    assert report.accuracy.estimate is None


def test_a_stratum_with_one_label_of_many_counts_by_its_weight_and_widens_the_interval() -> None:
    """(15,500 x .86 + 4,500 x .44 + 2,000 x 1) / 22,000: one label for 2,000 items, so far from sure."""
    rows = (("passed", PASS, 15_500, 172, 28), ("failed", FAIL, 4_500, 22, 28))
    alone, more = measure(wave(*rows)), measure(wave(*rows, ("unscored", UNSCORED, 2_000, 1, 0)))

    assert more.correctness.estimate == pytest.approx((13_330 + 1_980 + 2_000) / 22_000, abs=1e-12)
    assert width(more.correctness) > 1.2 * width(alone.correctness)
    assert more.kappa.estimate == pytest.approx(0.4138004096, abs=1e-10), "which speaks of scored items"


def test_what_chance_left_without_a_draw_is_not_guessed_from_what_was_seen_whole() -> None:
    """A stream drew all 20 failed items and none of the 400 passed ones, which it could have drawn: no number, no nan."""
    sample = [draw._replace(drawing=0) for draw in labelled("failed", FAIL, 5, 15)]
    totals = [Total("failed", FAIL, 20), Total("passed", PASS, 400)]
    drawings = [Drawing(1, "failed", 20, 20, 20, 20, False), Drawing(1, "passed", 400, 0, 0, 0, False)]
    report = measure(Evidence(totals=totals, sample=sample, drawings=drawings))

    assert (report.correctness.estimate, report.npv.estimate) == (None, 0.75)
    assert "label 30 more" in str(report.correctness.reason)
    assert "label 30 items above the threshold" in str(report.pass_precision.reason)


def test_draws_that_wait_for_a_label_come_before_new_ones() -> None:
    """Three of the seven passed items are drawn and wait: they are named first, and without them what is to be labelled."""
    totals = [Total("failed", FAIL, 20), Total("passed", PASS, 7, is_reachable=False)]
    sample = labelled("failed", FAIL, 5, 15)
    waiting = [SampledItem("passed", PASS, None, f"p{n}") for n in range(3)]
    drawings = [Drawing(1, "failed", 20, 20, 20, 20, False)]
    measured = [
        measure(Evidence(totals=totals, sample=draws, drawings=drawings)) for draws in (sample + waiting, sample)
    ]

    assert [str(report.pass_precision.reason).partition(" (")[0] for report in measured] == [
        "not measurable: label the drawn items above the threshold first",
        "not measurable: label 7 items above the threshold",
    ]
    assert "(3 wait)" in str(measured[0].pass_precision.reason)


def test_nothing_drawn() -> None:
    """Every quantity says that a wave is needed."""
    report = measure(Evidence(totals=[], sample=[], drawings=[]))

    for name, estimate in estimates_of(report).items():
        assert estimate.estimate is None, name
        assert "assay sample" in str(estimate.reason), name
    assert (report.shares, report.strata) == (None, ())


def test_drawn_and_not_labelled() -> None:
    """Every quantity is None with a reason, and the strata show what was drawn."""
    report = measure(
        one_wave(TOTALS, labelled("passed", PASS, 0, 0, without=20) + labelled("failed", FAIL, 0, 0, without=5))
    )

    for name, estimate in estimates_of(report).items():
        assert (estimate.estimate, estimate.low, estimate.high) == (None, None, None), name
        assert "not measurable" in str(estimate.reason), name
    assert [(stratum.stratum, stratum.drawn, stratum.right) for stratum in report.strata] == [
        ("failed", 5, 0),
        ("passed", 20, 0),
    ]


def test_nothing_scored() -> None:
    """Correctness needs no judge; all else says that the judges have not run."""
    report = measure(wave(("unscored", UNSCORED, 500, 30, 10)))

    assert report.correctness.estimate == 0.75
    for name in ("pass_precision", *BOTH_SIDES):
        estimate = getattr(report, name)
        assert estimate.estimate is None, name
        assert "assay judge" in str(estimate.reason), name


def test_only_passes_in_the_frame() -> None:
    """Nothing fails: sensitivity is 1 and specificity 0 by counting, kappa 0, MCC undefined; the long run leaves room."""
    report = measure(wave(("passed", PASS, 1_000, 45, 5)))

    assert (report.correctness.estimate, report.pass_precision.estimate) == (0.9, 0.9)
    assert (report.sensitivity.estimate, width(report.sensitivity)) == (1, 0)
    assert (report.specificity.estimate, width(report.specificity)) == (0, 0)
    assert report.kappa.estimate == pytest.approx(0)
    assert report.mcc.estimate is None
    assert "undefined" in str(report.mcc.reason)
    assert long_width(report.specificity) > 0


def test_only_fails_in_the_frame() -> None:
    """No pass: precision is undefined, not 0."""
    report = measure(wave(("failed", FAIL, 1_000, 5, 45)))

    assert report.pass_precision.estimate is None
    assert "passes no item that could be drawn" in str(report.pass_precision.reason)
    assert (report.sensitivity.estimate, report.specificity.estimate) == (0, 1)


def test_one_class_only_is_undefined_where_it_must_be() -> None:
    """All labels right: no specificity, no MCC; never a 0 or a 1 in their place."""
    report = measure(one_wave(TOTALS, labelled("passed", PASS, 40, 0) + labelled("failed", FAIL, 40, 0)))

    assert report.correctness.estimate == 1
    for name in ("specificity", "mcc"):
        assert getattr(report, name).estimate is None, name
        assert "undefined" in getattr(report, name).reason, name
    assert report.sensitivity.estimate == pytest.approx(0.775)


@pytest.mark.parametrize("silent", [0, 10])
def test_labels_on_passed_items_alone_bound_serious_harm_from_both_sides(silent: int) -> None:
    """Of the 28 wrong of 200 passed all are serious, or 10 do not say: the 4,500 failed items are harmful all or not at all.

    [1 - high, 1 - low] of correctness where all are said; where 10 may be harmless, the low end is that of 18 wrong ones.
    """
    evidence = one_wave(TOTALS, PASSED)
    wrong = [item.judgement is Judgement.WRONG for item in evidence.sample]
    unsaid = {
        place for place, _ in zip((n for n, is_wrong in enumerate(wrong) if is_wrong), range(silent), strict=False)
    }
    share = harm_share(evidence, [None if n in unsaid else is_wrong for n, is_wrong in enumerate(wrong)])
    correctness = correctness_of(evidence)
    fewer = correctness_of(called_wrong(evidence, [is_wrong and n not in unsaid for n, is_wrong in enumerate(wrong)]))

    assert (correctness.high, correctness.low) == pytest.approx((0.9235308846, 0.6239534233), abs=2e-4)
    assert (share.estimate, share.low, share.high) == (None, 1 - fewer.high, 1 - correctness.low)
    assert share.long_run == (1 - fewer.long_run.high, 1 - correctness.long_run.low)
    assert share.reason == correctness.reason
