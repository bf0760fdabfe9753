"""What an import would lose without a word: it stops, or says so with counts."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from annotate.charts.days import thinned
from annotate.store import Store
from proxy.records import Item
from support.files import workbook
from support.store import Assay, traffic_row

NOW = "2026-11-21T08:00:00.000Z"


def turns(count: int = 6, **changes: object) -> list[dict[str, object]]:
    """Rows whose id is the conversation's."""
    return [
        {**traffic_row(f"chat-{n // 3}"), "question": f"Question {n}?", "answer": f"Answer {n}.", **changes}
        for n in range(count)
    ]


def test_a_dry_run_names_every_option_that_would_go_on(assay: Assay) -> None:
    """What the import itself would say, to its last word, with its exit status."""
    path = assay.write("t.jsonl", turns())

    dry = " ".join(assay("ingest", path, "--dry-run", status=1).stdout.split())

    assert refused(assay, path).removeprefix("assay: ").strip() in dry
    assert "add --map id= " in dry


def refused(assay: Assay, *args: str) -> str:
    """What an import says that is stopped; the store is as empty as before."""
    had_store = assay.db.exists()
    before = assay.sql("SELECT count(*) FROM items")[0][0] if had_store else 0
    message = assay("ingest", *args, status=1).stderr
    assert message.count("\n") == 1
    assert assay.db.exists() is had_store
    if had_store:
        assert assay.sql("SELECT count(*) FROM items") == [(before,)]
        assert assay.sql("SELECT count(*) FROM quarantine") == [(0,)]
    return message


