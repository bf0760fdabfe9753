"""Feedback over real HTTP: kept before it is acknowledged, from whoever has the token, and nothing is lost in a burst."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from annotate import Project
from annotate.server import connection, inbox
from annotate.server.app import app_of
from annotate.server.callers import SENT_BYTES, TOKEN_VARIABLE, UNPACKED_BYTES, token_from_environment
from annotate.server.feedback import MOST_ROWS, feedback
from annotate.server.inbox import MOST_WAITING, Inbox
from annotate.server.listening import Listening
from annotate.store import Store
from proxy.errors import UsageError
from support.migrations import rows
from support.serving import Serve
from support.store import Assay

TOKEN = "a-token-of-sixteen-letters"
DOWN = {"item_id": "a", "value": "down"}


class Door:
    """A running server on a store of its own."""

    def __init__(self, port: int, path: Path) -> None:
        self.url, self.port, self.path = f"http://127.0.0.1:{port}/feedback", port, path

    def post(self, content: Any, token: str = TOKEN, **headers: str) -> httpx.Response:
        """Send a body, or anything as JSON."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        headers = {"Authorization": f"Bearer {token}", **headers}
        return httpx.post(self.url, content=body, headers=headers, trust_env=False, verify=False, timeout=30)

    def kept(self) -> list[tuple[object, ...]]:
        """Return what the store has of feedback."""
        return rows(self.path, "SELECT item_id, value, sign FROM feedback ORDER BY rowid")


@contextmanager
def serving(path: Path, most_waiting: int = MOST_WAITING) -> Iterator[Door]:
    """Run the server, whose store is not there before the first request."""
    with (
        Inbox(partial(Project(path).writing, make=True), most_waiting) as kept,
        Listening(app_of(feedback(TOKEN.encode(), kept))) as server,
    ):
        yield Door(server.port, path)


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """The server on a store of the test's own."""
    with serving(tmp_path / "assay.db") as started:
        yield started


def test_a_thumb_is_kept_before_it_is_acknowledged(door: Door) -> None:
    """One object or a list, plain or packed; the same thumb again is no second one."""
    assert door.post(DOWN).json() == {"new": 1, "none": {}, "quarantined": []}
    assert door.kept() == [("a", "down", -1)]

    packed = gzip.compress(json.dumps([DOWN, {"trace_id": "t", "value": 1}, {"item_id": "b", "value": None}]).encode())
    answer = door.post(packed, **{"Content-Encoding": "gzip"})

    assert (answer.status_code, answer.json()) == (200, {"new": 1, "none": {"no_vote": 1}, "quarantined": []})
    assert door.kept() == [("a", "down", -1), ("t", "1", 1)]


def test_a_tool_s_own_row_is_read_as_in_a_file(door: Door) -> None:
    """What Langfuse's webhook would send."""
    score = {"traceId": "t", "name": "user-feedback", "dataType": "BOOLEAN", "value": 0, "source": "API"}

    assert door.post([score, {**score, "source": "EVAL"}]).json()["none"] == {"automatic": 1}
    assert door.kept() == [("t", "0", -1)]


def test_what_cannot_be_read_is_quarantined_with_its_reason(door: Door) -> None:
    """Good rows beside it are kept; where none is good the status says so."""
    mixed, bad = door.post([{"item_id": "a", "value": "odd"}, DOWN]), door.post({"item_id": "a", "value": "odder"})

    assert (mixed.status_code, bad.status_code) == (200, 400)
    assert mixed.json()["quarantined"][0]["row"] == 0
    assert "'odd'" in mixed.json()["quarantined"][0]["reason"]
    reasons = rows(door.path, "SELECT stage, source, line FROM quarantine ORDER BY rowid")
    assert reasons == [("feedback", "POST /feedback", 0), ("feedback", "POST /feedback", 0)]
    assert door.kept() == [("a", "down", -1)]


