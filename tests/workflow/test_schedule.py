"""When labels are pulled: on schedule, once for a burst of nudges, once more for one during a pull, and again after failures."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable

import pytest

from annotate.server.app import app_of
from annotate.server.listening import Listening
from annotate.server.webhook import webhook
from annotate.workflow.schedule import LONGEST_SECONDS, Schedule
from proxy.errors import LabelStudioError

NEVER = 10_000.0
PATIENCE = 20.0
SECRET = b"correct-horse-battery-staple"


class Pulls:
    """A pull that can be held up, in a schedule that runs until `enough` of them were made."""

    def __init__(
        self,
        enough: int,
        *,
        every: float = NEVER,
        least: float = 0.0,
        fail: Callable[[int], str | None] = lambda n: None,
    ) -> None:
        self.count, self.said = 0, list[str]()
        self.began, self.go_on = threading.Semaphore(0), threading.Semaphore(0)
        self._enough, self._fail, self.ended = enough, fail, threading.Event()
        self.schedule = Schedule(pull=self._pull, say=self.said.append, every=every, least=least)
        self._thread = threading.Thread(target=self.schedule.run, args=(lambda: not self._is_over(),), daemon=True)
        self._thread.start()

    def _is_over(self) -> bool:
        return self.count >= self._enough or self.ended.is_set()

    def _pull(self) -> None:
        self.began.release()
        assert self.go_on.acquire(timeout=PATIENCE)
        self.count += 1
        if (failure := self._fail(self.count)) is not None:
            raise LabelStudioError(failure)

    def finish_next(self) -> None:
        """Wait for a pull to begin, and let it end."""
        assert self.began.acquire(timeout=PATIENCE)
        self.go_on.release()

    def end(self) -> None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


def test_the_first_pull_is_at_once_and_the_schedule_needs_no_nudge() -> None:
    """A webhook that never comes costs a wait: three pulls come without one."""
    pulls = Pulls(3, every=0.01)
    for _ in range(3):
        pulls.finish_next()
    pulls.end()

    assert pulls.count == 3


@pytest.mark.slow
def test_a_burst_of_nudges_during_a_pull_is_one_more_pull_after_it() -> None:
    """A hundred nudges, repeated and out of order, while the first pull is under way: one more pull and no third."""
    pulls = Pulls(3)
    assert pulls.began.acquire(timeout=PATIENCE)
    for _ in range(100):
        pulls.schedule.nudge()
    pulls.go_on.release()
    pulls.finish_next()

    assert not pulls.began.acquire(timeout=1.0)
    pulls.ended.set()
    pulls.end()
    assert pulls.count == 2


@pytest.mark.slow
def test_a_nudge_over_http_brings_the_pull_that_was_far_away() -> None:
    """The whole way: a request with the secret, and a pull that was due in hours is made now; replays add at most one."""
    pulls = Pulls(4)
    pulls.finish_next()
    with Listening(app_of(webhook(SECRET, pulls.schedule.nudge))) as server:
        for secret in (SECRET, b"wrong", SECRET, SECRET):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("POST", "/label-studio", b"{}", {"X-Assay-Secret": secret.decode()})
            assert connection.getresponse().status == (204 if secret == SECRET else 401)
            connection.close()
        pulls.finish_next()
    pulls.go_on.release()
    pulls.go_on.release()
    pulls.schedule.nudge()
    assert pulls.began.acquire(timeout=PATIENCE)
    pulls.ended.set()
    pulls.end()

    assert 3 <= pulls.count <= 4


def test_a_failure_is_said_once_and_its_end_too() -> None:
    """Down, down, down with another word, up, up, down: four lines."""
    words = {1: "is down", 2: "is down", 3: "refused the token", 6: "is down"}
    pulls = Pulls(6, every=0.001, fail=words.get)
    for _ in range(6):
        pulls.finish_next()
    pulls.end()

    assert [line.split(";")[0] for line in pulls.said] == [
        "assay: is down",
        "assay: refused the token",
        "labels are pulled again",
        "assay: is down",
    ]


def test_waits_grow_with_each_failure_up_to_a_quarter_of_an_hour() -> None:
    """60 s, 120 s, 240 s … 900 s; a pull asked for less often than that is not made more often by failures."""
    schedule = Schedule(pull=lambda: None, say=lambda line: None, every=60.0)
    waits = []
    for failures in range(6):
        schedule.failures = failures
        waits.append(schedule.wait())
    rare = Schedule(pull=lambda: None, say=lambda line: None, every=3600.0, failures=9)

    assert waits == [60, 120, 240, 480, LONGEST_SECONDS, LONGEST_SECONDS]
    assert rare.wait() == 3600


def test_a_nudge_after_a_failure_is_tried_at_once() -> None:
    """Who calls is up again: the pull does not wait for the long wait to end."""
    pulls = Pulls(2, fail=lambda n: "is down" if n == 1 else None)
    pulls.finish_next()
    pulls.schedule.nudge()
    pulls.finish_next()
    pulls.end()

    assert pulls.said[-1] == "labels are pulled again"


def test_it_ends_when_the_app_has_ended() -> None:
    """No pull is begun after that, nudged or not."""
    schedule = Schedule(pull=lambda: None, say=lambda line: None, every=NEVER)
    schedule.nudge()
    schedule.run(lambda: False)
