"""`assay diagnose` where little is known: no passages, no score that a judge could give, few wrong labels, empty reasons."""

from __future__ import annotations

import pytest

from support.diagnosis import given, scored
from support.store import Assay, label, traffic_row


@pytest.mark.slow
def test_without_any_passage_no_stage_is_blamed(assay: Assay) -> None:
    """Judges have tried and cannot score them: neither retrieval nor `assay judge` is named."""
    rows = [traffic_row(name, contexts=[]) for name in "abcdef"]
    given(assay, rows, [], [label(name, "wrong") for name in "abcdef"])
    assay("judge")
    page, diagnosis = assay("diagnose").stdout, assay.json("diagnose")

    assert "6 of 6 labelled wrong answers have no passages logged" in page.splitlines()[0]
    assert (diagnosis["systems"][0]["naming"]["stage"], diagnosis["next"]) == (None, [])
    assert "bottleneck" not in page
    assert "assay judge" not in page


@pytest.mark.slow
def test_what_judges_cannot_score_is_said_with_the_reason(assay: Assay) -> None:
    """Passages are there and the answers have no words: the judge's own reason, and no further run of it."""
    rows = [traffic_row(name, answer="…") for name in "abc"]
    given(assay, rows, [row for name in "abc" for row in scored(name, 0.9, None)], [label(n, "wrong") for n in "abc"])
    assay("judge", "--judges", "faithfulness")
    assay("rule", "set", "context_relevance > 0.5", "--signature", "context_relevance=post")
    page, diagnosis = " ".join(assay("diagnose").stdout.split()), assay.json("diagnose")

    assert diagnosis["systems"][0]["cannot_be_scored"]["items"] == 3
    assert "the judges cannot score 3 of them because: " in page
    assert "assay judge" not in page
    assert diagnosis["next"] == []


@pytest.mark.slow
def test_few_wrong_labels_name_no_bottleneck(assay: Assay) -> None:
    """Two, and all passages score high: the counts are shown, no stage is named, and other answers come next."""
    given(
        assay,
        [traffic_row(n) for n in "ab"],
        scored("a", 0.9, 0.1) + scored("b", 0.9, 0.1),
        [label(n, "wrong") for n in "ab"],
    )
    page, diagnosis = " ".join(assay("diagnose").stdout.split()), assay.json("diagnose")

    assert "No stage can be named: no answer has passages that score at most 0.500 (the lowest is 0.90)" in page
    assert "bottleneck" not in page
    assert "passages scored high, answer not faithful 2 of 2" in page
    assert diagnosis["systems"][0]["naming"]["stage"] is None
    assert [step["commands"] for step in diagnosis["next"]] == [["assay ingest FILE"]]


@pytest.mark.slow
def test_an_empty_reason_leaves_nothing_behind(assay: Assay) -> None:
    """A dash after the value where the judge gave no words."""
    rows = [{**row, "reason": reason} for row, reason in zip(scored("a", 0.84, 0.9), (" ", ""), strict=True)]
    given(assay, [traffic_row("a")], rows, [label("a", "wrong")])

    assert "context_relevance 0.84: —\n" in assay("diagnose", "--full").stdout


def split(assay: Assay, labels: list[dict[str, object]], names: list[str]) -> None:
    """Half of the answers with bad passages, all drawn; these labels."""
    rows = [row for n, name in enumerate(names) for row in scored(name, 0.1 if n % 2 else 0.9, 0.9)]
    given(assay, [traffic_row(name) for name in names], rows, labels)


@pytest.mark.slow
def test_draws_that_nobody_answered_count_against_a_name(assay: Assay) -> None:
    """All wrong with bad passages, all right with good ones; with half of the draws unanswered nothing is named."""
    names = [f"i{n}" for n in range(80)]
    words = {name: "wrong" if n % 2 else "right" for n, name in enumerate(names)}
    split(assay, [label(name, words[name]) for name in names[:40]], names)
    before = assay.json("diagnose")["systems"][0]
    assay("labels", "import", assay.write("rest.jsonl", [label(name, words[name]) for name in names[40:]]))
    after = assay.json("diagnose")["systems"][0]

    assert before["naming"]["stage"] is None
    assert before["naming"]["tested"]["retrieval"]["difference"]["low"] <= 0
    assert after["naming"]["stage"] == "retrieval"


@pytest.mark.slow
def test_annotators_who_agree_no_better_than_chance_carry_no_name(assay: Assay) -> None:
    """The resolved labels part the two sides perfectly; a second annotator contradicts half of them at random."""
    names = [f"i{n}" for n in range(80)]
    first = [label(name, "wrong" if n % 2 else "right", annotator="ann") for n, name in enumerate(names)]
    split(assay, first, names)
    assert assay.json("diagnose")["systems"][0]["naming"]["stage"] == "retrieval"
    second = [label(name, "wrong" if (n // 2) % 2 else "right", annotator="bob") for n, name in enumerate(names)]
    assay("labels", "import", assay.write("second.jsonl", second))
    naming = assay.json("diagnose")["systems"][0]["naming"]

    assert (naming["stage"], naming["obstacle"]) == (None, "objection")
    assert naming["sentence"] == "No stage can be named: the labels support no conclusion."
    assert "agree no better than chance" in naming["details"][0]
