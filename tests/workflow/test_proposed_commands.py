"""What is printed for a table under other names reads it in whole, as printed, in one command."""

from __future__ import annotations

import re
import shlex

import pytest

from support.store import Assay

COLUMNS = {
    "id": "msg_id",
    "question": "user_message",
    "answer": "bot_response",
    "contexts": "docs",
    "timestamp": "created",
}


def table(assay: Assay, *, rule: str = "---", conversation: str = "conversation_id") -> str:
    """Twelve answers of four conversations, with three passages in one text."""
    rows = [
        {
            "msg_id": f"m{n}",
            "user_message": f"How do I reset pump {n}?",
            "bot_response": f"Hold the button for {n} seconds.",
            "docs": f"\n{rule}\n".join(f"Pump {n}, page {page}." for page in range(3)),
            conversation: f"c{n // 3}",
            "created": f"2026-11-{n + 1:02}T10:00:00Z",
        }
        for n in range(12)
    ]
    return assay.write("log.jsonl", rows)


def options_in(text: str) -> list[str]:
    """The words of the options in the command that a refusal names."""
    match = re.search(r"run `(assay ingest [^`]*)`", text.strip())
    assert match is not None, text
    return shlex.split(match[1])[3:]


@pytest.mark.parametrize("rule", ["---", "===", "***"])
def test_the_refusal_names_the_conversation_and_splits_passages(assay: Assay, rule: str) -> None:
    """Nothing is left to be proposed after it; without these options no row is read, so --yes is no way out."""
    file = table(assay, rule=rule)
    refused = assay("ingest", file, status=1).stderr
    assert "--yes" not in refused
    taken = assay("ingest", file, *options_in(refused))

    assert taken.stdout.startswith("12 rows: 12 items added; 12 items in the store.\n")
    assert "--map" not in taken.stdout
    assert assay.sql('SELECT DISTINCT "group", contexts FROM items ORDER BY 1') == [(f"c{n}", 3) for n in range(4)]


def test_a_paragraph_splits_nothing_in_a_refusal(assay: Assay) -> None:
    """A passage may have several: after the import it is asked, with the user's own options beside it."""
    file = table(assay, rule="")
    options = options_in(assay("ingest", file, status=1).stderr)
    assert "contexts=docs" in options
    text = " ".join(assay("ingest", file, *options).stdout.split())
    again = re.search(r"With these: `(assay ingest [^`]*)`", text)

    assert again is not None
    assert {*shlex.split(again[1])[3:]} == {*options, r'contexts=docs.split("\n\n")'} - {"contexts=docs"}


def test_a_free_column_that_names_no_conversation_is_no_group(assay: Assay) -> None:
    """What is proposed is a column called like one."""
    options = options_in(assay("ingest", table(assay, conversation="ward"), status=1).stderr)

    assert not any(word.startswith("group=") for word in options)


def test_options_that_were_given_are_printed_again(assay: Assay) -> None:
    """With the file and all that is proposed; one option alone stands by itself."""
    file = table(assay)
    given = [word for field, column in COLUMNS.items() for word in ("--map", f"{field}={column}")]
    text = " ".join(assay("ingest", file, *given).stdout.split())
    again = re.search(r"With these: `(assay ingest [^`]*)`", text)

    assert again is not None
    words = shlex.split(again[1])
    assert words[2] == file
    assert {*words[3:]} == {*given, "group=conversation_id", r'contexts=docs.split("\n---\n")'} - {"contexts=docs"}


def test_a_refusal_prints_what_was_given_and_reads_the_table_as_printed(assay: Assay) -> None:
    """File, format and earlier paths among it; an empty path stays empty."""
    file = table(assay)
    given = ["--format", "jsonl", "--map", "timestamp=created", "--map", "id="]
    command = re.search(r"run `assay (.*)`", assay("ingest", file, *given, status=1).stderr)

    assert command is not None
    words = shlex.split(command[1])
    assert words[:2] == ["ingest", file]
    assert {*given} <= {*words}
    taken = assay.json(*words)
    assert (taken["added"], taken["sources"][0]["without_time"]) == (12, 0)
    assert assay.sql('SELECT count(DISTINCT "group"), min(contexts), count(*) FROM items') == [(4, 3, 12)]


