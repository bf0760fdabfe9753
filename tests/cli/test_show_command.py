"""`assay show ITEM`: all that is known of one answer, as a person types it and as a program reads it."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from jsonschema import Draft202012Validator

from annotate.present import schemas
from annotate.store import Store
from annotate.workflow.labelling import decisions, second_reading
from support.store import NOW, Assay, kept, label, traffic_row

UNSUPPORTED = "The garden closes at noon on Mondays."
LONG = "The lift stands in the hall. " * 30
ADDRESS = "eve@example.org"
# The rule takes the lower of two scores, which is how far the passages bear on the question.
MISS = "The proxy passes it (0.596, threshold 0.500), annotators say wrong: a miss."


@kept
def shown(assay: Assay) -> Assay:
    """Four judged and drawn answers: a miss that two annotators read, one that nobody labelled, a long one, one with an address."""
    miss = traffic_row(
        "room-1",
        history=[{"role": "user", "text": "Hello, I am new here."}],
        answer=f"Room room-1 is on the ground floor. Coffee is served on the roof. {UNSUPPORTED}",
        contexts=[
            {
                "text": "Room room-1 is on the ground floor.",
                "title": "House rules",
                "source": "https://wiki.example/7?key=x",
            },
            "Coffee is served on the roof.",
        ],
        system="old",
    )
    personal = traffic_row("room-4", answer=f"Write to {ADDRESS}, room room-4 is on the ground floor.", group="ward 9")
    rows = [miss, traffic_row("room-2"), traffic_row("room-3", answer=LONG), personal]
    assay("ingest", assay.write("traffic.jsonl", rows))
    thumb = {
        "item_id": "room-1",
        "value": -1,
        "comment": "It is shut.",
        "correction": "It never closes.",
        "source": "web",
    }
    assay("feedback", assay.write("thumbs.jsonl", [thumb]))
    assay("judge")
    assay("sample", "--labels", "4", "--seed", "1")
    words = [
        label(
            "room-1",
            "wrong",
            "ann",
            rationale="No passage says so.",
            causes=["unfaithful"],
            harm="minor",
            reference="Never.",
        ),
        label("room-1", "wrong", "bob", rationale="I agree."),
        label("room-3", "unsure", "ann"),
        label("room-4", "right", "ann", rationale=f"{ADDRESS} is known to bob."),
    ]
    assay("labels", "import", assay.write("labels.jsonl", words))
    return assay


def test_a_miss_is_said_in_one_sentence_and_then_explained(shown: Assay) -> None:
    """The verdict and the label first; then everything that was brought in of this answer, and the sentence without support."""
    first, *_ = shown("show", "room-1").stdout.splitlines()
    whole = shown.words("show", "room-1")
    parts = (
        *(
            "user: Hello, I am new here.",
            "Question: Where is room room-1?",
            "The app answered: Room room-1 is on the ground floor.",
        ),
        *(f"not supported: {UNSUPPORTED}", "2 of 3 sentences"),
        *("ann: wrong, Passages say otherwise, harm: minor", "Note: No passage says so.", "Reference answer: Never."),
        *("bob: wrong", "Note: I agree.", "The label rests on agreement."),
        *("faithfulness: 0.65", "Version: faithfulness|offline|"),
        *("Thumb down by the user", "Comment: It is shut.", "Correction: It never closes."),
        *("Passage 1: House rules · wiki.example/7", "Passage 2 Text: Coffee is served on the roof."),
        *("Wave 1 drew it", "candidate, written by an annotator"),
    )

    assert first == MISS
    assert [part for part in parts if part not in whole] == []
    assert "key=x" not in whole


def test_the_json_has_the_same_under_a_published_schema(shown: Assay) -> None:
    """Every record of the answer, and the chance that the ledger holds."""
    known = shown.json("show", "room-1")
    [(chance,)] = shown.sql(
        "SELECT inclusion_probability FROM draws d JOIN items i ON i.key = d.item WHERE i.id = 'room-1'"
    )

    Draft202012Validator(schemas.json_schema("item")).validate(known)
    assert (known["verdict"], known["kind"], known["label"]["label"]) == ("pass", "miss", "wrong")
    assert (known["threshold"], known["label"]["basis"]) == (0.5, "agreement")
    assert [(reading["annotator"], reading["harm"]) for reading in known["readings"]] == [
        ("ann", "minor"),
        ("bob", None),
    ]
    assert {judged["judge"] for judged in known["judges"]} >= {"context_relevance", "faithfulness"}
    assert all(judged["reason"] for judged in known["judges"])
    verdicts = known["sentences"][0]["verdicts"]
    assert [verdict["sentence"] for verdict in verdicts if verdict["support"] != "supported"] == [UNSUPPORTED]
    assert [thumb["correction"] for thumb in known["feedback"]] == ["It never closes."]
    assert known["draw"]["inclusion_probability"] == chance
    assert known["gold"]["reference"] == "Never."
    assert [context["source"] for context in known["item"]["contexts"]] == ["wiki.example/7", None]


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("room-2", "nobody has labelled it: whether it is right is not known."),
        ("room-3", "annotators are unsure: whether it is right is not known."),
    ],
)
def test_what_is_not_known_is_said(shown: Assay, item: str, sentence: str) -> None:
    known = shown.json("show", item)

    assert known["answer"].endswith(sentence)
    assert known["status"] == "open"
    assert shown.words("show", item).startswith(known["answer"])


def test_what_was_decided_after_the_annotators_is_said(shown: Assay) -> None:
    """An adjudication beside what it settles; causes that were named since, and who asked for a second annotator."""
    shown("labels", "adjudicate", "room-3", "--label", "right", "--why", "I went there.")
    with closing(Store(shown.db)) as store:
        decisions.name_causes(store, "room-1", ["incomplete"], seen=["unfaithful"], who="lead", now=NOW)
        second_reading.ask(store, "room-4", who="lead", now=NOW)
    adjudicated, named, asked = (shown.words("show", name) for name in ("room-3", "room-1", "room-4"))

    assert "right (adjudicated) Note: I went there." in adjudicated
    assert "The label rests on adjudication." in adjudicated
    assert f"lead named the cause on {NOW}: Incomplete" in named
    assert f"lead asked for a second annotator on {NOW}." in asked
    assert shown.json("show", "room-4")["second_annotator_asked"]
    assert shown.json("show", "room-1")["named_causes"] == [{"causes": ["incomplete"], "who": "lead", "at": NOW}]


def test_a_hand_picked_label_without_scores_claims_no_agreement(assay: Assay) -> None:
    """No verdict, so nothing differs; and the label stands for no traffic."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("x")]))
    assay("labels", "import", assay.write("labels.jsonl", [label("x", "wrong")]))
    known, words = assay.json("show", "x"), assay.words("show", "x")

    assert known["answer"] == "The proxy has no verdict on it, annotators say wrong."
    assert (known["status"], known["value"], known["kind"], known["draw"], known["label"]["wave"]) == (
        "open",
        *[None] * 4,
    )
    assert "Hand-picked: it stands for no traffic." in words
    assert "No judge has scored it." in words
    assert "No wave has drawn it as it is now." in words
    assert "`assay gold add ITEM --reference TEXT` writes one" in words


