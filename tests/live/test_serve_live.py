"""`assay serve` beside the real Label Studio: a label comes by nudge, by schedule where the webhook is lost, and once for all."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass

import httpx
import pytest

from annotate.label_studio.client import LabelStudio
from annotate.label_studio.local import LocalServer
from support.label_studio import post, verdict
from support.serving import SECRET, Serve, until
from support.store import Assay, draw

pytestmark = pytest.mark.live
HOURS = "36000"


@dataclass(frozen=True)
class Pushed:
    """A store whose draws are tasks of a project."""

    assay: Assay
    url: str
    project: int

    def labels(self) -> int:
        return int(self.assay.sql("SELECT count(*) FROM labels")[0][0])

    def tasks(self, api: httpx.Client) -> list[int]:
        return [int(task["id"]) for task in api.get("/api/tasks/", params={"project": self.project}).json()["tasks"]]


@pytest.fixture
def pushed(loaded: Assay, label_studio_server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> Pushed:
    """Five open draws in a project of their own."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio_server.token)
    monkeypatch.setenv("ASSAY_WEBHOOK_SECRET", SECRET)
    draw(loaded, 5)
    push = loaded.json("push", "--url", label_studio_server.url, "--new-project")
    return Pushed(loaded, label_studio_server.url, int(push["project"]))


def test_a_nudge_brings_a_label_that_the_schedule_would_bring_in_hours(
    pushed: Pushed, serve: Callable[..., Serve], api: httpx.Client
) -> None:
    """Nudged three times over: one annotation, once. A forged nudge brings nothing. What was drawn meanwhile is pushed."""
    run = serve("--url", pushed.url, "--pull-every", HOURS)
    run.app()
    post(api, pushed.tasks(api)[0], verdict("right"))

    assert run.nudge("wrong-secret-of-the-same-length") == 401
    assert [run.nudge() for _ in range(3)] == [204, 204, 204]
    until(lambda: pushed.labels() == 1, run.said)
    pushed.assay("sample", "--labels", "5", "--seed", "2")
    assert run.nudge() == 204
    until(lambda: len(pushed.tasks(api)) == 8, run.said)

    assert run.ends(signal.SIGTERM) == 0
    assert pushed.assay.sql("SELECT count(*) FROM annotations") == [(1,)]


def test_a_webhook_that_is_lost_costs_a_wait_and_no_label(
    pushed: Pushed, serve: Callable[..., Serve], api: httpx.Client
) -> None:
    """Nobody nudges: the scheduled pull brings the label."""
    run = serve("--url", pushed.url, "--pull-every", "2")
    run.app()
    post(api, pushed.tasks(api)[0], verdict("right"))

    until(lambda: pushed.labels() == 1, run.said)
    assert run.ends(signal.SIGINT) == 0


def test_a_refused_webhook_and_a_revoked_token_are_one_line_each(
    pushed: Pushed, serve: Callable[..., Serve], api: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Label Studio calls no loopback address unless it is told to; a wrong token is said once and the app goes on."""
    run = serve("--url", pushed.url, "--pull-every", HOURS, "--register", "http://127.0.0.1:8510/label-studio")
    run.line("the webhook was not registered: .*reserved network address")
    assert run.ends(signal.SIGTERM) == 0

    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "0" * 40)
    run = serve("--url", pushed.url, "--pull-every", "1")
    run.line("refused the token")
    run.app()
    assert run.nudge() == 204
    assert run.ends(signal.SIGTERM) == 0
    assert run.said().count("refused the token") == 1


def test_a_webhook_is_made_once_and_put_right(
    pushed: Pushed, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """One for the project and address, without any payload; a second look changes nothing, another secret does.

    Label Studio asks no name server for this address, and calls it only when somebody annotates, which nobody does here.
    """
    url = "http://1.1.1.1/label-studio"
    with LabelStudio.connect(pushed.url, label_studio_server.token) as studio:
        made = [studio.ensure_webhook(pushed.project, url, secret) for secret in (SECRET, SECRET, SECRET[::-1])]

    rows = [webhook for webhook in api.get("/api/webhooks/").json() if webhook["project"] == pushed.project]
    for webhook in rows:
        api.delete(f"/api/webhooks/{webhook['id']}/").raise_for_status()
    assert made == [True, False, True]
    assert [(webhook["url"], webhook["send_payload"], webhook["headers"]) for webhook in rows] == [
        (url, False, {"X-Assay-Secret": SECRET[::-1]})
    ]


def test_an_answer_that_arrives_is_judged_drawn_and_shown_once(
    pushed: Pushed, serve: Callable[..., Serve], api: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stream open each trace becomes a task in seconds; killed with -9 and started again, none becomes two."""
    token = "a-token-of-sixteen-letters"
    monkeypatch.setenv("ASSAY_INTAKE_TOKEN", token)
    pushed.assay("sample", "--stream", "--rate", "1", "--seed", "1")

    def send(run: Serve, numbers: range) -> None:
        for number in numbers:
            texts = {"openinference.span.kind": "CHAIN", "input.value": f"Question {number}?", "output.value": "Yes."}
            span = {
                "traceId": f"{number + 1:032x}",
                "spanId": f"{number + 1:016x}",
                "startTimeUnixNano": "1763625600000000000",
                "endTimeUnixNano": "1763625601000000000",
                "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()],
            }
            body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
            url = run.line(r"traces:   POST (http://\S+)")[1]
            headers = {"Authorization": f"Bearer {token}"}
            assert httpx.post(url, json=body, headers=headers, trust_env=False).status_code == 200

    options = ("--url", pushed.url, "--pull-every", HOURS, "--no-app", "--idle", "0.2")
    run = serve(*options)
    send(run, range(10))
    until(lambda: pushed.assay.sql("SELECT count(*) FROM draws")[0][0] > 5, run.said)
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()

    again = serve(*options)
    send(again, range(5, 15))
    until(lambda: len(pushed.tasks(api)) == 20, again.said)

    assert pushed.assay.sql("SELECT count(*), count(DISTINCT item) FROM draws") == [(20, 20)]
    assert again.ends(signal.SIGTERM) == 0
    assert len(pushed.tasks(api)) == 20