def test_of_several_files_the_options_alone_are_printed(assay: Assay) -> None:
    """The other files may need others."""
    other = assay.write("own.jsonl", [{"question": "Where?", "answer": "Here."}])
    refused = assay("ingest", other, table(assay), status=1).stderr

    assert "add --map id=msg_id" in refused
    assert "`assay ingest" not in refused


def test_a_path_that_was_misspelled_is_printed_with_the_others(assay: Assay) -> None:
    file = table(assay)
    given = [word for field, column in COLUMNS.items() for word in ("--map", f"{field}={column}")]
    misspelled = [word.replace("bot_response", "bot_respons") for word in given]
    command = re.search(r"run `assay (.*)`", assay("ingest", file, *misspelled, status=1).stderr)

    assert command is not None
    assert shlex.split(command[1]) == ["ingest", file, *given]


def test_a_format_that_was_given_is_printed_again(assay: Assay) -> None:
    """Also beside one option."""
    rows = [{"id": f"a{n}", "question": "Where?", "answer": f"{n}.", "session_id": f"s{n // 2}"} for n in range(4)]
    text = " ".join(assay("ingest", assay.write("t.jsonl", rows), "--format", "own").stdout.split())

    assert re.search(r"With these: `assay ingest \S+ --format own --map group=session_id[ `]", text)


def test_what_would_count_twice_goes_to_a_new_store(assay: Assay) -> None:
    """Ids made of the content change with passages; a dry run has kept nothing."""
    rows = [
        {"question": f"Pump {n}?", "answer": "Off.", "contexts": f"Page {n}.\n---\nPage {n + 1}."} for n in range(4)
    ]
    file = assay.write("t.jsonl", rows)
    dry = " ".join(assay("ingest", file, "--map", "answer=answer", "--dry-run").stdout.split())
    text = " ".join(assay("ingest", file).stdout.split())
    command = re.search(r"in a new store: `assay (ingest .*?) --db NEW\.db`", text)

    assert "With these: `assay ingest" in dry
    assert command is not None
    assert shlex.split(command[1]) == ["ingest", file, "--map", r'contexts=contexts.split("\n---\n")']


def test_no_other_id_is_proposed_where_rows_have_theirs(assay: Assay) -> None:
    """Nor a column that names whoever asked."""
    rows = [{"question": f"{n}?", "answer": "Yes.", "user_id": f"u{n}", "session_id": f"s{n}"} for n in range(3)]
    own = [{"id": f"a{n}", "request_id": f"r{n}", "question": f"{n}?", "answer": "No."} for n in range(3)]

    for name, part in (("persons", rows), ("own", own)):
        assert "--map id=" not in assay("ingest", assay.write(f"{name}.jsonl", part)).stdout


def test_a_time_is_proposed_where_a_column_holds_times(assay: Assay) -> None:
    """By its content, where its name says nothing; numbers may be anything."""
    rows = [{"id": f"a{n}", "question": "Where?", "answer": f"{n}.", "ward": 3, "n": f"{n}"} for n in range(2)]
    dated = [{**row, "wann": f"2026-11-0{n + 1} 10:00"} for n, row in enumerate(rows)]
    without = " ".join(assay("ingest", assay.write("t.jsonl", rows)).stdout.split())
    named = " ".join(assay("ingest", assay.write("d.jsonl", dated), "--dry-run").stdout.split())

    assert "2 of 2 answers have no time. " in without
    assert "2 of 2 answers have no time: `--map timestamp=wann`." in named


@pytest.mark.parametrize("has_column", [True, False])
def test_repeats_name_a_column_that_tells_them_apart(assay: Assay, *, has_column: bool) -> None:
    """Where there is one."""
    rows = [{"question": "Where?", "answer": "Here.", **({"call_id": f"c{n}"} if has_column else {})} for n in range(2)]
    text = " ".join(assay("ingest", assay.write("t.jsonl", rows)).stdout.split())

    assert ("where it is an answer of its own, `--map id=call_id`." in text) is has_column
    assert ("give it an id of its own in the file." in text) is not has_column