def csv_of(rows: list[dict[str, object]]) -> str:
    names = [name for name in rows[0] if name != "contexts"]
    return "\n".join([",".join(names), *(",".join(str(row[name]) for name in names) for row in rows)]) + "\n"


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", pytest.param("-", marks=pytest.mark.slow)])
def test_ids_that_repeat_with_other_content_stop_the_import(assay: Assay, kind: str) -> None:
    """Nothing is kept, and the line names how many, one of them, and what to map; --revisions means it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [traffic_row("fine"), *turns()]
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), assay.folder / "t.parquet")
    file = (
        assay.write(f"t.{kind}", csv_of(rows) if kind == "csv" else rows) if kind in ("jsonl", "csv") else "t.parquet"
    )
    if kind == "-":
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        _, message = assay.process("ingest", "-", stdin=text, status=1)
        assert not assay.db.exists()
    else:
        message = refused(assay, file)

    assert "2 ids repeat with other content" in message
    assert "'chat-0'" in message
    assert "where each row is an answer of its own, add --map id= to make ids from the content" in message
    assert "where id names a conversation, also --map group=id" in message
    if kind != "-":
        ingested = assay.json("ingest", file, "--revisions")
        assert (ingested["items"], ingested["revised"]) == (3, 4)


def test_the_advice_of_a_stopped_import_brings_every_turn_in(assay: Assay) -> None:
    """A column that is unique becomes the id, and the old id the group."""
    rows = [{**row, "turn_id": f"t{n}"} for n, row in enumerate(turns())]
    file = assay.write("t.jsonl", rows)

    message = refused(assay, file)
    assert "add --map id=turn_id; where id names a conversation, also --map group=id" in message
    assay("ingest", file, "--map", "group=id", "--map", "id=turn_id")

    assert assay.sql('SELECT id, "group" FROM items LIMIT 1') == [("t0", "chat-0")]


def test_a_turns_number_as_id_names_the_conversations_column(assay: Assay) -> None:
    """Here the id repeats across conversations: the other column may name them."""
    rows = [{**row, "id": n % 3, "conversation_id": f"c{n // 3}"} for n, row in enumerate(turns())]

    message = refused(assay, assay.write("t.jsonl", rows))

    assert "where conversation_id names a conversation, also --map group=conversation_id" in message
    assert "add --map id= to" in message


def test_an_id_that_each_system_answers_once_is_the_questions(assay: Assay) -> None:
    """It is not called a conversation."""
    rows = [{**traffic_row(f"q{n}"), "system": name, "answer": name} for n in range(3) for name in ("a", "b")]

    message = refused(assay, assay.write("t.jsonl", rows))

    assert "rows 1 and 2; each time from another system" in message
    assert "group=" not in message


@pytest.mark.parametrize("extra", [{}, {"system": "a"}], ids=["plain", "one system"])
def test_an_id_that_repeats_by_accident_is_to_be_mended(assay: Assay, extra: dict[str, object]) -> None:
    """One of 101 rows: the rows to look at are named, with what to do in each case; --revisions means it."""
    rows: list[dict[str, object]] = [{**traffic_row(f"i{n}"), **extra} for n in range(100)]
    rows.insert(87, {**traffic_row("i4", answer="Another."), **({"system": "b"} if extra else {})})
    file = assay.write("t.jsonl", rows)

    message = refused(assay, file)

    assert "1 id repeats with other content ('i4': rows 5 and 88" in message
    assert "so rows would replace each other; nothing was taken in" in message
    assert "where later rows correct earlier ones, add --revisions; else mend the file" in message
    assert assay.json("ingest", file, "--revisions")["items"] == 100


def test_repeats_that_are_no_conflict_pass(assay: Assay) -> None:
    """The same content twice, refused rows in between, another file later with changed content."""
    file = assay.write("t.jsonl", [*turns(1), *turns(1), {"id": "chat-0", "question": "No answer"}])
    assay("ingest", file, status=4)

    ingested = assay.json("ingest", assay.write("next.jsonl", turns(1, answer="Corrected.")))

    assert (ingested["revised"], ingested["items"]) == (1, 1)


def test_a_file_that_stops_keeps_those_before_it_out_too(assay: Assay) -> None:
    """All files of a command are looked at before the first is kept; a file may correct the one before it."""
    fine, fixed = assay.write("a.jsonl", turns(1)), assay.write("b.jsonl", turns(1, answer="Corrected."))

    refused(assay, fine, assay.write("c.jsonl", turns()))

    assert assay.json("ingest", fine, fixed)["revised"] == 1


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("context", "a", "contexts"),
        ("retrieved_contexts", ["a"], "contexts"),
        ("documents", [{"page_content": "a"}], "contexts"),
        ("Source Documents", ["a"], "contexts"),
        ("_id", "7", "id"),
        ("message_id", 7, "id"),
        ("createdAt", "2026-11-20T08:00:00Z", "timestamp"),
        ("Time", "2026-11-20", "timestamp"),
        ("ts", 1_795_248_000, "timestamp"),
    ],
)
def test_a_field_under_nearly_the_right_name_is_not_lost(assay: Assay, name: str, value: object, field: str) -> None:
    """One line says what would be lost and how to map it, and doing so works; --yes takes the file as it is."""
    row = {"id": "a", "contexts": ["x"], "timestamp": "2026-11-20", "group": "g", "question": "Q?", "answer": "A."}
    row.pop(field)
    row[name] = value
    file = assay.write("t.jsonl", [row])

    message = refused(assay, file)
    assert f"{field} (column '{name}')" in message
    assert f"{field}={name}" in message

    assert assay.json("ingest", file, "--map", f"{field}={name}")["added"] == 1
    store = Store(assay.db)
    item = store.traffic.items.get(1)
    store.close()
    assert {"contexts": item.contexts, "id": item.id, "timestamp": item.timestamp, "group": item.group}[field]
    assert name not in item.metadata
    assay("ingest", file, "--yes")


@pytest.mark.parametrize(
    "extra",
    [
        {"identity": "x", "times_seen": 3, "contextual": True, "timeout": 3, "groupings": "x"},
        {"time": 1.3, "date": "the other day", "context": {"tenant": "x"}, "documents": []},
        {"retrieved": ["a"]},
    ],
    ids=str,
)
def test_other_names_and_other_values_raise_no_alarm(assay: Assay, extra: dict[str, object]) -> None:
    """A duration is no time, and an object without text no passage."""
    assert assay.json("ingest", assay.write("t.jsonl", [{"question": "Q?", "answer": "A.", **extra}]))["added"] == 1


@pytest.mark.parametrize("kind", ["jsonl", "csv", "xlsx"])
def test_columns_in_capitals_lose_nothing(assay: Assay, kind: str) -> None:
    """Contexts, ids and times come in, and ids that repeat are seen."""
    names = ["ID", "Question", "Contexts", "Answer", "Timestamp", "Group", "Model"]
    values = ["a", "Q?", "['x', \"it's\"]", "A.", "2026-11-20", "g", "m"]
    row = dict(zip(names, values, strict=True))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([names, values])
    content = {"jsonl": [row], "csv": text.getvalue(), "xlsx": workbook([names, values])}

    assert assay.json("ingest", assay.write(f"t.{kind}", content[kind]))["added"] == 1

    store = Store(assay.db)
    item = store.traffic.items.get(1)
    store.close()
    assert (item.id, item.timestamp, item.group) == ("a", "2026-11-20T00:00:00.000Z", "g")
    assert [context.text for context in item.contexts] == ["x", "it's"]
    assert item.metadata == {"Model": "m"}
    if kind == "jsonl":
        twice = assay.write("twice.jsonl", [row, {**row, "Answer": "B."}])
        assert "1 id repeats with other content" in assay("ingest", twice, status=1).stderr


def test_a_list_that_cannot_be_read_is_no_passage(assay: Assay) -> None:
    """Numpy leaves out the middle of a long one: its row goes to quarantine with the reason."""
    rows = [traffic_row("a", contexts="['x' 'y' ... 'z']"), traffic_row("b", contexts="[1] Smith et al. [2]")]

    assert assay.json("ingest", assay.write("t.jsonl", rows), status=4)["added"] == 1

    [row] = assay.quarantine()
    assert "contexts: looks like a list" in row["reason"]
    assert "cut short with ..." in row["reason"]


def test_scores_that_are_no_numbers_are_told(assay: Assay) -> None:
    """The items stay, and the count is on the first screen."""
    rows = [
        traffic_row(f"r{n}", contexts=[{"text": "a", "score": score}]) for n, score in enumerate(["nan", "high", 1])
    ]
    file = assay.write("t.jsonl", rows)

    first, again = assay("ingest", file), assay.json("ingest", file)

    assert "2 passages kept without their score, which is no number (for example 'nan')" in first.stderr
    assert again["scores_dropped"] == {"reason": "no_number", "rows": 2, "example": "'nan'"}
    assert again["times_dropped"] == []


def test_a_mapping_that_misses_by_a_letter_is_refused(assay: Assay) -> None:
    """The path of --map is compared too; an empty path takes nothing on purpose."""
    file = assay.write("t.jsonl", [{**traffic_row("a"), "contexts": None, "Passage_List": ["a"]}])

    assert "--map contexts=Passage_List" in refused(assay, file, "--map", "contexts=passage_list")
    assay("ingest", file, "--map", "contexts=")


def test_rows_of_no_known_tool_are_told_every_name_at_once(assay: Assay) -> None:
    """Question and answer are named with the contexts."""
    rows = [{"userInput": "Q?", "Output": "A.", "retrieved_contexts": ["a"]}]

    message = refused(assay, assay.write("t.jsonl", rows))

    assert "--map question=userInput --map answer=Output --map contexts=retrieved_contexts" in message


def archive(*parts: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for part in parts:
            zipped.writestr(part, "<office/>" * 50)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500, "old Office"),
        ("t.csv", b"<html><table><tr><td>id</td></tr></table>", "HTML"),
        ("t.jsonl", b"BZh91AY&SY", "bzip2"),
        ("t.csv", bytes(range(256)) * 20, "binary"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--format", "csv")], ids=["auto", "csv"])
def test_a_spreadsheet_is_an_error_and_no_row(
    assay: Assay, name: str, content: bytes, word: str, more: tuple[str, ...]
) -> None:
    """One line says what it is and what to do."""
    message = refused(assay, assay.write(name, content), *more)

    assert word in message
    assert name in message


@pytest.mark.parametrize(
    ("parts", "todo"),
    [
        (("mimetype", "content.xml"), "another kind (.ods, .xlsb), and no rows can be read from it; save it as CSV"),
        (("traffic.jsonl", "more.zip"), "a zip archive, and no rows can be read from it; unpack it"),
    ],
)
def test_an_archive_is_an_error_with_what_to_do(assay: Assay, parts: tuple[str, ...], todo: str) -> None:
    """A document of an office suite has to be saved as another, an archive of files unpacked."""
    file = assay.write("t.bin", archive(*parts))

    assert todo in refused(assay, file)
    assert "zip archive, and not CSV: leave --format out" in refused(assay, file, "--format", "csv")


def test_bad_times_cost_the_time_and_are_counted(assay: Assay) -> None:
    """The row stays with what it said as metadata, and the count is on the first screen."""
    bad = ["next week", "next week", "9999-12-31", "1970-01-01", 0, "9999-12-31T23:59:59-05:00"]
    rows = [traffic_row(f"r{n}", timestamp=value) for n, value in enumerate([*bad, "2026-11-20T08:00:00Z"])]
    file = assay.write("t.jsonl", rows)

    result = assay("ingest", file)
    ingested = assay.json("ingest", file)

    assert "6 rows kept without their time: 4 impossible (for example '9999-12-31'), 2 unreadable" in result.stderr
    assert [(dropped["reason"], dropped["rows"]) for dropped in ingested["times_dropped"]] == [
        ("impossible", 4),
        ("unreadable", 2),
    ]
    assert (ingested["unchanged"], ingested["quarantined"]) == (7, 0)
    assert assay.sql("SELECT count(*), sum(timestamp IS NULL) FROM items") == [(7, 6)]
    assert json.loads(assay.sql("SELECT metadata FROM texts WHERE key = 1")[0][0]) == {"timestamp": "next week"}


def test_a_row_without_an_id_keeps_its_id_when_its_time_is_dropped(assay: Assay) -> None:
    """Rows that differ in a bad time only stay two rows."""
    rows = [{"question": "Q?", "answer": "A.", "timestamp": at} for at in ("soon", "late", "9999-12-31")]

    assert assay.json("ingest", assay.write("t.jsonl", rows))["added"] == 3


def test_labels_and_thumbs_outlive_a_bad_time(assay: Assay) -> None:
    """Their time is optional too, and counted."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    labels = assay.write("l.jsonl", [{"item_id": "a", "label": "right", "at": "9999-12-31"}])
    thumbs = assay.write("f.jsonl", [{"item_id": "a", "value": 1, "at": "soon"}])

    assert "1 row kept without its time" in assay("labels", "import", labels).stderr
    assert assay.json("feedback", thumbs)["times_dropped"][0]["reason"] == "unreadable"


