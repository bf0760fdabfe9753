"""`assay judge` as a process that is killed or stopped in the middle: no score is lost, and nothing is paid twice but what was
under way.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from annotate.workflow.judging import model
from support.endpoint import Endpoint
from support.model import asked, ingest, outcomes, stored, without_outcome
from support.store import ROOT, Assay

pytestmark = pytest.mark.slow

CONCURRENCY = 8
# The command with a second in place of the ten that it gives to what is in flight.
IMPATIENT = (
    "import sys; from annotate.workflow.judging import model; model.GRACE = 1.0\n"
    "from annotate.cli import main; main(sys.argv[1:], prog_name='assay')"
)
PASSING = "500:0.03,429-after-ms:0.02,wrong_enum:0.03,reset:0.02"


def wait(ready: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.002)


def finished(process: subprocess.Popen[bytes]) -> tuple[str, str]:
    """What a process wrote until its end."""
    out, err = process.communicate(timeout=60)
    return out.decode(), err.decode()


def said_until(process: subprocess.Popen[bytes], words: str) -> str:
    """What a process wrote to standard error up to the line with these words."""
    assert process.stderr is not None
    heard = ""
    while words not in heard and (line := process.stderr.readline()):
        heard += line.decode()
    return heard


def judged_pairs(assay: Assay) -> set[tuple[int, int]]:
    return {(item, judge) for item, judge in assay.sql("SELECT item, judge FROM scores")}


@pytest.mark.parametrize(("kills", "items"), [(3, 60), pytest.param(20, 120, marks=pytest.mark.long)])
def test_kills_lose_no_score_and_pay_for_nothing_twice(assay: Assay, kills: int, items: int) -> None:
    """Killed when 1 to 40 more requests have come, again and again; the last run is left to end.

    A reply that was kept is never asked for again: a request beyond those stored was in flight at a kill, so there are at most
    kills x concurrency of them. Every pair of item and judge has its outcome, and no score that was there is gone.
    """
    ingest(assay, items, contexts=["Room one is there.", "Coffee is on the roof.", "The cellar is closed."])
    rng, before, threshold = random.Random(1), set[tuple[int, int]](), 0
    arguments = ("--per-passage", "--concurrency", str(CONCURRENCY))
    with Endpoint(latency=0.02, faults=PASSING, seed=1) as endpoint:
        for _ in range(kills):
            process = assay.start(*asked(endpoint, *arguments))
            goal = endpoint.requests + rng.randint(1, 40)
            wait(lambda goal=goal, process=process: endpoint.requests >= goal or process.poll() is not None)  # type: ignore[misc]
            time.sleep(rng.random() * 0.02)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
            wait(lambda: endpoint.in_flight == 0)
            threshold += CONCURRENCY
            assert before <= judged_pairs(assay)
            before = judged_pairs(assay)
            assert endpoint.requests - threshold <= stored(assay, "attempts") <= endpoint.requests
        last = assay.start(*asked(endpoint, *arguments, "--json"))
        run = json.loads(finished(last)[0])
        assert last.returncode == (4 if run["errors"] else 0)
        requests = endpoint.requests
        # The canaries, one a judge and run, are asked in every run.
        runs = stored(assay, "runs")

    assert run["stopped"] is None
    assert without_outcome(assay) == 0
    assert before <= judged_pairs(assay)
    assert requests - stored(assay, "attempts") <= kills * CONCURRENCY
    assert assay.sql("PRAGMA integrity_check") == [("ok",)]
    answered = assay.sql(
        "SELECT item, judges, step, count(*) FROM attempts WHERE outcome = 'ok' AND purpose = 'item' GROUP BY 1, 2, 3"
    )
    assert [answer for answer in answered if answer[3] > 1] == []
    assert runs <= kills + 1
    assert assay.sql("SELECT count(*) FROM attempts WHERE is_open") == [(0,)]


@pytest.mark.parametrize(
    ("number", "times"),
    [
        (signal.SIGINT, 1),
        (signal.SIGTERM, 2),
        pytest.param(signal.SIGINT, 2, marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, 1, marks=pytest.mark.long),
    ],
)
def test_a_run_that_is_stopped_by_hand_leaves_a_clean_store(assay: Assay, times: int, number: signal.Signals) -> None:
    """The first Ctrl-C, or polite kill, waits for what is in flight, the second cuts it; attempts are as many as requests either
    way, and the next run does the rest.
    """
    ingest(assay, 30)
    with Endpoint(latency=0.05) as endpoint:
        process = assay.start(*asked(endpoint, "--concurrency", str(CONCURRENCY)))
        wait(lambda: endpoint.requests >= CONCURRENCY)
        endpoint.latency = 0.6 * times**2
        time.sleep(0.2)  # until what was quick is answered
        wait(lambda: endpoint.requests >= 2 * CONCURRENCY and endpoint.in_flight == CONCURRENCY)
        process.send_signal(number)
        heard = said_until(process, "seconds for what is in flight")
        if times == 2:  # a signal that comes before the first was handled is lost in it
            process.send_signal(number)
        out, err = finished(process)
        err = heard + err
        assert process.returncode == (4 if times == 1 else 128 + number)
        assert "seconds for what is in flight" in err
        assert "Traceback" not in out + err
        assert stored(assay, "attempts") == endpoint.requests
        assert outcomes(assay).get("cut short", 0) == (0 if times == 1 else CONCURRENCY)
        assert stored(assay, "failures") == 0
        assert assay.sql("SELECT stopped LIKE 'stopped by hand%', ended_at IS NOT NULL FROM runs") == [(1, 1)]

        endpoint.latency = 0.0
        assay(*asked(endpoint))
        assert stored(assay, "attempts") == endpoint.requests
    assert without_outcome(assay) == 0
    assert (
        assay.sql(
            "SELECT item, judges, count(*) c FROM attempts WHERE outcome = 'ok' AND purpose = 'item' GROUP BY 1, 2 HAVING c > 1"
        )
        == []
    )


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_server_that_hangs_does_not_hold_a_run_that_is_stopped_by_hand(assay: Assay, number: signal.Signals) -> None:
    """What does not come back within ten seconds, here one, is cut, long before its deadline of a minute."""
    assert model.GRACE == 10
    ingest(assay, 30)
    with Endpoint(faults=lambda number, body: "hang" if number > 12 else None) as endpoint:
        given = (*asked(endpoint, "--concurrency", str(CONCURRENCY)), "--db", str(assay.db))
        process = subprocess.Popen(
            [sys.executable, "-c", IMPATIENT, *given],
            cwd=assay.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        wait(lambda: endpoint.in_flight == CONCURRENCY)
        process.send_signal(number)
        out, err = finished(process)

        assert process.returncode == 128 + number
        assert "waiting 1 seconds for what is in flight" in err
        assert "Traceback" not in out + err
        assert stored(assay, "attempts") == endpoint.requests
        assert outcomes(assay)["cut short"] == CONCURRENCY


def test_a_probe_that_is_stopped_by_hand_is_stored(assay: Assay) -> None:
    """The first request of all is one that was made."""
    ingest(assay, 2)
    with Endpoint(faults="hang:1") as endpoint:
        process = assay.start(*asked(endpoint))
        wait(lambda: endpoint.requests == 1)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        finished(process)
    assert outcomes(assay) == {"cut short": 1}


@pytest.mark.long
@pytest.mark.parametrize("counts", [(200, 1_000), (1_000, 5_000)])
def test_memory_does_not_grow_with_the_items(assay: Assay, counts: tuple[int, int]) -> None:
    """Some items and then five times as many, each in a process of its own: the larger run's peak is at most 15 MB higher.

    The items are short, since SQLite keeps up to 32 MB of the file's pages.
    """
    script = (
        "import resource, sys; from annotate.cli import main\n"
        "try: main(sys.argv[1:], prog_name='assay')\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    peaks = []
    with Endpoint(keep=0) as endpoint:
        for count in counts:
            db = assay.folder / f"{count}.db"
            path = assay.write(
                "t.jsonl",
                [{"id": f"i{n}", "question": f"Q {n}?", "contexts": ["C."], "answer": f"A {n}."} for n in range(count)],
            )
            assay("ingest", path, "--db", str(db), db=False)
            command = [sys.executable, "-c", script, *asked(endpoint, "--json", "--db", str(db))]
            ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300, cwd=assay.folder)
            assert json.loads(ended.stdout)["items"] == count
            peaks.append(int(ended.stderr.splitlines()[-1]))

    assert peaks[1] - peaks[0] < 15_000, peaks
