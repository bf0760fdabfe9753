"""A store that kept one Label Studio under two addresses: what the doctor finds, and what joining them leaves."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from annotate.analysis.labelling.doubled_servers import doubled_servers
from annotate.store import Store
from support.moved_servers import (
    ADDRESSES,
    FIRST,
    GHOST,
    ON_SERVER,
    SECOND,
    delivered,
    exchanged,
    its_server,
    labels,
    of_before,
)
from support.store import NOW, Assay


def test_it_is_taken_over_with_both_and_doctor_says_what_is_wrong(tmp_path: Path) -> None:
    """Its rows are as they were sealed; the doctor names both addresses, the doubles, the ghost and the way out."""
    assay = Assay(tmp_path, of_before(tmp_path / "old.db"))
    with_ghost = {**ON_SERVER, GHOST: "right"}
    store = Store(assay.db)
    assert store.check() == []
    assert [(server.name, server.url) for server in store.labels.servers.all()] == [
        (FIRST, FIRST),
        (SECOND, SECOND),
    ]
    assert labels(store) == with_ghost
    store.close()

    [problem] = assay.json("doctor", status=1)["problems"]
    assert problem.startswith(f"{SECOND} and {FIRST} are one Label Studio")
    assert "project 1 has 3 annotations twice, and 1 that were deleted there" in problem
    assert "assay doctor --join-servers" in problem


def test_joining_them_leaves_each_annotation_once_and_the_log_whole(tmp_path: Path) -> None:
    """The ghost goes, nothing else does; every revision of before is in the log as it was; the store is sound."""
    assay = Assay(tmp_path, of_before(tmp_path / "old.db"))
    before = assay.sql("SELECT * FROM annotations ORDER BY sequence")
    result = assay("doctor", "--join-servers")
    sentence = f"{SECOND} is {FIRST}: project 1 had 3 annotations twice and 1 that were deleted there; 4 stand"
    assert sentence in " ".join(result.stdout.split())

    store = Store(assay.db)
    assert labels(store) == ON_SERVER
    standing = [r.annotation for r in store.labels.every(revisions=False) if not r.annotation.deleted]
    assert {annotation.source for annotation in standing} == {f"label-studio:{FIRST}:1"}
    assert len(standing) == len(ON_SERVER)
    [detail] = [json.loads(event.detail) for event in store.audit.events.all() if event.what == "servers joined"]
    assert detail == {"kept": FIRST, "other": SECOND, "projects": [[1, 3, 4, 1]]}
    store.close()
    unchanged = [(*row, 0) for row in before]  # a column is new: none of these was handed on
    assert assay.sql("SELECT * FROM annotations ORDER BY sequence")[: len(before)] == unchanged
    assert assay.json("doctor")["problems"] == []
    assert "servers joined" in assay("events").stdout
    assert assay.sql("SELECT DISTINCT server FROM tasks") == [(FIRST,)]
    assert assay.sql("SELECT cursor FROM projects") == [(None,)]  # all is read anew


@pytest.mark.parametrize("url", [FIRST, SECOND, ADDRESSES[2]])
def test_after_it_a_pull_from_any_address_gives_what_the_server_has(tmp_path: Path, url: str) -> None:
    """Also what was deleted on the server before the store was joined, and read under neither address."""
    path = of_before(tmp_path / "old.db")
    studio = its_server(path)
    studio.url = url
    Assay(tmp_path, path)("doctor", "--join-servers")
    gone = next(raw["annotations"][0]["id"] for raw in studio.tasks.values() if raw["annotations"])
    studio.delete(gone)

    store = Store(path)
    exchanged(store, studio)
    assert labels(store) == {item: word for item, word in ON_SERVER.items() if item != "c"}
    assert exchanged(store, studio).done.added == 0
    # Since the store was written the form has become another, so that what is open moves to its project, once.
    assert delivered(store, studio).done.sent == len(studio.tasks) - len(labels(store))
    assert delivered(store, studio).done.sent == exchanged(store, studio).done.added == 0
    assert store.check() == []
    store.close()


def _renamed(path: Path, new: str, since: int) -> None:
    """Somebody's e-mail is another where it was read under the second address, from a revision on."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE annotations SET annotator = ? WHERE annotator = 'ann@example.org' AND source = ? AND sequence >= ?",
            (new, f"label-studio:{SECOND}:1", since),
        )


