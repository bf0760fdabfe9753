"""The gold set out to each tool and in again: question, conversation, passages and reference come back, or the export says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from annotate.domain.gold.import_rows import GoldRow, gold_row
from annotate.domain.gold.release import EXPORT_COLUMNS
from annotate.files import Rejected, read_rows
from annotate.workflow.gold.export import TARGETS
from annotate.workflow.gold.export_formats import ExportedRows, langsmith, write
from proxy.records import Turn
from support.store import NASTY, Assay, traffic_row

HISTORY = [{"role": "user", "text": "Is it open?"}, {"role": "assistant", "text": "Ward 3 is."}]
ENDINGS = {"hf": "", "deepeval": ".json", "promptfoo": ".yaml"}
TOOLS = [target.name for target in TARGETS if target.name not in {"jsonl", "csv"}]


def row(number: int, **own: object) -> dict[str, Any]:
    """An entry as it is exported."""
    texts = {"gold_id": f"gold-{number}", "question": f"When {number}?", "reference": f"In {number}."}
    known = {"history": [], "contexts": ["a | b", "c\n\nd"], "role": "test", "status": "released", "forgotten": False}
    return {**dict.fromkeys(EXPORT_COLUMNS), **texts, **known, "lacks_knowledge": False, **own}


ROWS = [row(1), row(2, history=HISTORY), row(3, contexts=["only one"]), row(4, contexts=[], history=HISTORY)]


def back(path: Path) -> list[GoldRow]:
    """What an import of this file reads."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    rows = (record for file in files for record in read_rows(str(file), "auto"))
    return [gold_row(record.fields, {}) for record in rows if not isinstance(record, Rejected)]


