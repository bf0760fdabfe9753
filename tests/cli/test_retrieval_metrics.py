"""`assay diagnose` where relevant passages are known: advice that an interval shows, and what would tell where none does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from support.store import Assay, draw, label

pytestmark = pytest.mark.slow

FOUND = {"id": "r", "text": "The ward is on floor two."}
NOISE = [{"id": f"n{k}", "text": f"Coffee is served in hall {k}."} for k in range(4)]


def store(
    assay: Assay,
    contexts: Callable[[int], list[dict[str, str]]],
    wrong: Callable[[int], bool],
    relevant: Sequence[str] = ("r",),
) -> None:
    """120 answers to as many questions, each with these relevant passages, all labelled."""
    rows = [
        {
            "id": f"i{n}",
            "question": f"Where is ward {n}?",
            "answer": "On floor two.",
            "contexts": contexts(n),
            "relevant_ids": list(relevant),
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
    assert "Answers with a context recall of at most 0.000 are wrong more often: +80 points" in text
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
    assert "had a context recall of at least 1 and a precision of at least 0.5: 75 %" in text
    assert "take another model, or a stricter prompt" in text
    assert "makes answers wrong cannot be told yet" in text
    assert "To show a difference of 20 points in recall" in text or "There are too few answers" in text


def test_passages_that_have_nothing_to_do_with_errors_are_not_blamed(assay: Assay) -> None:
    """A third has the passage and no noise; half of these are wrong, as of the others: few wrong answers have both."""
    store(assay, lambda n: [FOUND] if n % 3 == 0 else NOISE[:1], lambda n: n // 3 % 2 == 0)
    told = assay.json("diagnose")["retrieval"]

    assert told["well_retrieved"]["estimate"] == pytest.approx(1 / 3)
    assert told["well_retrieved"]["long_run"]["high"] < 0.5
    assert (told["advice"], told["model"]) == ([], "open")
    text = words(assay)
    assert "Mend retrieval" not in text
    assert "this speaks neither for nor against another model" in text


def test_the_best_of_poor_passages_are_still_poor(assay: Assay) -> None:
    """Of five relevant passages no answer has more than one: another model is not advised, though most have that one."""
    store(
        assay,
        lambda n: NOISE[:1] if n % 4 == 0 else [FOUND],
        lambda n: n // 4 % 2 == 0,
        ("r", "s", "t", "u", "v"),
    )
    told = assay.json("diagnose")["retrieval"]

    assert told["thresholds"]["recall"] == 0, "the upper part begins above 0"
    assert told["well_retrieved"]["estimate"] == 0
    assert told["well_retrieved_bounds"] == {"recall": 1, "precision": 0.5}
    assert "other_model" not in told["advice"]
    assert "take another model, or" not in words(assay)


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
