"""Tables with a column a judge: which columns are judges, which answer a row scores, and what is left out with a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.store import Assay, read

SAMPLES = Path(__file__).parents[1] / "samples"
RAGAS = str(SAMPLES / "ragas.scores.csv")


def kept(assay: Assay) -> list[dict[str, Any]]:
    assay("scores", "export", "kept.jsonl")
    return read(assay.folder / "kept.jsonl")


def values(assay: Assay) -> set[tuple[str, str, float | None]]:
    return {(row["item_id"], row["judge"], row["value"]) for row in kept(assay)}


@pytest.mark.slow
def test_a_table_of_ragas_scores_the_answers_that_it_repeats(assay: Assay) -> None:
    """Its rows have no id: each finds its answer by its texts; an empty cell is a failure, never a 0."""
    assay("ingest", RAGAS)

    done, again = assay.json("scores", "import", RAGAS), assay.json("scores", "import", RAGAS)

    assert (done["new"], done["quarantined"], done["judges"], done["unused"]) == (3, 0, ["faithfulness"], [])
    assert (again["new"], again["quarantined"]) == (0, 0)
    assert sorted((row["value"] is None, row["value"] or 0) for row in kept(assay)) == [
        (False, 0.5),
        (False, 1),
        (True, 0),
    ]
    assert assay.json("rule", "set", "faithfulness > 0.6")["verdicts"] == {"pass": 1, "fail": 1, "unscored": 1}


WIDE = {
    "w.csv": "{id},faithfulness,tone,note\na,0.25,1,fine\nb,NaN,0,\nc,,0.5,x\n",
    "w.jsonl": '{{"{id}": "a", "faithfulness": 0.25, "tone": 1, "note": "fine"}}\n'
    '{{"{id}": "b", "faithfulness": NaN, "tone": 0, "note": ""}}\n'
    '{{"{id}": "c", "faithfulness": null, "tone": 0.5, "note": "x"}}\n',
}


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("column", ["item_id", "id", "trace_id"])
def test_a_wide_table_is_read_by_its_ids(loaded: Assay, name: str, column: str) -> None:
    """Of CSV and JSON lines alike; a column with words is none of a judge, and is named."""
    done = loaded.json("scores", "import", loaded.write(name, WIDE[name].format(id=column)), "--scale", "tone=0..1")

    assert (done["new"], done["failed"], done["quarantined"]) == (6, 2, 0)
    assert (done["judges"], done["unused"]) == (["faithfulness", "tone"], ["note"])
    first = {("a", "faithfulness", 0.25), ("b", "faithfulness", None), ("c", "faithfulness", None)}
    assert values(loaded) == first | {("a", "tone", 1.0), ("b", "tone", 0.0), ("c", "tone", 0.5)}


def test_the_screen_says_how_it_was_read(loaded: Assay) -> None:
    """Judges by their column, then what was left out; the id may lie elsewhere."""
    rows = [{"of": {"id": "a"}, "faithfulness": 0.5, "latency": 0.2, "model": "small"}]

    out = loaded("scores", "import", loaded.write("w.jsonl", rows), "--map", "item_id=of.id").stdout
    words = " ".join(out.split())

    assert "1 row: 1 new scores." in words
    assert "Read as a column a judge: faithfulness." in words
    assert "Columns not used: latency, model." in words


def test_a_score_of_an_answer_that_is_not_here_waits_for_it(loaded: Assay) -> None:
    """As other tools' scores do; an empty cell of it is counted."""
    done = loaded.json("scores", "import", RAGAS)
    assert (done["new"], done["quarantined"], done["scores_without_item"], done["none"]) == (0, 0, 2, {"empty": 1})

    assert loaded.json("ingest", RAGAS)["scores"] == 2
    assert sorted(row["value"] for row in kept(loaded) if row["value"] is not None) == [0.5, 1]


