"""A real store on disk, and the command against it: in this process, or in one of its own where processes matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from annotate.cli import main
from annotate.store import Store

NOW = "2026-11-21T08:00:00.000Z"
LATER = "2026-11-22T08:00:00.000Z"
ROOT = Path(__file__).parent.parent


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
    """The rows as JSONL, non-ASCII escaped, so that lone surrogates can be written too."""
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

    def json(self, *args: str, status: int = 0) -> dict[str, Any]:
        """Run it with --json: the one object on standard output."""
        found = json.loads(self(*args, "--json", status=status).stdout)
        assert isinstance(found, dict)
        return found

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

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the store, read beside everything that ought to be used."""
        import sqlite3

        connection = sqlite3.connect(self.db)
        try:
            with connection:
                return [tuple(row) for row in connection.execute(query)]
        finally:
            connection.close()

    def quarantine(self) -> list[dict[str, Any]]:
        """The rows in quarantine."""
        return list(self.json("quarantine")["quarantine"])


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """The command in an empty folder, with no setting from outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("ASSAY_") and name != "ASSAY_HOME"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_USER", "tester")
    return Assay(tmp_path, tmp_path / "assay.db")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An open, empty store."""
    opened = Store(tmp_path / "store.db")
    yield opened
    opened.close()


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes | str], str]:
    """Write content to a file without a telling name; its path."""

    def write(content: bytes | str) -> str:
        path = tmp_path / "content"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write
