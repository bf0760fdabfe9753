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
    """The words of the options that a refusal names."""
    match = re.search(r": add (--map .*)$", text.strip())
    assert match is not None, text
    return shlex.split(match[1])


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
