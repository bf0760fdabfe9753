"""The same question and answer, labelled right here and wrong there: shown everywhere, and adjudicated by nobody but a person."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.store import Assay, draw, label, traffic_row

TURNS = [{"role": "user", "text": "I have an MRI."}]
SAME = {"question": "When must I stop eating?", "answer": "Six hours before."}


@pytest.fixture
def repeated(assay: Assay) -> Assay:
    """Two that ask and say the same but for case and spaces, one after a conversation, one with another answer, one with a mark."""
    rows: list[Mapping[str, object]] = [
        traffic_row("a", **SAME, system="one"),
        traffic_row("b", question="when must I  stop eating? ", answer="SIX hours\nbefore.", contexts=[], system="two"),
        traffic_row("c", **SAME, history=TURNS),
        traffic_row("d", **SAME | {"answer": "Two hours before."}),
        traffic_row("e", **SAME | {"answer": "Six hours before!"}),
        traffic_row("f"),
    ]
    assay("ingest", assay.write("t.jsonl", rows))
    return assay


@pytest.mark.slow
def test_opposite_labels_are_listed_with_whose_they_are(repeated: Assay) -> None:
    """Only where question, conversation and answer are the same; words, JSON, report and queue give one number."""
    draw(repeated, 6)
    words = {"a": "right", "b": "wrong", "c": "wrong", "d": "wrong", "e": "wrong", "f": "unsure"}
    rows = [label(name, word, "ann" if name == "a" else "bob") for name, word in words.items()]
    repeated("labels", "import", repeated.write("l.jsonl", rows))

    assert repeated.json("labels", "opposite")["opposite"] == [
        [
            {"item_id": "a", "label": "right", "annotator": "ann"},
            {"item_id": "b", "label": "wrong", "annotator": "bob"},
        ]
    ]
    said = repeated.words("labels", "opposite")
    assert said.startswith("1 answer with opposite labels, 2 items.")
    assert "1 a right ann 1 b wrong bob" in said
    note = "answers labelled right in one item and wrong in another that asks and says the same: 1 (2 items)"
    assert any(note in warning for warning in repeated.json("report")["warnings"])
    assert note in " ".join(repeated("report", "--full").stdout.split())
    assert note in repeated.words("labels", "disagreements")
    queue = repeated.json("labels", "disagreements")
    assert queue["opposite"] == 1
    assert [disagreement["item_id"] for disagreement in queue["disagreements"]] == ["f"], (
        "opposite labels are no dispute between annotators"
    )


@pytest.mark.parametrize("words", [("right", "right"), ("wrong", "wrong"), ("right", "unsure"), ("right", None)])
def test_labels_that_are_not_opposite_say_nothing(repeated: Assay, words: tuple[str, str | None]) -> None:
    """Nor does an answer without a label, or one that nobody is sure of."""
    rows = [label(name, word) for name, word in zip("ab", words, strict=True) if word]
    repeated("labels", "import", repeated.write("l.jsonl", rows))

    assert repeated.json("labels", "opposite")["opposite"] == []
    assert not any("labelled right in one item" in warning for warning in repeated.json("report")["warnings"])


def test_an_adjudication_ends_it(repeated: Assay) -> None:
    """Once a person has adjudicated one of them the two agree."""
    repeated("labels", "import", repeated.write("l.jsonl", [label("a", "right"), label("b", "wrong")]))
    assert len(repeated.json("labels", "opposite")["opposite"]) == 1

    repeated("labels", "adjudicate", "b", "--label", "right", "--why", "It is the same as a.")

    assert repeated.json("labels", "opposite")["opposite"] == []


def test_a_superseded_answer_does_not_count(repeated: Assay) -> None:
    """Its content is another by now."""
    repeated("labels", "import", repeated.write("l.jsonl", [label("a", "right"), label("b", "wrong")]))
    repeated("ingest", repeated.write("u.jsonl", [traffic_row("b", question="Else?", answer="No.")]))

    assert repeated.json("labels", "opposite")["opposite"] == []
