"""Signals while a command ends: nothing cuts the end short, however late a second Ctrl+C comes."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATE = """
import os, signal
from annotate.progress.stopping import ignore_stops, stops_like_ctrl_c
with stops_like_ctrl_c():
    ignore_stops()
os.kill(os.getpid(), signal.{name})
print("ended by itself")
"""

MEANWHILE = """
import os, signal
from annotate.progress.stopping import stops_like_ctrl_c, stops_wait
with stops_like_ctrl_c():
    try:
        with stops_wait():
            os.kill(os.getpid(), signal.{name})
            print("held")
        print("never reached")
    except KeyboardInterrupt as stop:
        print(type(stop).__name__)
    signal.raise_signal(signal.{name})
"""


@pytest.mark.parametrize(("name", "raised"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Stopped")])
def test_a_stop_waits_until_what_was_begun_is_held(name: str, raised: str) -> None:
    """What starts a process is not cut off between its start and its name; afterwards a stop is heard at once again."""
    ended = subprocess.run(
        [sys.executable, "-c", MEANWHILE.format(name=name)], capture_output=True, text=True, check=False
    )

    assert ended.stdout == f"held\n{raised}\n"
    assert raised in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_after_the_end_has_begun_is_ignored(name: str) -> None:
    """A process that is ending keeps its own exit status, also after the command has returned."""
    ended = subprocess.run([sys.executable, "-c", LATE.format(name=name)], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended by itself\n", "")
