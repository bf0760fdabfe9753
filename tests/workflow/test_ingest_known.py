"""The same file with other options: answers would count twice, or lose what they have; the import stops before that."""

from __future__ import annotations

import pytest

from annotate import Project
from support.spans import span
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


def traces(*, tenants: int = 4) -> list[dict[str, object]]:
    """Spans of four traces, their roots last; some name a tenant where only an option finds it."""
    searches = [span(f"t{number}", f"b{number}", f"a{number}", 1, input_value="q") for number in range(4)]
    roots = [
        span(f"t{number}", f"a{number}", None, 0, input_value=f"Where is ward {number}?", output_value="Upstairs.")
        for number in range(4)
    ]
    for row in (*searches, *roots):
        row["attributes"] |= {"openinference.span.kind": "CHAIN"}  # type: ignore[operator]
    for number, row in enumerate(roots[:tenants]):
        row["attributes"] |= {"tenant": f"c{number}", "release": "v1"}  # type: ignore[operator]
    return [*searches, *roots]


@pytest.mark.parametrize("tenants", [4, 1])
@pytest.mark.parametrize("left", [(), ("system",)])
def test_spans_that_would_only_take_fields_stop_the_import(assay: Assay, tenants: int, left: tuple[str, ...]) -> None:
    """The options of the first import are missing: all, or one; also where few answers have the field."""
    given = {"group": "attributes.tenant", "system": "attributes.release"}
    file = assay.write("t.jsonl", traces(tenants=tenants))
    assay("ingest", file, *(part for name, path in given.items() for part in ("--map", f"{name}={path}")))
    again = [part for name in left for part in ("--map", f"{name}={given[name]}")]
    before = assay.sql('SELECT id, "group", system FROM items ORDER BY id')

    stopped = assay("ingest", file, *again, status=1).stderr

    assert f"{tenants} of the first 4 answers are here with" in stopped
    assert {name for name in given if f"--map {name}=PATH" in stopped} == given.keys() - {*left}
    assert assay.sql('SELECT id, "group", system FROM items ORDER BY id') == before
    assay("ingest", file, *again, "--revisions")
    assert assay.sql("SELECT count(*) FROM items WHERE is_current AND \"group\" LIKE 'c%'") == [(0,)]


def test_spans_that_come_late_take_nothing(assay: Assay) -> None:
    """A search alone leaves the root with all that it says; the whole file again is no change."""
    rows, paths = traces(), ("--map", "group=attributes.tenant")
    file = assay.write("t.jsonl", rows)
    assay("ingest", file, *paths)
    late = {**rows[0], "context": {"trace_id": "t0", "span_id": "c0"}}

    assert assay.json("ingest", assay.write("late.jsonl", [late]))["revised"] == 0
    assert assay.json("ingest", file, *paths)["revised"] == 0
    assert assay.sql("SELECT count(*) FROM items WHERE \"group\" LIKE 'c%'") == [(4,)]


def test_one_answer_among_many_may_lose_a_field(assay: Assay) -> None:
    """Somebody took a wrong time out of one row: no option is missing."""
    rows = [{**row(number), "id": f"r{number}", "timestamp": "2026-11-01"} for number in range(4)]
    assay("ingest", assay.write("t.jsonl", rows))
    del rows[2]["timestamp"]

    assert assay.json("ingest", assay.write("t.jsonl", rows))["updated"] == 1


def test_passages_that_are_split_now_are_those_of_the_same_answers(assay: Assay) -> None:
    """Ids made of the content change with them, so that each answer would count twice; in a new store none does."""
    rows = [{"question": f"Pump {n}?", "answer": "Off.", "contexts": f"Page {n}.\n---\nEnd {n}."} for n in range(4)]
    file = assay.write("t.jsonl", rows)
    assay("ingest", file)
    split = ("--map", r'contexts=contexts.split("\n---\n")')

    stopped = assay("ingest", file, *split, status=1).stderr

    assert "each would count twice" in stopped.replace("\n", " ")
    assert "to give the answers that are here contexts, bring all files in anew, with --db NEW.db" in stopped
    assert assay.sql("SELECT count(*) FROM items") == [(4,)]


def test_other_passages_are_another_answer(assay: Assay) -> None:
    """Though one of them is the same."""
    rows = [{"question": f"Pump {n}?", "answer": "Off.", "contexts": [f"Page {n}."]} for n in range(4)]
    more = [{**row, "contexts": [*row["contexts"], "A new page."]} for row in rows]
    assay("ingest", assay.write("t.jsonl", rows))

    assert assay.json("ingest", assay.write("u.jsonl", more))["added"] == 4