def test_numbers_beyond_0_to_1_need_a_scale(loaded: Assay) -> None:
    """Of a known score all wait, also its 1; a column of another name is a judge where a scale says so."""
    file = loaded.write("w.csv", "item_id,faithfulness,quality,seconds\na,5,1,9\nb,1,3,12\n")

    waits = loaded.json("scores", "import", file)
    assert (waits["new"], waits["judges"], waits["unused"]) == (0, ["faithfulness"], ["quality", "seconds"])
    assert [(each["judge"], each["scores"]) for each in waits["scores_unscaled"]] == [("faithfulness", 2)]

    done = loaded.json("scores", "import", file, "--scale", "faithfulness=1..5", "--scale", "quality=1..5")
    assert done["new"] == 4
    assert values(loaded) == {
        *{("a", "faithfulness", 1.0), ("b", "faithfulness", 0.0), ("a", "quality", 0.0), ("b", "quality", 0.5)}
    }


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"faithfulness": 0.5}], "must name its item_id"),
        ([{"item_id": "a", "faithfulness": "high"}], "faithfulness: expected a number, found 'high'"),
        ([{"item_id": "a", "value": 0.5}], "item_id and its judge"),
        ([{"item_id": "a", "metric": "tone", "score": 0.5}], "item_id and its judge"),
        ([{"item_id": "a", "note": "x"}], "item_id and its judge"),
    ],
    ids=["no answer", "a word", "no judge", "a row a score", "no number"],
)
def test_a_table_without_a_score_is_refused(loaded: Assay, rows: list[dict[str, object]], reason: str) -> None:
    """A table with a row a score is not taken for one with a column a judge."""
    assert reason in loaded("scores", "import", loaded.write("w.jsonl", rows), status=1).stderr
    assert loaded.quarantine() == []


def test_what_is_no_score_is_quarantined(loaded: Assay) -> None:
    """A word among numbers, and a row without an answer."""
    rows = [{"item_id": "a", "faithfulness": 0.5}, {"item_id": "b", "faithfulness": "high"}, {"faithfulness": 0.5}]

    done = loaded.json("scores", "import", loaded.write("w.jsonl", rows), status=4)

    assert (done["new"], done["quarantined"]) == (1, 2)
    reasons = [row["reason"] for row in loaded.quarantine()]
    assert "faithfulness: expected a number, found 'high'" in reasons[0]
    assert "must name its item_id" in reasons[1]


def test_a_late_column_is_a_judge_and_a_late_word_makes_a_column_none(loaded: Assay) -> None:
    """The whole file is looked at, not its first rows."""
    rows = [{"item_id": "a", "tone": 0.5} for _ in range(150)]
    rows += [{"item_id": "b", "tone": "n/a", "depth": 0.75}]

    file = loaded.write("w.jsonl", "\n".join(map(json.dumps, rows)))

    done = loaded.json("scores", "import", file, "--scale", "depth=0..1")

    assert (done["judges"], done["unused"], done["proposed"], done["new"]) == (["depth"], ["tone"], [], 2)


ROWS = [
    {"id": "a", "faithfulness": 0.5, "human_label": 1, "judged": 0.25, "passed": 1, "hallucination": 0.0, "thumb": -1},
    {"id": "b", "faithfulness": 0.75, "human_label": 0, "judged": 0.5, "passed": 0, "hallucination": 0.5, "thumb": 1},
]
LABELS = "assay labels import FILE --map label={} --map item_id=id"


def test_only_known_scores_are_judges_and_the_rest_is_named_with_what_takes_it(loaded: Assay) -> None:
    """Numbers in [0, 1] may be a judge's, an annotator's or a user's: the name decides, else the user does."""
    file = loaded.write("w.jsonl", ROWS)

    done = loaded.json("scores", "import", file)

    assert (done["judges"], done["new"], done["quarantined"]) == (["faithfulness"], 2, 0)
    assert {each["column"]: (each["kind"], each["options"]) for each in done["proposed"]} == {
        "human_label": ("label", [LABELS.format("human_label")]),
        "judged": ("score", ["--scale judged=0..1"]),
        "passed": ("score_or_label", ["--scale passed=0..1", LABELS.format("passed")]),
        "hallucination": ("low_is_good", ["--scale hallucination=1..0"]),
        "thumb": ("feedback", ["assay feedback FILE --map value=thumb --map item_id=id"]),
    }
    words = " ".join(loaded("scores", "import", file).stdout.split())
    assert "Read as a column a judge: faithfulness." in words
    for each in done["proposed"]:
        assert each["column"] in words
        assert all(option in words for option in each["options"])


