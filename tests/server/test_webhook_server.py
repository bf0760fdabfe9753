"""The webhook over real sockets: only the secret wakes a pull, nothing else is answered, kept or believed."""

from __future__ import annotations

import hmac
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from queue import Empty, Queue

import pytest

from annotate.server import webhook
from annotate.server.webhook import (
    BODY_BYTES,
    CONNECTIONS,
    HEAD_BYTES,
    SECRET_VARIABLE,
    WebhookServer,
    secret_from_environment,
)
from proxy.errors import UsageError

SECRET = b"correct-horse-battery-staple"
PATIENCE = 20.0


class Door:
    """A running server and the nudges that it gave."""

    def __init__(self, server: WebhookServer, nudges: Queue[None]) -> None:
        self.port, self.nudges = server.port, nudges

    def raw(self, request: bytes) -> bytes:
        """Send bytes; everything that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as link:
            link.sendall(request)
            link.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: link.recv(65_536), b""))

    def post(
        self,
        body: bytes = b"{}",
        headers: bytes = b"X-Assay-Secret: " + SECRET + b"\r\n",
        target: bytes = b"POST /label-studio",
    ) -> bytes:
        """The answer to a request with these headers."""
        length = f"Content-Length: {len(body)}\r\n".encode()
        return self.raw(target + b" HTTP/1.1\r\nHost: x\r\n" + headers + length + b"\r\n" + body)

    def woken(self) -> int:
        """How many nudges came; every answered request has given its own."""
        count = 0
        while True:
            try:
                self.nudges.get_nowait()
            except Empty:
                return count
            count += 1


@pytest.fixture
def door() -> Iterator[Door]:
    """The server on a free port of this machine."""
    nudges: Queue[None] = Queue()
    with WebhookServer(SECRET, lambda: nudges.put(None)) as server:
        yield Door(server, nudges)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_the_secret_wakes_a_pull_as_label_studio_sends_it(door: Door) -> None:
    """A POST with JSON and the header is answered 204 without a body, over an ordinary client."""
    connection = http.client.HTTPConnection("127.0.0.1", door.port, timeout=PATIENCE)
    payload = json.dumps({"action": "ANNOTATION_CREATED", "annotation": {"id": 1}, "task": {"text": "x" * 12_000}})
    connection.request(
        "POST", "/label-studio", payload, {"X-Assay-Secret": SECRET.decode(), "Content-Type": "application/json"}
    )
    answer = connection.getresponse()

    assert (answer.status, answer.read()) == (204, b"")
    assert door.woken() == 1


def test_a_wrong_and_a_missing_secret_get_the_same_answer(door: Door) -> None:
    """401 with no body and no hint, whatever is wrong with it, also where the bytes are no text."""
    header = b"X-Assay-Secret: "
    wrong = [
        b"",
        header + b"\r\n",
        header + b"wrong\r\n",
        header + SECRET[:-1] + b"\r\n",
        header + SECRET + b"x\r\n",
        header + SECRET.upper() + b"\r\n",
        header + b"\xff\xfe\x00\xc3\xa9\r\n",
        header + SECRET + b"\r\n" + header + SECRET + b"\r\n",
        b"Authorization: Bearer " + SECRET + b"\r\n",
    ]

    answers = {door.post(headers=one) for one in wrong} | {door.post(b"x" * 200_000, headers=b"")}

    assert answers == {b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}
    assert door.woken() == 0


def test_secrets_are_compared_in_constant_time(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each secret, missing ones too, goes through hmac.compare_digest as bytes."""
    seen: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        seen.append((one, other))
        return real(one, other)

    real = hmac.compare_digest
    monkeypatch.setattr(webhook.hmac, "compare_digest", compare)
    door.post()
    door.post(headers=b"")
    door.post(headers=b"X-Assay-Secret: \xe9\r\n")

    assert seen == [(SECRET, SECRET), (b"", SECRET), (b"\xe9", SECRET)]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (b"GET /label-studio", 405),
        (b"PUT /label-studio", 405),
        (b"DELETE /label-studio", 405),
        (b"POST /", 404),
        (b"POST /label-studio/../admin", 404),
        (b"POST /label-studio/", 404),
        (b"POST //label-studio", 404),
        (b"GET /health", 200),
        (b"POST /health", 405),
        (b"CONNECT example.org:443", 404),
        (b"GET http://169.254.169.254/", 404),
    ],
)
def test_there_is_one_path_and_one_method(door: Door, target: bytes, expected: int) -> None:
    """Everything else is refused, with the secret or without."""
    assert status(door.post(target=target)) == expected
    assert status(door.post(target=target, headers=b"")) == expected
    assert door.woken() == 0


