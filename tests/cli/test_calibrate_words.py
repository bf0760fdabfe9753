"""What `assay calibrate` and `assay report` say of a threshold: what it replaces, what is left to label, why both hold."""

from __future__ import annotations

import shlex

import pytest

from annotate.present import markdown
from annotate.project import Project
from annotate.store import Store
from support.calibration import RULE, commands, is_right, labelled, ready_to_choose, scored
from support.store import Assay, traffic_row

THRESHOLD = ("calibrate", "--precision", "0.9")
EXPORT = ["assay draws export FILE --blind", "assay labels import FILE"]


@pytest.fixture
def ready(assay: Assay) -> Assay:
    """400 items, 240 of them labelled."""
    return ready_to_choose(assay)


@pytest.mark.slow
def test_the_rule_that_was_replaced_is_named_with_the_way_back(ready: Assay) -> None:
    """The command on the page, typed as it stands, puts the old rule in force again."""
    would = ready.words(*THRESHOLD, "--dry-run")
    page = ready.words(*THRESHOLD)
    back = page.partition("To go back: ")[2].partition(" --name mine")[0] + " --name mine"
    ready(*shlex.split(back)[1:])
    rule = ready.json("rule", "list")["rules"][-1]

    assert f"It would replace mine, version 1: {RULE}." in would
    assert "go back" not in would
    assert f"It replaces mine, version 1: {RULE}." in page
    assert (rule["name"], rule["expression"], rule["in_force"]) == ("mine", RULE, True)
    assert "It replaces" not in ready.words(*THRESHOLD, "--precision", "0.999")


@pytest.mark.slow
def test_a_weaker_promise_over_a_stricter_one_is_told(ready: Assay) -> None:
    """80 % after 90 %: the page says what is lost; 90 % after 80 % loses nothing."""
    ready(*THRESHOLD)
    weaker = ready.words("calibrate", "--precision", "0.8")
    stricter = ready.words(*THRESHOLD)

    assert "this guarantees less: mine, version 2, is guaranteed for 90 % at 90 % confidence" in weaker
    assert "It replaces mine, version 3" in stricter
    assert "guarantees less" not in stricter


@pytest.mark.slow
def test_no_more_labels_are_asked_for_than_there_are(assay: Assay) -> None:
    """With 30 items left the command draws 30; with none it is more of the questions, or more traffic."""
    labelled(scored(assay, 140), 110)
    calibration = assay.json(*THRESHOLD)
    page = assay.words(*THRESHOLD)
    assert calibration["need"]["draws"] > 30
    assert commands(calibration)[0] == "assay sample --labels 30"
    assert "Left to label here: 30. The rest of these draws needs new traffic" in page
    labelled(assay, 30, lambda n: "right" if n % 4 else "wrong", seed=2)
    calibration = assay.json("calibrate", "--precision", "0.8", "--share", "0.3")

    assert calibration["threshold"] is None
    assert commands(calibration)[-1] == "assay ingest FILE"
    assert not [command for command in commands(calibration) if "sample" in command]


@pytest.mark.slow
def test_draws_that_wait_come_first_and_need_no_label_studio(assay: Assay) -> None:
    """Fifty draws without a label: push them, or export them; the JSON has both commands."""
    scored(assay)
    assay("sample", "--labels", "50", "--seed", "1")

    assert commands(assay.json(*THRESHOLD)) == commands(assay.json("calibrate")) == EXPORT


@pytest.mark.slow
def test_machines_read_the_answer_and_a_list_of_commands(ready: Assay) -> None:
    """`answer` begins the page and every next step has its commands, in both calls and whatever comes of them."""
    for call in (("calibrate",), (*THRESHOLD, "--dry-run"), ("calibrate", "--precision", "0.999"), THRESHOLD):
        calibration, page = ready.json(*call), ready.words(*call)
        assert commands(calibration)
        assert page.startswith(calibration["answer"]) or call == THRESHOLD


