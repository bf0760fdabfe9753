"""A real store on disk, and the command against it: in this process, or in one of its own where processes matter."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from annotate.cli import main
from annotate.store import Store
from annotate.store.engine import database
from annotate.store.engine.sqlite import Database
from annotate.store.traffic.items import Added
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Source
from proxy.records import Context, Item
from support.wave_frames import with_frames

NOW = "2026-11-21T08:00:00.000Z"
LATER = "2026-11-22T08:00:00.000Z"
ROOT = Path(__file__).parents[2]
CREATE, MIGRATE = database._create_privately, database._migrate
KEPT: dict[str, Path] = {}
NASTY = "lone \ud800, NUL \0, é 駅 😀, \u202e bidi, \u2028 line, '; DROP TABLE items; --, <b>{{x}}</b>"


def report_of(store: Store) -> dict[str, Any]:
    """The JSON of the store's report under the usual limits."""
    from annotate.analysis.report.report import build
    from annotate.present.report import document
    from annotate.present.schemas.report import ReportModel

    report = build(store)
    return ReportModel.read(report, document(report)).to_dict()


def traffic_row(name: str, **changes: object) -> dict[str, object]:
    """A row of traffic that any judge can score."""
    return {
        "id": name,
        "question": f"Where is room {name}?",
        "contexts": [f"Room {name} is on the ground floor.", "Coffee is served on the roof."],
        "answer": f"Room {name} is on the ground floor.",
        **changes,
    }


