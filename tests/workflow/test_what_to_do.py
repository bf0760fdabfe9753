"""What an import leaves or refuses, it says, with what to do."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from annotate import Project
from annotate.store import MEMORY, Store
from annotate.workflow.ingest.receive import feedback_rows
from support.store import Assay, traffic_row

COLUMNS = ["질문", "답변", "병동", "담당자"]


def test_a_real_import_of_our_own_rows_says_what_they_lack(assay: Assay) -> None:
    """As a dry run does: passages, times and ids, and the columns that no field claims, over all rows and not the first 100."""
    rows = [dict.fromkeys(COLUMNS, f"{number}") for number in range(120)]
    said = assay("ingest", assay.write("t.jsonl", rows), "--map", "question=질문", "--map", "answer=답변").stdout

    assert "120 of 120 answers have no passages" in said
    assert "120 of 120 answers have no time." in said
    assert "no ids of their own; they are made from the content." in said
    assert "Kept as metadata: 병동, 담당자." in said


def test_a_column_is_named_as_the_id_where_it_can_be_one(assay: Assay) -> None:
    """It is called like one, and has another value in each row; a column of one value, or without a name, is none."""
    rows = [{"question": f"{n}?", "answer": "yes", "": n, "ward_id": 1, "call_id": f"c{n}"} for n in range(3)]
    said = " ".join(assay("ingest", assay.write("t.jsonl", rows)).stdout.split())

    assert "made from the content: `--map id=call_id` reads them." in said


def test_rows_under_our_names_are_taken_without_a_word(assay: Assay) -> None:
    """Nothing is left over, so nothing is said."""
    said = assay("ingest", assay.write("t.jsonl", [traffic_row(f"a{number}") for number in range(3)])).stdout
    assert said.strip() == "3 rows: 3 items added; 3 items in the store."


def test_one_row_with_another_name_is_counted(assay: Assay) -> None:
    """Its passages are metadata: the other rows have theirs under the right name, so the import does not stop."""
    odd: dict[str, Any] = traffic_row("odd")
    odd["context"] = odd.pop("contexts")
    said = assay("ingest", assay.write("t.jsonl", [traffic_row("a"), odd, traffic_row("b")])).stdout
    assert "1 of 3 answers has no passages" in said
    assert "Kept as metadata: context." in said


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_text_in_an_encoding_that_cannot_be_told_says_to_name_it(assay: Assay, name: str) -> None:
    """Polish in Windows' code page is text in many others too."""
    text = "question,answer\nKto dzisiaj się tutaj śmieje?,Nie wiem.\n"
    if name == "t.jsonl":
        text = '{"question": "Kto dzisiaj się tutaj śmieje?", "answer": "Nie wiem."}\n'
    (assay.folder / name).write_bytes(text.encode("cp1250"))
    file = str(assay.folder / name)

    assert "`--encoding cp1252`, cp1250, shift_jis" in assay("ingest", file, status=1).stderr
    assert assay.json("ingest", file, "--encoding", "cp1250")["added"] == 1
    assert list(Project.open(assay.db).items().question) == ["Kto dzisiaj się tutaj śmieje?"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"answer": 28}, "answer: expected text, found a number; quote it as text"),
        ({"question": 28}, "question: expected text, found a number; quote it as text"),
        (
            {"answer": {"text": "a"}},
            "expected text, found an object; point to the text in it, such as --map answer=answer.KEY",
        ),
    ],
)
def test_a_value_that_is_no_text_says_what_to_do(assay: Assay, changes: dict[str, object], reason: str) -> None:
    file = assay.write("t.jsonl", [{**traffic_row("a"), **changes}, traffic_row("b")])
    assert reason in assay("ingest", file, status=4).stderr


def test_an_unreadable_time_names_the_forms(assay: Assay) -> None:
    file = assay.write("t.jsonl", [traffic_row("a", timestamp="3 Nov 26, after lunch")])
    assert "write ISO 8601, such as 2026-11-03 14:00, or seconds since 1970" in assay("ingest", file).stderr


def test_a_dry_run_does_not_point_to_what_it_did_not_keep(assay: Assay) -> None:
    """Nothing is in quarantine after it."""
    file = assay.write("t.jsonl", [traffic_row("a"), {**traffic_row("b"), "question": ""}])
    said = assay("ingest", file, "--dry-run", status=4).stderr
    assert "1 row could not be read; an import would put it in quarantine" in said
    assert "assay quarantine" not in said


def test_rows_by_http_are_not_told_of_options() -> None:
    """They came by no command."""
    with closing(Store(MEMORY)) as store, store.atomic():
        received = feedback_rows(store, [{"value": "up"}], origin="http", now="2026-11-21T08:00:00.000Z")
    assert received.refused == {0: "no item_id: nothing under 'item_id'; the row has value"}


def test_a_file_without_labels_is_no_file_that_nobody_filled_in(assay: Assay) -> None:
    """It has no column of them; an exported file has one, empty."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))
    shown = {"item_id": "a", "question": "q", "answer": "a"}

    assert (
        "no label: nothing under 'label'" in assay("labels", "import", assay.write("n.jsonl", [shown]), status=1).stderr
    )
    said = assay("labels", "import", assay.write("e.jsonl", [{**shown, "label": ""}])).stdout
    assert "1 not filled in" in said
