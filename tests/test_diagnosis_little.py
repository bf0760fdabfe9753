"""`assay diagnose` where little is known: no passages, no score that a judge could give, few wrong labels, empty reasons."""

from __future__ import annotations

from fixtures_diagnosis import given, scored
from fixtures_store import Assay, label, traffic_row


def test_without_any_passage_no_stage_is_blamed(assay: Assay) -> None:
    """Judges have tried and cannot score them: neither retrieval nor `assay judge` is named."""
    rows = [traffic_row(name, contexts=[]) for name in "abcdef"]
    given(assay, rows, [], [label(name, "wrong") for name in "abcdef"])
    assay("judge")
    page, found = assay("diagnose").stdout, assay.json("diagnose")

    assert "cannot be told: no labelled answer has a passage" in page.splitlines()[0]
    assert (found["systems"][0]["first"], found["next"]) == (None, [])
    assert "bottleneck" not in page
    assert "assay judge" not in page


def test_what_judges_cannot_score_is_said_with_the_reason(assay: Assay) -> None:
    """Passages are there and the answers have no words: the judge's own reason, and no further run of it."""
    rows = [traffic_row(name, answer="…") for name in "abc"]
    given(assay, rows, [row for name in "abc" for row in scored(name, 0.9, None)], [label(n, "wrong") for n in "abc"])
    assay("judge", "--judges", "faithfulness")
    assay("rule", "set", "context_relevance > 0.5", "--signature", "context_relevance=post")
    page, one = assay("diagnose").stdout, assay.json("diagnose")["systems"][0]

    assert one["cannot_be_scored"]["items"] == 3
    assert "cannot score these, 3 of them because: " in page
    assert "run `assay judge`" not in page


def test_few_wrong_labels_name_no_bottleneck(assay: Assay) -> None:
    """Two: the counts are shown, no stage is named, and labelling comes next."""
    given(
        assay,
        [traffic_row(n) for n in "ab"],
        scored("a", 0.9, 0.1) + scored("b", 0.9, 0.1),
        [label(n, "wrong") for n in "ab"],
    )
    page, found = assay("diagnose").stdout, assay.json("diagnose")

    assert "too few to name a stage: 2 wrong answers; label more" in page.splitlines()[0]
    assert "bottleneck" not in page
    assert "1. Synthesis: 2 of 2 wrong answers" in page
    assert (found["systems"][0]["first"], found["next"]) == (None, ["assay sample --labels 100"])


def test_an_empty_reason_leaves_nothing_behind(assay: Assay) -> None:
    """No colon after the value where the judge gave no words."""
    rows = [{**row, "reason": reason} for row, reason in zip(scored("a", 0.84, 0.9), (" ", ""), strict=True)]
    given(assay, [traffic_row("a")], rows, [label("a", "wrong")])

    assert "context_relevance 0.84\n" in assay("diagnose").stdout