def test_a_body_is_read_to_a_limit_and_never_looked_at(door: Door) -> None:
    """A million bytes of anything are fine, one more is 413 before they are sent, and a length that is none is 411."""
    secret = b"X-Assay-Secret: " + SECRET + b"\r\n"
    head = b"POST /label-studio HTTP/1.1\r\n" + secret

    assert status(door.post(b"\xff\x00{[" * (BODY_BYTES // 4))) == 204
    assert status(door.post(b"")) == 204
    assert door.woken() == 2
    assert status(door.raw(head + b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1))) == 413
    for length in (
        b"",
        b"Content-Length: -1\r\n",
        b"Content-Length: 1e3\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
    ):
        assert status(door.raw(head + length + b"\r\nhello")) == 411
    assert status(door.raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")) == 411
    assert status(door.raw(head + b"Content-Length: 99\r\n\r\ncut short")) == 400
    assert door.woken() == 0


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n",
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"POST /label-studio\r\n\r\n",
        b"POST /label-studio HTTP/2.0\r\n\r\n",
        b"POST  /label-studio HTTP/1.1\r\n\r\n",
        b"P\xd6ST /label-studio HTTP/1.1\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nX-Assay-Secret : " + SECRET + b"\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nA: b\r\n folded: " + SECRET + b"\r\n\r\n",
        b"POST /label-studio HTTP/1.1\nX-Assay-Secret: " + SECRET + b"\n\n",
        b"POST /label-studio HTTP/1.1\r\nA: " + b"x" * HEAD_BYTES + b"\r\n\r\n",
        b"",
    ],
)
def test_what_is_no_http_is_refused_and_the_server_goes_on(door: Door, request_: bytes) -> None:
    """400 for garbage, and the next request is answered as ever."""
    assert status(door.raw(request_)) == 400
    assert status(door.post()) == 204
    assert door.woken() == 1


@pytest.mark.slow
def test_a_request_that_trickles_is_cut_while_others_are_answered(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it trickles, its time runs out with 408: in its head, or in its body after the right secret."""
    monkeypatch.setattr(webhook, "SECONDS", 0.5)
    heads = (
        b"POST /label-st",
        b"POST /label-studio HTTP/1.1\r\nX-Assay-Secret: " + SECRET + b"\r\nContent-Length: 9\r\n\r\n",
    )
    for head in heads:
        with socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE) as slow:
            slow.sendall(head)
            assert status(door.post()) == 204
            assert status(slow.recv(65_536)) == 408
    assert door.woken() == len(heads)


def test_too_many_connections_are_turned_away_and_leave_no_trace(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the most at once it is 503; when they are gone, there is room again."""
    links = [socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE) for _ in range(CONNECTIONS)]
    try:
        assert status(door.post()) == 503
    finally:
        for link in links:
            link.close()
    answers = (status(door.post()) for _ in range(1000))
    assert next(one for one in answers if one != 503) == 204


def test_a_port_that_is_taken_is_said(door: Door) -> None:
    """UsageError with what to do, and nothing left running."""
    before = threading.active_count()
    with pytest.raises(UsageError, match="--webhook-port"), WebhookServer(SECRET, lambda: None, port=door.port):
        pass
    assert threading.active_count() == before


def test_it_listens_on_this_machine_alone(door: Door) -> None:
    """Without --webhook-host nobody else can reach it: another of this machine's own addresses is refused."""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", door.port), timeout=PATIENCE)


@pytest.mark.parametrize(("given", "expected"), [(None, None), ("", None), ("s" * 16, b"s" * 16)])
def test_the_secret_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, given: str | None, expected: bytes | None
) -> None:
    """None where there is none."""
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    if given is not None:
        monkeypatch.setenv(SECRET_VARIABLE, given)

    assert secret_from_environment() == expected


@pytest.mark.parametrize(
    "given", ["short", "with a space in between", "schlüssel-mit-umlaut", "tab\tin-the-middle-of-it"]
)
def test_what_no_header_can_carry_is_no_secret(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """Too short, or not what every HTTP client sends as it is."""
    monkeypatch.setenv(SECRET_VARIABLE, given)
    with pytest.raises(UsageError, match="openssl"):
        secret_from_environment()
