"""One server a data folder: two runs at once, a run that was killed, a start that is interrupted, a server that will not end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotate.label_studio.local import processes, server, start
from annotate.label_studio.local.watching import command_of
from proxy.errors import LabelStudioError
from support.local_server import seen
from support.store import ROOT

RUN = """
import pathlib, sys, time
from annotate.label_studio.local import start
print(start(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])).url, flush=True)
time.sleep(600)
"""


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def watchers_of(pid: int) -> list[int]:
    """The processes that end this one when its starter is gone."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    watchers = [number for number in numbers if f"watching.py {pid} " in command_of(number)]
    assert watchers
    return watchers


@pytest.mark.slow
def test_one_folder_has_one_server(home: Path, tmp_path: Path) -> None:
    """A second server on the same folder is refused with the address of the first, which goes on."""
    with start(home, tmp_path / "data") as first:
        with pytest.raises(LabelStudioError, match="already runs on") as caught:
            start(home, tmp_path / "data")
        assert first.url in str(caught.value)
        assert is_alive(seen(tmp_path, "start").pid)


@pytest.mark.slow
def test_the_server_of_a_killed_run_is_ended_by_the_next(home: Path, tmp_path: Path) -> None:
    """After kill -9 of a run and of what watches over it, the next start ends the server, says so, and has the same address."""
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(home), str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert run.stdout is not None
    with run.stdout as said:
        url = said.readline().strip()
        orphan = seen(tmp_path, "start").pid
        for watcher in watchers_of(orphan):
            os.kill(watcher, signal.SIGKILL)
        run.kill()
        run.wait()
    assert is_alive(orphan)
    told: list[str] = []
    with start(home, tmp_path / "data", progress=told.append) as second:
        assert not is_alive(orphan)
        assert second.url == url

    assert told == [f"Stopping a Label Studio that was left over at {url}"]


@pytest.mark.slow
def test_a_stranger_with_the_lock_is_not_ended(home: Path, tmp_path: Path) -> None:
    """Where another program holds the folder, it is named and left alone."""
    data = tmp_path / "data"
    start(home, data).stop()
    with (data / "lock").open() as lock:
        hold = "import fcntl, sys, time; fcntl.flock(0, fcntl.LOCK_EX); print('held', flush=True); time.sleep(600)"
        stranger = subprocess.Popen(
            [sys.executable, "-c", hold], stdin=lock, stdout=subprocess.PIPE, start_new_session=True
        )
    assert stranger.stdout is not None
    with stranger.stdout as said:
        said.readline()
    (data / "lock").write_text(json.dumps({"pid": stranger.pid, "url": "http://127.0.0.1:9"}))
    try:
        with pytest.raises(LabelStudioError, match=f"already runs on .* process {stranger.pid}"):
            start(home, data)
        assert is_alive(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.slow
def test_an_interrupted_start_leaves_nothing_behind(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+C while waiting for the server ends it, and the next start works."""
    monkeypatch.setattr(server, "PROGRESS_SECONDS", 0.5)
    (tmp_path / "sick").touch()

    def once_it_runs(line: str) -> None:
        if (tmp_path / "start.json").exists() and line.startswith("Starting"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start(home, tmp_path / "data", progress=once_it_runs)
    (tmp_path / "sick").unlink()

    assert not is_alive(seen(tmp_path, "start").pid)
    start(home, tmp_path / "data").stop()


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("is_impatient", [False, True])
def test_a_server_that_will_not_end_is_killed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_impatient: bool
) -> None:
    """One that ignores the request to end is killed after a while, or at once at a second Ctrl+C."""
    monkeypatch.setattr(processes, "STOP_SECONDS", 60 if is_impatient else 0.2)
    (tmp_path / "stubborn").touch()
    running = start(home, tmp_path / "data")
    pid = seen(tmp_path, "start").pid
    if is_impatient:
        previous = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            running.stop()
        signal.signal(signal.SIGALRM, previous)
    else:
        running.stop()

    assert not is_alive(pid)
