"""What happens to processes that write parts: killed, side by side, out of space. No part is ever half there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotate.store.lake.parts import Lake, LakePart
from proxy.errors import StoreError
from support.lake import DAY, KINDS, content, files, noise
from support.store import ROOT

pytestmark = pytest.mark.slow

PARTS = 30
PROGRAM = """
import json, os, sys
from annotate.store.lake.parts import Lake
from support.lake import DAY, noise
kill_at, calls, fsync = int(sys.argv[2]), 0, os.fsync
def counted(handle):
    global calls
    calls += 1
    if calls == kill_at:
        os.kill(os.getpid(), 9)
    fsync(handle)
os.fsync = counted
lake = Lake.open(sys.argv[1])
for number in range(int(sys.argv[3])):
    print(json.dumps(lake.write(noise(number), "items", DAY)), flush=True)
"""


def start(address: str, *, kill_at: int = 0, parts: int = PARTS) -> subprocess.Popen[str]:
    """Start a process that writes parts, and says of each that it is written; kill it at a flush to disk."""
    command = [sys.executable, "-c", PROGRAM, address, str(kill_at), str(parts)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def written(lines: str) -> list[LakePart]:
    """Return the parts that a process said were written: what a ledger would name."""
    return [LakePart(*json.loads(line)) for line in lines.splitlines()]


def assert_whole(lake: Lake) -> None:
    """Every file that has a part's name is that part, to the last byte."""
    for path in files(lake):
        name = path.rpartition("/")[2]
        if not name.startswith("."):
            assert re.fullmatch(r"[0-9a-f]{32}\.parquet", name)
            assert hashlib.sha256(content(lake, path)).hexdigest().startswith(name[:32])


def assert_completed(lake: Lake, known: list[LakePart], parts: int) -> None:
    """What the ledger does not name is listed; the next run gives the parts that any run gives, and leaves only what it names."""
    assert_whole(lake)
    for part in known:
        lake.check(part)
    assert sorted(lake.others(known, kinds=KINDS)) == sorted(set(files(lake)) - {part.path for part in known})

    again = [lake.write(noise(number), "items", DAY) for number in range(parts)]

    assert again[: len(known)] == known
    for path in lake.others(again, kinds=KINDS):
        lake.remove_other(path)
    assert files(lake) == sorted(part.path for part in again)


@pytest.mark.parametrize("kill_at", range(1, 9))
def test_a_writer_killed_before_any_flush_to_disk(tmp_path: Path, kill_at: int) -> None:
    """At each of them in turn: of the folders, of the file, of its name."""
    process = start(str(tmp_path / "lake"), kill_at=kill_at, parts=3)
    lines, _ = process.communicate(timeout=60)
    assert process.returncode == -9

    assert_completed(Lake.open(str(tmp_path / "lake")), written(lines), parts=3)


def test_a_file_that_is_not_on_the_disk_has_no_name_yet(tmp_path: Path) -> None:
    """Killed at its flush it is left unfinished, and listed as such."""
    start(str(tmp_path / "lake"), kill_at=4, parts=1).communicate(timeout=60)

    [left] = Lake.open(str(tmp_path / "lake")).others([], kinds=KINDS)

    assert left.startswith("items/date=2026-11-20/.")
    assert left.endswith(".unfinished")


def test_a_writer_killed_at_any_moment(lake_address: str) -> None:
    lake, rng, known = Lake.open(lake_address), random.Random(20261121), []
    for _ in range(3):
        process = start(lake_address)
        assert process.stdout is not None
        lines = "".join(process.stdout.readline() for _ in range(rng.randrange(1, 12)))
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        lines += process.communicate()[0]
        known = max(known, written(lines), key=len)
        assert_whole(lake)
    assert 0 < len(known) < PARTS

    assert_completed(lake, known, PARTS)


def test_two_processes_that_write_the_same_at_once(lake_address: str) -> None:
    """Both get the same parts, and there is one file of each."""
    running = [start(lake_address) for _ in range(2)]
    first, second = [written(process.communicate(timeout=120)[0]) for process in running]

    assert [process.returncode for process in running] == [0, 0]
    assert first == second
    assert len(set(first)) == PARTS
    assert files(Lake.open(lake_address)) == sorted(part.path for part in first)
    assert_whole(Lake.open(lake_address))


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    """Neither a part nor an unfinished file; a full disk is a line that says what to do."""
    lake = Lake.open(str(tmp_path / "lake"))
    known = lake.write(noise(0), "items", DAY)

    def fail(_: int) -> None:
        raise fault

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((StoreError, KeyboardInterrupt), match=r"No space left on device: .* has space|^$"):
        lake.write(noise(1), "items", DAY)
    monkeypatch.undo()

    assert files(lake) == [known.path]
    assert lake.write(noise(1), "items", DAY).path in files(lake)
