"""Traffic files into the store through the command: counts exact, nothing twice, every refusal with its line and reason."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotate.store import Store
from support.store import Assay, draw, label, read, traffic_row


def test_the_same_file_twice_adds_nothing(loaded: Assay) -> None:
    """The counts say so, and not a byte of any row changes."""
    before = loaded.sql("SELECT * FROM items JOIN texts USING (key)")

    again = loaded.json("ingest", "traffic.jsonl")

    assert (again["rows"], again["added"], again["unchanged"], again["items"]) == (8, 0, 8, 8)
    assert loaded.sql("SELECT * FROM items JOIN texts USING (key)") == before


def test_a_file_with_two_contents_under_one_id_keeps_both_once(assay: Assay) -> None:
    """With --revisions both are kept, the last is the current one, and the file again adds none."""
    file = assay.write("t.jsonl", [traffic_row("a"), traffic_row("a", answer="B."), traffic_row("a")])

    first, again = assay.json("ingest", "--revisions", file), assay.json("ingest", "--revisions", file)

    assert (first["added"], first["revised"], first["unchanged"], first["items"]) == (1, 1, 1, 1)
    assert (again["added"], again["revised"], again["unchanged"], again["items"]) == (0, 0, 3, 1)
    assert assay.sql("SELECT revision, is_current FROM items ORDER BY key") == [(1, 0), (2, 1)]


def test_rows_without_an_id_are_one_item_if_they_are_the_same(assay: Assay) -> None:
    """The content is the id: the same row twice is one item, another conversation is another."""
    row = {"question": "Thanks?", "answer": "Welcome."}
    rows = [row, row, {**row, "history": ["a"]}, {**row, "history": ["b"]}]

    ingested = assay.json("ingest", assay.write("t.jsonl", rows))

    assert (ingested["added"], ingested["revised"], ingested["unchanged"]) == (3, 0, 1)


def test_refused_rows_keep_line_reason_and_bytes_and_the_rest_goes_on(assay: Assay) -> None:
    """A file of every fault: exit status 4, exact counts, and the second run knows them from before."""
    lines = [
        json.dumps(traffic_row("a")).encode(),
        b"",
        b'{"question": "caf\x81"}',
        b'{"id": "b", "question": "Q?"}',
        json.dumps(traffic_row("c", contexts=7)).encode(),
        b"not json",
        json.dumps(traffic_row("d")).encode()[:-9],
    ]
    file = assay.write("t.jsonl", b"\n".join(lines))

    ingested = assay.json("ingest", file, status=4)
    again = assay("ingest", file, status=4)

    assert (ingested["rows"], ingested["added"], ingested["quarantined"]) == (6, 1, 5)
    assert "5 quarantined (5 known from before)" in again.stdout
    rows = assay.quarantine()
    assert [(row["line"], row["stage"], row["source"]) for row in rows] == [
        (n, "traffic", file) for n in (3, 4, 5, 6, 7)
    ]
    assert all(
        word in row["reason"]
        for word, row in zip(("UTF-8", "no answer", "contexts[0]", "JSON", "cut off"), rows, strict=True)
    )
    raw = [row[0] for row in assay.sql("SELECT raw FROM quarantine ORDER BY rowid")]
    assert [raw[0], raw[3], raw[4]] == [lines[2] + b"\n", lines[5] + b"\n", lines[6]]
    assert json.loads(raw[2])["contexts"] == 7


def test_a_reason_that_quotes_half_a_character_can_be_shown(assay: Assay) -> None:
    """Column names come from the file: they must break neither the list nor its JSON."""
    file = assay.write("t.jsonl", '{"\\ud800": 1, "\\u0000": 2}\n{"question": "Q?", "answer": "A."}\n')
    assay("ingest", file, status=4)

    assert "no question" in assay("quarantine").stdout
    assert "no question" in assay.quarantine()[0]["reason"]


def test_a_file_without_a_unicode_name_can_be_read(assay: Assay) -> None:
    """Linux allows any bytes in a file's name."""
    path = assay.folder / "caf\udce9.jsonl"
    path.write_text('{}\n{"question": "Q?", "answer": "A."}\n')

    assay("ingest", str(path), status=4)

    assert assay.quarantine()[0]["source"] == str(path)


