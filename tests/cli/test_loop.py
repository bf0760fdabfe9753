"""The whole loop through the command, offline: traffic in, labels back, report and gold set out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from annotate.cli import main

QUANTITIES = ("correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc")


def assay(db: Path, *words: str, status: int = 0) -> str:
    """What a command prints on standard output."""
    result = CliRunner().invoke(main, [*words, "--db", str(db)])
    assert result.exit_code == status, result.output
    return result.stdout


def assay_json(db: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(assay(db, *words, "--json"))
    return found


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """Sixty answers; every third one is beside the passage, every tenth has no passage."""
    path = tmp_path / "traffic.jsonl"
    rows = []
    for n in range(60):
        passage = f"The clinic in street {n} opens at {7 + n % 5} in the morning and closes at noon on Saturdays."
        beside = "Penguins are birds that cannot fly and live mostly on the southern half of the planet."
        answer = beside if n % 3 == 0 else f"It opens at {7 + n % 5} in the morning."
        contexts = [] if n % 10 == 0 else [passage]
        question = f"When does the clinic in street {n} open in the morning?"
        rows.append({"id": f"{n:05d}", "question": question, "contexts": contexts, "answer": answer})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def is_right(item_id: str) -> bool:
    return int(item_id) % 3 != 0


@pytest.mark.slow
def test_the_loop_with_files(tmp_path: Path, traffic: Path) -> None:
    """Every item labelled through exported draws: the report equals the truth, and the gold set has the references."""
    db = tmp_path / "assay.db"
    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    assay(db, "sample", "--labels", "60", "--seed", "7")
    assay(db, "draws", "export", str(tmp_path / "draws.csv"), "--blind")
    with (tmp_path / "draws.csv").open() as stream:
        drawn = list(csv.DictReader(stream))
    with (tmp_path / "labels.csv").open("w") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item_id", "label", "annotator", "reference"])
        for row in drawn:
            right = is_right(row["question"].split()[6])
            writer.writerow([row["item_id"], "right" if right else "wrong", "ann", "" if right else "At seven."])
    assay(db, "labels", "import", str(tmp_path / "labels.csv"))
    found = assay_json(db, "report")
    verdicts = {row["item_id"]: row for row in map(json.loads, (assay(db, "scores", "export", "-")).splitlines())}

    assert list(drawn[0]) == [
        "item_id",
        "history",
        "question",
        "contexts",
        "answer",
        "label",
        "reference",
        "causes",
        "harm",
        "rationale",
        "annotator",
    ]
    numbers = [int(row["question"].split()[6]) for row in drawn]
    assert numbers != sorted(numbers), "the order tells nothing"
    assert not {f"{number:05d}" for number in numbers} & {row["item_id"] for row in drawn}, "nor do the ids"
    assert found["items"] == found["labels"] == len(verdicts) == 60
    assert found["correctness"]["estimate"] == pytest.approx(40 / 60, abs=1e-12)
    assert found["correctness"]["low"] == found["correctness"]["high"] == pytest.approx(40 / 60, abs=1e-12)
    assert found["correctness_long_run"]["low"] < 40 / 60 < found["correctness_long_run"]["high"]
    # Six items without passages are unscored; of the rest 36 are right and 18 wrong, and the judges tell them apart.
    assert found["judged"] == 54
    assert found["specificity"]["estimate"] == 1.0
    gold = assay_json(db, "gold", "list")
    assert len(gold["gold"]) == 60
    assay(db, "gold", "accept", "--all")
    assay(db, "gold", "export", str(tmp_path / "gold.jsonl"))
    entries = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert {entry["reference"] for entry in entries if not is_right(entry["item_id"])} == {"At seven."}
    assert {entry["wave"] for entry in entries} == {1}


@pytest.mark.slow
def test_running_any_stage_again_adds_nothing(tmp_path: Path, traffic: Path) -> None:
    """ingest, judge, labels import and report can be repeated; the report stays the same to the last digit."""
    db, labels = tmp_path / "assay.db", tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps({"item_id": f"{n:05d}", "label": is_right(str(n))}) + "\n" for n in range(60)))
    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    assay(db, "sample", "--labels", "30", "--seed", "1")
    assay(db, "labels", "import", str(labels))
    before = assay_json(db, "report")
    for words in (("ingest", str(traffic)), ("judge",), ("labels", "import", str(labels))):
        assay(db, *words)

    assert assay_json(db, "report") == before


def test_passed_items_alone_cannot_tell_the_rest(tmp_path: Path, traffic: Path) -> None:
    """With --audit 0 the other quantities are null with a reason, and correctness is a range."""
    db, labels = tmp_path / "assay.db", tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps({"item_id": f"{n:05d}", "label": is_right(str(n))}) + "\n" for n in range(60)))
    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    printed = assay(db, "sample", "--labels", "30", "--audit", "0", "--seed", "1")
    drawn = {json.loads(line)["item_id"] for line in assay(db, "draws", "export", "-").splitlines()}
    labels.write_text(
        "".join(line + "\n" for line in labels.read_text().splitlines() if json.loads(line)["item_id"] in drawn)
    )
    assay(db, "labels", "import", str(labels))
    found = assay_json(db, "report")

    assert "no failed item is drawn" in printed
    assert found["pass_precision"]["estimate"] is not None
    for one in (found, *found["judges"], *found["candidates"]):
        for name in ("sensitivity", "specificity", "kappa", "auroc"):
            assert one[name]["estimate"] is None
            assert one[name]["reason"].startswith("not measurable: label")
    assert found["calibration"] is None
    correctness = found["correctness"]
    assert correctness["estimate"] is None
    assert correctness["low"] < 40 / 60 < correctness["high"]
    assert "label" in correctness["reason"]


@pytest.mark.slow
def test_hand_picked_labels_move_no_estimate(tmp_path: Path, traffic: Path) -> None:
    """Labels without a draw are counted beside, and every quantity stays as it was."""
    db = tmp_path / "assay.db"
    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    assay(db, "sample", "--labels", "30", "--seed", "1")
    drawn = {json.loads(line)["item_id"] for line in assay(db, "draws", "export", "-").splitlines()}
    every = [json.dumps({"item_id": f"{n:05d}", "label": "right" if is_right(str(n)) else "wrong"}) for n in range(60)]
    (tmp_path / "drawn.jsonl").write_text("\n".join(row for row in every if json.loads(row)["item_id"] in drawn))
    (tmp_path / "others.jsonl").write_text("\n".join(row for row in every if json.loads(row)["item_id"] not in drawn))
    assay(db, "labels", "import", str(tmp_path / "drawn.jsonl"))
    before = assay_json(db, "report")
    assay(db, "labels", "import", str(tmp_path / "others.jsonl"))
    after = assay_json(db, "report")

    assert after["label_counts"]["hand_picked"] == 30
    assert {name: after[name] for name in QUANTITIES} == {name: before[name] for name in QUANTITIES}


@pytest.mark.slow
def test_a_second_wave_draws_others_and_narrows_the_interval(tmp_path: Path, traffic: Path) -> None:
    """Two waves never share an item, and together say more than the first."""
    db, labels = tmp_path / "assay.db", tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps({"item_id": f"{n:05d}", "label": is_right(str(n))}) + "\n" for n in range(60)))
    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    widths, drawn = [], []
    for _ in range(2):
        assay(db, "sample", "--labels", "20", "--seed", "3")
        rows = [json.loads(line) for line in assay(db, "draws", "export", "-").splitlines()]
        drawn.append({row["item_id"] for row in rows})
        (tmp_path / "wave.jsonl").write_text(
            "".join(json.dumps({"item_id": one, "label": is_right(one)}) + "\n" for one in drawn[-1])
        )
        assay(db, "labels", "import", str(tmp_path / "wave.jsonl"))
        correctness = assay_json(db, "report")["correctness"]
        widths.append(correctness["high"] - correctness["low"])

    assert len(drawn[0] | drawn[1]) == 40
    assert widths[1] < widths[0]


@pytest.mark.slow
def test_a_wave_that_has_just_gone_out_does_not_hide_what_the_one_before_told(tmp_path: Path, traffic: Path) -> None:
    """New traffic and an unlabelled second wave change no estimate; half of its labels make it count."""
    db = tmp_path / "assay.db"
    more = tmp_path / "more.jsonl"
    rows = [json.loads(line) for line in traffic.read_text().splitlines()]
    more.write_text("".join(json.dumps(row | {"id": f"{int(row['id']) + 60:05d}"}) + "\n" for row in rows))
    write = "".join(json.dumps({"item_id": f"{n:05d}", "label": is_right(str(n))}) + "\n" for n in range(120))

    def label_open(share: float) -> None:
        names = [json.loads(line)["item_id"] for line in assay(db, "draws", "export", "-").splitlines()]
        chosen = set(names[: round(share * len(names))])
        picked = [line for line in write.splitlines() if json.loads(line)["item_id"] in chosen]
        (tmp_path / "labels.jsonl").write_text("\n".join(picked))
        assay(db, "labels", "import", str(tmp_path / "labels.jsonl"))

    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    assay(db, "sample", "--labels", "40", "--seed", "3")
    label_open(1)
    before = assay_json(db, "report")
    assay(db, "ingest", str(more))
    assay(db, "judge")
    assay(db, "sample", "--labels", "40", "--seed", "3")
    label_open(0.2)
    waiting = assay_json(db, "report")
    label_open(1)
    after = assay_json(db, "report")
    shown = ("estimate", "low", "high", "n")  # the long run knows already that every question came twice

    for name in QUANTITIES:
        assert [waiting[name][key] for key in shown] == [before[name][key] for key in shown], name
    assert any("wave 2 counts once half" in warning for warning in waiting["warnings"])
    assert any("60 items came" in warning for warning in waiting["warnings"])
    assert after["correctness"]["n"] == 80
    assert not any("wave 2" in warning for warning in after["warnings"])


@pytest.mark.slow
def test_the_demo_keeps_out_of_a_store_in_use(tmp_path: Path, traffic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that the environment names is not the demo's, and one named by hand must not hold other items."""
    db = tmp_path / "assay.db"
    assay(db, "ingest", str(traffic))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DB", str(db))
    walked = CliRunner().invoke(main, ["demo"])
    refused = CliRunner().invoke(main, ["demo", "--db", str(db)])

    assert (walked.exit_code, refused.exit_code) == (0, 2)
    assert (tmp_path / "assay-demo.db").exists()
    assert "not the demo's" in refused.stderr
    assert assay_json(db, "report")["items"] == 60


def test_a_later_wave_that_does_not_count_makes_nothing_measurable(tmp_path: Path, traffic: Path) -> None:
    """Wave 1 drew no failed item; that an unlabelled wave 2 drew some must not pass its failed items off as chance."""
    db = tmp_path / "assay.db"
    assay(db, "ingest", str(traffic))
    assay(db, "judge")
    assay(db, "sample", "--labels", "20", "--audit", "0", "--seed", "1")
    drawn = [json.loads(line)["item_id"] for line in assay(db, "draws", "export", "-").splitlines()]
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps({"item_id": one, "label": is_right(one)}) + "\n" for one in drawn))
    assay(db, "labels", "import", str(labels))
    before = assay_json(db, "report")
    assay(db, "sample", "--labels", "20", "--seed", "2")
    after = assay_json(db, "report")

    assert before["correctness"]["estimate"] is None
    assert {name: after[name] for name in QUANTITIES} == {name: before[name] for name in QUANTITIES}
