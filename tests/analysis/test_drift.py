"""Drift through the command and a real store: whole weeks drawn and labelled, with a drop, a judge that changes, or neither."""

from __future__ import annotations

from datetime import timedelta

import pytest

from support.drift import A_WEEK, CHANGED, FIRST, WEEKS, drop, fair, fill, label_all, say, week_of
from support.store import Assay

pytestmark = pytest.mark.slow


def softened(week: int, is_right: bool, number: int) -> float:
    """From the seventh week on the same judge lets every wrong answer pass."""
    return 0.9 if week >= CHANGED and not is_right else fair(week, is_right, number)


def test_steady_weeks_raise_no_alarm(assay: Assay) -> None:
    """The first sentence says so with its basis; the windows are Mondays; the gate passes."""
    label_all(assay, fill(assay))
    lines = assay("drift", "--gate", "--full").stdout.splitlines()
    drift = assay.json("drift")
    assert drift["gate"] == {"passed": True, "reasons": [], "undecided": []}
    assert [step["commands"] for step in drift["next"]] == [
        ["assay ingest FILE", "assay judge", "assay sample --rate 0.02", "assay drift"]
    ]

    assert lines[0] == "Nothing has changed since the week of 2026-06-01 that 560 labels of 14 windows can show."
    assert "at most 5 % of half-years without a change bring a false one on quality" in " ".join(lines)
    assert [window["window"] for window in drift["windows"]] == [
        str(FIRST + timedelta(days=7 * n)) for n in range(WEEKS)
    ]
    assert {window["correctness"]["estimate"] for window in drift["windows"]} == {0.8}
    assert {window["labels"] for window in drift["windows"]} == {A_WEEK}
    assert [point["window"] for point in drift["quality"]["path"]] == [
        window["window"] for window in drift["windows"][4:]
    ]
    assert drift["quality"]["before"]["estimate"] == pytest.approx(0.8)
    assert "to 68 %, learnt from the first 4 windows with labels." in " ".join(lines)


def test_a_drop_raises_the_quality_alarm_and_not_the_judges(assay: Assay) -> None:
    """It says when, from what to what, what to do next; the gate fails with the reason, unless told to let it pass."""
    label_all(assay, fill(assay, drop))
    failed = assay("drift", "--gate", status=3)
    drift = assay.json("drift")
    (assay.folder / "assay.toml").write_text("[gate.drift]\nquality = false\n")

    since = drift["quality"]["alarm"]["began_about"]
    assert failed.stdout.startswith("Quality has dropped: 62 % (57 to 67 %, n = 360)")
    assert failed.stdout.splitlines()[0].endswith(f"since about {since}.")
    assert "Before, it was 80 % (73 to 85 %, n = 160). The alarm came in the week of 2026-0" in failed.stdout
    assert drift["next"][0]["commands"] == ["assay slices", "assay diagnose"]
    assert drift["next"][1]["commands"] == [f"assay compare '@..{since}' '@{since}..'"]
    assert "gate failed: Quality has dropped" in failed.stderr
    assert drift["quality"]["alarm"]["window"] >= str(FIRST + timedelta(days=7 * CHANGED))
    assert drift["quality"]["alarm"]["since"]["estimate"] == pytest.approx(0.6, abs=0.05)
    assert drift["judge_alarms"] == []
    assert assay("drift", "--gate").stderr == ""


def test_a_given_rate_watches_from_the_first_week_on(assay: Assay) -> None:
    """From assay.toml; `bad` alone, or above good, is wrong usage."""
    label_all(assay, fill(assay, drop))
    assay("drift", "--bad", "0.6", status=2)
    assay("drift", "--good", "0.6", "--bad", "0.8", status=2)
    (assay.folder / "assay.toml").write_text("[drift]\ngood = 0.8\nbad = 0.7\n")
    drift = assay.json("drift")

    assert len(drift["quality"]["path"]) == WEEKS
    assert drift["quality"]["before"] == {"estimate": 0.8, "low": 0.8, "high": 0.8, "n": 0, "method": "given"}
    assert drift["plan"]["bad"] == 0.7
    assert drift["quality"]["alarm"]