def test_a_parquet_file_with_a_broken_column_is_one_refusal(assay: Assay) -> None:
    """Nothing of a file that is no Parquet inside comes in."""
    pq.write_table(pa.table({"question": ["Q?"], "answer": ["A."]}), assay.folder / "t.parquet")
    content = (assay.folder / "t.parquet").read_bytes()

    refused = assay("ingest", assay.write("cut.parquet", content[: len(content) // 2]), status=1)

    assert "nothing was taken in; 1 × cannot be read as Parquet" in " ".join(refused.stderr.split())
    assert not assay.db.exists()


def test_parquet_columns_of_any_type_become_an_item(assay: Assay) -> None:
    """Numbers as ids, times with a zone, structs as passages, and a map of bytes as metadata."""
    table = pa.table(
        {
            "id": [7],
            "question": ["Q?"],
            "answer": ["A."],
            "contexts": [[{"text": "a", "score": 0.5, "page": 3}]],
            "timestamp": pa.array([1_795_248_000_000_000_001], pa.timestamp("ns", "Europe/Berlin")),
            "blob": [b"\xff"],
            "missing": pa.nulls(1),
        }
    )
    pq.write_table(table, assay.folder / "t.parquet")
    assay("ingest", "t.parquet")

    store = Store(assay.db)
    item = store.traffic.items.get(1)
    store.close()
    assert (item.id, item.timestamp, item.contexts[0].score) == ("7", "2026-11-21T08:00:00.000Z", 0.5)
    assert item.metadata == {"blob": "b'\\xff'", "contexts": [{"text": "a", "score": 0.5, "page": 3}]}


@pytest.mark.slow
def test_half_characters_pass_through_the_whole_loop_unchanged(assay: Assay) -> None:
    """From JSONL through store, judges, labels and the gold set to JSONL: the same characters; a task shows a stand-in."""
    nasty = "lone \ud800 and \0 😀"
    row = traffic_row("a", question=nasty, contexts=[nasty], answer=nasty, extra={nasty: nasty})
    assay("ingest", assay.write("t.jsonl", [row]))
    assay("judge")
    draw(assay, 1)
    assay("draws", "export", "draws.jsonl")
    labels = [label("a", "wrong", reference=nasty, rationale=nasty)]
    assay("labels", "import", assay.write("l.jsonl", labels))
    # The reference is, word for word, the answer that was called wrong: --all leaves it.
    assay("gold", "accept", *[entry["gold_id"] for entry in assay.json("gold", "list")["gold"]])
    assay("gold", "export", "gold.jsonl")
    assay("labels", "export", "labels.jsonl")

    (gold,), (kept,), (task,) = (read(assay.folder / name) for name in ("gold.jsonl", "labels.jsonl", "draws.jsonl"))
    assert (gold["question"], gold["reference"]) == (nasty, nasty)
    assert (kept["reference"], kept["rationale"]) == (nasty, nasty)
    assert task["question"] == "lone \ufffd and \u2400 😀"
    store = Store(assay.db)
    item = store.traffic.items.get(1)
    store.close()
    assert (item.question, item.answer, item.contexts[0].text, item.metadata) == (
        nasty,
        nasty,
        nasty,
        {"extra": {nasty: nasty}},
    )


@pytest.mark.slow
def test_a_megabyte_and_ten_thousand_passages_are_kept_whole(assay: Assay) -> None:
    """Ingested, judged and exported without a character lost."""
    large = "Room a is on the ground floor. " * 33_000
    rows = [traffic_row("a", contexts=[large]), traffic_row("b", contexts=[f"Passage {n}." for n in range(10_000)])]
    assay("ingest", assay.write("t.jsonl", rows))

    judged = assay.json("judge")
    draw(assay, 2)
    assay("draws", "export", "draws.jsonl")

    assert (judged["items"], judged["errors"]) == (2, 0)
    exported = {str(draw["item_id"]): draw for draw in read(assay.folder / "draws.jsonl")}
    assert exported["a"]["contexts"] == [large]
    assert exported["b"]["contexts"] == rows[1]["contexts"]
