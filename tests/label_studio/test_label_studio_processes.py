"""The end of a command that was started: with it ends all it started, and a stop at its start does not lose it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotate.label_studio.local import processes
from annotate.progress.stopping import Stopped, stops_like_ctrl_c

# A leader that ends when asked, and a child that does not listen.
PARENT = """
import signal, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"],
                         stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""


def is_gone(pid: int) -> bool:
    """Whether a process has ended; it may take a moment, and whoever inherits it may not bury it."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def parent() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, start_new_session=True)


def test_what_a_command_left_behind_ends_with_it() -> None:
    """A child that ignores the request to end is killed, although the command itself has ended."""
    process = parent()
    assert process.stdout is not None
    with process.stdout as out:
        child = int(out.readline())
    processes.end(process)

    assert process.returncode == -signal.SIGTERM
    assert is_gone(child)


def test_a_stop_at_the_very_start_of_a_command_ends_it() -> None:
    """SIGTERM in the middle of starting it is heard once the command is known, so that it can be ended."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        started.append(parent())
        os.kill(os.getpid(), signal.SIGTERM)
        return started[0]

    with stops_like_ctrl_c(), pytest.raises(Stopped):
        processes.run(start, lambda line: None, "Starting")

    assert started[0].returncode == -signal.SIGKILL
    assert started[0].stdout is not None
    started[0].stdout.close()
