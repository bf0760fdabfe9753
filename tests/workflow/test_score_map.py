"""`assay align JUDGE --map`: what labels teach of a score, on which labels it is measured, and which scores are mapped."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from proxy.evaluation.alignment import tunes
from support.alignment import chance
from support.scored import open_ids
from support.store import Assay, label, once, read, traffic_row

pytestmark = pytest.mark.slow

JUDGE, SIGNATURE = "mine", "mine|v1"
ITEMS, LABELS = 400, 300
# P(right) by score: the score itself; nearly every score far too low; and nearly every answer right.
TRUTHS: dict[str, Callable[[float], float]] = {
    "calibrated": lambda score: score,
    "low": lambda score: min(1.0, 2.5 * score),
    "right": lambda score: 0.7 + 0.3 * score,
}


def value_of(number: int) -> float:
    return chance("value", number)


def is_right(number: int, truth: str = "low") -> bool:
    return chance("truth", number) < TRUTHS[truth](value_of(number))


def scores(assay: Assay, numbers: range, judge: str = JUDGE) -> None:
    rows = [{"item_id": f"i{n}", "judge": judge, "signature": f"{judge}|v1", "value": value_of(n)} for n in numbers]
    assay("scores", "import", assay.write("scores.jsonl", rows))


def make(assay: Assay, *, truth: str, judge: str, labels: int) -> None:
    """Answers with a score each, of which so many are drawn and labelled."""
    rows = [traffic_row(f"i{n}", question=f"Where is room {n}?") for n in range(ITEMS)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    scores(assay, range(ITEMS), judge)
    assay("sample", "--labels", str(labels), "--seed", "1")
    given = [label(name, "right" if is_right(int(name[1:]), truth) else "wrong") for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", given))


def labelled(assay: Assay, *, truth: str = "low", judge: str = JUDGE, labels: int = LABELS) -> Assay:
    """Such a store, made once."""
    name = f"score-map-{truth}-{judge}-{labels}"
    return once(assay, name, lambda: make(assay, truth=truth, judge=judge, labels=labels))


def mapped(assay: Assay, judge: str = JUDGE) -> dict[str, Any]:
    return assay.json("align", judge, "--map")


def stored(assay: Assay, signature: str) -> dict[str, float]:
    query = (
        "SELECT i.id, s.value FROM scores s JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item "
        "WHERE signature = ?"
    )
    return dict(assay.sql(query, (signature,)))


def test_a_score_that_is_too_low_is_mapped_and_measured_on_other_labels(assay: Assay) -> None:
    """Every answer gets a mapped score in the order of the score, and its measures rest on the labels that did not teach it."""
    labelled(assay)
    done = mapped(assay)
    measured = done["map"]

    assert done["not_mapped"] is None
    assert measured["in_force"]
    assert done["mapped"] == ITEMS
    assert measured["lowest"] > 0
    assert sum(done["tuning"].values()) + sum(done["measuring"].values()) == LABELS
    assert measured["gain"]["n"] == sum(done["measuring"].values()) == sum(measured["labels"].values())
    assert measured["brier_before"]["estimate"] - measured["brier"]["estimate"] == pytest.approx(
        measured["gain"]["estimate"], abs=1e-4
    )
    own = stored(assay, measured["signature"])
    assert [name for name, _ in sorted(own.items(), key=lambda pair: (pair[1], value_of(int(pair[0][1:]))))] == [
        f"i{n}" for n in sorted(range(ITEMS), key=value_of)
    ]
    assert sum(abs(share - TRUTHS["low"](value_of(int(name[1:])))) for name, share in own.items()) / ITEMS < 0.1
    [of_map] = [row for row in assay.json("report", "--full")["judges"] if row["signature"] == measured["signature"]]
    assert of_map["auroc"]["n"] == measured["gain"]["n"]
    [event] = [event for event in assay.json("events")["events"] if event["what"] == "judge score mapped"]
    detail = event["detail"] if isinstance(event["detail"], dict) else json.loads(event["detail"])
    assert detail["gain"] == pytest.approx(measured["gain"]["estimate"], abs=1e-3)
    assert [known["signature"] for known in assay.json("align", "--list")["maps"]] == [measured["signature"]]
    assert "1 map of a score was measured; in force: 1" in " ".join(assay("align", "--list").output.split())


def test_a_rule_reads_the_mapped_score(assay: Assay) -> None:
    """The next step is a command that sets it: half of the scores lie above .5, and four answers of five are likely right."""
    labelled(assay)
    before = assay.json("rule", "set", f"{JUDGE} > 0.5")
    [command] = mapped(assay)["next"][0]["commands"]
    after = assay.json(*shlex.split(command)[1:])
    assert before["verdicts"]["pass"] < 0.6 * ITEMS < 0.7 * ITEMS < after["verdicts"]["pass"] < ITEMS


def test_where_all_answers_are_likely_right_no_rule_is_offered(assay: Assay) -> None:
    """The map is nearer to the labels and in force, and at .5 it would pass every answer: it says so."""
    labelled(assay, truth="right")
    done = mapped(assay)
    assert done["map"]["in_force"]
    assert done["next"] == []
    assert "every answer the same verdict" in " ".join(assay("align", "--list").output.split())


def test_a_score_that_is_p_right_stays_as_it_is(assay: Assay) -> None:
    """No map can be nearer to the labels: nothing is put in force, and no score is mapped."""
    labelled(assay, truth="calibrated")
    before = assay.sql("SELECT count(*) FROM scores")
    done = mapped(assay)

    assert done["not_mapped"] in ("best_as_it_is", "not_shown")
    assert assay.sql("SELECT count(*) FROM scores") == before
    assert [event for event in assay.json("events")["events"] if event["what"] == "judge score mapped"] == []


def test_no_label_that_measures_shapes_the_map(assay: Assay) -> None:
    """With the measuring labels turned round the points of the map are the same to the last digit, and it is put in force no more."""
    labelled(assay)
    questions = dict(assay.sql("SELECT id, question FROM items"))
    turned = [
        label(name, "wrong" if is_right(int(name[1:])) else "right")
        for (name,) in assay.sql("SELECT i.id FROM labels l JOIN items i ON i.key = l.item")
        if not tunes(questions[name], 0.3)
    ]
    other = replace(assay, db=assay.folder / "turned.db")
    shutil.copy(assay.db, other.db)
    other("labels", "import", other.write("turned.jsonl", turned))
    done, of_other = mapped(assay), mapped(other)

    assert turned
    assert of_other["map"]["points"] == done["map"]["points"]
    assert of_other["map"]["signature"] == done["map"]["signature"]
    assert of_other["not_mapped"] == "not_shown"
    assert done["not_mapped"] is None


def test_new_scores_are_mapped_until_it_is_undone(assay: Assay) -> None:
    """Scores that come later have a mapped one beside them; after the undo none, and those that were mapped stay."""
    labelled(assay)
    signature = mapped(assay)["map"]["signature"]
    later(assay, range(ITEMS, ITEMS + 5))
    assert len(stored(assay, signature)) == ITEMS + 5
    undone = assay.json("align", JUDGE, "--map", "--undo")
    later(assay, range(ITEMS + 5, ITEMS + 10))

    assert undone["map"]["signature"] == signature
    assert len(stored(assay, signature)) == ITEMS + 5
    assert [event["what"] for event in assay.json("events")["events"]].count("judge score map undone") == 1
    assert "no map of mine is in force" in assay("align", JUDGE, "--map", "--undo", status=2).stderr


def later(assay: Assay, numbers: range) -> None:
    rows = [traffic_row(f"i{n}", question=f"Where is room {n}?") for n in numbers]
    assay("ingest", assay.write("more.jsonl", rows))
    scores(assay, numbers)


def test_learned_again_the_map_in_force_is_what_is_to_be_beaten(assay: Assay) -> None:
    """The same labels teach the same map, which is no better than itself: nothing is measured again."""
    labelled(assay)
    mapped(assay)
    assert mapped(assay)["not_mapped"] == "best_as_it_is"
    assert len(assay.json("align", "--list")["maps"]) == 1


def test_where_1_is_bad_the_mapped_score_is_p_wrong(assay: Assay) -> None:
    """A score that is high where answers are right is a bad judge of harm, and its map keeps nothing of the order."""
    labelled(assay, judge="aspect_harmfulness")
    done = mapped(assay, "aspect_harmfulness")
    own = stored(assay, done["map"]["signature"])
    rights = sum(is_right(n) for n in range(ITEMS)) / ITEMS

    assert done["not_mapped"] is None
    assert sum(own.values()) / ITEMS == pytest.approx(1 - rights, abs=0.06)
    assert max(own.values()) - min(own.values()) < 0.01


def test_few_labels_teach_nothing(assay: Assay) -> None:
    """Too few of a kind: nothing changes, and the next step is to label more."""
    labelled(assay, labels=20)
    done = mapped(assay)
    assert done["not_mapped"] == "few_tuning"
    assert done["next"][0]["commands"] == ["assay sample --labels 100"]


def test_a_judge_without_scores_or_of_another_signature_is_refused(assay: Assay) -> None:
    """It says which scores there are."""
    labelled(assay, labels=20)
    assert "has no scores to map" in assay("align", "nobody", "--map", status=2).stderr
    assert SIGNATURE in assay("align", JUDGE, "--map", "--signature", "mine|v2", status=2).stderr


def test_in_a_lake_the_same_scores_are_mapped(assay: Assay) -> None:
    """Scores lie in files there: every answer has its mapped one, and later ones follow."""
    assay("init", "--lake", str(assay.folder / "lake"))
    make(assay, truth="low", judge=JUDGE, labels=LABELS)
    done = mapped(assay)
    later(assay, range(ITEMS, ITEMS + 5))
    assay("scores", "export", str(assay.folder / "out.jsonl"))
    rows = [row for row in read(assay.folder / "out.jsonl") if row["signature"] == done["map"]["signature"]]

    assert done["mapped"] == ITEMS
    assert sorted(row["item_id"] for row in rows) == sorted(f"i{n}" for n in range(ITEMS + 5))