@pytest.mark.parametrize("since", [0, 11])
def test_an_annotator_whose_address_changed_meanwhile_is_the_same(tmp_path: Path, since: int) -> None:
    """Before all that was read under the second address, or in the middle: number, task and time of change are enough."""
    path = of_before(tmp_path / "old.db")
    _renamed(path, "ann@new.example.org", since)
    with closing(Store(path)) as store:
        [doubled] = doubled_servers(store)
        assert "project 1 has 3 annotations twice, and 1 that were deleted there" in doubled.problem
    Assay(tmp_path, path)("doctor", "--join-servers", status=1)  # the seals show what this test wrote

    with closing(Store(path)) as store:
        assert labels(store) == ON_SERVER
        assert doubled_servers(store) == []


def test_an_annotation_that_nothing_links_is_another_whatever_else_is_alike(tmp_path: Path) -> None:
    """Ann has another address under the second one, and one number is there somebody else's who never was ann."""
    path = of_before(tmp_path / "old.db")
    _renamed(path, "ann@new.example.org", 0)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE annotations SET annotator = 'eve@example.org', at = '2026-11-21T10:00:00.000Z' WHERE sequence = 10"
        )
    result = Assay(tmp_path, path)("server", "moved", FIRST, SECOND, status=2)

    assert "annotation 13 is another" in result.output


def test_after_it_a_new_project_is_a_new_one(tmp_path: Path) -> None:
    """A project made while two names were known has the third mark; what is joined counts on, so that none is given twice."""
    path = of_before(tmp_path / "old.db")
    studio = its_server(path)
    studio.url = SECOND
    with closing(Store(path)) as store:
        assert [d.project for d in delivered(store, studio, is_fresh=True).done.deliveries] == [2]
        exchanged(store, studio)
    Assay(tmp_path, path)("doctor", "--join-servers")

    with closing(Store(path)) as store:
        assert [d.project for d in delivered(store, studio, is_fresh=True).done.deliveries] == [3]
        assert len(set(studio.markers.values())) == 3


@pytest.mark.parametrize(("old", "new"), [(FIRST, SECOND), (SECOND, FIRST)])
def test_a_move_to_the_other_address_joins_them_too(tmp_path: Path, old: str, new: str) -> None:
    """What is kept under the new address is not left behind, whichever was read last; a dry run says how much."""
    assay = Assay(tmp_path, of_before(tmp_path / "old.db"))
    move = assay.json("server", "moved", old, new, "--dry-run")
    assert (move["twice"], move["gone"]) == (3, 1)
    assert len(assay.sql("SELECT * FROM servers")) == 2
    assay("server", "moved", old, new)

    store = Store(assay.db)
    assert labels(store) == ON_SERVER
    assert [(server.name, server.url) for server in store.labels.servers.all()] == [(old, new)]
    standing = [r.annotation for r in store.labels.every(revisions=False) if not r.annotation.deleted]
    assert {annotation.source for annotation in standing} == {f"label-studio:{old}:1"}
    store.close()
    assert assay.json("doctor")["problems"] == []


def test_an_old_store_is_recognised_under_a_third_address(tmp_path: Path) -> None:
    """Its projects have a mark, and their tasks are as they were read; no time of making is known yet."""
    path = of_before(tmp_path / "old.db")
    studio = its_server(path)
    studio.url = ADDRESSES[2]
    store = Store(path)

    assert exchanged(store, studio).moved_from == FIRST  # the address under which it was read last
    assert len(store.labels.servers.all()) == 2
    store.close()


def test_two_servers_that_differ_are_not_joined(tmp_path: Path) -> None:
    """Under the second address the number of an annotation stands for another one: a copy that went on by itself."""
    assay = Assay(tmp_path, of_before(tmp_path / "old.db"))
    store = Store(assay.db)
    [key, other] = [key for (key,) in store._db.conn.execute("SELECT task_key FROM draws ORDER BY key DESC LIMIT 2")]
    with store.atomic():
        for name, task in ((FIRST, key), (SECOND, other)):
            store._db.conn.execute(
                "INSERT INTO annotations (source, id, item, draw, annotator, judgement, causes, is_deleted, received_at, at) "
                "SELECT ?, task_key || ':77', item, key, 'ann', 'right', '[]', 0, ?, ? FROM draws WHERE task_key = ?",
                (f"label-studio:{name}:1", NOW, NOW, task),
            )
    store.close()

    assert assay.json("doctor")["problems"] == []
    result = assay("server", "moved", FIRST, SECOND, status=2)
    assert "another Label Studio" in result.output
    assert "annotation 77 is another" in result.output