@pytest.mark.slow
def test_what_is_proposed_does_what_it_says(loaded: Assay) -> None:
    """Each option takes its column in, a low score turned round; labels and thumbs land as such."""
    file = loaded.write("w.jsonl", ROWS)
    proposed = loaded.json("scores", "import", file)["proposed"]
    scales = [word for each in proposed for option in each["options"] if "--scale" in option for word in option.split()]

    loaded("scores", "import", file, *scales)
    for each in proposed:
        if each["column"] in ("human_label", "thumb"):
            loaded(*each["options"][0].replace("FILE", file).split()[1:])

    assert values(loaded) == {
        *{("a", "faithfulness", 0.5), ("b", "faithfulness", 0.75), ("a", "judged", 0.25), ("b", "judged", 0.5)},
        *{("a", "passed", 1.0), ("b", "passed", 0.0), ("a", "hallucination", 1.0), ("b", "hallucination", 0.5)},
    }
    loaded("labels", "export", "labels.jsonl")
    labels = {row["item_id"]: row["label"] for row in read(loaded.folder / "labels.jsonl")}
    assert labels == {"a": "right", "b": "wrong"}
    assert loaded.json("feedback", file, "--map", "value=thumb", "--map", "item_id=id")["thumbs_down"] == 1


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        *[(name, 1, "label") for name in ("is_correct", "annotator_1", "gold", "label", "正確", "Human Verdict")],
        *[("is_correct", "yes", "label"), ("isCorrect", True, "label"), ("correctness", 0, "score_or_label")],
        *[(name, 0.5, None) for name in ("temperature", "top_p", "latency_s", "cost", "tokens", "trace_id2_ms")],
        *[("user", "anna", None), ("gold", "In 2019.", None), ("rating", 4, "feedback"), ("gpt4_label", 0.5, "score")],
        *[("p_true", 0.5, "score"), ("human_score", 0.5, "score"), ("nothing", None, None)],
    ],
)
def test_what_a_column_without_a_known_name_may_hold(
    loaded: Assay, column: str, value: object, kind: str | None
) -> None:
    """None of them is a judge, whatever numbers it holds."""
    rows = [{"item_id": "a", "faithfulness": 0.5, column: value}]

    done = loaded.json("scores", "import", loaded.write("w.jsonl", rows))

    assert (done["judges"], done["unused"]) == (["faithfulness"], [column])
    assert [each["kind"] for each in done["proposed"]] == ([kind] if kind else [])


@pytest.mark.parametrize(
    "column",
    [
        *("Answer Relevancy", "Contextual Precision", "Correctness [GEval]", "faithfulness_score", "Groundedness"),
        *("eval.QA Correctness.score", "answer_similarity/v1/score", "AnswerRelevancy", "rouge_score(mode=fmeasure)"),
        *("factual_correctness(mode=f1)", "ContextualRecallMetric", "correctness"),
    ],
)
def test_metrics_are_known_as_their_tools_write_them(loaded: Assay, column: str) -> None:
    """Ragas, DeepEval, TruLens, Phoenix, MLflow and Langfuse."""
    done = loaded.json("scores", "import", loaded.write("w.jsonl", [{"item_id": "a", column: 0.25}]))

    assert (done["judges"], done["new"]) == ([column], 1)


