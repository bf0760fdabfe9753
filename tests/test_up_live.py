"""`assay up` from start to end, with the real Label Studio: links, privacy, labels that flow back, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from annotate.label_studio_local import TEMPLATE_VARIABLE
from fixtures_store import ROOT, Assay, traffic_row

pytestmark = pytest.mark.live

START_SECONDS = 240
FLOW_SECONDS = 30
STOP_SECONDS = 40
STORE = "assay-demo-label.db"
LOOPBACK = "0100007F"
LISTENING = "0A"
RIGHT = {"from_name": "verdict", "to_name": "answer", "type": "choices", "value": {"choices": ["right"]}}


class Links(NamedTuple):
    """What `assay up` tells a person."""

    server: str
    project: int
    app: str


class Up:
    """One run of `assay up` in a folder, in a process group of its own as a terminal gives it."""

    def __init__(self, folder: Path, environment: dict[str, str], *args: str) -> None:
        self.folder = folder
        self._out, self._err = folder / "up.out", folder / "up.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "annotate", "up", *args],
                **{"cwd": folder, "env": environment, "stdin": subprocess.DEVNULL, "start_new_session": True},
                stdout=out,
                stderr=err,
            )
        self.seen: set[int] = set()

    def said(self) -> str:
        """Everything it has said."""
        return self._out.read_text() + self._err.read_text()

    def links(self) -> Links:
        """Wait for the links; both must answer."""
        pattern = r"label: +(http://\S+)/projects/(\d+)/data\?labeling=1\n(?s:.*)the app: +(http://\S+)\n"
        found = until(lambda: self._alive() and re.search(pattern, self.said()), START_SECONDS, self.said)
        links = Links(found[1], int(found[2]), found[3])
        until(lambda: answers(links.server) and answers(links.app), START_SECONDS, self.said)
        self.seen |= family(self.process.pid)
        return links

    def _alive(self) -> bool:
        assert self.process.poll() is None, self.said()
        return True

    def ends(self, send: Callable[[], None]) -> int:
        """Send a signal and wait until the whole family has gone; the exit status."""
        self.seen |= family(self.process.pid)
        send()
        status = self.process.wait(STOP_SECONDS)
        assert not [pid for pid in self.seen if is_alive(pid)], self.said()
        return status

    def clean_up(self) -> None:
        """End what a failed test left running, each by its id."""
        for pid in sorted(self.seen | family(self.process.pid)):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def until[T](ask: Callable[[], T], seconds: float, said: Callable[[], str]) -> T:
    """Ask until the answer is true."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, said()
        time.sleep(0.2)
    return answer
