"""Drift where the labels are unlike a plain sample: several answers to a question, weeks that are thin, dates inside a window."""

from __future__ import annotations

import pytest

from support.drift import A_WEEK, CHANGED, drop, fill, label_all, rescore, say, week_of
from support.store import Assay

pytestmark = pytest.mark.slow


def test_answers_to_one_question_are_one_label_of_the_chart(assay: Assay) -> None:
    """Four systems answer ten questions a week: the CUSUM reads ten labels of each, the corrected rates all forty."""
    parts = [week_of(week) for week in range(6)]
    rows = [
        row | {"group": f"{str(row['id'])[:3]}-{int(str(row['id'])[-2:]) % 10}"} for part in parts for row in part[0]
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("scores.jsonl", [row for part in parts for row in part[1]]))
    assay("rule", "set", "s > 0.5")
    label_all(assay, {name: truth for part in parts for name, truth in part[2].items()})
    drift = assay.json("drift")

    assert {(window["labels"], window["labels_of_equal_chance"]) for window in drift["windows"]} == {(A_WEEK, 10)}
    assert {window["correctness"]["estimate"] for window in drift["windows"]} == {0.8}
    said = " ".join(assay("drift", "--full").stdout.split())
    assert "The CUSUM reads labels of equal chance, one to a question: 60 of 240" in said


def test_agreement_has_an_interval_as_the_others_have(assay: Assay) -> None:
    """The bounds of the JSON, in words; what every answer's label leaves no doubt of stands alone."""
    right = fill(assay, weeks=6)
    assay("sample", "--labels", "120", "--seed", "1")
    say(assay, right)
    agreement = assay.json("drift")["windows"][0]["agreement"]
    [row] = [line for line in assay("drift").stdout.splitlines() if line.startswith("2026-06-01")]

    assert agreement["low"] < agreement["estimate"] < agreement["high"]
    assert row.count(" to ") == 2


def test_a_drop_since_the_first_window_has_no_before_to_compare(assay: Assay) -> None:
    """Below a given rate from the start: `assay compare` would find nothing on one side, so it is not named."""
    label_all(assay, fill(assay, lambda _, number: drop(CHANGED, number), weeks=6))
    drift = assay.json("drift", "--good", "0.85")
    commands = [command for step in drift["next"] for command in step["commands"]]

    assert drift["answer"].startswith("Quality has dropped")
    assert commands == ["assay slices", "assay diagnose", "assay drift --since DATE"]


def test_few_labels_a_week_may_be_learnt_from_longer(assay: Assay) -> None:
    """Six labels a day, of all six: two days are worth 12, and 30 are needed, so five days; what is said to do works."""
    label_all(assay, fill(assay, weeks=2))
    first = assay.json("drift", "--by", "day", "--baseline", "2")["quality"]["reason"]

    assert "learn from more windows with --baseline 5, or say with --good" in first
    assert assay.json("drift", "--by", "day", "--baseline", "5")["quality"]["path"]


def test_since_a_day_inside_a_month_begins_with_the_next_month(assay: Assay) -> None:
    """A window that began before is not watched, by months as by weeks."""
    label_all(assay, fill(assay))
    months = assay.json("drift", "--by", "month", "--since", "2026-06-15")["windows"]
    weeks = assay.json("drift", "--since", "2026-06-15")["windows"]

    assert months[0]["window"] == "2026-07"
    assert assay.json("drift", "--by", "month", "--since", "2026-06-01")["windows"][0]["window"] == "2026-06"
    assert weeks[0]["window"] == "2026-06-15"


def test_what_chose_the_cut_is_no_anchor(assay: Assay) -> None:
    """A certified rule is held against the labels of the other questions, here too."""
    right = fill(assay, weeks=8)
    label_all(assay, right)
    chose = assay.json("calibrate", "--precision", "0.8")
    assert chose["saved"]
    rescore(assay, right)

    assert assay.json("drift")["changes"][0]["anchors"] == 320 - chose["chose"]


def test_one_of_a_thing_is_said_in_the_singular(assay: Assay) -> None:
    """One month to learn from, a horizon of one week, one wrong answer."""
    label_all(assay, fill(assay, lambda week, number: (week, number) != (0, 3), weeks=10))
    said = " ".join(assay("drift", "--by", "month", "--baseline", "1", "--horizon", "1", "--full").stdout.split())

    assert "learnt from the first window with labels" in said
    assert "spans of 1 week without" in said
    assert "1 wrong answer in the first windows" in said
