"""Files that are nearly right: each comes in as it was meant, or stops with what to do."""

from __future__ import annotations

import json
from contextlib import closing

import pandas as pd
import pytest

from annotate import Project
from annotate.store import Store
from support.store import Assay, current, traffic_row

ROWS = [traffic_row(f"a{number}") for number in range(3)]
LINES = [json.dumps(row) for row in ROWS]
RIGHT = {
    "lines with commas": ",\n".join(LINES) + ",\n",
    "an array with a last comma": "[\n" + ",\n".join(LINES) + ",\n]\n",
    "pretty-printed objects": "\n".join(json.dumps(row, indent=2) for row in ROWS),
    "a byte order mark": "\ufeff" + "\n".join(LINES),
    "emptied columns": "id,question,answer,,\n" + "".join(f"a{number},Q?,A,,\n" for number in range(3)),
}


@pytest.mark.parametrize("content", RIGHT.values(), ids=RIGHT)
def test_what_is_plainly_meant_comes_in_whole(assay: Assay, content: str) -> None:
    """Nothing is quarantined."""
    done = assay.json("ingest", assay.write("rows.txt", content))

    assert (done["added"], done["quarantined"]) == (3, 0)
    assert sorted(Project.open(assay.db).items().id) == ["a0", "a1", "a2"]


@pytest.mark.parametrize("line", ["{}, {}", '{"a": 1},,', '{"a": 1} x,'])
def test_only_a_last_comma_is_left_out(assay: Assay, line: str) -> None:
    """Anything else behind an object is no row that can be read."""
    done = assay.json("ingest", assay.write("t.jsonl", f"{LINES[0]}\n{line}\n"), status=4)

    assert (done["added"], done["quarantined"]) == (1, 1)


@pytest.mark.parametrize(
    "names",
    [
        ("Frage", "Antwort", "Kontext", "Zeitstempel"),
        ("問題", "答案", "上下文", "時間"),
        ("问题", "回答", "上下文", "时间"),
        ("질문", "답변", "문맥", "시간"),
        ("Pregunta", "Respuesta", "Contexto", "Fecha"),
    ],
)
def test_names_in_other_languages_are_proposed(assay: Assay, names: tuple[str, ...]) -> None:
    """With passages or without, the import stops and says what would read the rows."""
    question, answer, contexts, time = names
    row = {question: "Wo?", answer: "Hier.", contexts: "Im dritten Stock.", time: "2026-11-01"}
    options = (f"question={question}", f"answer={answer}", f"contexts={contexts}", f"timestamp={time}")

    told = assay("ingest", assay.write("t.jsonl", [row]), status=1).stderr
    bare = assay("ingest", assay.write("bare.jsonl", [{question: "Wo?", answer: "Hier."}]), status=1).stderr
    done = assay.json("ingest", "t.jsonl", *(word for option in options for word in ("--map", option)))

    assert all(option in told for option in options)
    assert all(option in bare for option in options[:2])
    assert (done["added"], done["quarantined"]) == (1, 0)


def test_an_array_among_lines_says_what_to_do(assay: Assay) -> None:
    """The objects beside it come in."""
    done = assay.json("ingest", assay.write("t.jsonl", f"{LINES[0]}\n[{LINES[1]}]\n{LINES[2]}\n"), status=4)

    assert (done["added"], done["quarantined"]) == (2, 1)
    assert "put each object on a line of its own" in done["reasons"][0]["reason"]


@pytest.mark.parametrize("none", ["null", "NULL", "None", "NaN", "nan", "<NA>", "NaT"])
def test_what_programs_write_for_none_is_no_value(assay: Assay, none: str) -> None:
    """No system, group, time or passage is called so; a question and an answer may be."""
    columns = (
        "id",
        "question",
        "answer",
        "contexts",
        "system",
        "group",
        "language",
        "timestamp",
        "history",
        "reference",
    )
    rows = [("a1", "None of them?", "Two.", *[none] * 7), ("a2", "Which?", "None", "['']", *[""] * 6)]
    content = "\n".join(",".join(row) for row in (columns, *rows))

    done = assay.json("ingest", assay.write("t.csv", content))

    assert (done["added"], done["quarantined"], done["times_dropped"]) == (2, 0, [])
    assert (done["sources"][0]["as_none"], done["sources"][0]["without_contexts"]) == (1, 2)
    first, second = Project.open(assay.db).items().to_dict("records")
    assert (first["question"], first["answer"], second["answer"]) == ("None of them?", "Two.", "None")
    assert (list(first["contexts"]), list(first["history"])) == ([], [])
    assert all(pd.isna(first[name]) for name in ("system", "language", "timestamp", "reference"))
    assert first["group"].startswith("question-")
    with closing(Store(assay.db)) as store:
        assert current(store, "a1").metadata == {"reference": none}  # it may have been meant
