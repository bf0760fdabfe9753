"""A file of references: each row finds its item or stands by itself, once, and what cannot be is kept with its reason."""

from __future__ import annotations

import pytest

from support.store import NASTY, Assay, traffic_row


def gold(assay: Assay) -> dict[str, dict[str, object]]:
    return {str(entry["reference"]): entry for entry in assay.json("gold", "list")["gold"]}


def test_rows_find_their_items_or_stand_by_themselves(loaded: Assay) -> None:
    """By id, by the same question however it is typed, and without any item; the named annotator is kept."""
    file = loaded.write(
        "gold.jsonl",
        [
            {"item_id": "a", "reference": "By id.", "annotator": "kim"},
            {"question": "where is ROOM b", "reference": "By question."},
            {"question": "Is it new?", "reference": "By itself.", "contexts": ["p1", {"text": "p2"}]},
            {"question": "Is it new?", "reference": "In other words.", "item_id": "unknown"},
        ],
    )
    imported = loaded.json("gold", "import", file)
    assert (imported["added"], imported["without_item"], imported["unchanged"], imported["quarantined"]) == (4, 2, 0, 0)

    entries = gold(loaded)
    assert [(entry["item_id"], entry["annotator"]) for entry in entries.values()] == [
        *(("a", "kim"), ("b", "tester"), (None, "tester"), (None, "tester"))
    ]
    assert {str(entry["source"]) for entry in entries.values()} == {"imported from a file"}
    assert loaded.sql("SELECT DISTINCT who FROM gold_revisions") == [("tester",)]
    assert entries["By itself."]["question"] == "Is it new?"
    loaded("gold", "accept", str(entries["By itself."]["gold_id"]))
    loaded("gold", "export", "out.jsonl")
    assert '"contexts": ["p1", "p2"]' in (loaded.folder / "out.jsonl").read_text()


def test_the_same_file_again_adds_nothing(loaded: Assay) -> None:
    """Not even after its entries were accepted, edited and retired."""
    rows = [{"question": f"Question {n}?", "reference": f"R {n}"} for n in range(5)]
    file = loaded.write(
        "gold.jsonl", [*rows, {"item_id": "a", "reference": "R a"}, {"item_id": "a", "reference": "R a"}]
    )
    loaded("gold", "import", file)
    entries = gold(loaded)
    loaded("gold", "accept", "--all")
    loaded("gold", "edit", str(entries["R a"]["gold_id"]), "--reference", "Edited.")
    loaded("gold", "retire", str(entries["R 0"]["gold_id"]))
    before = loaded.sql("SELECT * FROM gold_revisions")
    imported = loaded.json("gold", "import", file)

    assert (imported["added"], imported["unchanged"]) == (0, 7)
    assert loaded.sql("SELECT * FROM gold_revisions") == before


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"question": "Q?"}, "no reference"),
        ({"question": "Q?", "reference": "  "}, "no reference"),
        ({"reference": "R"}, "no question"),
        ({"reference": "R", "item_id": "lost"}, "no item lost"),
        ({"reference": "R", "item_id": "a", "question": "Something else?"}, "asks something else"),
        ({"reference": "R", "question": "Q?", "contexts": [7]}, "contexts"),
        ({"reference": "R", "item_id": "b"}, "another reference"),
        ({"reference": "R", "item_id": "c"}, "another reference"),
    ],
)
def test_what_cannot_be_is_quarantined_with_its_reason(loaded: Assay, row: dict[str, object], reason: str) -> None:
    """Also a row against what a person wrote or accepted: it is kept, and nobody is overwritten."""
    loaded("gold", "add", "b", "--reference", "A person wrote this.")
    loaded("labels", "import", loaded.write("l.jsonl", [{"item_id": "c", "label": "right", "annotator": "ann"}]))
    loaded("gold", "accept", "--all")
    before = loaded.sql("SELECT * FROM gold_revisions")
    result = loaded("gold", "import", loaded.write("gold.jsonl", [row]), status=4)

    assert "1 quarantined" in result.stdout
    assert reason in loaded.quarantine()[0]["reason"]
    assert loaded.quarantine()[0]["stage"] == "gold"
    assert loaded.sql("SELECT * FROM gold_revisions") == before


def test_an_import_takes_the_place_of_a_weaker_candidate(loaded: Assay) -> None:
    """A person's reference over an answer called right over a correction; a later label does not change it."""
    loaded("labels", "import", loaded.write("l.jsonl", [{"item_id": "a", "label": "right", "annotator": "ann"}]))
    loaded("feedback", loaded.write("f.jsonl", [{"item_id": "b", "value": -1, "correction": "From a user."}]))
    rows = [{"item_id": "a", "reference": "Better a."}, {"item_id": "b", "reference": "Better b."}]
    assert loaded.json("gold", "import", loaded.write("gold.jsonl", rows))["added"] == 2
    loaded("labels", "import", loaded.write("l2.jsonl", [{"item_id": "a", "label": "wrong", "annotator": "ann"}]))

    assert set(gold(loaded)) == {"Better a.", "Better b."}


def test_hostile_texts_survive(assay: Assay) -> None:
    """Question, reference and passages come out as they went in, through import, release and export."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    row = {"question": NASTY, "reference": f"R {NASTY}".strip(), "contexts": [NASTY]}
    assay("gold", "import", assay.write("gold.jsonl", [row]))
    assay("gold", "accept", "--all")
    assay("gold", "release", "v1")
    assay("gold", "export", "out.jsonl", "--release", "v1")

    import json

    (exported,) = [
        json.loads(line) for line in (assay.folder / "out.jsonl").read_text(encoding="utf-8").split("\n") if line
    ]
    assert {name: exported[name] for name in row} == row


def test_columns_of_another_name_and_csv(loaded: Assay) -> None:
    """--map points to the fields; a CSV cell with a JSON list is a list of passages."""
    file = loaded.write("gold.csv", 'ask,say,passages\nIs it new?,Yes.,"[""p1"", ""p2""]"\n')
    loaded("gold", "import", file, "--map", "question=ask", "--map", "reference=say", "--map", "contexts=passages")

    assert loaded.sql("SELECT question, reference, contexts FROM gold") == [("Is it new?", "Yes.", '["p1", "p2"]')]
