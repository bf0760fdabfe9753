"""Backups: a consistent copy while others write, verified before it has its name, never in the place of another file."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotate.store import Store
from annotate.store.engine.copy import UNFINISHED, copy
from proxy.errors import StoreError
from support.doctor import unguarded, written
from support.store import LATER, NOW, ROOT, Assay, add, item, traffic_row

WIDE = "Room x is on the ground floor. " * 200


def names(folder: Path) -> set[str]:
    """The files beside the store that are no part of it."""
    return {path.name for path in folder.iterdir() if path.name not in {"assay.db", "assay.db-wal", "assay.db-shm"}}


def opened(path: Path) -> Store:
    """A backup as somebody who restored it opens it."""
    restored = path.with_name("restored.db")
    restored.write_bytes(path.read_bytes())
    restored.chmod(0o600)
    return Store(restored)


def test_a_backup_is_private_whole_and_known_by_the_end_of_its_chain(assay: Assay) -> None:
    """Mode 0600 under any umask, one file, all items and events in it, its hash in the next event of the store."""
    written(assay.db)
    before = os.umask(0)
    try:
        told = assay.json("backup")
    finally:
        os.umask(before)
    path = Path(told["file"])

    assert path.parent == assay.db.parent
    assert path.name.startswith("assay.db.backup-20")
    assert path.suffix == ".db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert told["bytes"] == path.stat().st_size
    assert names(assay.folder) == {path.name, "assay.db.backup.lock"}
    head = assay.sql("SELECT hash FROM events WHERE sequence = 12")[0][0]
    assert (told["events"], told["head"]) == (12, head)
    [(event,)] = assay.sql("SELECT detail FROM events WHERE what = 'backup'")
    assert head in event
    store = opened(path)
    assert store.check() == []
    assert store.traffic.items.count() == 1
    assert store.audit.events.head() == (12, head)
    store.close()


def test_a_backup_takes_no_file_s_place(assay: Assay) -> None:
    """A file, a folder's link or an unfinished copy of another process under the name is refused and left as it is."""
    written(assay.db)
    assay.write("mine.db", "not yours")
    (assay.folder / "link.db").symlink_to(assay.folder / "nowhere.db")

    for name in ("mine.db", "link.db"):
        assert "exists already" in assay("backup", str(assay.folder / name), status=1).stderr
    assert "Errno" not in assay("backup", str(assay.folder / "no" / "folder.db"), status=1).stderr

    assert (assay.folder / "mine.db").read_text() == "not yours"
    assert not (assay.folder / "nowhere.db").exists()
    assert names(assay.folder) == {"mine.db", "link.db", "assay.db.backup.lock"}
    assert assay.sql("SELECT count(*) FROM events WHERE what = 'backup'") == [(0,)]


WRITER = """
import sys
from pathlib import Path
from annotate.store import Store
store = Store(Path(sys.argv[1]))
for number in range(100_000):
    with store.atomic():
        store._db.conn.execute("UPDATE pairs SET n = ?, filler = randomblob(3000)", (number,))
        store.audit.events.append("write", {"n": number}, who="writer", now="2026-11-21T08:00:00.000Z")
"""


@pytest.mark.slow
def test_a_backup_taken_while_others_write_is_of_one_moment(assay: Assay) -> None:
    """A thousand rows are always written together with an event: in no copy do two of them differ, or the event from them."""
    written(assay.db)
    assay.sql("CREATE TABLE pairs (n INTEGER, filler BLOB)")
    assay.sql(
        "INSERT INTO pairs SELECT 0, NULL FROM (SELECT 1 FROM json_each('[1,2,3,4,5,6,7,8,9,0]') a, json_each('[1,2,3,4,5,6,7,8,9,0]') b)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(assay.db)], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        while assay.sql("SELECT max(n) FROM pairs")[0][0] < 5:
            assert process.poll() is None
            time.sleep(0.01)
        for number in range(6):
            copy(assay.db, assay.folder / f"copy-{number}.db")
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()

    seen = []
    for number in range(6):
        store = opened(assay.folder / f"copy-{number}.db")
        rows = store._db.conn.execute("SELECT min(n), max(n) FROM pairs").fetchone()
        last = store._db.conn.execute("SELECT detail FROM events ORDER BY sequence DESC LIMIT 1").fetchone()[0]
        assert store.check() == []
        assert rows[0] == rows[1]
        assert last == f'{{"n": {rows[0]}}}'
        seen.append(rows[0])
        store.close()
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]


