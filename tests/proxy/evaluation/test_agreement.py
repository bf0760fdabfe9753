"""The proxy against annotators: every number by another way, each inside its range and its interval."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import fields
from typing import NamedTuple

import pytest
from sklearn import metrics

from proxy.evaluation.agreement import measure, pass_rate
from proxy.evaluation.ledger import SampledItem, Total
from proxy.stats.intervals import Interval, wilson
from support.agreement import (
    EXAMPLE,
    FAIL,
    FAILED,
    PASS,
    PASSED,
    QUANTITIES,
    RIGHT,
    TOTALS,
    UNSCORED,
    WRONG,
    estimates_of,
    labelled,
    long_width,
    one_wave,
    wave,
    width,
)


def test_the_worked_example() -> None:
    """Correctness .7655; the rest are scikit-learn's weighted values, to ten digits."""
    report = measure(EXAMPLE)
    expected = {"correctness": 0.7655, "pass_precision": 0.86, "sensitivity": 0.8706727629, "accuracy": 0.7925}
    expected |= {"specificity": 0.5373134328, "f1": 0.8653034729, "kappa": 0.4138004096, "mcc": 0.4139495165}
    # Of the failed ones 28 of 50 are wrong; Gwet's chance agreement is 2 q (1 - q), q = (P(pass) + P(right)) / 2.
    chance = 2 * (0.775 + 0.7655) / 2 * (1 - (0.775 + 0.7655) / 2)
    expected |= {"npv": 0.56, "ac1": (0.7925 - chance) / (1 - chance)}

    assert {name: measured.estimate for name, measured in estimates_of(report).items()} == pytest.approx(
        expected, abs=1e-10
    )
    for name, estimate in estimates_of(report).items():
        assert estimate.low is not None, name
        assert estimate.high is not None, name
        assert estimate.low < expected[name] < estimate.high, name
        assert estimate.reason is None, name
        own = {"pass_precision": 200, "npv": 50, "sensitivity": 194, "specificity": 56}  # 172 + 22 right, 28 + 28 wrong
        assert estimate.n == own.get(name, 250), name
    # The delta method has .0182499881 for the standard error of recall, so a logit interval of .8305 to .9024.
    assert (report.sensitivity.low, report.sensitivity.high) == pytest.approx((0.8305, 0.9024), abs=0.005)
    # In units of p (1 - p): the draw of 200 adds (1 - f) / 199, the 15,500 as a sample of what is behind them 1 / 15,500.
    drawn, behind = (1 - 200 / 15_500) / 199, 1 / 15_500
    assert report.pass_precision.long_run == pytest.approx(wilson(0.86, 1 / (drawn + behind), df=199), abs=1e-12)
    assert (report.correctness.low, report.correctness.high) == pytest.approx((0.7134151238, 0.8106314701), abs=1e-6)


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
    cells = {(sampled.stratum, sampled.verdict) for sampled in sample}
    totals = [Total(s, v, sum((sampled.stratum, sampled.verdict) == (s, v) for sampled in sample)) for s, v in cells]
    return Known(totals, sample)


@pytest.mark.parametrize("seed", range(5))
def test_everything_labelled_is_the_truth(seed: int) -> None:
    """Estimates are scikit-learn's on the items themselves, window intervals have no width, long-run ones do."""
    known = window(seed)
    report = measure(one_wave(known.totals, known.sample))
    right = [sampled.judgement is RIGHT for sampled in known.sample]
    passes = [sampled.verdict is PASS for sampled in known.sample]
    truth = {
        "correctness": sum(right) / len(right),
        "pass_precision": metrics.precision_score(right, passes),
        "npv": metrics.precision_score(right, passes, pos_label=False),
        "sensitivity": metrics.recall_score(right, passes),
        "specificity": metrics.recall_score(right, passes, pos_label=False),
        "accuracy": metrics.accuracy_score(right, passes),
        "f1": metrics.f1_score(right, passes),
        "kappa": metrics.cohen_kappa_score(right, passes),
        "mcc": metrics.matthews_corrcoef(right, passes),
    }
    q = (sum(right) + sum(passes)) / 2 / len(right)
    truth["ac1"] = (truth["accuracy"] - 2 * q * (1 - q)) / (1 - 2 * q * (1 - q))

    for name, estimate in estimates_of(report).items():
        assert estimate.estimate == pytest.approx(truth[name], abs=1e-12), name
        assert width(estimate) == pytest.approx(0, abs=1e-12), name
        assert long_width(estimate) > 0.05, name
        assert estimate.long_run is not None, name
        assert estimate.long_run.low < truth[name] < estimate.long_run.high, name


