"""What the judges alone say: quantiles, pass rates, pairs and the lowest answers against a count by hand over the same rows."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from annotate import Project
from proxy.errors import UsageError
from support.store import Assay, traffic_row

ITEMS = 60
UNKNOWN = "The cafeteria closes at noon on the moon."


def relevance(n: int) -> float:
    return round((n * 7 % ITEMS) / ITEMS, 3)


def faithfulness(n: int) -> float:
    return round((n * 11 % ITEMS) / ITEMS, 3)


def system(n: int) -> str:
    return "new" if n % 3 == 0 else "old"


@pytest.fixture
def judged(assay: Assay) -> Assay:
    """Answers of two systems and two weeks with scores of our own; nothing is drawn or labelled."""
    rows = [
        traffic_row(f"i{n:02}", system=system(n), timestamp=f"2026-11-{2 if n % 2 else 11:02}T08:00:00Z")
        for n in range(ITEMS)
    ]
    assay("ingest", assay.write("t.jsonl", rows))
    scores = [
        {"item_id": f"i{n:02}", "judge": judge, "value": value(n)}
        for n in range(ITEMS)
        for judge, value in (("context_relevance", relevance), ("faithfulness", faithfulness))
    ]
    assay("scores", "import", assay.write("s.jsonl", scores))
    return assay


def preview(assay: Assay, *args: str) -> dict[str, Any]:
    return dict(json.loads(assay("report", *args, "--json").stdout)["preview"])


def value(n: int) -> float:
    return min(relevance(n), faithfulness(n))


def test_quantiles_are_the_least_scores_that_so_many_answers_do_not_exceed(judged: Assay) -> None:
    for spread in preview(judged)["spreads"]:
        scores = sorted(
            map({"context_relevance": relevance, "faithfulness": faithfulness}[spread["judge"]], range(ITEMS))
        )
        # Of 60 scores in rising order the 6th, the 30th and the 54th.
        assert [spread[name] for name in ("tenth", "median", "ninetieth")] == [scores[5], scores[29], scores[53]]
        assert spread["scored"] == ITEMS


def test_what_passes_is_counted_by_system_and_week(judged: Assay) -> None:
    parts = {(part["by"], part["name"]): (part["items"], part["passed"]) for part in preview(judged)["parts"]}
    expected = Counter[tuple[str, str]]()
    passed = Counter[tuple[str, str]]()
    for n in range(ITEMS):
        for key in (("system", system(n)), ("week", "2026-11-02" if n % 2 else "2026-11-09")):
            expected[key] += 1
            passed[key] += value(n) > 0.5
    assert parts == {
        key: (expected[key], passed[key]) for key in expected
    }  # all answers have one language, which is no part


def test_pairs_count_which_judge_is_above_the_middle(judged: Assay) -> None:
    [pair] = preview(judged)["pairs"]
    counts = Counter((relevance(n) > 0.5, faithfulness(n) > 0.5) for n in range(ITEMS))
    assert pair["first"] == "context_relevance"
    assert [pair[name] for name in ("above", "first_alone", "other_alone", "below")] == [
        counts[True, True],
        counts[True, False],
        counts[False, True],
        counts[False, False],
    ]


def test_the_lowest_come_first_and_are_of_the_part(judged: Assay) -> None:
    expected = sorted((n for n in range(ITEMS) if system(n) == "new"), key=lambda n: (value(n), n))[:5]
    lowest = preview(judged, "--worst", "5", "--system", "new")["lowest"]
    assert [answer["item_id"] for answer in lowest] == [f"i{n:02}" for n in expected]
    assert [answer["value"] for answer in lowest] == [value(n) for n in expected]
    assert len(preview(judged)["lowest"]) == 20


def test_the_screen_shows_the_sentence_that_no_passage_supports(assay: Assay) -> None:
    rows = [traffic_row("good"), traffic_row("bad", answer=UNKNOWN)]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    shown = assay("report", "--worst", "1").stdout
    assert "Answers to which the rule gives the lowest values: 1; they may be right" in shown
    assert "bad (" in shown
    assert "good (" not in shown
    assert f"not supported: {UNKNOWN}" in " ".join(shown.split())
    assert "—" not in shown.split("What the judges say")[1].split("next:")[0]


def test_labels_take_its_place_until_it_is_asked_for(judged: Assay) -> None:
    labels = [{"item_id": f"i{n:02}", "label": "right", "annotator": "ann"} for n in range(ITEMS)]
    judged("sample", "--labels", "20", "--seed", "1")
    judged("labels", "import", judged.write("l.jsonl", labels))
    assert json.loads(judged("report", "--json").stdout)["preview"] is None
    assert len(preview(judged, "--worst", "2")["lowest"]) == 2
    shown = judged("report", "--worst", "7").stdout
    assert shown.index("lowest values: 7") < shown.index("What is measured")
    assert sum(line.startswith("i") and " (" in line for line in shown.splitlines()) == 7, (
        "whole, though more than 25 lines"
    )


@pytest.mark.parametrize("worst", [0, -1, 1001])
def test_a_number_of_answers_that_nobody_reads_is_refused(judged: Assay, worst: int) -> None:
    with pytest.raises(UsageError, match="from 1 to 1,000"):
        Project.open(judged.db).report(worst=worst)


def test_a_piece_of_what_redaction_masks_is_masked_in_a_sentence(assay: Assay) -> None:
    """A number is found whole in the answer; a sentence that holds its end alone must not show that."""
    assay.write("assay.toml", "[redaction]\non = true\n")
    answer = "Write to wei.lin@clinic.example today. Penguins named wei.lin rule the moon."
    assay("ingest", assay.write("t.jsonl", [traffic_row("written", answer=answer)]))
    assay("judge")
    shown = " ".join(assay("report", "--worst", "1").stdout.split())
    assert "rule the moon" in shown
    assert "clinic.example" not in shown, shown


def test_a_forgotten_answer_is_not_among_the_lowest(judged: Assay) -> None:
    first, second = (answer["item_id"] for answer in preview(judged, "--worst", "2")["lowest"])
    judged("forget", "--item", first, "--yes")
    assert preview(judged, "--worst", "1")["lowest"][0]["item_id"] == second