@pytest.mark.slow
def test_keep_removes_only_what_the_store_made_itself(assay: Assay) -> None:
    """Of its own backups the newest stay; a file of the same form that it never logged, and other stores' backups, stay too."""
    written(assay.db)
    others = {"assay.db.backup-20200101T000000Z.db", "other.db.backup-20200101T000000Z.db", "assay.db.backup-mine.db"}
    for name in others:
        assay.write(name, "another's")
    made = [Path(assay.json("backup")["file"]).name for _ in range(3)]
    assert len(set(made)) == 3

    told = assay.json("backup", "--keep", "2")

    assert set(told["removed"]) == {made[0], made[1]}
    assert names(assay.folder) == {*others, made[2], Path(told["file"]).name, "assay.db.backup.lock"}


def test_a_broken_chain_is_copied_as_it_is_and_keeps_older_backups(assay: Assay) -> None:
    """The copy is there for whoever looks into it; exit status 1 says so, and the sound backup before it stays."""
    written(assay.db)
    first = Path(assay.json("backup")["file"]).name
    unguarded(assay.db, "UPDATE events SET at = '2027' WHERE sequence = 4")

    told = assay.json("backup", "--keep", "1", status=1)

    assert told["fault"].startswith("event 4 does not fit")
    assert told["removed"] == []
    assert {first, Path(told["file"]).name} <= names(assay.folder)


@pytest.mark.slow
def test_a_damaged_store_is_not_copied(assay: Assay) -> None:
    """Pages overwritten with noise: no file that looks like a backup is left."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(str(n), answer=WIDE) for n in range(200)]))
    content = bytearray(assay.db.read_bytes())
    content[-4096 * 40 : -4096 * 20] = b"\xa5" * (4096 * 20)
    assay.db.write_bytes(content)

    result = assay("backup", status=1)

    assert "damaged" in result.stderr
    assert result.stderr.count("\n") == 1
    assert names(assay.folder) == {"t.jsonl", "assay.db.backup.lock"}


def limit() -> None:
    """No file grows beyond 1 MB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))


@pytest.mark.slow
def test_where_the_disk_is_full_nothing_is_left(assay: Assay) -> None:
    """One line, no copy, no part of one, no event; with space again it works."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(str(n), answer=WIDE) for n in range(400)]))
    assert assay.db.stat().st_size > 2_000_000

    _, err = assay.process("backup", status=1, preexec_fn=limit)

    assert "disk" in err
    assert err.count("\n") == 1
    assert names(assay.folder) == {"t.jsonl", "assay.db.backup.lock"}
    assert assay.sql("SELECT count(*) FROM events WHERE what = 'backup'") == [(0,)]
    assert assay.json("backup")["fault"] is None


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_backup_that_is_stopped_leaves_nothing_that_looks_like_one(assay: Assay, how: signal.Signals) -> None:
    """Ctrl+C takes the part away; after kill -9 it has a name that says so, which doctor tells of and the next run may take."""
    written(assay.db)
    assay.sql("CREATE TABLE filler AS SELECT randomblob(1000000) FROM events a, (SELECT 1 FROM events LIMIT 6)")
    target = assay.folder / "copy.db"
    partial = target.with_name(target.name + UNFINISHED)
    for _ in range(20):  # a copy that was done before the signal came proves nothing
        target.unlink(missing_ok=True)
        process = assay.start("backup", str(target))
        while not (partial.exists() and partial.stat().st_size) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(how)
        process.communicate()
        if process.returncode:
            break

    assert process.returncode != 0
    assert not target.exists()
    assert partial.exists() == (how is signal.SIGKILL)
    assert assay.json("backup", str(target))["fault"] is None
    assert not partial.exists()
    store = opened(target)
    assert store._db.conn.execute("SELECT count(*) FROM filler").fetchone() == (72,)
    store.close()


def test_a_second_process_at_the_same_copy_is_refused(tmp_path: Path) -> None:
    """Who holds the unfinished file goes on; the other one leaves it alone."""
    import fcntl

    store = Store(tmp_path / "assay.db")
    add(store, item())
    partial = tmp_path / f"copy.db{UNFINISHED}"
    with partial.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match="another process is making"):
            copy(store.path, tmp_path / "copy.db")
        assert partial.exists()

    assert copy(store.path, tmp_path / "copy.db") > 0
    store.close()


def test_a_restored_backup_goes_on(assay: Assay) -> None:
    """What came after the backup is gone, and the chain goes on from its end."""
    written(assay.db)
    told = assay.json("backup")
    store = Store(assay.db)
    add(store, item("b"), now=LATER)
    store.close()

    for path in (assay.db, assay.folder / "assay.db-wal", assay.folder / "assay.db-shm"):
        path.unlink(missing_ok=True)
    Path(told["file"]).rename(assay.db)
    store = Store(assay.db)
    with store.atomic():
        store.audit.events.append("restored", {}, who="ann", now=NOW)

    assert store.traffic.items.count() == 1
    assert store.check() == []
    store.close()
    with sqlite3.connect(assay.db) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (13,)
    connection.close()