@pytest.mark.slow
def test_the_estimate_is_unbiased_over_every_possible_draw() -> None:
    """All ways to draw 3 of 6 passed and 2 of 4 failed items: the mean estimates are the truth."""
    passed, failed = [RIGHT, RIGHT, RIGHT, RIGHT, WRONG, WRONG], [RIGHT, WRONG, WRONG, WRONG]
    totals = [Total("passed", PASS, 6), Total("failed", FAIL, 4)]
    reports = [
        measure(
            one_wave(
                totals,
                [SampledItem("passed", PASS, passed[k], str(k)) for k in chosen]
                + [SampledItem("failed", FAIL, failed[k], str(k)) for k in audited],
            )
        )
        for chosen in itertools.combinations(range(6), 3)
        for audited in itertools.combinations(range(4), 2)
    ]

    def mean(name: str) -> float:
        return float(sum(getattr(report, name).estimate for report in reports) / len(reports))

    assert mean("correctness") == pytest.approx(0.5, abs=1e-12)
    assert mean("pass_precision") == pytest.approx(4 / 6, abs=1e-12)
    assert mean("accuracy") == pytest.approx((4 + 3) / 10, abs=1e-12)


@pytest.mark.slow
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
        report = measure(one_wave(totals, sample))
        for name, estimate in estimates_of(report).items():
            floor = -1.0 if name in {"kappa", "mcc", "ac1"} else 0.0
            if estimate.estimate is None:
                assert estimate.reason, (name, totals)
                continue
            for low, high in ((estimate.low, estimate.high), estimate.long_run or (None, None)):
                assert low is not None, name
                assert high is not None, name
                assert floor <= low <= estimate.estimate + 1e-12, (name, estimate)
                assert estimate.estimate - 1e-12 <= high <= 1 + 1e-12, (name, estimate)


@pytest.mark.slow
def test_the_same_labels_always_give_the_same_interval() -> None:
    """No random draw is hidden in a report; the order of the items and of the strata matters by rounding alone."""
    shuffled = one_wave(TOTALS[::-1], random.Random(2).sample(PASSED + FAILED, 250))

    assert estimates_of(measure(EXAMPLE)) == estimates_of(measure(EXAMPLE))
    for name, estimate in estimates_of(measure(shuffled)).items():
        again = getattr(measure(EXAMPLE), name)
        assert (estimate.estimate, estimate.low, estimate.high) == pytest.approx(
            (again.estimate, again.low, again.high), rel=1e-12
        )
        assert estimate.long_run == pytest.approx(again.long_run, rel=1e-12), name


def test_more_labels_narrow_every_window_interval_to_nothing() -> None:
    """The same shares at 5 %, 20 %, 60 % and 100 % labelled."""
    widths = []
    for k in (1, 4, 12, 20):
        evidence = wave(("passed", PASS, 400, 17 * k, 3 * k), ("failed", FAIL, 200, 3 * k, 7 * k))
        widths.append([width(estimate) for estimate in estimates_of(measure(evidence)).values()])

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
    report = measure(one_wave([*TOTALS, Total("unscored", UNSCORED, 100)], sample))

    assert [getattr(report.counts, field.name) for field in fields(report.counts)] == [172, 28, 22, 28]
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
    report = measure(EXAMPLE)
    correctness_long_run = report.correctness_long_run

    assert correctness_long_run.estimate == report.correctness.estimate
    assert (
        Interval(*(value for value in (correctness_long_run.low, correctness_long_run.high) if value is not None))
        == report.correctness.long_run
    )
    assert correctness_long_run.long_run is None
