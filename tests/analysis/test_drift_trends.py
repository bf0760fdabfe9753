"""The courses of the headline figures: the weeks of the drift and no others, thumbs counted, changes in their place."""

from __future__ import annotations

from contextlib import closing

import pytest

from annotate.analysis.drift import trends as over_time
from annotate.analysis.drift.trends import Changed, Courses, TrendQuantity
from annotate.analysis.drift.windows import By
from annotate.domain.feedback import NO_FEEDBACK
from annotate.store import Store
from support.drift import fill, label_all
from support.store import Assay, traffic_row

NOW = "2026-11-21T08:00:00.000Z"


def courses_of(assay: Assay) -> Courses:
    with closing(Store(assay.db)) as store:
        return over_time.courses(store, over_time.over(store, By.WEEK))


def thumbs(assay: Assay, names: list[str], value: int = -1) -> None:
    rows = [{"item_id": name, "value": value} for name in names]
    assay("feedback", assay.write(f"thumbs{value}.jsonl", rows))


@pytest.mark.slow
def test_the_weeks_are_those_of_the_drift(assay: Assay) -> None:
    """Estimates and ends of intervals are exactly those of `assay drift --json`; the pass rate is passed ÷ scored."""
    label_all(assay, fill(assay, weeks=3))
    windows, courses = assay.json("drift")["windows"], courses_of(assay)

    assert courses.reason is None
    for figure in (TrendQuantity.CORRECTNESS, TrendQuantity.PASS_PRECISION):
        shown = [
            (day, estimate.estimate, estimate.low, estimate.high, estimate.n)
            for day, estimate in courses.points[figure]
        ]
        assert shown == [
            (window["window"], *(window[figure.value][k] for k in ("estimate", "low", "high", "n")))
            for window in windows
        ]
    assert [estimate.estimate for _, estimate in courses.points[TrendQuantity.PASS_RATE]] == [
        window["passed"] / window["scored"] for window in windows
    ]
    assert [(label.day, label.labelled) for label in courses.labels] == [
        (window["window"], window["labels"]) for window in windows
    ]


@pytest.mark.slow
def test_a_week_without_labels_has_a_reason_and_no_value(assay: Assay) -> None:
    """What nobody labelled is None, and is left out of the values that make the line of a card."""
    fill(assay, weeks=2)
    courses = courses_of(assay)

    assert all(
        estimate.estimate is None and estimate.reason for _, estimate in courses.points[TrendQuantity.CORRECTNESS]
    )
    assert courses.values(TrendQuantity.CORRECTNESS) == []
    assert len(courses.values(TrendQuantity.PASS_RATE)) == 2


@pytest.mark.slow
def test_answers_without_a_time_are_in_no_week_and_counted(assay: Assay) -> None:
    """Three more answers without a timestamp leave every point as it was."""
    label_all(assay, fill(assay, weeks=2))
    before = courses_of(assay)
    rows = [traffic_row(f"late{n}") for n in range(3)]
    assay("ingest", assay.write("late.jsonl", rows))
    after = courses_of(assay)

    assert (before.without_time, after.without_time, after.items) == (0, 3, before.items + 3)
    assert [day for day, _ in after.points[TrendQuantity.PASS_RATE]] == [
        day for day, _ in before.points[TrendQuantity.PASS_RATE]
    ]
    assert after.values(TrendQuantity.CORRECTNESS) == before.values(TrendQuantity.CORRECTNESS)


@pytest.mark.slow
def test_a_store_without_times_has_no_course(assay: Assay) -> None:
    """When an answer was brought in never stands in for when it was given."""
    label_all(assay, fill(assay, weeks=2, timed=False))
    courses = courses_of(assay)

    assert "no answer has a timestamp" in courses.reason
    assert all(points == () for points in courses.points.values())


def test_an_empty_store_says_how_to_begin(store: Store) -> None:
    """No traffic, no course, no mark."""
    courses = over_time.courses(store, over_time.over(store, By.WEEK))

    assert courses.reason == over_time.NO_TRAFFIC
    assert courses.marks == ()


@pytest.mark.slow
def test_thumbs_down_are_counted_over_all_answers(assay: Assay) -> None:
    """4 of 40 in the first week and 2 of 40 in the second; a thumb on an answer that is not here counts nowhere."""
    fill(assay, weeks=2)
    thumbs(assay, [f"w00-0{n}" for n in range(4)] + ["w01-00", "w01-01", "elsewhere"])
    thumbs(assay, ["w01-02"], value=1)
    courses = courses_of(assay)
    whole = assay.json("report")["thumbs_down"]

    assert courses.values(TrendQuantity.THUMBS_DOWN) == [4 / 40, 2 / 40]
    assert [whole[name] for name in ("estimate", "low", "high", "n")] == [6 / 80, 6 / 80, 6 / 80, 80]


@pytest.mark.slow
def test_no_feedback_is_no_rate_of_nought(assay: Assay) -> None:
    """Without any thumb nobody was asked: no value, and the command that brings feedback; one thumb up makes it 0."""
    fill(assay, weeks=1)
    assert assay.json("report")["thumbs_down"]["reason"] == NO_FEEDBACK
    without = courses_of(assay).points[TrendQuantity.THUMBS_DOWN][0].estimate
    thumbs(assay, ["w00-00"], value=1)

    assert (without.estimate, without.reason) == (None, NO_FEEDBACK)
    assert courses_of(assay).values(TrendQuantity.THUMBS_DOWN) == [0.0]


@pytest.mark.slow
def test_changes_of_judge_and_rule_are_marked(assay: Assay) -> None:
    """A new signature and a new threshold are marks with what was before and after; the first rule is no change."""
    right = fill(assay, weeks=2)
    label_all(assay, right)
    assert courses_of(assay).marks == ()
    again = [{"item_id": name, "judge": "s", "value": 0.7, "signature": "s|v2"} for name in right]
    assay("scores", "import", assay.write("again.jsonl", again))
    assay("rule", "set", "s > 0.6")
    marks = courses_of(assay).marks

    assert {mark.kind for mark in marks} == {Changed.JUDGE, Changed.RULE}
    judge = next(mark for mark in marks if mark.kind is Changed.JUDGE)
    rule = next(mark for mark in marks if mark.kind is Changed.RULE)
    assert (judge.name, judge.before, judge.after) == ("s", "s|v1", "s|v2")
    assert (rule.before, rule.after) == ("v1: s > 0.5", "v2: s > 0.6")
    assert not any(mark.is_within for mark in marks), "they are of today, the answers of June"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("day", "within"), [("2026-05-31", False), ("2026-06-01", True), ("2026-06-14", True), ("2026-06-15", False)]
)
def test_a_mark_is_within_from_the_first_monday_to_the_last_sunday(assay: Assay, day: str, within: bool) -> None:
    """Two weeks from Monday 1 June end on Sunday 14 June."""
    fill(assay, weeks=2)
    assay("rule", "set", "s > 0.6")
    assay.sql(f"UPDATE rules SET at = '{day}T12:00:00.000Z' WHERE is_in_force")

    assert [mark.is_within for mark in courses_of(assay).marks if mark.at.startswith(day)] == [within]