@pytest.mark.slow
@pytest.mark.parametrize("at", ["9999-12-31T00:00:00.000Z", "0001-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"])
def test_a_store_that_holds_an_impossible_time_is_read(assay: Assay, at: str) -> None:
    """Report, page and drift leave such an answer out of every window, and count it as one without a time."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(f"r{n}", timestamp=f"2026-11-{10 + n}") for n in range(8)]))
    store = Store(assay.db)
    with store.atomic():
        store.traffic.items.add([Item(id="odd", question="Q?", answer="A.", contexts=(), timestamp=at)], now=NOW)
    store.close()
    assay("judge")
    assay("sample", "--labels", "9", "--seed", "1")
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": f"r{n}", "label": "right"} for n in range(8)]))

    assay("report", "--html", "r.html")
    for by in ("day", "week", "month"):
        assert assay.json("drift", "--by", by)["without_timestamp"] == 1
    assay("draws", "export", "d.jsonl")

    assert "9999" not in (assay.folder / "r.html").read_text()
    assert thinned(["2026-11-10"], 3) == ["2026-11-10"]


@pytest.mark.slow
def test_reasons_with_counts_are_on_the_first_screen(assay: Assay) -> None:
    """Reasons that differ in a value alone are one; `assay quarantine` begins with them."""
    rows = [*({"id": f"a{n}", "question": "Q?", "contexts": n} for n in range(5)), traffic_row("b", contexts=3)]
    file = assay.write("t.jsonl", [*rows, traffic_row("c")])

    first, again = assay("ingest", file, status=4), assay.json("ingest", file, status=4)
    listed, data = assay("quarantine").stdout.splitlines(), assay.json("quarantine")

    assert "5 × no answer" in first.stderr
    assert "1 × contexts[0]" in first.stderr
    assert [reason["rows"] for reason in again["reasons"]] == [reason["rows"] for reason in data["reasons"]] == [5, 1]
    assert listed[0] == "6 rows in quarantine."
    assert "5 × no answer" in listed[2]


@pytest.mark.slow
def test_a_pipe_leaves_no_copy_behind(assay: Assay) -> None:
    """What comes from a pipe is read twice from a file without a name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    assay.process("ingest", "-", stdin=json.dumps(traffic_row("a")).encode())
    pq.write_table(pa.Table.from_pylist([traffic_row("b")]), assay.folder / "t.parquet")
    assay.process("ingest", "-", stdin=(assay.folder / "t.parquet").read_bytes())

    assert assay.sql("SELECT count(*) FROM items") == [(2,)]
    assert {path.name for path in Path(assay.folder).iterdir()} <= {
        "assay.db",
        "assay.db-wal",
        "assay.db-shm",
        "t.parquet",
    }


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("content", ["", "\n\n"])
@pytest.mark.parametrize("command", [("ingest",), ("feedback",), ("gold", "import")])
def test_a_file_without_rows_is_an_error_and_leaves_no_store(
    assay: Assay, command: tuple[str, ...], content: str, kind: str
) -> None:
    """Exit status 1 with the file's name; the folder holds the file alone."""
    file = assay.write(f"empty.{kind}", content)

    message = assay(*command, file, status=1).stderr

    assert message == f"assay: empty.{kind}: there are no rows in it, so nothing was taken in\n"
    assert [path.name for path in assay.folder.iterdir()] == [f"empty.{kind}"]