def expected(entry: Mapping[str, Any]) -> GoldRow:
    turns = tuple(Turn(**turn) for turn in entry["history"])
    return GoldRow(
        question=entry["question"],
        reference=entry["reference"],
        contexts=tuple(entry["contexts"]),
        history=turns,
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_everything_comes_back(tmp_path: Path, tool: str) -> None:
    """Turns and passages one by one, also where the tool's own fields have room for one text only."""
    path = tmp_path / f"gold{ENDINGS.get(tool, '.jsonl')}"
    written = write(str(path), tool, ROWS)

    assert [(gold.question, gold.history, gold.reference, gold.contexts) for gold in back(path)] == [
        (gold.question, gold.history, gold.reference, gold.contexts) for gold in map(expected, ROWS)
    ]
    assert written == ExportedRows(
        4, flattened=2 if tool in {"ragas", "deepeval", "promptfoo"} else 0, joined=2 if tool == "promptfoo" else 0
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_texts_that_a_form_must_change_are_counted(tmp_path: Path, tool: str) -> None:
    """Promptfoo would fill in a template, Parquet refuses half a character; every other form gives the text as it was."""
    path = tmp_path / f"gold{ENDINGS.get(tool, '.jsonl')}"
    written = write(str(path), tool, [row(1, question=NASTY, contexts=[NASTY]), row(2)])
    first = back(path)[0]

    assert written.altered == (1 if tool in {"promptfoo", "hf"} else 0)
    assert (first.question == NASTY and first.contexts == (NASTY,)) == (written.altered == 0)


def test_langsmith_examples_have_stable_ids() -> None:
    """A UUID that follows from the gold id, the role as the split, and what is known of the entry as metadata."""
    example = langsmith(row(1, release="v1"))

    assert UUID(example["id"]) == UUID(langsmith(row(1))["id"]) != UUID(langsmith(row(2))["id"])
    assert (example["split"], langsmith(row(1, role=None))["split"]) == ("test", "base")
    assert example["inputs"] == {"question": "When 1?", "contexts": ["a | b", "c\n\nd"]}
    assert (example["outputs"], example["metadata"]["release"]) == ({"answer": "In 1."}, "v1")


@pytest.mark.parametrize(
    ("foreign", "question", "reference", "contexts", "turns"),
    [
        ({"inputs": {"input": "Q?"}, "outputs": {"output": "R."}, "dataset_id": "d", "id": "x"}, "Q?", "R.", (), 0),
        ({"inputs": {"ask": "Q?"}, "outputs": {"said": "R."}}, "Q?", "R.", (), 0),
        (
            {
                "inputs": {"messages": [{"role": "user", "content": "Before."}, {"role": "user", "content": "Q?"}]},
                "outputs": {"answer": "R."},
            },
            *("Q?", "R.", (), 1),
        ),
        ({"datasetId": "d", "input": "Q?", "expectedOutput": "R.", "status": "ACTIVE"}, "Q?", "R.", (), 0),
        ({"dataset_id": "d", "input": {"query": "Q?"}, "expected_output": {"answer": "R."}}, "Q?", "R.", (), 0),
        ({"input": "Q?", "expected_output": "R.", "context": ["c"], "actual_output": None}, "Q?", "R.", ("c",), 0),
        ({"input": "Q?", "expectedOutput": "R.", "retrievalContext": ["c"]}, "Q?", "R.", ("c",), 0),
        (
            {"user_input": "Q?", "reference": "R.", "reference_contexts": ["c"], "retrieved_contexts": ["x"]},
            "Q?",
            "R.",
            ("c",),
            0,
        ),
        (
            {
                "user_input": [{"type": "human", "content": "Before."}, {"type": "human", "content": "Q?"}],
                "reference": "R.",
            },
            *("Q?", "R.", (), 1),
        ),
        ({"item": {"input": "Q?", "expected": "R."}}, "Q?", "R.", (), 0),
        ({"vars": {"query": "Q?", "expected": "R.", "context": "c"}, "assert": []}, "Q?", "R.", ("c",), 0),
    ],
)
def test_datasets_that_others_made(
    foreign: dict[str, object], question: str, reference: str, contexts: tuple[str, ...], turns: int
) -> None:
    """Rows as the tools' own APIs and downloads have them."""
    gold = gold_row(foreign, {})

    assert (gold.question, gold.reference, gold.contexts, len(gold.history)) == (
        question,
        reference,
        contexts,
        turns,
    )


def test_paths_that_are_given_come_before_what_a_tool_writes() -> None:
    """`--map` reads the row as it is."""
    gold = gold_row(
        {"input": "Q?", "expected_output": "R.", "better": "B."}, {"question": "input", "reference": "better"}
    )

    assert (gold.question, gold.reference) == ("Q?", "B.")


def test_the_export_says_what_does_not_fit(assay: Assay) -> None:
    """In words and in the JSON, with counts."""
    asked = traffic_row("a", history=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}])
    assay("ingest", assay.write("t.jsonl", [asked, traffic_row("b", answer="Use {{name}}.")]))
    labels = [{"item_id": name, "label": "right", "annotator": "ann"} for name in "ab"]
    assay("labels", "import", assay.write("l.jsonl", labels))
    assay("gold", "accept", "--all")
    exported = assay.json("gold", "export", "g.yaml", "--to", "promptfoo")
    shown = " ".join(assay("gold", "export", "h.yaml", "--to", "promptfoo").stdout.split())

    assert (exported["flattened"], exported["joined"], exported["altered"]) == (1, 2, 1)
    assert "whose conversation stands in the text of the question" in shown
    assert "signs were changed" in shown
    assert "signs were changed" not in assay("gold", "export", "g.jsonl", "--to", "langsmith").stdout
    assert json.loads((assay.folder / "g.jsonl").read_text().splitlines()[0])["outputs"]


def test_a_folder_for_the_hub_comes_back_whole(assay: Assay) -> None:
    """Every split, in one command; the same again adds nothing."""
    write(str(assay.folder / "hub"), "hf", [*ROWS[:2], row(3, role="examples")])
    first = assay.json("gold", "import", str(assay.folder / "hub"))
    again = assay.json("gold", "import", str(assay.folder / "hub"))

    assert (first["rows"], first["added"]) == (3, 3)
    assert (again["added"], again["unchanged"]) == (0, 3)
