"""What happens to processes: killed, side by side, out of space. Nothing is lost and nothing is there twice."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotate.store import Store
from support.store import ROOT, Assay, jsonl, traffic_row

pytestmark = pytest.mark.slow

KILLS = 3
WIDE = {"contexts": ["Room x is on the ground floor. " * 40] * 4}


def sound(assay: Assay) -> None:
    """The file, its references and its events are as they should be."""
    store = Store(assay.db)
    assert store.check() == []
    store.close()


def kill_at(process: subprocess.Popen[bytes], assay: Assay, query: str, count: int, pause: float) -> int:
    """Kill -9 a moment after this many rows are kept; return how many rows are."""
    while process.poll() is None:
        if assay.db.exists() and assay.sql("SELECT count(*) FROM sqlite_master WHERE name = 'events'") == [(1,)]:
            kept = assay.sql(query)[0][0]
            if kept >= count:
                break
        time.sleep(0.005)
    time.sleep(pause)
    process.kill()
    process.communicate()
    sound(assay)
    return int(assay.sql(query)[0][0])


def test_ingest_killed_at_any_moment_is_completed_by_the_next_run(assay: Assay) -> None:
    """Counts exact: every row once, whatever was killed before, and whole batches in between."""
    rows = [traffic_row(f"{n:05}", **WIDE) for n in range(12_000)]
    rows[7] = {"id": "bad"}
    assay.write("traffic.jsonl", rows)
    rng = random.Random(20261121)
    items = "SELECT count(*) FROM items"

    kept = [
        kill_at(assay.start("ingest", "traffic.jsonl"), assay, items, target, rng.uniform(0, 0.05))
        for target in (0, *sorted(rng.sample(range(1000, 8000), KILLS - 1)))
    ]
    last = assay.json("ingest", "traffic.jsonl", status=4)

    assert kept == sorted(kept)
    assert kept[-1] < 11_999
    assert (last["added"], last["unchanged"], last["items"]) == (11_999 - kept[-1], kept[-1], 11_999)
    assert assay.sql("SELECT count(*), count(DISTINCT id), max(revision) FROM items") == [(11_999, 11_999, 1)]
    assert assay.sql("SELECT (SELECT count(*) FROM texts), (SELECT count(*) FROM quarantine)") == [(11_999, 1)]
    sound(assay)


def test_judging_killed_at_any_moment_is_completed_by_the_next_run(assay: Assay) -> None:
    """Exactly one outcome for each item and judge; what was scored before a kill is not scored again."""
    count, judges = 1500, 4
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"{n:04}", **WIDE) for n in range(count)]))
    rng = random.Random(20261121)
    done = "SELECT (SELECT count(*) FROM scores) + (SELECT count(*) FROM failures)"

    kept = [
        kill_at(assay.start("judge"), assay, done, target, rng.uniform(0, 0.05))
        for target in sorted(rng.sample(range(1, 3000), KILLS))
    ]
    last = assay.json("judge")

    assert kept == sorted(kept)
    assert 0 < kept[-1] < count * judges
    assert last["scores"] + last["abstentions"] + last["errors"] == count * judges - kept[-1]
    outcomes = "SELECT judge, item FROM scores UNION ALL SELECT judge, item FROM failures"
    counts = f"SELECT judge, count(*), count(DISTINCT item) FROM ({outcomes}) GROUP BY 1"
    assert [row[1:] for row in assay.sql(counts)] == [(count, count)] * judges
    assert sum(last["verdicts"].values()) == count
    sound(assay)


def test_processes_that_start_at_once_share_one_new_store(assay: Assay) -> None:
    """Three make the same store at the same moment and take in the same and different rows: all succeed, counts exact."""
    common = [traffic_row(f"common-{n}") for n in range(500)]
    for process in range(3):
        own = [traffic_row(f"{process}-{n}") for n in range(1000)]
        assay.write(f"{process}.jsonl", [*common, *own])

    running = [assay.start("ingest", f"{process}.jsonl", "--json") for process in range(3)]
    ended = [(process.communicate(timeout=60), process.returncode) for process in running]

    assert [status for _, status in ended] == [0] * 3, ended
    counts = [json.loads(out) for (out, _), _ in ended]
    assert sum(count["added"] for count in counts) == 3500
    assert sum(count["unchanged"] for count in counts) == 1000
    assert assay.sql("SELECT count(*), max(revision) FROM items") == [(3500, 1)]
    assert assay.sql("SELECT count(*) FROM events") == [(3,)]
    sound(assay)


OPEN_AT_ONCE = """
import sys, time
from pathlib import Path
from annotate.store import Store
for n in range(15):
    time.sleep(max(0.0, float(sys.argv[1]) + n * 0.05 - time.time()))
    store = Store(Path(f"{n}.db"))
    with store.atomic():
        store.audit.events.append("opened", {}, who=sys.argv[2], now="")
    store.close()
"""


def test_a_store_is_made_once_however_many_open_it(tmp_path: Path) -> None:
    """Fifteen new stores, each opened by three processes at the same instant: no collision, no event lost."""
    start = str(time.time() + 3)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AT_ONCE, start, str(n)], cwd=tmp_path, env=environment, stderr=subprocess.PIPE
        )
        for n in range(3)
    ]
    errors = [process.communicate(timeout=60)[1].decode() for process in running]

    assert errors == [""] * 3
    for n in range(15):
        store = Store(tmp_path / f"{n}.db")
        assert store._db.conn.execute("SELECT count(*) FROM events").fetchone() == (3,)
        assert store.check() == []
        store.close()


def limit_file_size() -> None:
    """No file of the process grows beyond 4 MB: for SQLite, the disk is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))


