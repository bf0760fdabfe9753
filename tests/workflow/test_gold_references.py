"""An item whose question has a gold entry is scored against its reference, and again once that changes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from support.endpoint import Endpoint
from support.gold_check import RIGHT, WRONG, answers, entry, gold_set
from support.model import NO_LOGPROBS, asked
from support.store import Assay, label

OTHER = "Take three tablets at noon."


def scores(assay: Assay, judge: str = "token_recall") -> Mapping[str, tuple[float, str]]:
    rows = assay.sql(
        "SELECT i.id, s.value, s.reason FROM scores s JOIN judges j ON j.key = s.judge JOIN items i ON i.key = s.item "
        f"WHERE j.judge = '{judge}' ORDER BY i.id"
    )
    return {str(name): (float(value), str(reason)) for name, value, reason in rows}


def coverage(assay: Assay, *judges: str) -> dict[str, tuple[int, int]]:
    run = assay.json("judge", "--judges", ",".join(judges or ("token_recall",)))
    return {metric["judge"]: (metric["scored"], metric["items"]) for metric in run["metrics"]}


@pytest.mark.slow
def test_every_answer_to_a_gold_question_gets_its_reference(assay: Assay) -> None:
    """A was answered wrong and corrected, b right; new answers to both are scored, and so is the wrong old one.

    The right old answer is its own reference and says nothing about itself; c is no gold question.
    """
    labels = [label("old-a", "wrong", reference=RIGHT), label("old-b")]
    gold_set(assay, answers("old", {"a": WRONG, "b": RIGHT, "c": RIGHT}), labels)
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": RIGHT, "b": "By mouth.", "c": RIGHT})))

    assert coverage(assay) == {"token_recall": (3, 6)}
    assert scores(assay)["new-a"] == (1.0, "token_recall of the answer to the reference (reference from the gold set)")
    assert scores(assay)["new-b"][0] == 0.0
    assert scores(assay)["old-a"][0] < 1.0


@pytest.mark.slow
def test_a_reference_of_the_items_own_is_kept(assay: Assay) -> None:
    """Whoever sends one knows which question it answers."""
    gold_set(assay, answers("old", {"a": WRONG}), [label("old-a", "wrong", reference=RIGHT)])
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": OTHER}, reference=OTHER)))
    coverage(assay)

    assert scores(assay)["new-a"] == (1.0, "token_recall of the answer to the reference")


@pytest.mark.slow
def test_two_entries_of_one_question_are_alternatives(assay: Assay) -> None:
    """Either reference is right."""
    labels = [label("old-a", "wrong", reference=RIGHT), label("older-a", "wrong", reference=OTHER)]
    gold_set(assay, answers("old", {"a": WRONG}) + answers("older", {"a": WRONG}), labels)
    for name in ("old-a", "older-a"):  # two such references wait for a person, who keeps both
        assay("gold", "accept", entry(assay, name))
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": OTHER})))
    coverage(assay)

    assert scores(assay)["new-a"][0] == 1.0
    assert "the best fitting of 2 references" in scores(assay)["new-a"][1]


@pytest.mark.slow
def test_a_score_follows_the_gold_set(assay: Assay) -> None:
    """No entry: no score; an entry: a score; another text: another score; retired: none again. Nothing else is asked again."""
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": OTHER, "b": OTHER}, reference=None)))
    assert coverage(assay) == {"token_recall": (0, 2)}

    gold_set(assay, answers("old", {"a": WRONG}), [label("old-a", "wrong", reference=OTHER)])
    assert coverage(assay) == {"token_recall": (2, 3)}
    assert scores(assay)["new-a"][0] == 1.0

    assay("gold", "edit", entry(assay, "old-a"), "--reference", "By mouth only.")
    assert coverage(assay) == {"token_recall": (2, 3)}
    assert scores(assay)["new-a"][0] == 0.0

    assay("gold", "retire", entry(assay, "old-a"))
    assert coverage(assay) == {"token_recall": (0, 3)}


@pytest.mark.slow
def test_a_verdict_follows_a_score_that_was_made_again(assay: Assay) -> None:
    """A rule that reads references never keeps a verdict on the reference of yesterday."""
    gold_set(assay, answers("old", {"a": WRONG}), [label("old-a", "wrong", reference=OTHER)])
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": OTHER})))
    coverage(assay)
    assay("rule", "set", "token_recall > 0.5")
    verdicts = (
        "SELECT verdict FROM verdicts v JOIN items i ON i.key = v.item WHERE i.id = 'new-a' ORDER BY rule DESC LIMIT 1"
    )
    assert assay.sql(verdicts) == [("pass",)]

    assay("gold", "edit", entry(assay, "old-a"), "--reference", "By mouth only.")
    coverage(assay)

    assert assay.sql(verdicts) == [("fail",)]


@pytest.mark.slow
def test_a_reference_or_relevant_ids_that_come_later_are_scored(assay: Assay) -> None:
    """The same answer with a reference, then with another, then with relevant ids: only what reads them is scored again."""
    row = {
        "id": "x",
        "question": "How high?",
        "answer": "It is 330 m high.",
        "contexts": [{"text": "330 m", "id": "d1"}],
    }
    assay("ingest", assay.write("t.jsonl", [row]))
    assert coverage(assay, "token_recall", "recall") == {"token_recall": (0, 1), "recall": (0, 1)}

    assay("ingest", assay.write("t.jsonl", [row | {"reference": "330 m"}]))
    assert coverage(assay, "token_recall", "recall") == {"token_recall": (1, 1), "recall": (0, 1)}
    assay("ingest", assay.write("t.jsonl", [row | {"reference": "300 ft"}]))
    coverage(assay, "token_recall")
    assert scores(assay)["x"][0] == 0.0

    assay("ingest", assay.write("t.jsonl", [row | {"reference": "300 ft", "relevant_ids": ["d1", "d2"]}]))
    assert coverage(assay, "token_recall", "recall") == {"token_recall": (1, 1), "recall": (1, 1)}
    assert scores(assay, "recall")["x"][0] == 0.5


def test_references_may_come_as_a_list(assay: Assay) -> None:
    """Each text is an alternative, bars and lines in it included."""
    row = {"id": "x", "question": "When?", "answer": "in 1889", "contexts": ["1889"]}
    assay("ingest", assay.write("t.jsonl", [row | {"reference": ["May | June", "in 1889"]}]))
    ragas = {"question": "When?", "answer": "in 1889", "contexts": ["1889"], "ground_truths": ["May", "in 1889"]}
    assay("ingest", assay.write("ragas.jsonl", [ragas]), "--yes")  # the same answer, under an id of its own
    coverage(assay, "exact_match")

    assert [value for value, _ in scores(assay, "exact_match").values()] == [1.0, 1.0]


@pytest.mark.slow
def test_a_model_reads_the_reference_of_the_gold_set_too(assay: Assay) -> None:
    """It is asked of the answers that have one, and again once the entry has another text."""
    gold_set(assay, answers("old", {"a": WRONG}), [label("old-a", "wrong", reference=RIGHT)])
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": OTHER, "b": OTHER})))
    judging = ("--judges", "correctness_vs_reference")
    with Endpoint(accepts=NO_LOGPROBS) as endpoint:
        assay(*asked(endpoint, *judging))
        first = len(scores(assay, "correctness_vs_reference"))
        assay("gold", "edit", entry(assay, "old-a"), "--reference", "By mouth only.")
        before = endpoint.requests
        again = assay.json(*asked(endpoint, *judging))

    assert first == 2  # both answers to a, and none to b
    assert again["items"] == 2
    assert endpoint.requests > before