def test_a_table_of_unknown_columns_stops_and_says_what_to_add(loaded: Assay) -> None:
    """Not one row of it goes to quarantine."""
    file = loaded.write("w.csv", "item_id,tone,is_correct\na,0.5,1\nb,0.25,0\n")

    told = loaded("scores", "import", file, status=1).stderr

    assert "nothing was taken in; 'tone' looks like a score: `--scale tone=0..1`; 'is_correct' looks like" in told
    assert "assay labels import FILE --map label=is_correct" in told
    assert loaded.quarantine() == []


def logged(number: int, **changes: object) -> dict[str, Any]:
    """A row as a tracer exports it, with its judges' scores in an object."""
    return {
        "id": f"r{number}",
        "root_span_id": f"t{number}",
        "is_root": True,
        "question": f"Where is ward {number}?",
        "answer": "Upstairs.",
        "scores": {"Factuality": 0.25 * number, "Tone": None if number == 2 else 1, "thumbs": number % 2},
        "metrics": {"start": 1790841600.5, "time_to_first_token": 0.5, "helpful": 0.5, "faithfulness": 0.75},
        **changes,
    }


def test_numbers_within_an_object_of_scores_are_judges_scores(assay: Assay) -> None:
    """Beside durations and counts only known metrics are; a truth value that is the same in every row is nothing."""
    file = assay.write("logs.jsonl", [logged(number) for number in range(3)])
    ingested = assay.json("ingest", file)

    done = assay.json("scores", "import", file)

    assert ingested["sources"][0]["scores"] == ["Factuality", "Tone", "faithfulness"]
    assert (done["judges"], done["quarantined"]) == (["Factuality", "Tone", "faithfulness"], 0)
    assert {row for row in values(assay) if row[1] == "Factuality"} == {
        ("r0", "Factuality", 0.0),
        ("r1", "Factuality", 0.25),
        ("r2", "Factuality", 0.5),
    }
    assert ("r2", "Tone", None) in values(assay)
    assert {proposed["column"]: proposed["options"] for proposed in done["proposed"]} == {
        "thumbs": ["assay feedback FILE --map value=scores.thumbs --map item_id=id"],
        "helpful": ["--scale helpful=0..1"],
    }


def test_scores_of_traced_calls_are_named_and_find_the_answer_of_their_trace(assay: Assay) -> None:
    """Its id is the trace's, whatever the row is called; what no field claims is kept, and a path for the id is refused."""
    calls = [
        {**logged(number), "span_id": f"s{number}", "span_parents": None, "input": "Where?", "output": "Upstairs."}
        for number in range(2)
    ]
    plain = [{name: value for name, value in row.items() if name not in ("question", "answer")} for row in calls]
    file = assay.write("calls.jsonl", [{**row, "metadata": {"conversation": "c1"}} for row in plain])

    stopped = assay("ingest", file, "--map", "id=id", status=1).stderr
    ingested = assay.json("ingest", file)
    assay("scores", "import", file)

    assert "an answer has the id of its trace: leave --map id=id out" in stopped
    assert "Factuality" in ingested["sources"][0]["scores"]
    assert {"metrics", "is_root"} <= set(ingested["sources"][0]["unused"])
    assert assay.sql('SELECT DISTINCT "group" FROM items') == [("c1",)]
    assert ("t1", "Factuality", 0.25) in values(assay)


@pytest.mark.parametrize(
    ("column", "given", "is_proposed"),
    [
        *[("cached", [True, True], False), ("is_root", [True, False], False), ("hasTools", ["true", "false"], False)],
        *[("cached", [True, False], True), ("issue", [0.5, 0.25], True), ("passed", [1, 1], True)],
    ],
)
def test_what_says_what_a_row_is_is_proposed_as_nothing(
    loaded: Assay, column: str, given: list[object], is_proposed: bool
) -> None:
    rows = [{"item_id": name, "faithfulness": 0.5, column: value} for name, value in zip("ab", given, strict=True)]

    done = loaded.json("scores", "import", loaded.write("w.jsonl", rows))

    assert [proposed["column"] for proposed in done["proposed"]] == ([column] if is_proposed else [])
