"""The store keeps what it is given: every text exactly as it came, a change as a revision, all of a unit of work or none."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from annotate.domain.annotation import Annotation
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.store.traffic.items import Added
from proxy.records import Context, FailureKind, JudgeFailure, Judgement, Score, Turn
from support.store import LATER, NASTY, NOW, add, current, item


def test_every_text_comes_back_exactly(store: Store) -> None:
    """Whatever stands in a text, the item that is read is the one that was kept."""
    nasty = item(
        question=NASTY,
        answer=NASTY,
        contexts=(Context(text=NASTY, title=NASTY, id="1", score=0.5), Context(text="")),
        history=(Turn(role=NASTY, text=NASTY),),
        reference=NASTY,
        system="v2",
        timestamp=NOW,
        group="g",
        language="en",
        metadata={NASTY: [NASTY, 2**70, None, {"a": 0.1}]},
    )
    add(store, nasty)

    assert current(store) == replace(nasty, group="g")


@pytest.mark.parametrize(
    "change",
    [
        {"question": "Q??"},
        {"answer": ""},
        {"contexts": ()},
        {"contexts": (Context(text="C"), Context(text=""))},
        {"history": (Turn(role="user", text="Hi"),)},
        {"system": "v2"},
    ],
    ids=str,
)
def test_other_content_is_a_revision_beside_the_old(store: Store, change: dict[str, Any]) -> None:
    """The old one stays readable; the count of items does not change."""
    add(store, item())
    old = store.traffic.items.keys(["a"])["a"]

    assert add(store, item(**change)) == Added(revised=1)

    assert (store.traffic.items.get(old).question, store.traffic.items.get(old).contexts) == (
        "Q?",
        (Context(text="C"),),
    )
    assert store.traffic.items.keys(["a"])["a"] != old
    assert store.traffic.items.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"timestamp": NOW},
        {"group": "g"},
        {"language": "de"},
        {"reference": "R"},
        {"metadata": {"a": 1}},
        {"contexts": (Context(text="C", id="7", score=0.5),)},
    ],
    ids=str,
)
def test_a_change_beside_the_content_is_taken_over_in_place(store: Store, change: dict[str, Any]) -> None:
    """It is the same item still, with the same row, so that its scores and labels stay its own."""
    add(store, item())
    row = store.traffic.items.keys(["a"])["a"]

    assert add(store, item(**change)) == Added(updated=1)

    assert store.traffic.items.keys(["a"])["a"] == row
    assert replace(current(store), group=change.get("group")) == item(**change)


def test_a_failed_unit_of_work_leaves_nothing(store: Store) -> None:
    """All of it is kept or none."""

    def half() -> None:
        with store.atomic():
            store.traffic.items.add([item()], now=NOW)
            store.scores.keep({99: [Score(item_id="b", judge="j", signature="s", value=1.0)]}, now=NOW)

    with pytest.raises(sqlite3.IntegrityError):
        half()

    assert store.traffic.items.count() == 0
    assert add(store, item()) == Added(added=1)


def test_threads_that_share_a_store_take_turns(store: Store) -> None:
    """What one thread writes is not part of what another one reads at that time, and is not rolled back with it."""
    reading, leave = Event(), Event()

    def read() -> None:
        with suppress(ZeroDivisionError), store.snapshot():
            store.traffic.items.count()
            reading.set()
            leave.wait(10)
            raise ZeroDivisionError

    with ThreadPoolExecutor() as threads:
        left = threads.submit(read)
        assert reading.wait(10)
        written = threads.submit(add, store, item())
        with pytest.raises(TimeoutError):
            written.result(0.05)
        leave.set()
        left.result(10)
        assert written.result(10) == Added(added=1)
    assert store.traffic.items.count() == 1


def test_a_score_keeps_its_first_value_and_its_reason_exactly(store: Store) -> None:
    """Another value under the same signature changes nothing; reasons may hold any text."""
    add(store, item())
    row = store.traffic.items.keys(["a"])["a"]
    score = Score(item_id="a", judge="j", signature="s", value=0.25, reason=NASTY)
    failure = JudgeFailure(item_id="a", judge="k", signature="s", kind=FailureKind.INVALID, reason=NASTY)
    with store.atomic():
        store.scores.keep({row: [score, failure]}, now=NOW)
        store.scores.keep({row: [replace(score, value=1.0)]}, now=LATER)

    kept = [(record["judge"], record["value"], record["reason"]) for record in store.scores.rows()]
    assert kept == [("j", 0.25, NASTY), ("k", None, NASTY)]
    assert store.scores.of_item(row, ["s"]) == [("j", 0.25, NASTY), ("k", None, NASTY)]


def test_quarantine_keeps_any_name_reason_and_bytes_once(store: Store) -> None:
    """A file's name and a reason may hold what UTF-8 cannot; the same fault of the same line again is one row."""
    row = Quarantined("traffic", "caf\udce9.jsonl", 3, NASTY, b"\xff\0")
    with store.atomic():
        assert store.traffic.quarantine.keep([row], now=NOW) == 1
        assert store.traffic.quarantine.keep([row, row._replace(line=4)], now=LATER) == 1

    assert [kept[1:5] for kept in store.traffic.quarantine.all()] == [row[:4], row._replace(line=4)[:4]]


def test_a_snapshot_reads_once_and_sees_what_it_writes(store: Store) -> None:
    """A report asks for the same draws and labels again and again; what is written in between makes them old."""
    add(store, item("a"))
    row = store.traffic.items.keys(["a"])["a"]
    assert store.labels.that_count() is not store.labels.that_count()

    with store.snapshot():
        before = store.labels.that_count()
        assert store.labels.that_count() is before == {}
        with store.atomic():
            store.labels.keep(
                [
                    PlacedAnnotation(
                        Annotation(source="file", id="1", item_id="a", annotator="ann", judgement=Judgement.RIGHT),
                        row,
                        None,
                    )
                ],
                now=NOW,
            )
        assert list(store.labels.that_count()) == [row]
