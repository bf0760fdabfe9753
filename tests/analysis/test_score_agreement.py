"""Two scores side by side on real stores: what is matched, what is exact, what is weighted, what cannot be known."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from annotate.analysis.judges import score_agreement
from annotate.analysis.judges.score_agreement import SideBySide
from annotate.analysis.labelled_draws import ground
from annotate.analysis.report import report
from annotate.analysis.report.compared_rules import JudgeReport
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from proxy.evaluation import score_agreement as evaluation_score_agreement
from proxy.evaluation.calibration_error import calibration_error
from proxy.evaluation.discrimination import valued
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import associations
from proxy.stats.calibration.reliability import brier
from proxy.stats.sampling.clusters import Ways
from support.app import walk
from support.scored import open_ids
from support.simulation import at_least, repeated
from support.store import Assay, kept, traffic_row

pytestmark = pytest.mark.slow

ITEMS = 240
MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


def value(n: int, judge: str) -> float:
    """A score of an item: two judges that go together, on a scale of hundredths."""
    base = (n * 37 % 100) / 100
    return base if judge == "s" else round(0.5 * base + 0.5 * (n * 61 % 100) / 100, 2)


def is_right(n: int) -> bool:
    """Mostly what the first judge says."""
    return (value(n, "s") > 0.4) != (n % 9 == 0)


def ingested(assay: Assay, judges: Mapping[str, int]) -> None:
    """Items over eight weeks, and each judge's scores of the first so many."""
    rows = [
        traffic_row(
            f"i{n}", question=f"Q {n}?", group=f"g{n // 2}", timestamp=(MONDAY + timedelta(hours=5 * n)).isoformat()
        )
        for n in range(ITEMS)
    ]
    scores = [
        {"item_id": f"i{n}", "judge": judge, "value": value(n, judge)}
        for judge, count in judges.items()
        for n in range(count)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "s > 0.5")


def labelled(assay: Assay, *options: str) -> None:
    assay("sample", "--seed", "4", *options)
    names = open_ids(assay)
    words = [
        {"item_id": name, "label": "right" if is_right(int(name[1:])) else "wrong", "annotator": "ann"}
        for name in names
    ]
    assay("labels", "import", assay.write("labels.jsonl", words))


def people(assay: Assay, judge: str = "s", by: str = "week") -> tuple[SideBySide, JudgeReport]:
    """A judge against annotators, and what the report says of it."""
    with closing(Store(assay.db)) as store:
        built = report.build(store)
        judge_row = next(each for each in built.judges if each.totals.judge == judge)
        side_by_side = score_agreement.with_labels(store, judge_row, by=by)
    return side_by_side, judge_row


def judges(assay: Assay, most: int = 100_000, seed: int = 0, by: str = "week") -> SideBySide:
    with closing(Store(assay.db)) as store:
        first, second = [judge.totals for judge in report.build(store).judges][:2]
        return score_agreement.with_judge(store, first, second, by=by, most=most, seed=seed)


@kept
def drawn(assay: Assay) -> Assay:
    """Half of the items labelled, failed ones at another rate than passed ones; the second judge has scored two thirds."""
    ingested(assay, {"s": ITEMS, "t": 160})
    labelled(assay, "--labels", "100", "--audit", "0.6")
    return assay


def test_each_label_counts_for_what_it_stands_for(drawn: Assay) -> None:
    """Pearson and the distances by the plain formulas at the ledger's weights, which differ."""
    side_by_side, _ = people(drawn)
    with closing(Store(drawn.db)) as store:
        rows = ground(store, *rule_in_force(store)).labelled
    w, y = rows.draws.weight, rows.draws.right
    x = np.array([value(int(row.about.item_id[1:]), "s") for row in rows.rows])
    covariance = np.cov(x, y, aweights=w, bias=True)

    assert w.max() > 1.2 * w.min()
    assert (side_by_side.matched, side_by_side.labelled, side_by_side.first.scored) == (100, 100, ITEMS)
    assert side_by_side.associations.pearson.estimate == pytest.approx(
        covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    )
    assert side_by_side.associations.mae.estimate == pytest.approx(np.average(np.abs(x - y), weights=w))
    assert side_by_side.associations.rmse.estimate == pytest.approx(np.sqrt(brier(x, y, w)))
    for name in evaluation_score_agreement.Associations.__slots__:
        estimate: Estimate = getattr(side_by_side.associations, name)
        assert estimate.low < estimate.estimate < estimate.high, name
        assert estimate.long_run.low <= estimate.low, name
        assert estimate.n == 100


