"""`assay judge` says when nothing passes or could be scored, why, and which judge could."""

from __future__ import annotations

import shlex

import pytest

from support.store import Assay, traffic_row


@pytest.mark.slow
def test_without_passages_the_judge_that_reads_references_is_named(assay: Assay) -> None:
    """Every reason has its count, and the commands that are named run and score the answers."""
    rows = [traffic_row(name, contexts=[], reference=f"Room {name} is on the ground floor.") for name in "abc"]
    assay("ingest", assay.write("t.jsonl", [*rows, traffic_row("d", contexts=[], answer="?")]))

    message = assay("judge").stderr
    shortfall = assay.json("judge")["nothing_passes"]

    assert "nothing could be scored: the rule has no score for any of 4 answers" in message
    assert "faithfulness gave no score: 4 × no passages were retrieved" in message
    assert "3 answers have a reference, and correctness_vs_reference can score those" in message
    assert shortfall["scored"] == 0
    assert shortfall["failures"]["context_relevance"] == [{"reason": "no passages were retrieved", "rows": 4}]
    for command in shortfall["next"]:
        assay(*shlex.split(command)[1:])
    after = assay.json("judge")
    assert (after["verdicts"]["pass"], after["verdicts"]["unscored"]) == (3, 1)
    assert after["nothing_passes"] is None


def test_without_references_the_passages_are_asked_for(assay: Assay) -> None:
    """No judge is named that could not score anything."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", contexts=[])]))

    message = assay("judge").output

    assert "correctness_vs_reference" not in message
    assert "assay ingest FILE --map contexts=FIELD" in message


def test_answers_that_all_fail_are_said_with_the_highest_value(assay: Assay) -> None:
    """Scored is not passed; where one passes nothing is said."""
    off = {"answer": "Bananas cost three euros.", "contexts": ["The pool opens in May."]}
    assay("ingest", assay.write("t.jsonl", [traffic_row(name, **off) for name in "ab"]))

    first = assay("judge")
    assay("ingest", assay.write("more.jsonl", [traffic_row("c")]))
    then = assay("judge")

    assert "nothing passes: 2 of 2 answers are scored, the highest value is 0." in first.stderr
    assert "nothing passes" not in then.stderr