def jsonl(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@dataclass(frozen=True)
class Assay:
    """The command `assay` on the store `db` in `folder`, which is also the working directory."""

    folder: Path
    db: Path

    def write(self, name: str, content: str | bytes | Sequence[Mapping[str, object]]) -> str:
        """A file in the folder, from text, bytes or rows; its path."""
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else jsonl(content), encoding="utf-8")
        return str(path)

    def __call__(self, *args: str, status: int = 0, db: bool = True) -> Result:
        """Run it in this process and check the exit status; an exception that is no exit is raised."""
        given = [*args, "--db", str(self.db)] if db else list(args)
        result = CliRunner().invoke(main, given, prog_name="assay")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == status, (given, result.exit_code, result.output)
        return result

    def words(self, *args: str) -> str:
        """What it prints with --full, in one line."""
        return " ".join(self(*args, "--full").stdout.split())

    def json(self, *args: str, status: int = 0) -> dict[str, Any]:
        """Run it with --json: the one object on standard output."""
        content = json.loads(self(*args, "--json", status=status).stdout)
        assert isinstance(content, dict)
        return content

    def start(self, *args: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start it as a process of its own."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "annotate", *args, "--db", str(self.db)]
        return subprocess.Popen(command, cwd=self.folder, env=environment, **pipes)

    def process(self, *args: str, stdin: bytes = b"", status: int = 0, **options: Any) -> tuple[str, str]:
        """Run it as a process of its own and check the exit status: what it wrote to standard output and error."""
        process = self.start(*args, **{"stdin": subprocess.PIPE, **options})
        out, err = process.communicate(stdin, timeout=60)
        assert process.returncode == status, (args, process.returncode, out.decode(), err.decode())
        return out.decode(), err.decode()

    def sql(self, query: str, values: Sequence[object] = (), *, ending: str = "") -> list[tuple[Any, ...]]:
        """Rows of the store, or of the file beside it with this ending, read beside everything that ought to be used."""
        connection = sqlite3.connect(f"{self.db}{ending}")
        try:
            with connection:
                if re.search(r"\bframes\b", query):
                    with_frames(connection)
                return [tuple(row) for row in connection.execute(query, values)]
        finally:
            connection.close()

    def quarantine(self) -> list[dict[str, Any]]:
        return list(self.json("quarantine")["quarantine"])


@pytest.fixture(scope="session", autouse=True)
def _stores_begin_as_a_copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new store of this process is a copy of one that went through every migration: a tenth of the time."""
    made = tmp_path_factory.mktemp("empty") / "assay.db"
    Store(made).close()
    empty = made.read_bytes()
    template = sqlite3.connect(made, check_same_thread=False)

    def migrated(db: Database) -> None:
        if not db.conn.execute("PRAGMA database_list").fetchone()[2] and not db.table_names():
            template.backup(db.conn)
        MIGRATE(db)

    def copied(path: Path) -> None:
        if not path.parent.is_dir():
            CREATE(path)
            return
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(empty)
        with suppress(FileExistsError):
            path.hardlink_to(name)  # whole or not at all, for two that start at once
        Path(name).unlink()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_create_privately", copied)
        patch.setattr(database, "_migrate", migrated)
        yield
    template.close()


@pytest.fixture
def step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """New stores are made as people's are: an empty file, then every migration."""
    monkeypatch.setattr(database, "_create_privately", CREATE)
    monkeypatch.setattr(database, "_migrate", MIGRATE)


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """The command in an empty folder, with no setting from outside."""
    return _alone_in(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def assay_of_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assay]:
    """The command in a folder that all tests of a file share."""
    with pytest.MonkeyPatch.context() as patch:
        yield _alone_in(tmp_path_factory.mktemp("shared"), patch)


def _alone_in(folder: Path, patch: pytest.MonkeyPatch) -> Assay:
    patch.chdir(folder)
    for name in [name for name in os.environ if name.startswith("ASSAY_") and name != "ASSAY_HOME"]:
        patch.delenv(name)
    patch.setenv("ASSAY_USER", "tester")
    return Assay(folder, folder / "assay.db")


def once(assay: Assay, name: str, make: Callable[[], object]) -> Assay:
    """The folder filled by `make`: by itself the first time in a process, with a copy of what it left after that.

    What lies in the folder before is the same each time.
    """
    if name in KEPT:
        shutil.copytree(KEPT[name], assay.folder, dirs_exist_ok=True)
    else:
        make()
        KEPT[name] = shutil.copytree(assay.folder, assay.folder.with_name(f"kept-{name}"))
    return assay


def kept(make: Callable[[Assay], Assay]) -> Callable[[Assay], Assay]:
    """A fixture that fills the empty folder, once for all tests of a process; see `once`."""

    def fixture(assay: Assay) -> Assay:
        return once(assay, f"{make.__module__}.{make.__name__}", lambda: make(assay))

    fixture.__doc__ = make.__doc__
    made: Callable[[Assay], Assay] = pytest.fixture(name=make.__name__)(fixture)
    return made


@pytest.fixture
def store() -> Iterator[Store]:
    """An open, empty store in memory."""
    opened = Store(":memory:")
    yield opened
    opened.close()


@pytest.fixture
def store_in_file(tmp_path: Path) -> Iterator[Store]:
    """An open, empty store in a file, for what opens it a second time or looks at the file."""
    opened = Store(tmp_path / "store.db")
    yield opened
    opened.close()


def take_labels(store: Store, rows: Sequence[Mapping[str, object]], now: str = NOW) -> None:
    """Take labels in from a file."""
    with _file_of(rows) as source:
        ingest.import_labels(store, source, now=now)


def take_feedback(store: Store, rows: Sequence[Mapping[str, object]], now: str = NOW) -> None:
    """Take feedback in from a file."""
    with _file_of(rows) as source:
        ingest.import_feedback(store, source, now=now)


@contextmanager
def _file_of(rows: Sequence[Mapping[str, object]]) -> Iterator[Source]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text(jsonl(rows))
        yield Source(str(path))


@pytest.fixture
def quick_retries() -> Iterator[None]:
    """Requests that failed are made again at once."""
    from support.model import quick

    with quick():
        yield


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes | str], str]:
    """Write content to a file without a telling name; its path."""

    def write(content: bytes | str) -> str:
        path = tmp_path / "content"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def item(name: str = "a", **changes: Any) -> Item:
    return replace(Item(id=name, question="Q?", answer="A.", contexts=(Context(text="C"),)), **changes)


def add(store: Store, *items: Item, now: str = NOW) -> Added:
    with store.atomic():
        return store.traffic.items.add(items, now=now)


def current(store: Store, name: str = "a") -> Item:
    """The item as it is now."""
    return store.traffic.items.get(store.traffic.items.keys([name])[name])


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture
def loaded(assay: Assay) -> Assay:
    """A store with the items a to h, none judged."""
    rows = [traffic_row(name) for name in "abcdefgh"]
    return once(assay, "loaded", lambda: assay("ingest", assay.write("traffic.jsonl", rows)))


def label(item: str, word: object = "right", annotator: str = "ann", **more: object) -> dict[str, object]:
    return {"item_id": item, "label": word, "annotator": annotator, **more}


def draw(assay: Assay, labels: int = 8) -> list[str]:
    """Draw a wave; the ids of the items drawn."""
    assay("sample", "--labels", str(labels), "--seed", "1")
    store = Store(assay.db)
    try:
        return [drawn.item_id for drawn in store.sampling.waves.all_draws()]
    finally:
        store.close()
