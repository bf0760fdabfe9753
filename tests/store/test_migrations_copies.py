"""Before a store is brought up to date it is copied: once, privately, whole; where that fails nothing is changed."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from annotate.store import Store
from annotate.store.engine.database import before_migration
from annotate.store.engine.migrations import FIRST, MIGRATIONS
from support.migrations import EVENTS, rows, tables, unreleased
from support.store import ROOT, Assay

pytestmark = pytest.mark.usefixtures("step_by_step")


STEPS_OF_BEFORE = f"SELECT name FROM {MIGRATIONS.migrations_table} WHERE migration_set = 'assay'"


def test_what_is_changed_is_copied_first(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Mode 0600, the old steps with all rows, said once in one line; not for a new file, and not a second time."""
    path = tmp_path / "old.db"
    unreleased(path)
    held = rows(path, "SELECT * FROM events")

    Store(path).close()
    Store(path).close()
    Store(tmp_path / "new.db").close()

    kept = before_migration(path, FIRST)
    assert {file.name for file in tmp_path.iterdir()} == {"old.db", "new.db", kept.name}
    assert kept.name == "old.db.before-0001_schema.db"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert rows(kept, "SELECT * FROM events") == held
    assert len(rows(kept, STEPS_OF_BEFORE)) == 17
    assert rows(path, STEPS_OF_BEFORE) == []
    assert [record.getMessage() for record in caplog.records if record.name == "assay"] == [
        f"{path} was brought up to date; as it was before, it is kept in {kept.name}"
    ]


@pytest.mark.slow
def test_the_command_says_where_the_copy_is(assay: Assay) -> None:
    """One line on standard error, and what the command says on standard output is as ever."""
    unreleased(assay.db)

    out, err = assay.process("doctor", "--json")

    assert json.loads(out)["problems"] == []
    assert err == f"{assay.db} was brought up to date; as it was before, it is kept in assay.db.before-0001_schema.db\n"


OPEN = "import sys; from pathlib import Path; from annotate.store import Store; Store(Path(sys.argv[1])).close()"


def opening(path: Path) -> subprocess.Popen[bytes]:
    """A process that opens the store."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", OPEN, str(path)], env=environment, stderr=subprocess.PIPE)


@pytest.mark.slow
def test_two_that_open_at_once_make_one_copy(tmp_path: Path) -> None:
    """The second waits for the first and finds nothing to do."""
    path = tmp_path / "old.db"
    unreleased(path)

    both = [opening(path) for _ in range(4)]
    said = [process.communicate()[1] for process in both]

    assert [process.returncode for process in both] == [0] * 4
    assert sum(bool(answer) for answer in said) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.db", before_migration(path, FIRST).name]


KILLED = """
import os, signal, sys
from pathlib import Path
from annotate.store import Store
from annotate.store.engine import migrations
step = next(one for one in migrations.MIGRATIONS._migrations if one.name == sys.argv[2])
done = step.fn
def killed(db):
    done(db)
    os.kill(os.getpid(), signal.SIGKILL)
step.fn = killed
Store(Path(sys.argv[1])).close()
"""


@pytest.mark.slow
def test_a_migration_that_is_killed_changes_nothing(tmp_path: Path) -> None:
    """The old steps with all rows, and the next start does it whole, with the copy that is there already."""
    path = tmp_path / "old.db"
    unreleased(path)
    before = tables(path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    for _ in range(2):
        ended = subprocess.run([sys.executable, "-c", KILLED, str(path), FIRST], env=environment, check=False)
        assert ended.returncode == -signal.SIGKILL
        assert (tables(path), len(rows(path, STEPS_OF_BEFORE))) == (before, 17)
        assert len(rows(path, "SELECT * FROM events")) == EVENTS

    store = Store(path)
    assert store.check() == []
    store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.db", before_migration(path, FIRST).name]


def limit() -> None:
    """No file grows beyond 300 KB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


@pytest.mark.slow
def test_without_space_for_the_copy_nothing_is_changed(assay: Assay) -> None:
    """One line, the old schema, no part of a copy; with space again it works."""
    unreleased(assay.db)
    assay.sql("INSERT INTO quarantine VALUES (x'01', 's', 's', 1, 'r', randomblob(1000000), 'now', NULL)")
    before = tables(assay.db)

    _, err = assay.process("doctor", status=1, preexec_fn=limit)

    assert "disk" in err
    assert err.count("\n") == 1
    assert tables(assay.db) == before
    assert [path.name for path in assay.folder.iterdir() if "before" in path.name] == []
    assert assay.json("doctor")["problems"] == []


def test_a_copy_of_an_earlier_attempt_is_not_taken_for_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step failed and something was written since: the second attempt keeps a copy of its own beside the first."""
    path = tmp_path / "old.db"
    unreleased(path)
    step = MIGRATIONS._migrations[0]
    with monkeypatch.context() as patch:
        patch.setattr(step, "fn", lambda db: [db.conn.execute("CREATE TABLE half (a)") for _ in range(2)])
        for _ in range(2):
            with pytest.raises(sqlite3.OperationalError, match="half"):
                Store(path)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO quarantine VALUES (x'01', 's', 's', 1, 'r', NULL, 'now', NULL)")
    connection.commit()
    connection.close()

    Store(path).close()

    first, second = before_migration(path, FIRST), before_migration(path, FIRST, 2)
    assert {file.name for file in tmp_path.iterdir()} == {"old.db", first.name, second.name}
    assert [rows(file, "SELECT count(*) FROM quarantine") for file in (first, second)] == [[(1,)], [(2,)]]
