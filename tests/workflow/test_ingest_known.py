"""The same file with other options: answers would count twice, or lose what they have; the import stops before that."""

from __future__ import annotations

import pytest

from annotate import Project
from support.store import Assay, traffic_row

NAMES = ("timestamp", "system", "group")


def row(number: int) -> dict[str, object]:
    """An answer whose further fields lie where only an option finds them."""
    return {
        "question": f"Where is ward {number}?",
        "answer": "On the third floor.",
        "contexts": ["Ward 3 is upstairs."],
        "key": f"r{number}",
        "more": {"timestamp": f"2026-11-0{number + 1}T08:00:00Z", "system": "v1", "group": f"c{number // 2}"},
    }


def options(*names: str) -> list[str]:
    return [part for name in names for part in ("--map", f"{name}={'key' if name == 'id' else f'more.{name}'}")]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (("timestamp",), ("timestamp", "system")),
        (("timestamp",), ("timestamp", "id")),
        ((), ("timestamp",)),
        (("id", "timestamp"), ("timestamp",)),
        (("system",), ()),
    ],
)
def test_answers_that_are_here_under_other_ids_stop_the_import(
    assay: Assay, first: tuple[str, ...], then: tuple[str, ...]
) -> None:
    """Nothing is kept, a dry run says the same, and --yes takes them as other answers."""
    file = assay.write("t.jsonl", [row(number) for number in range(4)])
    assay("ingest", file, *options(*first))

    stopped = assay("ingest", file, *options(*then), status=1).stderr
    dry = assay.json("ingest", file, *options(*then), "--dry-run", status=1)

    assert "4 of the first 4 new answers are here under another id" in stopped
    assert dry["stop"] in stopped
    assert len(Project.open(assay.db).items()) == 4
    assert assay.json("ingest", file, *options(*then), "--yes")["added"] == 4


def test_other_answers_to_the_same_questions_come_in(assay: Assay) -> None:
    """Of another system, at another time, with other words or passages, or under ids of the caller's own."""
    rows = [{**row(number), "system": "v1", "timestamp": "2026-11-01"} for number in range(4)]
    others = [
        {"system": "v2"},
        {"timestamp": "2026-11-02"},
        {"answer": "Upstairs."},
        {"contexts": ["Ward 3 has moved."]},
    ]
    assay("ingest", assay.write("t.jsonl", rows))
    for change in others:
        changed = [{**row, **change} for row in rows]
        assert assay.json("ingest", assay.write("other.jsonl", changed))["added"] == 4
    named = [traffic_row(f"a{number}") for number in range(4)]
    again = [{**traffic_row(f"a{number}"), "id": f"b{number}"} for number in range(4)]
    assert assay.json("ingest", assay.write("named.jsonl", [*named, *again]))["added"] == 8


@pytest.mark.parametrize("more", [(), ("system",)])
def test_an_import_that_would_only_take_fields_stops(assay: Assay, more: tuple[str, ...]) -> None:
    """It names them with the options that read them; --revisions lets them go."""
    file = assay.write("t.jsonl", [row(number) for number in range(4)])
    assay("ingest", file, *options("id", *NAMES))
    given = options("id", *more)

    stopped = assay("ingest", file, *given, status=1).stderr

    lost = [name for name in ("system", "group", "timestamp") if name not in more]
    assert f"4 of the first 4 answers are here with {', '.join(lost)}, which this import would take" in stopped
    assert " ".join(f"--map {name}=PATH" for name in lost) in stopped
    assert assay.sql("SELECT count(*), count(timestamp) FROM items") == [(4, 4)]
    assert assay.json("ingest", file, *given, "--revisions")["added"] == 0
    assert assay.sql("SELECT count(timestamp) FROM items WHERE is_current") == [(0,)]


def test_an_import_that_changes_something_else_revises(assay: Assay) -> None:
    """Another answer without its time is a revision as before; so is the same file again no change."""
    file = assay.write("t.jsonl", [row(number) for number in range(4)])
    assay("ingest", file, *options("id", "timestamp"))
    changed = assay.write("other.jsonl", [{**row(number), "answer": "Upstairs."} for number in range(4)])

    assert assay.json("ingest", file, *options("id", "timestamp"))["unchanged"] == 4
    assert assay.json("ingest", changed, *options("id"))["revised"] == 4
