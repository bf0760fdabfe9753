"""Offline judging in several processes: the scores of one, whole blocks, and no process that is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.store import Store
from annotate.workflow.judging import offline
from annotate.workflow.judging.engines import local
from annotate.workflow.judging.engines.local import LocalEngine
from annotate.workflow.judging.offline import JudgingResult
from proxy.errors import AssayError
from proxy.judges.base import Judge
from proxy.records import Context, Item
from support.store import NOW, ROOT
from support.worker_judges import Deadly, ProcessNumber, Raising, Slow, Unsendable

pytestmark = pytest.mark.slow

WORDS = ("heart", "blood pressure", "330 metres", "not", "Monet", "the tower", "in 1889", "이 약은", "血壓")
# A run on a file by a process that can be killed; then the test's own run goes on.
RUN = """
import sys
from pathlib import Path
from annotate.store import Store
from annotate.workflow.judging import offline
from annotate.workflow.judging.engines.local import LocalEngine
from support.worker_judges import Slow
store = Store(sys.argv[1])
offline.judge(store, [Slow(Path(sys.argv[2]))], now="2026-11-01T00:00:00Z", engine=LocalEngine(workers=2))
"""


def fill(store: Store, count: int) -> None:
    """Add items whose scores differ."""
    items = [
        Item(
            id=f"item-{n}",
            question=f"What is said of {WORDS[n % 9]} and {WORDS[n % 5]} in number {n}?",
            answer=f"It is {WORDS[n % 7]}, {WORDS[n % 4]} and {n}. {WORDS[n % 3]} was seen." if n % 11 else "",
            contexts=tuple(
                Context(text=f"{WORDS[(n + k) % 9]} and {WORDS[k]} were seen {n % 3}.") for k in range(n % 4)
            ),
        )
        for n in range(count)
    ]
    with store.atomic():
        store.traffic.items.add(items, now=NOW)


def run(store: Store, judges: Sequence[Judge], workers: int | None) -> JudgingResult:
    return offline.judge(store, judges, now=NOW, engine=LocalEngine(workers=workers))


def kept(store: Store) -> list[list[tuple[object, ...]]]:
    """All that judges left in the store, but the seconds that they took."""
    queries = (
        "SELECT judge, item, value, reason FROM scores ORDER BY judge, item",
        "SELECT judge, item, kind, reason FROM failures ORDER BY judge, item",
        "SELECT judge, item, content FROM details ORDER BY judge, item",
        "SELECT item, verdict FROM verdicts ORDER BY item",
    )
    return [store._db.conn.execute(query).fetchall() for query in queries]


def reasons(store: Store) -> set[str]:
    return {str(reason) for (reason,) in store._db.conn.execute("SELECT DISTINCT reason FROM scores")}


def scored_items(store: Store) -> int:
    return int(store._db.conn.execute("SELECT count(*) FROM scores").fetchone()[0])


def wait(ready: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_one_two_and_three_workers_keep_the_same_to_the_last_digit() -> None:
    """Values, reasons, abstentions, details and verdicts; each worker hashes texts otherwise."""
    results = []
    for workers in (1, 2, 3):
        store = Store(":memory:")
        fill(store, 230)
        judged = run(store, list(built_in().values()), workers)
        results.append((judged[:4], kept(store)))

    assert results[0] == results[1] == results[2]
    assert len({row[2] for row in results[0][1][0]}) > 20
    assert len(results[0][1][1]) > 20


def test_all_cores_are_used_where_there_is_much_to_do(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our judges in one process for each core; fewer items, and judges of other packages, in this one."""
    counts = []
    pool = local.WorkerPool
    monkeypatch.setattr(local, "cores", lambda: 2)
    monkeypatch.setattr(local, "FEWEST_ITEMS", 60)
    monkeypatch.setattr(
        local, "WorkerPool", lambda judges, count, **more: counts.append(count) or pool(judges, count, **more)
    )
    fill(store, 59)
    run(store, [built_in()["refusal"]], None)
    assert counts == []
    judged = run(store, [built_in()["faithfulness"], ProcessNumber()], None)
    assert counts == []
    fill(store, 120)
    judged = run(store, [built_in()["faithfulness"], ProcessNumber()], None)

    assert counts == [2]
    assert reasons(store) >= {f"{os.getpid()} None"}
    assert [stayed[:] for stayed in judged.stayed_here] == [("process_number", None)]


