"""The gold set in the forms of other tools, each read back by the rules of that tool's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.domain.gold.release import EXPORT_COLUMNS
from annotate.workflow.gold.export_formats import ExportedRows, deepeval, langfuse, openai, promptfoo, ragas, write
from proxy.errors import UsageError
from support.store import NASTY, Assay, read, traffic_row

ROW: dict[str, Any] = {
    **dict.fromkeys(EXPORT_COLUMNS),
    "history": [],
    **{"gold_id": "gold-1", "question": "When?", "reference": "In 1987.", "contexts": ["a | b", "c"], "item_id": "a"},
    **{"role": "test", "release": "v1", "status": "released", "source": "written by an annotator", "label": "wrong"},
    **{"lacks_knowledge": False, "content_hash": "h", "forgotten": False},
}
FORGOTTEN = {**ROW, "gold_id": "gold-2", "question": None, "reference": None, "contexts": None, "forgotten": True}


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (ragas, {"user_input": "When?", "reference": "In 1987.", "retrieved_contexts": ["a | b", "c"]}),
        (deepeval, {"input": "When?", "expected_output": "In 1987.", "context": ["a | b", "c"]}),
        (langfuse, {"id": "gold-1", "datasetName": "gold-test", "expectedOutput": "In 1987.", "status": "ACTIVE"}),
    ],
)
def test_fields_have_the_tool_s_names(form: Any, expected: dict[str, object]) -> None:
    """As each tool's format has them; the gold id goes along."""
    exported = form(ROW)

    assert expected.items() <= exported.items()
    assert "gold-1" in json.dumps(exported)


def test_openai_rows_hold_an_item() -> None:
    """One object under `item` with what a grader can name."""
    item = openai(ROW)["item"]

    assert (item["question"], item["reference"], item["contexts"]) == ("When?", "In 1987.", ["a | b", "c"])


@pytest.mark.parametrize(
    "text", ["{{env.SECRET}}", "{% include 'x' %}", "file:///etc/passwd", "  file://x.py", "{#", "exec:rm"]
)
def test_promptfoo_runs_and_opens_nothing(text: str) -> None:
    """No text is a template or the name of a file, wherever it stands."""
    config = promptfoo({**ROW, "question": text, "reference": text, "contexts": [text]})
    values = [*config["vars"].values(), config["assert"][0]["value"]]

    for value in values:
        assert not any(sign in value for sign in ("{{", "{%", "{#"))
        assert not value.startswith(("file:", "exec:"))


def released(assay: Assay, *texts: str) -> None:
    """A release `v1` of one entry for each text."""
    rows = [traffic_row(f"{n}", question=text, answer=text, contexts=[text, "p | q"]) for n, text in enumerate(texts)]
    assay("ingest", assay.write("t.jsonl", rows))
    labels = [{"item_id": f"{n}", "label": "right", "annotator": "ann"} for n in range(len(texts))]
    assay("labels", "import", assay.write("l.jsonl", labels))
    assay("gold", "accept", "--all")
    assay("gold", "release", "v1", "--with-doubts")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("ragas", "g.jsonl"),
        ("langfuse", "g.jsonl"),
        ("openai", "g.jsonl"),
        ("deepeval", "g.json"),
        ("promptfoo", "g.yaml"),
    ],
)
def test_every_form_comes_back_with_hostile_texts(assay: Assay, target: str, name: str) -> None:
    """The command writes it whole, private, and every text is in it character by character."""
    released(assay, NASTY, "Where is room 7?")
    assay("gold", "export", name, "--release", "v1", "--to", target)
    path = assay.folder / name
    rows = read(path) if name.endswith("jsonl") else json.loads(path.read_text())

    assert len(rows) == 2
    assert path.stat().st_mode & 0o077 == 0
    shown = json.dumps(rows)
    assert json.dumps("Where is room 7?") in shown
    if target == "promptfoo":
        assert "{{x}}" not in shown
    else:
        assert json.dumps(NASTY) in shown


@pytest.mark.slow
def test_deepeval_keeps_a_passage_with_a_bar_whole(assay: Assay) -> None:
    """Its own .jsonl would cut it in two; .json does not, and another ending is refused."""
    released(assay, "Where?")
    assay("gold", "export", "g.json", "--to", "deepeval")
    (row,) = json.loads((assay.folder / "g.json").read_text())

    assert row["context"] == ["Where?", "p | q"]
    assert ".json" in assay("gold", "export", "g.jsonl", "--to", "deepeval", status=2).stderr


@pytest.mark.slow
def test_hugging_face_gets_splits_by_role(assay: Assay) -> None:
    """A folder with Parquet for each role and a card that names them; never written over."""
    import pyarrow.parquet as pq

    released(assay, *(f"Where is the room of {name}?" for name in ("Kim", "Olsen", "Baker", "Garcia", "Ito", NASTY)))
    assay("gold", "export", "hub", "--release", "v1", "--to", "hf")
    folder = assay.folder / "hub"
    card = (folder / "README.md").read_text()
    rows = [(file.stem, row) for file in folder.glob("*.parquet") for row in pq.read_table(file).to_pylist()]

    assert len(rows) == 6
    assert all(row["role"] == split for split, row in rows)
    assert all(f"split: {split}\n    path: {split}.parquet" in card for split, _ in rows)
    assert rows[0][1]["contexts"][1] == "p | q"
    assert "is there already" in assay("gold", "export", "hub", "--to", "hf", status=2).stderr


def test_what_was_forgotten_is_null_in_our_form_and_left_out_of_others(tmp_path: Path) -> None:
    """Nobody is asked an empty question."""
    ours, theirs = tmp_path / "g.jsonl", tmp_path / "o.jsonl"

    assert write(str(ours), "jsonl", [ROW, FORGOTTEN]).rows == 2
    assert write(str(theirs), "openai", [ROW, FORGOTTEN]) == ExportedRows(1)
    assert (read(ours)[1]["question"], read(ours)[1]["forgotten"]) == (None, True)
    with pytest.raises(UsageError, match="no folder"):
        write(str(tmp_path / "nowhere" / "g.json"), "deepeval", [ROW])
