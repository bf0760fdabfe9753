"""`assay calibrate` names what it guarantees: few questions, unsure and unanswered draws, records of earlier versions."""

from __future__ import annotations

import sqlite3

import pytest

from support.calibration import RULE, SIGNATURE, labelled, ready_to_choose, scored, value_of
from support.scored import open_ids
from support.store import Assay, label, once, traffic_row

THRESHOLD = ("calibrate", "--precision", "0.9")


def all_scored(assay: Assay) -> Assay:
    """400 answers with scores, none of them drawn."""
    return once(assay, "claims-scored", lambda: scored(assay))


def few_groups(assay: Assay) -> Assay:
    """400 answers in fifteen conversations, 240 of them labelled; what is above .6 is nearly always right."""
    return once(assay, "claims-few-groups", lambda: in_groups(assay, 15))


def in_groups(assay: Assay, groups: int) -> Assay:
    """400 answers in so few conversations, 240 of them labelled."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"i{n}", group=f"c{n % groups}") for n in range(400)]))
    given = [{"item_id": f"i{n}", "judge": "quality", "value": value_of(n), "signature": SIGNATURE} for n in range(400)]
    assay("scores", "import", assay.write("scores.jsonl", given))
    assay("rule", "set", RULE, "--name", "mine")
    return labelled(assay, 240)


@pytest.mark.slow
def test_few_questions_give_a_guarantee_for_the_window_alone(assay: Assay) -> None:
    """Fifteen conversations: the long run is refused with the number that would do, everywhere it is shown."""
    few_groups(assay)
    page = assay.words(*THRESHOLD, "--dry-run")
    calibration = assay.json(*THRESHOLD)
    report, shown = assay.json("report"), assay.words("report")

    assert "at least 90 % of passed answers right (90 % confidence, for this window, not for the long run)." in page
    assert "and 22 are needed. Label answers to other questions; more labels on the same questions do not help." in page
    assert [claim["claim"] for claim in calibration["guarantee"]["claims"]] == ["window"]
    assert calibration["claims"]["long_run"] == calibration["claims"]["long_run"] | {
        "holds": False,
        "clusters_needed": 22,
    }
    assert calibration["claims"]["long_run"]["clusters"] < 15.01
    assert report["rule"]["guarantee"] == calibration["guarantee"]
    assert "The threshold is guaranteed for this window, not for the long run: at least 90 %" in shown
    assert assay.json("rule", "list")["rules"][-1]["guarantee"] == calibration["guarantee"]
    assert "guaranteed for this window, not for the long run" in " ".join(assay("rule", "list").stdout.split())


@pytest.mark.slow
def test_a_guarantee_can_be_asked_for(assay: Assay) -> None:
    """For the long run there is none: nothing is put in force, and the first sentence says for what."""
    few_groups(assay)
    asked = assay.json(*THRESHOLD, "--for", "long-run")

    assert (asked["threshold"], asked["saved"]) == (None, False)
    assert asked["answer"].endswith("at 90 % confidence, for the long run.")
    assert assay.json(*THRESHOLD, "--for", "window")["saved"]


@pytest.mark.slow
@pytest.mark.parametrize("share", [3, 5])
def test_unsure_draws_are_errors(assay: Assay, share: int) -> None:
    """Every third or fifth draw is unsure and the rest is right: 67 or 80 % may be right, so nothing is promised."""
    labelled(all_scored(assay), 240, lambda n: "unsure" if n % share == 0 else "right")
    calibration = assay.json(*THRESHOLD)

    assert calibration["threshold"] is None
    assert 0.5 * 120 / share < calibration["undecided"] < 1.6 * 120 / share
    assert f"{calibration['undecided']} are unsure or without an answer, and count as wrong" in assay.words(*THRESHOLD)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [0, 7])
def test_unsure_draws_in_the_part_that_failed_come_before_the_judge(assay: Assay, wrong: int) -> None:
    """A fourth of the draws is unsure: the counts tell them apart, and to settle them is the reason and the next step."""
    labelled(
        all_scored(assay),
        240,
        lambda n: "unsure" if n % 4 == 0 else "wrong" if wrong and n % wrong == 0 else "right",
    )
    calibration, page = assay.json(*THRESHOLD), assay.words(*THRESHOLD)
    first = calibration["adjudicate_first"]

    assert calibration["reason"].endswith("of them unsure or unanswered")
    assert "count as wrong, " in calibration["reason"]
    assert [step["commands"] for step in calibration["next"]] == [["assay labels disagreements"]]
    assert page.endswith("assay labels disagreements")
    assert 0 < first["undecided"] <= first["wrong"] <= first["labels"]
    assert f"No threshold yet: {first['undecided']} draw" in page
    assert f"{first['wrong']} of {first['labels']} draws count as wrong, {first['undecided']} of them unsure" in page
    assert "Best part" not in page
    assert all(row["undecided"] <= row["errors"] for row in calibration["thresholds"])
    if not wrong:
        assert all(row["undecided"] == row["errors"] for row in calibration["thresholds"])


@pytest.mark.slow
def test_a_cut_with_unsure_draws_above_it_says_how_many(assay: Assay) -> None:
    """Few of the draws are unsure, so that a threshold is found: they are told apart from what annotators called wrong."""
    labelled(all_scored(assay), 240, lambda n: "unsure" if n % 40 == 0 else "right" if value_of(n) >= 0.6 else "wrong")
    page, calibration = assay.words("calibrate", "--precision", "0.8"), assay.json("calibrate", "--precision", "0.8")
    step = next(row for row in calibration["thresholds"] if row["threshold"] == calibration["threshold"])

    assert step["undecided"] > 0
    assert f"count as wrong, {step['undecided']} of them unsure or unanswered" in page
    assert calibration["adjudicate_first"] is None


@pytest.mark.slow
def test_a_bound_below_the_promise_is_not_shown_as_its_proof(assay: Assay) -> None:
    """50 of 60 answers are labelled, 8 wrong: enough for 80 % of these sixty, and not for endless traffic like them."""
    scored(assay, 60, value=lambda n: 0.5)
    names = []

    def says(n: int) -> str:
        names.append(n)
        return "wrong" if len(names) % 6 == 0 else "right"

    labelled(assay, 50, says)
    call = ("calibrate", "--precision", "0.8", "--share", "1", "--dry-run")
    page, calibration = assay.words(*call), assay.json(*call)

    assert calibration["claims"]["window"]["holds"]
    assert "Shown for this window by 50 labels at or above the threshold, 8 of them wrong" in page
    assert "These labels alone show" not in page
    assert calibration["precision_low"] is None


@pytest.mark.slow
def test_draws_that_wait_are_errors_until_they_are_answered(assay: Assay) -> None:
    """60 % of the draws have come back, all right: no promise yet, and the way to one is to answer the others."""
    all_scored(assay)
    assay("sample", "--labels", "200", "--seed", "1")
    names = open_ids(assay)
    assay("labels", "import", assay.write("first.jsonl", [label(name, "right") for name in names[:120]]))
    waiting = assay.json(*THRESHOLD)
    page = assay.words(*THRESHOLD)
    assay("labels", "import", assay.write("rest.jsonl", [label(name, "right") for name in names[120:]]))

    assert waiting["threshold"] is None
    assert page.startswith("Not enough labels yet: 80 draws wait for an answer")
    assert "Best part" not in page
    assert waiting["next"][0]["commands"] == ["assay draws export FILE --blind", "assay labels import FILE"]
    assert assay.json(*THRESHOLD)["all_pass"]


@pytest.mark.slow
def test_a_record_of_an_earlier_version_is_shown_for_what_it_was(assay: Assay) -> None:
    """It has no claims: withdrawn where its labels share questions, else for answers drawn one by one; never the long run."""
    ready_to_choose(assay)
    assay(*THRESHOLD)
    with sqlite3.connect(assay.db) as db:
        db.execute("DELETE FROM claims")
    page, guarantee = assay.words("report"), assay.json("report")["rule"]["guarantee"]
    with sqlite3.connect(assay.db) as db:
        db.execute("UPDATE items SET \"group\" = 'own-' || id, question = 'own-' || id")
    alone = assay.words("report")

    assert "The guarantee of the threshold is withdrawn. An earlier version tested" in page
    assert (guarantee["claims"], guarantee["is_withdrawn"]) == ([], True)
    assert "guaranteed for answers drawn one by one, as an earlier version tested them. At least 90 %" in alone
    assert "for the long run" not in page.partition("threshold is")[2].partition("score nothing")[0]


@pytest.mark.slow
def test_a_value_that_was_set_after_the_labels_is_told(assay: Assay) -> None:
    """Its labels may have chosen it, and then neither guarantee holds."""
    ready_to_choose(assay)
    assert assay.json(*THRESHOLD, "--dry-run")["known_before_value"] == 0
    assay("rule", "set", "0.5 * quality > 0.25", "--name", "late")

    assert assay.json(*THRESHOLD, "--dry-run")["known_before_value"] == 240
    assert "value was set after 240 labels were known: if they chose it, neither guarantee holds" in assay.words(
        *THRESHOLD
    )
