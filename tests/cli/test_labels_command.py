"""`assay labels` as a person types it: what waits, adjudicating it, every revision, who labels how, and the exports."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from support.store import Assay, draw, label

NASTY = "e\x1b[31mve\u202e"


def imported(assay: Assay, rows: Sequence[dict[str, object]], name: str = "l.jsonl") -> None:
    assay("labels", "import", assay.write(name, list(rows)))


@pytest.fixture
def disputed(loaded: Assay) -> Assay:
    """Eight drawn items: a and b disputed, b with serious harm, c agreed, d unsure, e read once."""
    draw(loaded)
    imported(
        loaded,
        [
            *(label("a", "right", "ann"), label("a", "wrong", "bob", reference="Upstairs.", rationale="The floor.")),
            *(label("b", "right", "ann"), label("b", "wrong", "bob", harm="serious", causes=["unfaithful"])),
            *(label("c", "right", "ann"), label("c", "right", "bob")),
            *(label("d", "unsure", "ann"), label("e", "wrong", NASTY, reference="Here.", seconds=7)),
        ],
    )
    return loaded


def test_what_waits_is_listed_without_names(disputed: Assay) -> None:
    """The most urgent first, in words and as data."""
    listing = disputed.json("labels", "disagreements")
    page = disputed("labels", "disagreements", "--full").stdout

    assert [(case["item_id"], case["why"], case["serious"]) for case in listing["disagreements"]][:2] == [
        *(("b", "annotators disagree", True), ("a", "annotators disagree", False)),
    ]
    assert sorted(reading["label"] for reading in listing["disagreements"][0]["readings"]) == ["right", "wrong"]
    assert listing["second_annotator"] == 1
    assert page.index("b (serious harm)") < page.index("a: Annotators disagree") < page.index("d: No annotator")
    assert "Annotator A: " in page
    assert not re.search(r"\b(ann|bob)\b", page)


def test_an_item_is_adjudicated_and_taken_back(disputed: Assay) -> None:
    """What it is now, by what, and how many wait; the same again says so."""
    adjudicate = ("labels", "adjudicate", "a", "--label", "wrong", "--why", "Bob is right.", "--reference", "Upstairs!")
    done = disputed.json(*adjudicate)

    told = {"item_id": "a", "label": "wrong", "basis": "adjudication", "added": True, "waiting": 2}
    assert {name: done[name] for name in told} == told
    assert "as before" in disputed(*adjudicate).stdout
    taken = disputed("labels", "adjudicate", "a", "--take-back", "--why", "Hasty.").stdout
    assert "a is unsure by disagreement" in taken


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--label", "wrong", "--why", "x", "--cause", "bad luck"), "retrieval_missed"),
        (("--label", "wrong", "--why", "x", "--annotator", "A", "--reference", "y"), "not both"),
        (("--why", "x"), "--take-back"),
        (("--why", "x", "--take-back"), "nothing to take back"),
    ],
)
def test_what_cannot_be_adjudicated_is_one_line(disputed: Assay, args: tuple[str, ...], why: str) -> None:
    """Wrong usage is status 2."""
    refused = disputed("labels", "adjudicate", "a", *args, status=2)

    assert why in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.slow
def test_history_and_annotators_show_names_and_texts_harmlessly(disputed: Assay) -> None:
    """Every revision and everybody by name; nothing steers the terminal."""
    imported(disputed, [label("e", "right", NASTY, rationale=NASTY)], "again.jsonl")
    disputed("labels", "adjudicate", "e", "--label", "unsure", "--why", "Ask the pharmacy.")
    history, annotators = (disputed("labels", *words, "--full").stdout for words in (("history", "e"), ("annotators",)))

    assert "Ask the pharmacy." in history
    assert "3 revisions" in history
    assert "3 annotators" in annotators
    assert not {"\x1b", "\u202e"} & set(history + annotators)
    revisions = disputed.json("labels", "history", "e")["revisions"]
    assert [revision["label"] for revision in revisions] == ["wrong", "right", "unsure"]
    listing = disputed.json("labels", "annotators")
    assert [(each["name"], each["n"]) for each in listing["annotators"]] == [("ann", 4), ("bob", 3), (NASTY, 1)]
    assert [entry["edits"] for entry in listing["log"] if entry["source"] == "file"] == [1]