PACKED = {"Content-Encoding": "gzip"}
REFUSED: dict[str, tuple[Callable[[], Any], dict[str, str], int]] = {
    "cut off": (lambda: b"{", {}, 400),
    "a number": (lambda: b"1", {}, 400),
    "nothing": (lambda: b"[]", {}, 400),
    "a list of lists": (lambda: b"[[]]", {}, 400),
    "no text": (lambda: b"\xff", {}, 400),
    "two votes under one key": (lambda: b'{"item_id": "a", "value": 1, "value": -1}', {}, 400),
    "too deep": (lambda: b"[" * 100_000, {}, 400),
    "too many rows": (lambda: [DOWN] * (MOST_ROWS + 1), {}, 413),
    "too large": (lambda: b" " * (SENT_BYTES + 1), {}, 413),
    "too large unpacked": (lambda: gzip.compress(b" " * (UNPACKED_BYTES + 1)), PACKED, 413),
    "packed and cut off": (lambda: gzip.compress(b"{}")[:-4], PACKED, 400),
    "not packed": (lambda: b"{}", PACKED, 400),
    "packed otherwise": (lambda: b"{}", {"Content-Encoding": "br"}, 415),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_feedback_is_refused_and_nothing_is_kept(door: Door, kind: str) -> None:
    """Too large, packed without end, cut off, no JSON, no object."""
    content, headers, status = REFUSED[kind]

    assert door.post(content(), **headers).status_code == status
    assert not door.path.exists()


@pytest.mark.parametrize("sent", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"])
def test_without_the_token_nothing_is_read(door: Door, sent: str) -> None:
    """Every wrong token gets the same answer."""
    answer = httpx.post(door.url, json=DOWN, headers={"Authorization": sent}, trust_env=False, verify=False)

    assert (answer.status_code, answer.content) == (401, b"")
    assert not door.path.exists()


@pytest.mark.slow
def test_a_burst_is_asked_to_come_back_and_loses_nothing_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another process holds the store, what is over the bound is answered 429 at once; the rest is kept, or answered 503."""
    for part in (connection, inbox):
        monkeypatch.setattr(part, "SECONDS", 30.0)  # on a slow machine the burst itself takes seconds
    path, waiting = tmp_path / "assay.db", 8
    with serving(path, most_waiting=waiting) as door, ThreadPoolExecutor(40) as pool:
        door.post({"item_id": "first", "value": 1})
        holder = Store(path)
        with holder.atomic():
            in_hand = pool.submit(door.post, {"item_id": "in hand", "value": 1})
            time.sleep(0.5)  # the writer has it, and waits for the lock
            answers = {
                str(number): pool.submit(door.post, {"item_id": str(number), "value": 1}) for number in range(39)
            }
            soonest = as_completed(answers.values(), timeout=30)
            over = [each.result() for each in islice(soonest, len(answers) - waiting)]
        holder.close()

        assert {answer.status_code for answer in over} == {429}
        assert {answer.headers["retry-after"] for answer in over} == {"1"}
        statuses = {name: each.result().status_code for name, each in {**answers, "in hand": in_hand}.items()}
        assert set(statuses.values()) <= {200, 429, 503}
        acknowledged = {name for name, status in statuses.items() if status == 200}
        assert len(acknowledged) > waiting - 2
        assert {item_id for item_id, *_ in door.kept()} >= acknowledged


def test_a_write_that_fails_costs_no_other(tmp_path: Path) -> None:
    """What waited with it in one transaction is kept all the same."""
    path = tmp_path / "assay.db"
    gate = threading.Event()

    def fails(store: Store, now: str) -> None:
        raise ValueError("no")

    def waits(store: Store, now: str) -> None:
        gate.wait(30)

    def keeps(number: int) -> Callable[[Store, str], int]:
        def keep(store: Store, now: str) -> int:
            store.audit.events.append("test", {"number": number}, who="test", now=now)
            return number

        return keep

    with Inbox(partial(Project(path).writing, make=True)) as inbox:
        first = inbox.put(waits)
        futures = [inbox.put(keeps(1)), inbox.put(fails), inbox.put(keeps(2))]
        gate.set()
        assert first.result(30) is None
        assert [futures[0].result(30), futures[2].result(30)] == [1, 2]
        with pytest.raises(ValueError, match="no"):
            futures[1].result(30)

    details = [
        str(detail) for (detail,) in rows(path, "SELECT detail FROM events WHERE what = 'test' ORDER BY sequence")
    ]
    assert [json.loads(detail)["number"] for detail in details] == [1, 2]


@pytest.mark.parametrize("token", ["short", "with spaces in between", "ümlaut-of-sixteen-letters"])
def test_a_token_that_cannot_be_sent_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    """It is said before anything is started."""
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    with pytest.raises(UsageError, match=TOKEN_VARIABLE):
        token_from_environment()


@pytest.mark.slow
def test_what_was_acknowledged_outlives_a_kill(
    assay: Assay, serve: Callable[..., Serve], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`assay serve --no-app` takes feedback before there is any store, and is killed with -9 in the middle of a stream of it."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    run = serve("--no-app")
    url = run.line(r"feedback: POST (http://\S+)")[1]
    acknowledged: list[str] = []

    def send() -> None:
        with httpx.Client(trust_env=False, verify=False, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            for number in range(10_000):
                try:
                    answer = client.post(url, json={"item_id": str(number), "value": 1})
                except (httpx.TransportError, http.client.HTTPException):
                    return
                if answer.status_code == 200:
                    acknowledged.append(str(number))
                if number == 100:
                    os.kill(run.process.pid, signal.SIGKILL)

    send()

    assert len(acknowledged) >= 100
    kept = {item_id for (item_id,) in rows(assay.db, "SELECT item_id FROM feedback")}
    assert set(acknowledged) <= kept
    assert len(kept) <= len(acknowledged) + 1


@pytest.mark.parametrize("early", [True, False], ids=["before its answer", "after its answer"])
def test_a_correction_becomes_a_candidate_for_the_gold_set(door: Door, early: bool) -> None:
    """Whichever comes first; a Langfuse score sent on to the route counts as one from a file."""
    sent = [
        {"item_id": "a", "value": -1, "correction": "On the roof.", "source": "chat"},
        {"traceId": "b", "name": "fix", "dataType": "CORRECTION", "stringValue": "In the yard.", "source": "API"},
    ]
    project = Project(door.path)
    if early:
        assert door.post(sent).json()["new"] == 2
    project.ingest(
        pd.DataFrame({"id": ["a", "b"], "question": ["Where?", "When?"], "answer": "Here.", "contexts": "[]"})
    )
    if not early:
        assert door.post(sent).json()["new"] == 2

    kept = rows(door.path, "SELECT reference, status, source FROM gold ORDER BY item")
    assert kept == [(text, "candidate", "an end user's correction") for text in ("On the roof.", "In the yard.")]