def test_a_store_stays_as_it_was_where_a_file_has_no_rows(assay: Assay) -> None:
    """No event, no item; a header is no row, and a frame without rows is told the same."""
    import pandas as pd

    from annotate import Project
    from proxy.errors import FileError

    assay("ingest", assay.write("t.jsonl", turns(1, answer="Corrected.")[:1]))
    events = assay.sql("SELECT count(*) FROM events")
    header = assay.write("header.csv", "item_id,judge,value\n")
    for command in (("ingest",), ("labels", "import"), ("scores", "import")):
        assert "header.csv: there are no rows in it" in assay(*command, header, status=1).stderr
    with pytest.raises(FileError, match="there are no rows"):
        Project.open(assay.db).ingest(pd.DataFrame({"question": [], "contexts": [], "answer": []}))

    assert assay.sql("SELECT count(*) FROM events") == events
    assert assay.sql("SELECT count(*) FROM items") == [(1,)]


def test_ids_that_repeat_over_the_files_of_a_folder_stop_the_import(assay: Assay) -> None:
    """Parts of one export are one import: the second part would replace rows of the first without a word."""
    folder = assay.folder / "export"
    folder.mkdir()
    assay.write("export/part-0.jsonl", [traffic_row("a"), traffic_row("b")])
    assay.write("export/part-1.jsonl", [traffic_row("b"), traffic_row("a", answer="Upstairs.")])

    said = assay("ingest", str(folder), status=1).stderr

    assert "'a': row 1 of part-0.jsonl and row 2 of part-1.jsonl" in said
    assert not assay.db.exists()
    assert assay.json("ingest", str(folder), "--revisions")["revised"] == 1
    parts = [str(folder / name) for name in ("part-0.jsonl", "part-1.jsonl")]
    assert assay.json("ingest", *parts)["added"] == 0  # files one by one are revisions of each other
