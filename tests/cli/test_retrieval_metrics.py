"""`assay diagnose` where relevant passages are known: advice that an interval shows, and what would tell where none does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.store import Assay, draw, label

pytestmark = pytest.mark.slow

FOUND = {"id": "r", "text": "The ward is on floor two."}
NOISE = [{"id": f"n{k}", "text": f"Coffee is served in hall {k}."} for k in range(4)]


def store(assay: Assay, contexts: Callable[[int], list[dict[str, str]]], wrong: Callable[[int], bool]) -> None:
    """120 answers to as many questions with one relevant passage each, all labelled."""
    rows = [
        {
            "id": f"i{n}",
            "question": f"Where is ward {n}?",
            "answer": "On floor two.",
            "contexts": contexts(n),
            "relevant_ids": ["r"],
        }
        for n in range(120)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    assay("judge", "--judges", "id_context_recall,id_context_precision")
    draw(assay, len(rows))
    labels = [label(f"i{n}", "wrong" if wrong(n) else "right") for n in range(120)]
    assay("labels", "import", assay.write("labels.jsonl", labels))


def words(assay: Assay) -> str:
    return " ".join(assay("diagnose", "--full").stdout.split())


def test_missed_passages_are_blamed_where_they_make_answers_wrong(assay: Assay) -> None:
    """Every second answer lacks the passage; of these nine in ten are wrong, of the others one in ten."""
    store(
        assay,
        lambda n: ([FOUND] if n % 2 else NOISE[:1]) + NOISE[1 : 1 + n // 2 % 3],
        lambda n: (n // 2 % 10 > 0) != bool(n % 2),
    )
    told = assay.json("diagnose")["retrieval"]

    assert told["advice"] == ["find_more"]
    assert told["recall"]["difference"]["estimate"] == pytest.approx(0.8)
    assert told["recall"]["difference"]["low"] > 0
    assert told["well_retrieved"]["long_run"]["high"] < 0.5
    text = words(assay)
    assert "Answers with a context recall of at most 0 are wrong more often: +80 points" in text
    assert "Mend retrieval before you take another model." in text
    assert "clean the knowledge base" not in text.lower()


def test_noise_is_blamed_only_where_nothing_was_missed(assay: Assay) -> None:
    """Where the passage is there among noise nine in ten are wrong, else one in ten, those that lack it included."""

    def contexts(n: int) -> list[dict[str, str]]:
        return [[FOUND, *NOISE], [FOUND], NOISE[:1]][n % 3]

    store(assay, contexts, lambda n: (n // 3 % 10 > 0) == (n % 3 == 0))
    told = assay.json("diagnose")["retrieval"]

    assert told["advice"] == ["clean"]
    assert told["precision"]["difference"]["estimate"] == pytest.approx(0.8)
    assert told["recall"]["finding"] == "ruled_out", "answers without the passage are right more often"
    assert "Clean the knowledge base (outdated, duplicate and off-topic documents)" in words(assay)


def test_another_model_is_advised_where_most_wrong_answers_were_well_retrieved(assay: Assay) -> None:
    """Three in four answers have the passage and little noise, and are wrong as often as the others: one in three."""

    def contexts(n: int) -> list[dict[str, str]]:
        return [[FOUND], [FOUND], [FOUND], [FOUND], [FOUND], [FOUND], [FOUND, *NOISE], NOISE[:1]][n % 8]

    store(assay, contexts, lambda n: n // 8 % 3 == 0)
    told = assay.json("diagnose")["retrieval"]

    assert told["advice"] == ["other_model"]
    assert told["well_retrieved"]["estimate"] == pytest.approx(0.75)
    assert told["well_retrieved"]["long_run"]["low"] > 0.5
    text = words(assay)
    assert "take another model, or a stricter prompt" in text
    assert "makes answers wrong cannot be told yet" in text
    assert "To show a difference of 20 points in recall" in text or "There are too few answers" in text


def test_without_metrics_the_command_is_named_and_nothing_is_claimed(assay: Assay) -> None:
    """No relevant ids: a line with --full, and no advice."""
    rows = [{"id": f"i{n}", "question": f"Q {n}?", "answer": "A.", "contexts": ["C."]} for n in range(12)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    draw(assay, 12)
    assay(
        "labels", "import", assay.write("l.jsonl", [label(f"i{n}", "wrong" if n % 2 else "right") for n in range(12)])
    )

    assert assay.json("diagnose")["retrieval"] is None
    assert "assay judge --judges id_context_recall,id_context_precision" in words(assay)