def test_a_text_is_whole_with_full_and_short_without(shown: Assay) -> None:
    """Thirty sentences: all of them, or as much as two lines hold."""
    lines = shown("show", "room-3").stdout.splitlines()

    assert f"The app answered: {LONG.strip()}" in shown.words("show", "room-3")
    assert LONG[:60] in " ".join(" ".join(lines).split())
    assert LONG[:200] not in " ".join(" ".join(lines).split())
    assert len(lines) <= 25


def test_an_answer_that_has_changed_is_without_its_label(shown: Assay) -> None:
    """The label was of what it said before."""
    shown("ingest", shown.write("again.jsonl", [traffic_row("room-4", answer="Another.")]))
    known = shown.json("show", "room-4")

    assert (known["is_changed"], known["label"], known["draw"]) == (True, None, None)
    assert "annotators labelled other content" in known["answer"]


def test_of_a_forgotten_answer_no_text_is_shown(shown: Assay) -> None:
    """Label and scores stay; of its texts and of what was said of it nothing does."""
    shown("forget", "--item", "room-1", "--yes")
    printed = shown.words("show", "room-1") + json.dumps(shown.json("show", "room-1"))

    assert "The texts of this item were forgotten." in printed
    assert printed.startswith(MISS)
    texts = ("Hello", "ground floor", UNSUPPORTED, "No passage says so", "Never.", "It is shut", "House rules")
    assert [words for words in texts if words in printed] == []


def test_an_id_that_is_not_there_names_those_that_begin_alike(shown: Assay) -> None:
    """At most three, those with the longest beginning; where none is near, where ids come from."""
    near = shown("show", "room-12", status=2).stderr
    far = shown("show", "zebra", status=2).stderr

    assert "there is no item room-12: ids that begin alike are room-1" in near
    assert "room-2" not in near
    assert "`assay report --full` names" in far
    assert shown("show", "room-", status=2).stderr.strip().endswith("room-1, room-2, room-3")


def test_redaction_masks_and_hides(shown: Assay) -> None:
    """Addresses are masked, annotators numbered, hidden fields and groups not shown, in the lines and in the JSON."""
    (shown.folder / "assay.toml").write_text("[redaction]\non = true\nhidden = ['comment', 'source']\n")
    printed = {
        name: shown.words("show", name) + json.dumps(shown.json("show", name), ensure_ascii=False)
        for name in ("room-1", "room-4")
    }

    assert ADDRESS not in printed["room-4"]
    assert "ward 9" not in printed["room-4"]
    assert "is known to Annotator 2" in printed["room-4"]
    assert "It never closes." in printed["room-1"]
    assert [words for words in ("It is shut.", "wiki.example", "bob:") if words in printed["room-1"]] == []


def test_what_others_wrote_steers_no_terminal(assay: Assay) -> None:
    """Control sequences and marks of HTML come out as signs."""
    rows = [traffic_row("x", answer="\x1b[31mred\x1b[0m \u202eback", question="<b>Where?</b>")]
    assay("ingest", assay.write("traffic.jsonl", rows))
    printed = assay("show", "x", "--full").stdout

    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "The proxy has no verdict on it, nobody has labelled it" in printed
