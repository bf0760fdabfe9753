"""`assay serve` as a process of its own, in a group of its own, with its webhook."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from support.store import ROOT, Assay

START_SECONDS = 120
STOP_SECONDS = 40
SECRET = "correct-horse-battery-staple"
Answer = TypeVar("Answer")


def until(ask: Callable[[], Answer | None], said: Callable[[], str], seconds: float = START_SECONDS) -> Answer:
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, said()
        time.sleep(0.1)
    return answer


def members(group: int) -> set[int]:
    pids = set()
    for path in Path("/proc").iterdir():
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split() if path.name.isdigit() else []
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields and int(fields[2]) == group and fields[0] != "Z":
            pids.add(int(path.name))
    return pids


class Serve:
    """One run of `assay serve`."""

    def __init__(self, assay: Assay, number: int, *args: str) -> None:
        self._out, self._err = assay.folder / f"serve-{number}.out", assay.folder / f"serve-{number}.err"
        command = [sys.executable, "-m", "annotate", "serve", "--db", str(assay.db), "--http-port", "0", *args]
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                command,
                cwd=assay.folder,
                env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def said(self) -> str:
        return self._out.read_text() + self._err.read_text()

    def line(self, pattern: str) -> re.Match[str]:

        def look() -> re.Match[str] | None:
            match = re.search(pattern, self.said())
            assert match or self.process.poll() is None, self.said()
            return match

        return until(look, self.said)

    def app(self) -> str:
        """The app's address; it answers there."""
        url = self.line(r"the app:  (http://\S+);")[1]

        def answers() -> bool:
            try:
                return httpx.get(f"{url}/_stcore/health", trust_env=False, verify=False).status_code == 200
            except httpx.TransportError:
                return False

        until(answers, self.said)
        return url

    def nudge(self, secret: str = SECRET) -> int:
        hook = self.line(r"webhook:  POST (http://\S+)")[1]
        return httpx.post(
            hook, json={"action": "X"}, headers={"X-Assay-Secret": secret}, trust_env=False, verify=False
        ).status_code

    def ends(self, number: signal.Signals) -> int:
        """Send a signal to the group; the exit status when nothing of it is left."""
        os.killpg(self.process.pid, number)
        status = self.process.wait(STOP_SECONDS)
        assert not members(self.process.pid), self.said()
        return status

    def clean_up(self) -> None:
        for pid in members(self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def serve(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Serve]]:
    """Start `assay serve` on the test's store."""
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    runs: list[Serve] = []

    def start(*args: str) -> Serve:
        runs.append(Serve(assay, len(runs), *args))
        return runs[-1]

    yield start
    for run in runs:
        run.clean_up()
