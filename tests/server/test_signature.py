"""Requests that are signed instead of carrying the secret, on every route: the body and its time are what was signed."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Iterator
from functools import partial
from hashlib import sha256

import httpx
import pytest

from annotate import Project
from annotate.server import signature
from annotate.server.app import app_of
from annotate.server.feedback import feedback
from annotate.server.inbox import Inbox
from annotate.server.listening import Listening
from annotate.server.traces import logs, traces
from annotate.server.webhook import webhook

SECRET = b"a-secret-of-sixteen-letters"
ROUTES = {
    "/v1/traces": (b"{}", 200),
    "/v1/logs": (b"{}", 200),
    "/feedback": (json.dumps({"item_id": "a", "value": -1}).encode(), 200),
    "/label-studio": (b"{}", 204),
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with all four routes."""
    path = tmp_path_factory.mktemp("signed") / "assay.db"
    with Inbox(partial(Project(path).writing, make=True)) as inbox:
        app = app_of(webhook(SECRET, lambda: None), traces(SECRET, inbox), logs(SECRET, inbox), feedback(SECRET, inbox))
        with Listening(app) as server:
            yield f"http://127.0.0.1:{server.port}"


def signed(body: bytes, *, secret: bytes = SECRET, at: float | None = None) -> str:
    """The header as the documentation has it, worked out here by the standard library alone."""
    moment = int(time.time() if at is None else at)
    return f"t={moment},v1={hmac.new(secret, f'{moment}.'.encode() + body, sha256).hexdigest()}"


def post(url: str, body: bytes, *signatures: str, **headers: str) -> int:
    sent = [
        ("Content-Type", "application/json"),
        *(("X-Assay-Signature", judge_signature) for judge_signature in signatures),
        *headers.items(),
    ]
    return httpx.post(url, content=body, headers=sent, trust_env=False, verify=False, timeout=30).status_code


@pytest.mark.parametrize("path", ROUTES)
def test_a_signature_opens_each_route(url: str, path: str) -> None:
    """Within five minutes either way, and as often as it is sent."""
    body, status = ROUTES[path]
    now = time.time()

    assert [post(url + path, body, signed(body, at=now + late)) for late in (0, 0, -280, 280)] == [status] * 4


@pytest.mark.parametrize("path", ROUTES)
def test_nothing_else_does(url: str, path: str) -> None:
    """Another body, secret or time, no digest, two signatures, or a right secret beside a wrong signature."""
    body, _ = ROUTES[path]
    now, right = time.time(), signed(body)
    wrong = [
        signed(body + b" "),
        signed(body, secret=SECRET + b"x"),
        signed(body, at=now - 400),
        signed(body, at=now + 400),
        right.replace("t=", "t=1"),
        right.upper(),
        right[:-1],
        "t=,v1=",
        "",
    ]

    assert {post(url + path, body, header) for header in wrong} == {401}
    assert post(url + path, body, right, right) == 401
    secret = {"Authorization": f"Bearer {SECRET.decode()}", "X-Assay-Secret": SECRET.decode()}
    assert post(url + path, body, signed(b"other"), **secret) == 401


@pytest.mark.parametrize("path", ROUTES)
def test_a_signed_body_is_bounded_before_it_is_read(url: str, path: str) -> None:
    """413 beyond a million bytes, 411 where the length is not said."""
    large = b" " * (signature.SIGNED_BYTES + 1)

    assert post(url + path, large, signed(large)) == 413
    header = {"X-Assay-Signature": signed(b"{}"), "Content-Type": "application/json"}
    assert (
        httpx.post(url + path, content=iter([b"{}"]), headers=header, trust_env=False, verify=False).status_code == 411
    )


def test_digests_are_compared_in_constant_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was sent goes through hmac.compare_digest, whole."""
    seen: list[tuple[bytes, bytes]] = []

    def compare(sent: bytes, expected: bytes) -> bool:
        seen.append((sent, expected))
        return False

    monkeypatch.setattr(signature.hmac, "compare_digest", compare)
    header = signed(b"{}")
    assert post(f"{url}/v1/traces", b"{}", header) == 401
    assert seen == [(header.rpartition("=")[2].encode(),) * 2]
