"""Results of promptfoo in each form that its versions wrote; the tables follow `streamEvalCsv` and `outputToSimpleString`."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotate import Project
from support.store import Assay

TEMPLATE = "Answer from the context.\n{{context}}\nQuestion: {{question}}"
COLUMN = f"[openai:gpt-4o-mini] {TEMPLATE}"
BESIDE = ("Status", "Score", "Named Scores", "Grader Reason", "Comment")
PASSED, FAILED = "Ward 3 moved in 2019.", "In 2018.\n\nI am sure."


def write(assay: Assay, header: Sequence[str], *rows: Sequence[str]) -> str:
    path = assay.folder / "out.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return str(path)


def result(**changes: object) -> dict[str, object]:
    return {
        "id": "r1",
        "promptIdx": 0,
        "testIdx": 0,
        "prompt": {"raw": "Answer from the context.\nMoved.\nQuestion: When?", "label": TEMPLATE},
        "provider": {"id": "openai:gpt-4o-mini", "label": ""},
        "response": {"output": PASSED},
        "success": True,
        "score": 1,
        "testCase": {"vars": {"question": "When?", "context": "Moved."}},
        "vars": {"question": "When?", "context": "Moved."},
        **changes,
    }


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        (
            (COLUMN, *BESIDE),
            [(PASSED, "PASS", "1.00", "", "fine", ""), (FAILED, "FAIL", "0.00", "", "no 2019 in it", "")],
        ),
        ((COLUMN, *BESIDE[3:]), [(f"[PASS] {PASSED}", "fine", ""), (f"[FAIL] {FAILED}", "no 2019 in it", "")]),
        (
            (COLUMN,),
            [
                (f"[PASS] (1.00, tone: 0.90)\n\n{PASSED}\n\nPass Reason: fine",),
                (f"[FAIL] (0.00)\n\n{FAILED}\n\nFail Reason: no 2019 in it",),
            ],
        ),
    ],
    ids=["status in a column", "status before the answer", "status, score and reason in the cell"],
)
def test_each_table_gives_the_answer_alone(assay: Assay, header: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """What promptfoo thinks of an answer is no part of it."""
    rows = [("Moved.", f"When {number}?", *row) for number, row in enumerate(cells)]

    out = assay("ingest", write(assay, ("context", "question", *header), *rows))

    assert "read as promptfoo (2 of the first 2 rows have its shape)" in " ".join(out.stdout.split())
    items = Project.open(assay.db).items()
    assert list(items.answer) == [PASSED, FAILED]
    assert list(items.question) == ["When 0?", "When 1?"]
    assert [list(contexts) for contexts in items.contexts] == [["Moved."]] * 2
    assert set(items.system) == {"openai:gpt-4o-mini"}


def test_each_provider_is_a_system_and_an_error_is_no_answer(assay: Assay) -> None:
    """The columns behind the answers have the same names for each; one that was not asked has nothing in them."""
    header = ("question", COLUMN, *BESIDE, f"[anthropic:claude] {TEMPLATE}", *BESIDE)
    graded, none = ("PASS", "1.00", "", "fine", ""), ("", "", "", "", "")
    rows = [
        ("When?", PASSED, *graded, "It did.", *graded),
        ("Who?", "The nurse.", *graded, "API error: 500", "ERROR", "0.00", "", "", ""),
        ("Where?", "North.", *graded, "", *none),
    ]

    done = assay.json("ingest", write(assay, header, *rows))

    items = Project.open(assay.db).items()
    answers = [(PASSED, "openai:gpt-4o-mini"), ("It did.", "anthropic:claude")]
    answers += [("The nurse.", "openai:gpt-4o-mini"), ("North.", "openai:gpt-4o-mini")]
    assert list(zip(items.answer, items.system, strict=True)) == answers
    assert (done["quarantined"], done["unanswered"]) == (0, {"failed": 1})


def test_a_bracket_before_an_answer_is_no_proof(assay: Assay) -> None:
    """Without promptfoo's header the text is the answer's own, also where some answers begin so."""
    done = assay("ingest", write(assay, ("question", "answer"), ("a?", "[PASS] is a state"), ("b?", "[FAIL] too")))

    assert "promptfoo" not in done.stdout
    assert list(Project.open(assay.db).items().answer) == ["[PASS] is a state", "[FAIL] too"]


def test_results_in_json_are_read_with_their_variables(assay: Assay, tmp_path: Path) -> None:
    """Without a variable that is called a question, the prompt is what was asked; a model that failed gave no answer."""
    results = [
        result(),
        result(id="r2", vars={"topic": "wards"}, prompt={"raw": "Tell me of wards", "label": "Tell me of {{topic}}"}),
        result(id="r3", response={"error": "429"}, error="429", success=False),
        result(id="r4", response={"output": {"ward": 3}}),
    ]
    file = tmp_path / "out.json"
    file.write_text(
        json.dumps({"evalId": "e", "results": {"version": 3, "results": results, "stats": {}}, "config": {}})
    )

    done = assay.json("ingest", str(file))

    items = Project.open(assay.db).items()
    assert list(zip(items.id, items.question, items.answer, strict=True)) == [
        ("r1", "When?", PASSED),
        ("r2", "Tell me of wards", PASSED),
        ("r4", "When?", '{"ward": 3}'),
    ]
    assert done["unanswered"] == {"failed": 1}


def test_a_table_without_a_question_names_its_variables(assay: Assay) -> None:
    """None of them is guessed."""
    header = ("topic", "tone", COLUMN, *BESIDE)
    file = write(assay, header, ("wards", "short", PASSED, "PASS", "1.00", "", "fine", ""))

    refused = assay("ingest", file, status=1)

    assert (
        "none of promptfoo's variables is called so; the row has topic, tone (use --map question=COLUMN)"
        in " ".join(refused.stderr.split())
    )
    assay("ingest", file, "--map", "question=topic")
    assert list(Project.open(assay.db).items().question) == ["wards"]


JOINED = {
    "paragraphs": (["Moved.\n\nIn 2019.", "A.\n\nB.\n\nC."], 1, r"\n\n", 2.5),
    "rules": (["Moved.\n\nTwice.\n---\nIn 2019.", "A.\n---\nB."], 1, r"\n---\n", 2),
    "numbers": (["[1] Moved.\n\nTwice.\n[2] In 2019.", "[1] A.\n[2] B."], 2, None, None),
    "tags": (["<doc>Moved.</doc>\n<doc>In 2019.</doc>", "<doc>A.</doc><doc>B.</doc>"], 2, None, None),
    "a text around tags": (["See <doc>Moved.</doc> or <doc>In 2019.</doc>", "A."], 1, None, None),
    "one passage": (["Moved.", "A."], 1, None, None),
}


@pytest.mark.parametrize(("contexts", "passages", "separator", "split"), JOINED.values(), ids=JOINED)
def test_joined_passages_are_split_where_the_text_shows_how(
    assay: Assay, contexts: list[str], passages: int, separator: str | None, split: float | None
) -> None:
    """Else the screen says that each answer has one, and the option that it names splits them."""
    rows = [
        result(id=f"r{number}", vars={"question": "When?", "context": text}) for number, text in enumerate(contexts)
    ]
    file = assay.write("out.jsonl", rows)

    words = " ".join(assay("ingest", file, "--dry-run").stdout.split())

    where = "vars.context" if passages == 1 else "vars.context, split as it numbers or tags them"
    assert f"contexts ← {where}, {passages} passage{'s' if passages > 1 else ''} an answer" in words
    option = f'contexts=vars.context.split("{separator}")'
    assert ("Each answer has 1 passage" in words) is (separator is not None)
    if separator is not None:
        assert f"`--map '{option}'`" in words
    assay("ingest", file, *(["--map", option] if separator else []))
    items = Project.open(assay.db).items()
    assert items.contexts.map(len).mean() == (split or passages)
    metadata = assay.json("ingest", file, *(["--map", option] if separator else []))["sources"][0]["unused"]
    assert not {"context", "vars"} & {*metadata}


def test_an_evaluation_without_results_has_no_rows(assay: Assay) -> None:
    """No option could find a question in it."""
    file = assay.write("out.json", json.dumps({"evalId": "e", "results": {"version": 3, "results": [], "stats": {}}}))

    refused = assay("ingest", file, status=1)

    assert "out.json: there are no rows in it, so nothing was taken in" in refused.stderr