def test_a_judge_of_another_package_runs_in_workers_with_its_environment(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a number of workers it is shared out, and finds there what it finds here."""
    monkeypatch.setenv("ASSAY_TEST_SECRET", "mine")
    fill(store, 120)
    judged = run(store, [ProcessNumber()], 2)
    seen = [reason.split() for reason in reasons(store)]

    assert judged.stayed_here == ()
    assert {secret for _, secret in seen} == {"mine"}
    assert str(os.getpid()) not in {process for process, _ in seen}


def test_our_judges_get_none_of_our_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that run our judges alone start with the variables of the machine."""
    monkeypatch.setenv("ASSAY_TEST_SECRET", "mine")

    assert "ASSAY_TEST_SECRET" not in local._environment(has_others=False)
    assert "PATH" in local._environment(has_others=False)


def test_a_judge_that_cannot_be_sent_runs_here_and_says_why(store: Store) -> None:
    """The others go on in workers, and every outcome is of its own judge."""
    fill(store, 120)
    judged = run(store, [Unsendable(), ProcessNumber(), Raising()], 2)
    values = store._db.conn.execute(
        "SELECT j.judge, count(*), min(value), max(value) FROM scores s JOIN judges j ON j.key = s.judge GROUP BY 1 ORDER BY 1"
    ).fetchall()

    assert values == [("process_number", 120, 0.5, 0.5), ("raising", 60, 1.0, 1.0), ("unsendable", 120, 0.125, 0.125)]
    assert [stayed.judge for stayed in judged.stayed_here] == ["unsendable"]
    assert "lock" in (judged.stayed_here[0].fault or "")


def test_a_judge_that_raises_costs_its_items(store: Store) -> None:
    """As in one process: a failure with its reason on these, a score on the others, and they are asked again."""
    fill(store, 120)
    judged = run(store, [Raising()], 2)

    assert judged[:4] == (120, 60, 0, 60)
    assert judged.error == "raising on item-1: LookupError: no luck with item-1"
    assert run(store, [Raising()], 2).items == 60


def test_a_worker_that_dies_once_is_replaced(store: Store, tmp_path: Path) -> None:
    """Its block is scored by another; nothing is missing or doubled."""
    fill(store, 180)
    judged = run(store, [Deadly(tmp_path, times=1)], 2)

    assert judged[:4] == (180, 180, 0, 0)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_block_that_ends_two_workers_stops_the_run(store: Store, tmp_path: Path) -> None:
    """The error names the items and what to do, nothing of that block is kept, and the next run does the rest."""
    fill(store, 180)
    with pytest.raises(AssayError, match=r"items item-0 to item-49 \(killed by SIGKILL\).*--workers 1") as stop:
        run(store, [Deadly(tmp_path, times=2)], 2)
    assert "two worker processes ended" in str(stop.value)
    assert scored_items(store) == 0

    assert run(store, [Deadly(tmp_path, times=2)], 2)[:2] == (180, 180)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_leaves_whole_blocks_and_no_process(tmp_path: Path, stop: signal.Signals) -> None:
    """Killed or stopped by Ctrl+C; the next run scores what is missing, nothing twice."""
    file, folder = tmp_path / "a.db", tmp_path / "seen"
    folder.mkdir()
    store = Store(file)
    fill(store, 1_000)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    process = subprocess.Popen([sys.executable, "-c", RUN, file, folder], env=environment, stderr=subprocess.PIPE)
    try:
        wait(lambda: scored_items(store) > 0)
        process.send_signal(stop)
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    workers = [int(path.name) for path in folder.iterdir()]

    assert len(workers) == 2
    wait(lambda: not any(map(is_running, workers)), 30)
    assert process.returncode == -stop
    assert error.count(b"Traceback") == (1 if stop is signal.SIGINT else 0)
    before = scored_items(store)
    assert 0 < before < 1_000
    assert before % offline.BATCH_ITEMS == 0
    assert run(store, [Slow(folder, seconds=0)], 2)[:2] == (1_000 - before, 1_000 - before)
    assert scored_items(store) == 1_000