def test_a_judge_that_softens_raises_its_own_alarm(assay: Assay) -> None:
    """Annotators' word is as before: quality has not changed, the gate fails for the judge alone."""
    label_all(assay, fill(assay, value=softened))
    failed = assay("drift", "--gate", status=3)
    (assay.folder / "assay.toml").write_text("[gate.drift]\njudge = false\n")

    assert failed.stdout.startswith(
        "The proxy judges differently: the rule passes wrong answers more often, 91.7 % (83 to"
    )
    assert "Quality has not dropped as far as the labels can show." in failed.stdout
    assert "The judge or the traffic may have changed: this alone does not tell which." in failed.stdout
    assert "there is no change of version to measure" in " ".join(assay("drift", "--full").stdout.split())
    assert "assay calibrate" in failed.stdout
    assert failed.stderr.startswith(
        "gate failed: The proxy judges differently: the rule passes wrong answers more often"
    )
    assert assay.json("drift")["quality"]["alarm"] is None
    assay("drift", "--gate")


def test_once_settled_the_weeks_are_watched_anew(assay: Assay) -> None:
    """From the week of the drop on nothing changes; a date that is none is wrong usage."""
    label_all(assay, fill(assay, drop))
    since = str(FIRST + timedelta(days=7 * CHANGED))
    drift = assay.json("drift", "--since", since, "--gate")

    assert drift["quality"]["alarm"] is None
    assert drift["windows"][0]["window"] == since
    assay("drift", "--since", "July", status=2)


def test_other_windows_are_days_and_months(assay: Assay) -> None:
    """Named by their dates; half a year has 182 days, or 6 months."""
    label_all(assay, fill(assay))
    days, months = assay.json("drift", "--by", "day"), assay.json("drift", "--by", "month", "--baseline", "1")

    assert [window["window"] for window in days["windows"]][:2] == ["2026-06-01", "2026-06-02"]
    assert days["plan"]["horizon"] == 182
    assert [window["window"] for window in months["windows"]] == ["2026-06", "2026-07", "2026-08", "2026-09"]
    assert months["plan"]["horizon"] == 6
    assert months["quality"]["reason"] is None


def test_thumbs_stand_beside_as_a_hint(assay: Assay) -> None:
    """The share of items with a thumb that have one down, each item once; never quality."""
    label_all(assay, fill(assay, weeks=6))
    rows = [{"item_id": f"w00-{n:02}", "value": "down" if n < 3 else "up"} for n in range(12)]
    assay("feedback", assay.write("feedback.jsonl", [*rows, {"item_id": "w00-00", "value": "up", "source": "other"}]))
    windows = assay.json("drift")["windows"]
    page = assay("drift", "--full").stdout

    assert (windows[0]["thumbs_down"]["estimate"], windows[0]["thumbs_down"]["n"]) == (0.25, 12)
    assert windows[1]["thumbs_down"] == {
        "estimate": None,
        "low": None,
        "high": None,
        "n": 0,
        "method": "",
        "reason": "no feedback",
    }
    assert "thumbs down (a hint, not quality)" in page
    assert "Thumbs down" not in assay("drift").stdout


def test_a_stream_drawn_week_by_week_is_read_whole(assay: Assay) -> None:
    """One rate gives all items the same chance, so no label is left out by lot; old weeks are not drawn from again."""
    for week in range(7):
        rows, scores, right = week_of(week)
        assay("ingest", assay.write("traffic.jsonl", rows))
        assay("scores", "import", assay.write("scores.jsonl", scores))
        if not week:
            assay("rule", "set", "s > 0.5")
        assay("sample", "--rate", "0.5", "--seed", str(week))
        drawn = {name for (name,) in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")}
        say(assay, {name: truth for name, truth in right.items() if name in drawn})
    drift = assay.json("drift")

    assert drift["answer"].startswith("Nothing has changed")
    assert drift["labels_of_equal_chance"] == drift["labels"] > 100
    assert min(window["labels"] for window in drift["windows"]) >= 10


def test_a_pass_rate_that_moves_is_a_hint_alone(assay: Assay) -> None:
    """Every answer passes from the seventh week on: said with its interval, and neither gate nor first sentence speak of it."""
    right = fill(assay, value=lambda week, is_right, number: 0.9 if week >= CHANGED or number % 4 else 0.2)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    said = assay("drift").stdout

    assert said.startswith("Whether quality has dropped cannot be told yet.")
    assert "Hint: the pass rate has moved from 75 % by +2" in said
    assert "judge or traffic, not yet quality" in " ".join(said.split())