@pytest.mark.slow
def test_a_value_that_tells_nothing_has_no_map_to_read(assay: Assay) -> None:
    """Labels by the number, whatever its value: neither map beats the mean of all answers, and none is recommended."""
    labelled(scored(assay), 240, lambda n: "right" if n % 7 % 2 else "wrong")
    calibration, page = assay.json("calibrate"), assay.words("calibrate")

    assert (
        min(calibration["brier"][name]["estimate"] for name in ("platt", "isotonic"))
        >= calibration["brier"]["base"]["estimate"]
    )
    assert (calibration["preferred"], commands(calibration)) == (None, ["assay report"])
    assert page.startswith("On these labels quality says nothing about right or wrong.")
    assert "Read the value by" not in page


@pytest.mark.slow
def test_a_certificate_beside_a_verdict_that_is_open_is_explained(assay: Assay) -> None:
    """90 %, one-sided, by half of the labels; 95 %, two-sided, by the other half: a sentence says why both hold."""
    ready = labelled(scored(assay), 240, seed=5)
    ready(*THRESHOLD)
    report, page = ready.json("report"), ready.words("report")
    stricter = ready.words("report", "--limit", "0.99")

    assert report["verdict"]["status"] == "open"
    n = report["pass_precision"]["n"]
    assert "Both can be true. The guarantee is one-sided at 90 % and uses the labels that chose the threshold" in page
    assert f"The verdict is two-sided at 95 % and uses {n} others" in page
    assert "The guarantee is for 90 %; the verdict above asks for 99 %" in stricter
    assert "Both can be true" not in ready.words("report", "--limit", "0.5")


@pytest.mark.slow
def test_a_rule_set_by_hand_after_the_labels_is_noted(ready: Assay) -> None:
    """240 labels were known; neither the first rule, nor a certified one, nor one set before its labels has the note."""
    note = "was set after 240 labels were known: if they chose it, they flatter it"
    assert "was set after" not in ready("report").stdout
    ready(*THRESHOLD)
    assert "was set after" not in ready("report").stdout
    ready("rule", "set", "quality > 0.7", "--name", "best")

    assert any(note in warning for warning in ready.json("report")["warnings"])
    assert f"Note: best v1 {note}" in ready("report").stdout


@pytest.mark.slow
def test_a_rule_set_before_any_label_has_no_note(assay: Assay) -> None:
    """Two rules by hand, then the labels."""
    scored(assay)
    assay("rule", "set", "quality > 0.6", "--name", "mine")
    labelled(assay, 100)

    assert "was set after" not in assay("report").stdout


@pytest.mark.slow
def test_what_the_judge_cannot_score_is_not_sent_to_it_again(assay: Assay) -> None:
    """Answers without passages: judged once, the judge has said its last word, and the words give its reason."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"i{n}", contexts=[]) for n in range(12)]))
    assert commands(assay.json("report")) == ["assay judge"]
    assert commands(assay.json("calibrate")) == ["assay judge"]
    assay("judge")
    for calibration in (assay.json("calibrate"), assay.json(*THRESHOLD)):
        assert "has tried every item and cannot score them (" in calibration["reason"]
        assert "assay judge" not in calibration["reason"]
        assert commands(calibration) == ["assay rule set EXPRESSION"]
    assert "cannot score them" in assay.json("report")["pass_rate"]["reason"]


def test_an_empty_store_is_sent_to_ingest(assay: Assay) -> None:
    """Nothing to sample: the report, and both forms of `calibrate`, name the command that brings traffic in."""
    Store(assay.db).close()

    assert commands(assay.json("report")) == ["assay ingest FILE"]
    assert commands(assay.json("calibrate")) == commands(assay.json(*THRESHOLD)) == ["assay ingest FILE"]


@pytest.mark.slow
def test_a_rule_that_reads_references_is_marked_in_the_table(ready: Assay) -> None:
    """It agrees with annotators perfectly and cannot stand in for them: marked in its row, and no rival in the sentence."""
    names = [name for (name,) in ready.sql("SELECT id FROM items")]
    given = [
        {"item_id": name, "judge": "correctness_vs_reference", "value": float(is_right(int(name[1:])))}
        for name in names
    ]
    ready("scores", "import", ready.write("references.jsonl", given))
    page = markdown.render(Project.open(ready.db).report().document, full=True)
    best = ready.json("report")["best_rule"]["sentence"]
    rows = [
        line
        for line in page.splitlines()
        if line.startswith("| `correctness_vs_reference > 0.5` (reads references: no")
    ]

    assert len(rows) == 1
    assert "1.00" in rows[0]
    assert "correctness_vs_reference" not in best
