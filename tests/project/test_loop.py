"""The whole loop, offline: traffic in, labels back, report and gold set out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from annotate import Project
from support.project import drawn, import_labels, ingest
from support.store import read

QUANTITIES = ("correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc")
CORRECT = 40 / 60


def answers(first: int = 0) -> list[dict[str, object]]:
    """Sixty answers; every third one is beside the passage, every tenth has no passage."""
    rows = []
    for n in range(60):
        passage = f"The clinic in street {n} opens at {7 + n % 5} in the morning and closes at noon on Saturdays."
        beside = "Penguins are birds that cannot fly and live mostly on the southern half of the planet."
        rows.append(
            {
                "id": f"{first + n:05d}",
                "question": f"When does the clinic in street {n} open in the morning?",
                "contexts": [] if n % 10 == 0 else [passage],
                "answer": beside if n % 3 == 0 else f"It opens at {7 + n % 5} in the morning.",
            }
        )
    return rows


@pytest.fixture
def judged(project: Project) -> Project:
    """The sixty answers, with scores and verdicts."""
    ingest(project, answers())
    project.judge()
    return project


def is_right(item_id: str) -> bool:
    return int(item_id) % 3 != 0


def label(project: Project, names: Iterable[str]) -> None:
    """Label these items with the truth."""
    import_labels(project, [{"item_id": name, "label": is_right(name)} for name in names])


def reported(project: Project) -> dict[str, Any]:
    return project.report().to_dict()


@pytest.mark.slow
def test_the_loop_with_files(judged: Project) -> None:
    """Every item labelled through exported draws: the report equals the truth, and the gold set has the references."""
    judged.sample(labels=60, seed=7)
    judged.draws.export("draws.csv", blind=True)
    with Path("draws.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    with Path("labels.csv").open("w") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item_id", "label", "annotator", "reference"])
        for row in rows:
            right = is_right(row["question"].split()[6])
            writer.writerow([row["item_id"], "right" if right else "wrong", "ann", "" if right else "At seven."])
    judged.import_labels("labels.csv")
    report = reported(judged)

    assert list(rows[0]) == [
        *("item_id", "history", "question", "contexts", "answer"),
        *("label", "reference", "causes", "harm", "rationale", "annotator"),
    ]
    numbers = [int(row["question"].split()[6]) for row in rows]
    assert numbers != sorted(numbers), "the order tells nothing"
    assert not {f"{number:05d}" for number in numbers} & {row["item_id"] for row in rows}, "nor do the ids"
    assert report["items"] == report["labels"] == judged.scores()["item_id"].nunique() == 60
    assert report["correctness"]["estimate"] == pytest.approx(CORRECT, abs=1e-12)
    assert report["correctness"]["low"] == report["correctness"]["high"] == pytest.approx(CORRECT, abs=1e-12)
    assert report["correctness_long_run"]["low"] < CORRECT < report["correctness_long_run"]["high"]
    # Six items without passages are unscored; of the rest 36 are right and 18 wrong, and the judges tell them apart.
    assert report["judged"] == 54
    assert report["specificity"]["estimate"] == 1.0
    judged.gold.accept_all()
    assert judged.gold.export("gold.jsonl").result.rows == 60
    entries = read(Path("gold.jsonl"))
    assert {entry["reference"] for entry in entries if not is_right(str(entry["item_id"]))} == {"At seven."}
    assert {entry["wave"] for entry in entries} == {1}


@pytest.mark.slow
def test_running_any_stage_again_adds_nothing(judged: Project) -> None:
    """ingest, judge, labels import and report can be repeated; the report stays the same to the last digit."""
    judged.sample(labels=30, seed=1)
    names = [f"{n:05d}" for n in range(60)]
    label(judged, names)
    before = reported(judged)
    ingest(judged, answers())
    judged.judge()
    label(judged, names)

    assert reported(judged) == before


@pytest.mark.slow
def test_passed_items_alone_cannot_tell_the_rest(judged: Project) -> None:
    """With an audit of 0 the other quantities are null with a reason, and correctness is a range."""
    proposed = judged.sample(labels=30, audit=0, seed=1).result
    label(judged, drawn(judged))
    report = reported(judged)

    assert any("no failed item is drawn" in note for note in proposed.notes)
    assert report["pass_precision"]["estimate"] is not None
    for quantities in (report, *report["judges"], *report["candidates"]):
        for name in ("sensitivity", "specificity", "kappa", "auroc"):
            assert quantities[name]["estimate"] is None
            assert quantities[name]["reason"].startswith("not measurable: label")
    assert report["calibration"] is None
    correctness = report["correctness"]
    assert correctness["estimate"] is None
    assert correctness["low"] < CORRECT < correctness["high"]
    assert "label" in correctness["reason"]


@pytest.mark.slow
def test_hand_picked_labels_move_no_estimate(judged: Project) -> None:
    """Labels without a draw are counted beside, and every quantity stays as it was."""
    judged.sample(labels=30, seed=1)
    names = set(drawn(judged))
    label(judged, names)
    before = reported(judged)
    label(judged, {f"{n:05d}" for n in range(60)} - names)
    after = reported(judged)

    assert after["label_counts"]["hand_picked"] == 30
    assert {name: after[name] for name in QUANTITIES} == {name: before[name] for name in QUANTITIES}


@pytest.mark.slow
def test_a_second_wave_draws_others_and_narrows_the_interval(judged: Project) -> None:
    """Two waves never share an item, and together say more than the first."""
    widths, waves = [], []
    for _ in range(2):
        judged.sample(labels=20, seed=3)
        waves.append(set(drawn(judged)))
        label(judged, waves[-1])
        correctness = reported(judged)["correctness"]
        widths.append(correctness["high"] - correctness["low"])

    assert len(waves[0] | waves[1]) == 40
    assert widths[1] < widths[0]


@pytest.mark.slow
def test_a_wave_that_has_just_gone_out_does_not_hide_what_the_one_before_told(judged: Project) -> None:
    """New traffic and an unlabelled second wave change nothing; half of its labels make it count.

    Once some of its answers are read, which may be the easy ones, intervals allow for the others, and estimates stay.
    """
    judged.sample(labels=40, seed=3)
    label(judged, drawn(judged))
    before = reported(judged)
    ingest(judged, answers(first=60))
    judged.judge()
    judged.sample(labels=40, seed=3)
    unread = reported(judged)
    label(judged, drawn(judged)[:8])
    waiting = reported(judged)
    label(judged, drawn(judged))
    after = reported(judged)
    shown = ("estimate", "low", "high", "n")  # the long run knows already that every question came twice

    for name in QUANTITIES:
        assert [unread[name][key] for key in shown] == [before[name][key] for key in shown], name
        among = waiting["evidence"]["among_judged"][name]
        assert [among[key] for key in shown] == [before[name][key] for key in shown], name
        assert waiting[name]["estimate"] == before[name]["estimate"], name
        assert waiting[name]["low"] <= before[name]["low"] <= before[name]["high"] <= waiting[name]["high"], name
    assert any("wave 2 counts once half" in json.dumps(warning) for warning in waiting["warnings"])
    assert any("60 items are in no wave that counts" in json.dumps(warning) for warning in waiting["warnings"])
    assert after["correctness"]["n"] == 80
    assert not any("wave 2" in json.dumps(warning) for warning in after["warnings"])


@pytest.mark.slow
def test_a_later_wave_that_does_not_count_makes_nothing_measurable(judged: Project) -> None:
    """Wave 1 drew no failed item; that an unlabelled wave 2 drew some must not pass its failed items off as chance."""
    judged.sample(labels=20, audit=0, seed=1)
    label(judged, drawn(judged))
    before = reported(judged)
    judged.sample(labels=20, seed=2)
    after = reported(judged)

    assert before["correctness"]["estimate"] is None
    assert {name: after[name] for name in QUANTITIES} == {name: before[name] for name in QUANTITIES}
