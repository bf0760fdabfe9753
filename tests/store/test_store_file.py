"""The store as a file: private, sound, one schema, damage and forbidden writing said in a line."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.store import Store
from proxy.errors import StoreError
from support.store import NOW, add, current, item

pytestmark = pytest.mark.usefixtures("step_by_step")


def test_the_file_and_its_folder_are_private_whatever_the_umask(tmp_path: Path) -> None:
    """Also the write-ahead log beside it."""
    before = os.umask(0)
    try:
        opened = Store(tmp_path / "made" / "store.db")
        add(opened, item())
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "made").iterdir()}
    finally:
        os.umask(before)

    assert modes == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o700
    assert opened.check() == []
    (tmp_path / "made" / "store.db").chmod(0o644)
    assert any("chmod 600" in problem for problem in opened.check())
    opened.close()


@pytest.mark.parametrize("umask", [0, 0o022])
def test_a_link_to_nothing_makes_no_store(tmp_path: Path, umask: int) -> None:
    """SQLite would follow it and make a file that everybody can read."""
    (tmp_path / "link.db").symlink_to(tmp_path / "target.db")
    before = os.umask(umask)
    try:
        with pytest.raises(StoreError, match=r"is a link to .*target.db, which is not there"):
            Store(tmp_path / "link.db")
    finally:
        os.umask(before)
    assert not (tmp_path / "target.db").exists()

    Store(tmp_path / "target.db").close()
    Store(tmp_path / "link.db").close()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o600}


def test_the_store_opens_as_it_was_left(tmp_path: Path) -> None:
    """WAL, foreign keys on, full synchronisation for labels and gold alone."""
    store = Store(tmp_path / "store.db")
    pragma = store._db.conn.execute

    assert pragma("PRAGMA journal_mode").fetchone() == ("wal",)
    assert pragma("PRAGMA foreign_keys").fetchone() == (1,)
    with store.atomic(durable=True):
        assert pragma("PRAGMA synchronous").fetchone() == (2,)
    with store.atomic():
        assert pragma("PRAGMA synchronous").fetchone() == (1,)
    add(store, item())
    store.close()
    store = Store(tmp_path / "store.db")
    assert current(store).answer == "A."
    with pytest.raises(sqlite3.IntegrityError), store.atomic():
        store._db.conn.execute("INSERT INTO verdicts VALUES (99, 99, 0.5, 'pass')")
    store.close()


def test_a_newer_store_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """A file that a later version wrote is left as it is."""
    store = Store(tmp_path / "store.db")
    store._db.conn.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('store', '0099_x', '')"
    )
    store._db.conn.commit()
    store.close()
    before = (tmp_path / "store.db").read_bytes()

    with pytest.raises(StoreError, match=r"newer Assay .*0099_x.*upgrade"):
        Store(tmp_path / "store.db")
    assert (tmp_path / "store.db").read_bytes() == before


def other_program(path: Path) -> None:
    """A SQLite file of another program, which even has a table of a name of ours."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (a)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_text("question,answer\n" * 100), "no SQLite database"),
        (other_program, "belongs to another program"),
        (lambda path: path.mkdir(), "cannot be opened"),
    ],
    ids=["text", "other", "folder"],
)
def test_what_is_no_store_is_left_alone(tmp_path: Path, make: Callable[[Path], object], words: str) -> None:
    """A traffic file, another program's database or a folder given as --db is refused and not touched."""
    path = tmp_path / "given"
    make(path)
    before = path.read_bytes() if path.is_file() else None

    with pytest.raises(StoreError, match=words):
        Store(path)

    assert before is None or path.read_bytes() == before


@pytest.mark.slow
def test_after_a_power_cut_the_store_is_what_it_was_at_some_commit(tmp_path: Path) -> None:
    """The file with its write-ahead log cut off anywhere: it opens sound, and holds the first so many of what was committed."""
    store = Store(tmp_path / "store.db")
    for number in range(30):
        with store.atomic():
            store.traffic.items.add([item(f"{number:02}")], now=NOW)
            store.audit.events.append("ingest", {"n": number}, who="ann", now=NOW)
    file, log = (tmp_path / name for name in ("store.db", "store.db-wal"))
    content, frames = file.read_bytes(), log.read_bytes()
    store.close()
    rng = random.Random(20261121)
    kept = set()

    for threshold in (0, *(rng.randrange(len(frames)) for _ in range(25)), len(frames)):
        (tmp_path / "cut").mkdir()
        (tmp_path / "cut" / "store.db").write_bytes(content)
        (tmp_path / "cut" / "store.db-wal").write_bytes(frames[:threshold])
        for path in (tmp_path / "cut").iterdir():
            path.chmod(0o600)
        opened = Store(tmp_path / "cut" / "store.db")
        assert opened.check() == []
        assert opened.traffic.items.count() == opened.audit.events.head().number
        kept.add(opened.traffic.items.count())
        opened.close()
        shutil.rmtree(tmp_path / "cut")

    assert 30 in kept
    assert len(kept) > 5
