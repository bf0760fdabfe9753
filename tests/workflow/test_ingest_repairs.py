"""Rows that come in repaired leave quarantine, whatever command brought them; what is still bad stays."""

from __future__ import annotations

import json

import pytest

from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from support.store import Assay, traffic_row

NOW = "2026-11-21T08:00:00.000Z"


@pytest.mark.slow
def test_repaired_rows_leave_quarantine(assay: Assay) -> None:
    """By id wherever they come from, by line where they have none; what came is kept and can be listed."""
    lines = [
        json.dumps(traffic_row("a", answer=None)),
        json.dumps(traffic_row("b"))[:-20],
        json.dumps(traffic_row("c")),
    ]
    file = assay.write("t.jsonl", "\n".join(lines) + "\n")
    assay("ingest", file, status=4)

    by_id = assay.json("ingest", assay.write("fixed.jsonl", [traffic_row("a")]))
    by_line = assay.json("ingest", assay.write("t.jsonl", [traffic_row(name) for name in "abc"]))

    assert (by_id["repaired"], by_line["repaired"]) == (1, 1)
    assert assay.quarantine() == []
    assert len(assay.json("quarantine", "--repaired")["quarantine"]) == 2
    assert assay.sql("SELECT count(*) FROM quarantine WHERE length(raw) > 0") == [(2,)]
    store = Store(assay.db)
    ingests: list[dict[str, int]] = [
        json.loads(event.detail) for event in store.audit.events.all() if event.what == "ingest"
    ]
    store.close()
    assert [ingest["repaired"] for ingest in ingests] == [0, 1, 1]


@pytest.mark.slow
def test_what_is_still_bad_stays_in_quarantine(assay: Assay) -> None:
    """Another row of the file with its id, or another file of its name, repairs nothing; a fault that returns counts again."""
    rows = [traffic_row("a", answer=None), traffic_row("a")]
    file = assay.write("t.jsonl", rows)
    for _ in range(3):
        assert assay.json("ingest", file, status=4)["repaired"] == 0
        assert len(assay.quarantine()) == 1

    broken = json.dumps({"question": "How late is the library open?", "answer": "Until eight in the evening."})[:-3]
    fine = json.dumps(traffic_row("fine"))
    assay("ingest", assay.write("today.jsonl", f"{broken}\n{fine}\n"), status=4)
    assay("ingest", assay.write("today.jsonl", [{"question": "Where can we park?", "answer": "Behind that hall."}]))
    assert len(assay.quarantine()) == 2

    assay("ingest", assay.write("fixed.jsonl", [traffic_row("a")]))
    assert len(assay.quarantine()) == 1
    assay("ingest", file, status=4)
    assert len(assay.quarantine()) == 2


@pytest.mark.slow
def test_other_imports_repair_their_rows_too(assay: Assay) -> None:
    """A label that came before its item, and a thumb that was no thumb."""
    labels = assay.write("l.jsonl", [{"item_id": "a", "label": "right"}])
    assay("ingest", assay.write("t.jsonl", [traffic_row("b")]))
    assay("labels", "import", labels, status=4)
    assay("feedback", assay.write("f.csv", "item_id,value\nb,odd\nb,-1\n"), status=4)
    assay("ingest", assay.write("t.jsonl", [traffic_row("a")]))

    assay("labels", "import", labels)
    assay("feedback", assay.write("f.csv", "item_id,value\nb,1\nb,-1\n"))

    assert assay.quarantine() == []


@pytest.mark.slow
def test_the_same_file_again_repairs_nothing_however_its_rows_lie(assay: Assay) -> None:
    """A good row with the id of a bad one may come a thousand rows before it."""
    rows = [traffic_row("a"), *(traffic_row(f"t{number}") for number in range(1200)), traffic_row("a", answer=None)]
    file = assay.write("t.jsonl", rows)
    assay("ingest", file, status=4)

    again = assay.json("ingest", file, status=4)

    assert (again["repaired"], again["quarantined"], len(assay.quarantine())) == (0, 1, 1)
    copy = assay.json("ingest", assay.write("copy.jsonl", rows), status=4)
    assert copy["repaired"] == 0


@pytest.mark.slow
def test_a_repaired_row_counts_once(assay: Assay) -> None:
    """Where its id comes twice, and where its line holds several values; two open rows of one id are two."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", answer=None), traffic_row("b")]), status=4)
    twice = assay.json("ingest", assay.write("fixed.jsonl", [traffic_row("a"), traffic_row("a")]))
    assert twice["repaired"] == 1

    for name in ("u", "v"):
        assay("ingest", assay.write(f"{name}.jsonl", [traffic_row("c", question=""), traffic_row("b")]), status=4)
    assert assay.json("ingest", assay.write("c.jsonl", [traffic_row("c")]))["repaired"] == 2
    assert assay.quarantine() == []


def test_another_label_on_the_line_repairs_nothing(assay: Assay) -> None:
    """The label of an item that is not here is still to come, although its line now has another."""
    assay("ingest", assay.write("t.jsonl", [traffic_row("a"), traffic_row("b")]))
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": "lost", "label": "right"}]), status=4)

    imported = assay.json("labels", "import", assay.write("l.jsonl", [{"item_id": "a", "label": "right"}]))

    assert (imported["repaired"], len(assay.quarantine())) == (0, 1)
    assay("quarantine", "--export", "q.jsonl")
    assert '\\"lost\\"' in (assay.folder / "q.jsonl").read_text()


def test_scores_that_stood_among_traffic_are_not_repaired_by_any_row(assay: Assay) -> None:
    """They have no line of their own: a fault of a whole file alone is mended by whatever can be read of it."""
    store = Store(assay.db)
    store.traffic.quarantine.keep(
        [
            Quarantined("scores", str(assay.folder / "s.jsonl"), 0, "no number", b'{"name": "tone"}'),
            Quarantined("scores", str(assay.folder / "s.jsonl"), 0, "the file is cut off", b""),
        ],
        now=NOW,
    )
    store.close()
    assay("ingest", assay.write("t.jsonl", [traffic_row("a"), traffic_row("b")]))
    rows = [{"item_id": name, "judge": "own", "value": 0.5} for name in ("a", "b")]

    assert assay.json("scores", "import", assay.write("s.jsonl", rows))["repaired"] == 1
    assert [row["reason"] for row in assay.quarantine()] == ["no number"]