def test_what_the_report_has_measured_is_taken_from_it(drawn: Assay) -> None:
    """Accuracy, F1, kappa and AUROC are the report's own objects, and Brier's score is its calibration's."""
    side_by_side, judge_report = people(drawn)
    with closing(Store(drawn.db)) as store:
        calibrated = report.build(store).calibration

    assert side_by_side.agreement == {
        "accuracy": judge_report.alone.agreement.accuracy,
        "f1": judge_report.alone.agreement.f1,
        "kappa": judge_report.alone.agreement.kappa,
        "auroc": judge_report.alone.auroc,
    }
    assert side_by_side.associations.mse.estimate == pytest.approx(calibrated.brier.estimate, abs=1e-12)
    at = {at_threshold.threshold: at_threshold for at_threshold in side_by_side.thresholds}[0.5]
    counts = judge_report.alone.agreement.counts
    assert at.counts == (counts.right_pass, counts.wrong_pass, counts.right_fail, counts.wrong_fail)


def test_the_truth_lies_in_the_intervals(drawn: Assay) -> None:
    """All items have a label in truth: what 100 of them say holds what all 240 would."""
    side_by_side, _ = people(drawn)
    x = np.array([value(n, "s") for n in range(ITEMS)])
    y = np.array([float(is_right(n)) for n in range(ITEMS)])
    whole = evaluation_score_agreement.of_judges(x, y, Ways.of(np.arange(ITEMS)), ITEMS)
    truth = associations(whole)

    for name in evaluation_score_agreement.Associations.__slots__:
        estimate = getattr(side_by_side.associations, name)
        assert estimate.low <= getattr(truth, name).estimate <= estimate.high, name


def test_only_what_both_have_is_matched(drawn: Assay) -> None:
    """The second judge scored the first 160: labels of the others are not matched."""
    side_by_side, _ = people(drawn, "t")

    assert side_by_side.labelled == 100
    assert side_by_side.matched == sum(sum(row) for row in side_by_side.grid) < 100
    assert all(sum(row.counts) == side_by_side.matched for row in side_by_side.thresholds)
    assert sum(score_bin.n for score_bin in side_by_side.bins) == side_by_side.matched
    assert sum(period.n for period in side_by_side.periods) == side_by_side.matched


def test_labels_on_passed_answers_alone_leave_it_unknown(assay: Assay) -> None:
    """Without an audit of the failed nothing that needs both sides is measurable, and it says what to label."""
    ingested(assay, {"s": ITEMS})
    labelled(assay, "--labels", "60", "--audit", "0")
    side_by_side, _ = people(assay)

    assert side_by_side.reason.startswith("not measurable: label 30 items below the threshold")
    for name in evaluation_score_agreement.Associations.__slots__:
        estimate = getattr(side_by_side.associations, name)
        assert (estimate.estimate, estimate.reason) == (None, side_by_side.reason)
    assert side_by_side.agreement["auroc"].estimate is None
    assert side_by_side.agreement["kappa"].estimate is None
    assert side_by_side.matched == 60
    # What lies where is counted; what it stands for is not known.
    assert all(sum(row.counts) == side_by_side.matched for row in side_by_side.thresholds)
    assert {(share.estimate, share.reason) for row in side_by_side.thresholds for share in row.shares} == {
        (None, side_by_side.reason)
    }
    assert (side_by_side.bins, side_by_side.periods) == ([], [])


def test_all_that_both_scored_is_counted_exactly(drawn: Assay) -> None:
    """160 items: the window is exact, the long run is not, and the tables hold every item once."""
    side_by_side = judges(drawn)
    x, y = (np.array([value(n, judge) for n in range(160)]) for judge in ("s", "t"))

    assert (side_by_side.matched, side_by_side.whole, side_by_side.seed, side_by_side.is_sample) == (
        160,
        160,
        None,
        False,
    )
    assert side_by_side.associations.pearson.estimate == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert side_by_side.associations.mae.estimate == pytest.approx(np.abs(x - y).mean())
    assert side_by_side.agreement["accuracy"].estimate == pytest.approx(((x > 0.5) == (y > 0.5)).mean())
    for estimate in (
        side_by_side.associations.spearman,
        side_by_side.associations.rmse,
        side_by_side.agreement["kappa"],
        side_by_side.agreement["auroc"],
    ):
        assert estimate.low == estimate.estimate == estimate.high
        assert estimate.long_run.low < estimate.estimate < estimate.long_run.high
    assert sum(map(sum, side_by_side.grid)) == 160
    assert side_by_side.worst[0].first - side_by_side.worst[0].second == pytest.approx(
        (x - y)[np.argmax(np.abs(x - y))]
    )
    assert sum(side_by_side.spread[0].all) == pytest.approx(1)
    assert (side_by_side.spread[0].total, side_by_side.spread[1].total) == (ITEMS, 160)


