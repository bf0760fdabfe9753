"""Files given to the wrong command, and those of which not one row can be read: an error that writes nothing."""

from __future__ import annotations

import pytest

from support.store import Assay, traffic_row

TRAFFIC = [traffic_row("a"), traffic_row("b")]
FILES: dict[str, list[dict[str, object]]] = {
    "ingest": TRAFFIC,
    "feedback": [{"item_id": "a", "value": -1}, {"item_id": "b", "value": "👍"}],
    "scores import": [{"item_id": "a", "judge": "own", "value": 1}, {"item_id": "b", "judge": "own", "value": 0.5}],
    "labels import": [{"item_id": "a", "label": "right", "comment": "fine"}, {"item_id": "b", "label": "falsch"}],
}
GIVEN = [(command, wanted) for command in FILES for wanted in FILES if command != wanted]


def contents(assay: Assay) -> list[list[tuple[object, ...]]]:
    tables = ("items", "feedback", "scores", "tool_scores", "annotations", "quarantine")
    return [assay.sql(f"SELECT count(*) FROM {table}") for table in tables]


@pytest.mark.parametrize(("command", "wanted"), GIVEN)
def test_a_file_of_another_command_is_an_error_that_names_it(loaded: Assay, command: str, wanted: str) -> None:
    """In one sentence, with exit status 1; nothing is kept, in quarantine neither."""
    before = contents(loaded)

    said = loaded(*command.split(), loaded.write("f.jsonl", FILES[wanted]), status=1).stderr

    assert "so nothing was taken in" in said
    assert f"assay {wanted}" in said
    assert said.count("\n") == 1
    assert contents(loaded) == before


@pytest.mark.parametrize("command", ["feedback", "scores import", "labels import"])
@pytest.mark.parametrize(
    "rows",
    [
        [{"item_id": "a", "value": 0.5}, {"item_id": "b", "value": 1}],
        [{"item_id": "a", "note": "x"}],
        [{"item_id": "a", "question": "Where?", "answer": "Here."}],
    ],
    ids=["numbers", "notes", "an export"],
)
def test_what_is_not_certain_names_no_command(loaded: Assay, command: str, rows: list[dict[str, object]]) -> None:
    """Numbers may be scores or thumbs; the reasons are given instead."""
    if command == "feedback" and "value" in rows[0]:
        rows = [{**row, "value": "perhaps"} for row in rows]

    said = loaded(*command.split(), loaded.write("f.jsonl", rows), status=1).stderr

    assert "× " in said
    assert "reads it" not in said
    assert loaded.quarantine() == []


def test_feedback_that_cannot_be_read_makes_no_store(assay: Assay) -> None:
    """As traffic that cannot be read does not."""
    assay("feedback", assay.write("f.csv", "item_id,value\na,perhaps\n"), status=1)
    assert not assay.db.exists()


def test_scores_are_no_thumbs(loaded: Assay) -> None:
    """A row that names a judge is quarantined among feedback, where its number would be read as a vote."""
    rows = [{"item_id": "a", "value": 1}, {"item_id": "b", "judge": "own", "value": 1}]

    done = loaded.json("feedback", loaded.write("f.jsonl", rows), status=4)

    assert (done["new"], done["quarantined"]) == (1, 1)
    assert "names a judge" in loaded.quarantine()[0]["reason"]


def test_labels_of_items_that_are_not_here_can_be_read(loaded: Assay) -> None:
    """They wait in quarantine for their traffic."""
    loaded("labels", "import", loaded.write("l.jsonl", [{"item_id": "lost", "label": "right"}]), status=4)
    assert "ingest its traffic first" in loaded.quarantine()[0]["reason"]