def test_a_full_disk_is_one_line_and_the_next_run_completes(assay: Assay) -> None:
    """Whole batches are kept, the rest comes when there is space again; nothing is there twice."""
    rows = [traffic_row(f"{n:05}", **WIDE) for n in range(4000)]
    assay.write("traffic.jsonl", rows)

    out, err = assay.process("ingest", "traffic.jsonl", status=1, preexec_fn=limit_file_size)

    assert out == ""
    assert err.count("\n") == 1
    assert "disk" in err
    assert "run the same command again" in err
    sound(assay)
    kept = assay.sql("SELECT count(*) FROM items")[0][0]
    again = assay.json("ingest", "traffic.jsonl")
    assert (again["added"], again["unchanged"], again["items"]) == (4000 - kept, kept, 4000)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system")
def test_a_full_file_system_is_one_line_and_the_next_run_completes(assay: Assay) -> None:
    """The same on a real file system of 6 MB, mounted for this process alone."""
    rows = [traffic_row(f"{n:05}", **WIDE) for n in range(4000)]
    assay.write("traffic.jsonl", rows)
    small = assay.folder / "small"
    small.mkdir()
    command = f'"{sys.executable}" -m annotate ingest traffic.jsonl --db small/assay.db'
    script = (
        f"mount -t tmpfs -o size=6m none small || exit 77; {command}; echo status $?; "
        f"mount -o remount,size=200m small; {command}; echo status $?"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        check=False,
        cwd=assay.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if ended.returncode == 77:
        pytest.skip("this machine lets nobody mount")

    assert ended.stderr.count("\n") == 1, ended.stderr
    assert "full" in ended.stderr
    first, second, *_, last = ended.stdout.strip().split("\n")
    assert (first, last) == ("status 1", "status 0")
    assert second.endswith("4,000 items in the store.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_stopped_ends_cleanly(assay: Assay, number: signal.Signals) -> None:
    """Ctrl+C, a polite kill and a closed terminal say the same, the status says which it was, and what was kept is sound."""
    assay.write("traffic.jsonl", [traffic_row(f"{n:05}", **WIDE) for n in range(12_000)])
    process = assay.start("ingest", "traffic.jsonl")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (assay.db.exists() and assay.db.stat().st_size):
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)

    assert process.returncode == 128 + number
    assert err.decode().splitlines()[-1].startswith("stopped; what was done so far is kept")
    assert b"Traceback" not in err
    sound(assay)


def peak_megabytes(assay: Assay, megabytes: int, db: str) -> float:
    """The most memory that ingesting a file of this size takes."""
    line = jsonl([traffic_row("NNNNNNNN", contexts=["Room x is on the ground floor. " * 120] * 4)])
    path = assay.folder / f"{megabytes}.jsonl"
    with path.open("w") as stream:
        for n in range(megabytes * 1_000_000 // len(line)):
            stream.write(line.replace("NNNNNNNN", f"{n:08}"))
    script = (
        "import sys; from annotate.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code\n"
        # The peak that getrusage knows is the parent's if that was higher.
        "print([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "ingest", str(path), "--db", db],
        cwd=assay.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    path.unlink()
    return int(ended.stdout.split("VmHWM:")[1].split()[0]) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux' /proc")
def test_memory_does_not_grow_with_the_file(assay: Assay) -> None:
    """Four times as much traffic takes at most a tenth more memory, and large rows make no large batches."""
    small, large = peak_megabytes(assay, 40, "small.db"), peak_megabytes(assay, 160, "large.db")

    assert large < small * 1.1
    assert large < 300


def test_standard_input_is_a_file_like_any_other(assay: Assay) -> None:
    """`-` reads a pipe; what it holds is told from its content; Parquet needs a file and says so."""
    out, _ = assay.process("ingest", "-", "--json", stdin=b"\xef\xbb\xbfid,question,answer\nb,Q?,A.\n")
    assert json.loads(out)["added"] == 1
    out, err = assay.process("ingest", "-", "--json", stdin=b"PAR1" + b"\0" * 100, status=1)
    assert out == ""
    assert err.startswith(
        "assay: standard input: its row cannot be read, so nothing was taken in; 1 × cannot be read as Parquet"
    )


@pytest.mark.parametrize(
    "args",
    [("judge",), ("run", "--without-labelling"), pytest.param(("slices",), marks=pytest.mark.long)],
    ids=" ".join,
)
def test_a_polite_kill_ends_any_long_command_cleanly(assay: Assay, args: tuple[str, ...]) -> None:
    """While it judges, goes through the stages of a night, or counts: one sentence, status 143, and the same again goes on."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"{n:05}", **WIDE) for n in range(3_000)]))
    if args == ("slices",):
        assay("judge", "--judges", "context_relevance,faithfulness")
        assay("sample", "--labels", "60", "--seed", "1")
        words = [{"item_id": f"{n:05}", "label": ("right", "wrong")[n % 3 == 0]} for n in range(3_000)]
        assay("labels", "import", assay.write("labels.jsonl", words))
    process = assay.start(*args)
    time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)

    if process.returncode != 0:  # or it was done by then
        assert process.returncode == 143, err
        assert err.decode().splitlines()[-1].startswith("stopped; what was done so far is kept"), err
    assert b"Traceback" not in err
    sound(assay)
    assay.process(*args)