@repeated(12, 40)
def test_a_sample_says_so_and_covers_the_whole(drawn: Assay, repetitions: int) -> None:
    """80 of 160 by the seed: the same again, others by another seed, and 95 % intervals for what all would give."""
    truth = judges(drawn).associations
    samples = [judges(drawn, most=80, seed=seed) for seed in range(repetitions)]

    assert judges(drawn, most=80, seed=7).associations == samples[7].associations
    assert samples[1].associations != samples[2].associations
    assert {(sample.matched, sample.whole, sample.is_sample) for sample in samples} == {(80, 160, True)}
    for name in ("pearson", "spearman", "kendall", "mae", "rmse"):
        covered = [
            (estimate := getattr(sample.associations, name)).low <= getattr(truth, name).estimate <= estimate.high
            for sample in samples
        ]
        assert sum(covered) / repetitions >= at_least(0.95, repetitions), name


def test_grades_have_no_distance_from_right_and_wrong(assay: Assay) -> None:
    """A judge of grades from 1 to 5: correlations yes, mean distance, RMSE and Brier's score no."""
    ingested(assay, {"s": ITEMS})
    rows = [{"item_id": f"i{n}", "judge": "correctness", "value": (n * 37 % 5) / 4} for n in range(ITEMS)]
    assay("scores", "import", assay.write("grades.jsonl", rows))
    labelled(assay, "--labels", "100")
    side_by_side, _ = people(assay, "correctness")

    assert side_by_side.associations.spearman.estimate is not None
    assert {getattr(side_by_side.associations, name).reason for name in ("mae", "rmse", "mse")} == {
        evaluation_score_agreement.GRADES
    }


@pytest.mark.parametrize(
    ("by", "first", "count"), [("week", "2026-01-05", 8), ("month", "2026-01", 2), ("day", "2026-01-05", 50)]
)
def test_means_by_time(drawn: Assay, by: str, first: str, count: int) -> None:
    """240 items every five hours from a Monday on are 50 days, so 8 weeks and 2 months; of the judges all 160 to day 34."""
    against = people(drawn, by=by)[0]
    both = judges(drawn, by=by)

    assert both.periods[0].period == first
    assert len(against.periods) <= count
    assert sum(period.n for period in both.periods) == 160
    rows = [n for n in range(160) if (MONDAY + timedelta(hours=5 * n)).date() == MONDAY.date()]
    if by == "day":
        assert both.periods[0].first.estimate == pytest.approx(np.mean([value(n, "s") for n in rows]))
        assert both.periods[0].n == len(rows)


def test_an_empty_match_is_no_error(assay: Assay) -> None:
    """A judge without a labelled answer, and two judges without a common one."""
    ingested(assay, {"s": ITEMS, "t": 0})
    rows = [{"item_id": f"i{n}", "judge": "u", "value": 0.4} for n in range(3)]
    assay("scores", "import", assay.write("few.jsonl", rows))
    labelled(assay, "--labels", "10", "--audit", "0.5")
    side_by_side, _ = people(assay, "u")
    with closing(Store(assay.db)) as store:
        totals = {judge.totals.judge: judge.totals for judge in report.build(store).judges}
        nothing = score_agreement.with_judge(store, totals["u"], totals["s"]._replace(key=99))

    assert side_by_side.associations.pearson.estimate is None
    assert side_by_side.associations.pearson.reason
    assert (nothing.matched, nothing.worst, nothing.periods) == (0, [], [])


def test_the_demo_is_a_census(store: Store) -> None:
    """Sixteen answers, all labelled: the window is exact, whatever the long run may be."""
    walk(store)
    judge = report.build(store).judges[0]
    side_by_side = score_agreement.with_labels(store, judge)

    assert (
        side_by_side.associations.mae.low
        == side_by_side.associations.mae.high
        == side_by_side.associations.mae.estimate
    )
    assert side_by_side.associations.pearson.long_run.low < side_by_side.associations.pearson.estimate


def test_brier_is_what_the_calibration_says(drawn: Assay) -> None:
    """The mean square of a rule's value against labels is the score that the report shows, on the same labels."""
    with closing(Store(drawn.db)) as store:
        labelled_ground = ground(store, *rule_in_force(store))
    agreement = valued(
        labelled_ground.traffic.evidence(labelled_ground.traffic.rules[0]), labelled_ground.traffic.rules[0].values
    )[0]

    assert associations(evaluation_score_agreement.of_annotators(agreement)).mse.estimate == pytest.approx(
        calibration_error(agreement).brier.estimate, abs=1e-12
    )
