"""Offline judging on Ray: the scores of this process, lost workers, a run that is killed, and no cluster that is left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.store import Store
from annotate.workflow.judging import offline
from annotate.workflow.judging.engines.on_ray import ADDRESS, RayEngine
from proxy.errors import AssayError
from support.store import NOW, ROOT, Assay, traffic_row
from support.worker_judges import Deadly, ProcessNumber, Raising, Slow, Unsendable
from workflow.test_judging_workers import fill, is_running, kept, run, scored_items, wait

pytest.importorskip("ray", reason="Ray is not installed: pip install 'assay[ray]'")
# Each run starts a cluster, which takes ten seconds.
pytestmark = pytest.mark.long
RUN = """
import sys
from pathlib import Path
from annotate.store import Store
from annotate.workflow.judging import offline
from annotate.workflow.judging.engines.on_ray import RayEngine
from support.worker_judges import Slow
store = Store(sys.argv[1])
offline.judge(store, [Slow(Path(sys.argv[2]))], now="2026-11-01T00:00:00Z", engine=RayEngine())
"""


@pytest.fixture(autouse=True)
def _modules_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker imports: this checkout, and the judges of the tests."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    monkeypatch.delenv(ADDRESS, raising=False)


def on_ray(store: Store, *judges: object) -> offline.JudgingResult:
    return offline.judge(store, list(judges), now=NOW, engine=RayEngine())  # type: ignore[arg-type]


def test_the_scores_are_those_of_this_process() -> None:
    """Values, reasons, abstentions, details and verdicts, to the last digit; blocks come back in any order."""
    here, there = Store(":memory:"), Store(":memory:")
    for store in (here, there):
        fill(store, 230)
    judged = run(here, list(built_in().values()), 1)

    assert on_ray(there, *built_in().values())[:4] == judged[:4]
    assert kept(there) == kept(here)


def test_judges_that_cannot_be_sent_or_raise_and_a_worker_that_dies(store: Store, tmp_path: Path) -> None:
    """The first runs here and says why, the second costs its items, and Ray asks again for the block that was lost."""
    fill(store, 120)
    judged = on_ray(store, Unsendable(), ProcessNumber(), Raising(), Deadly(tmp_path, times=1))
    values = store._db.conn.execute(
        "SELECT j.judge, count(*), min(value), max(value) FROM scores s JOIN judges j ON j.key = s.judge GROUP BY 1 ORDER BY 1"
    ).fetchall()
    query = "SELECT DISTINCT reason FROM scores s JOIN judges j ON j.key = s.judge WHERE j.judge = 'process_number'"
    processes = {int(reason.split()[0]) for (reason,) in store._db.conn.execute(query)}

    assert values == [
        ("deadly", 120, 0.25, 0.25),
        ("process_number", 120, 0.5, 0.5),
        ("raising", 60, 1.0, 1.0),
        ("unsendable", 120, 0.125, 0.125),
    ]
    assert [stayed.judge for stayed in judged.stayed_here] == ["unsendable"]
    assert os.getpid() not in processes
    wait(lambda: not any(map(is_running, processes)), 60)


def test_a_block_that_is_lost_again_and_again_stops_the_run(store: Store, tmp_path: Path) -> None:
    """The error names the items and what every node needs; nothing of that block is kept, and the next run does the rest."""
    fill(store, 120)
    with pytest.raises(AssayError, match=r"Ray lost the items item-0 to item-49 .*: no score of these is kept"):
        on_ray(store, Deadly(tmp_path, times=3))
    before = scored_items(store)

    assert before in (0, 20, 50, 70)
    assert on_ray(store, Deadly(tmp_path, times=3))[:2] == (120 - before, 120 - before)


def test_a_run_that_is_killed_leaves_whole_blocks_and_no_process(tmp_path: Path) -> None:
    """The next run scores what is missing, nothing twice."""
    file, folder = tmp_path / "a.db", tmp_path / "seen"
    folder.mkdir()
    store = Store(file)
    fill(store, 1_000)
    process = subprocess.Popen([sys.executable, "-c", RUN, file, folder], stderr=subprocess.DEVNULL)
    try:
        wait(lambda: scored_items(store) > 0)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    finally:
        process.kill()
    workers = [int(path.name) for path in folder.iterdir()]
    wait(lambda: not any(map(is_running, workers)), 60)
    before = scored_items(store)

    assert 0 < before < 1_000
    assert before % offline.BATCH_ITEMS == 0
    assert run(store, [Slow(folder, seconds=0)], 2)[:2] == (1_000 - before, 1_000 - before)


def test_a_cluster_that_is_there_is_used_and_left(tmp_path: Path) -> None:
    """By the command, with the token that the cluster asks for; the cluster outlives the run, and the scores are those of here."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    here, there, log = Store(tmp_path / "here.db"), Store(tmp_path / "there.db"), tmp_path / "ray.log"
    for store in (here, there):
        fill(store, 60)
    # Ray reads how to sign in once, as it is imported: so the run is a process of its own.
    access = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}
    start = [
        "start",
        "--head",
        "--block",
        f"--port={port}",
        "--num-cpus=2",
        "--include-dashboard=false",
        "--disable-usage-stats",
    ]
    with log.open("w") as output:
        head = subprocess.Popen(
            [Path(sys.executable).with_name("ray"), *start], stdout=output, stderr=output, env=access
        )
    try:
        wait(lambda: "Ray runtime started" in log.read_text(), 90)
        command = [sys.executable, "-m", "annotate", "judge", "--engine", "ray", "--db", tmp_path / "there.db"]
        subprocess.run(
            command, env={**access, ADDRESS: f"127.0.0.1:{port}"}, check=True, capture_output=True, timeout=120
        )
        assert head.poll() is None
    finally:
        head.terminate()
        head.wait(60)
    run(here, offline.by_default(here), 1)

    assert kept(there) == kept(here)
    assert scored_items(there) > 60


def test_the_command_says_what_is_missing(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cluster at the address that the environment names; workers and a model, which Ray has no use for."""
    assay.write("traffic.jsonl", [traffic_row("a")])
    assay("ingest", "traffic.jsonl")
    refused = assay("judge", "--engine", "ray", "--workers", "2", status=2)
    assert "processes of the local engine" in refused.stderr
    model = assay("judge", "--engine", "ray", "--backend", "openai", "--model", "m", status=2)
    assert "--engine is for offline judges" in model.stderr

    monkeypatch.setenv(ADDRESS, "127.0.0.1:1")
    unreachable = assay("judge", "--engine", "ray", status=1)
    assert "there is no Ray cluster at 127.0.0.1:1 (RAY_ADDRESS)" in unreachable.stderr
