"""The webhook over real sockets: only the secret wakes a pull, nothing else is answered, kept or believed."""

from __future__ import annotations

import asyncio
import hmac
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from queue import Queue

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotate.server import connection, listening, webhook
from annotate.server.app import BODY_BYTES, app_of
from annotate.server.listening import Listening
from annotate.server.webhook import SECRET_VARIABLE, secret_from_environment
from proxy.errors import UsageError
from support.door import PATIENCE, SECRET, Door, status

HEAD_BYTES = 16 * 1024  # uvicorn's own limit


@pytest.fixture(scope="module")
def only_door() -> Iterator[Door]:
    """The server on a free port of this machine, the same for every test: what one of them did must not matter to the next."""
    nudges: Queue[None] = Queue()
    with Listening(app_of(webhook.webhook(SECRET, lambda: nudges.put(None)))) as server:
        yield Door(server, nudges)


@pytest.fixture
def door(only_door: Door) -> Door:
    """The server, with no nudge from before."""
    only_door.woken()
    return only_door


def parts(answer: bytes) -> tuple[bytes, dict[bytes, bytes], bytes]:
    """The status line, the headers and the body of an answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    line, *headers = head.split(b"\r\n")
    return line, dict(header.lower().split(b": ") for header in headers), body


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
        header + b"\xff\xfe\xc3\xa9\r\n",
        header + SECRET + b"\r\n" + header + SECRET + b"\r\n",
        b"Authorization: Bearer " + SECRET + b"\r\n",
    ]

    answers = {door.post(headers=headers) for headers in wrong} | {door.post(b"x" * 200_000, headers=b"")}

    bare = {b"content-length": b"0", b"connection": b"close"}
    assert [parts(answer) for answer in answers] == [(b"HTTP/1.1 401 Unauthorized", bare, b"")]
    assert door.woken() == 0


def test_secrets_are_compared_in_constant_time(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each secret, missing ones too, goes through hmac.compare_digest as bytes."""
    seen: list[tuple[bytes, bytes]] = []

    def compare(first: bytes, second: bytes) -> bool:
        seen.append((first, second))
        return real(first, second)

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
    """A million bytes of anything are fine, one more is 413: before they are sent, or when they are counted."""
    head = b"POST /label-studio HTTP/1.1\r\nHost: x\r\nX-Assay-Secret: " + SECRET + b"\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n%s\r\n" % (BODY_BYTES // 4, b"x" * (BODY_BYTES // 4))

    assert status(door.post(b"\xff\x00{[" * (BODY_BYTES // 4))) == 204
    assert status(door.post(b"")) == 204
    assert status(door.raw(chunked + 4 * chunk + b"0\r\n\r\n")) == 204
    assert door.woken() == 3
    assert status(door.raw(head + b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1))) == 413
    assert status(door.raw(chunked + 4 * chunk + b"1\r\nx\r\n0\r\n\r\n")) == 413
    for length in (
        b"Content-Length: -1\r\n",
        b"Content-Length: 1e3\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
    ):
        assert status(door.raw(head + length + b"\r\nhello")) == 400
    assert status(door.raw(head + b"Content-Length: 99\r\n\r\ncut short")) == 400
    assert status(door.raw(chunked + chunk)) == 400
    assert door.woken() == 0


def test_a_refused_caller_who_goes_on_sending_hears_the_answer(door: Door) -> None:
    """The answer to what is too large is there when the body was sent after it, and not lost to a reset."""
    head = b"POST /label-studio HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (4 * BODY_BYTES)

    assert {status(door.raw(head + b"x" * (4 * BODY_BYTES))) for _ in range(5)} == {413}


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n",
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"POST /label-studio\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nX-Assay-Secret: " + SECRET + b"\r\n\r\n",
        b"POST  /label-studio HTTP/1.1\r\nHost: x\r\n\r\n",
        b"P\xd6ST /label-studio HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nHost: x\r\nX-Assay-Secret : " + SECRET + b"\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nHost: x\r\nX-Assay-Secret: \x00" + SECRET + b"\r\n\r\n",
        b"",
    ],
)
def test_what_is_no_http_is_refused_and_the_server_goes_on(door: Door, request_: bytes) -> None:
    """400 for garbage, and the next request is answered as ever."""
    assert status(door.raw(request_)) == 400
    assert status(door.post()) == 204
    assert door.woken() == 1


def test_a_head_has_a_limit(door: Door) -> None:
    """A head that goes on for longer than HEAD_BYTES is refused before it ends, with the secret in it or without."""
    head = b"POST /label-studio HTTP/1.1\r\nHost: x\r\nX-Assay-Secret: " + SECRET + b"\r\nA: " + b"x" * HEAD_BYTES

    assert status(door.raw(head)) == 400
    assert door.woken() == 0


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /label-studio HTTP/2.0\r\nHost: x\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nHost: x\r\nA: b\r\n X-Assay-Secret: " + SECRET + b"\r\n\r\n",
        b"POST /label-studio HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ],
)
def test_what_is_odd_http_says_no_secret(door: Door, request_: bytes) -> None:
    """A header that is folded into another is no header of its own, and nothing is upgraded."""
    assert status(door.raw(request_)) == 401
    assert door.woken() == 0


@pytest.mark.slow
def test_who_has_sent_all_may_close_their_half_and_hears_the_answer() -> None:
    """The answer comes although it takes a while, and the end of what was sent came long before."""

    async def slow(request: Request) -> Response:
        await asyncio.sleep(0.2)
        return Response(status_code=204)

    with Listening(app_of(Route("/slow", slow))) as server:
        assert status(Door(server, Queue()).raw(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")) == 204


def test_a_connection_carries_one_request(door: Door) -> None:
    """What follows the first request on a connection is not answered and not believed."""
    request = b"POST /label-studio HTTP/1.1\r\nHost: x\r\nX-Assay-Secret: " + SECRET + b"\r\nContent-Length: 0\r\n\r\n"

    assert door.raw(3 * request).count(b"HTTP/1.1") == 1
    assert door.woken() == 1


@pytest.mark.slow
def test_a_request_that_trickles_is_cut_while_others_are_answered(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it trickles, its time runs out with 408: in its head, or in its body after the right secret."""
    monkeypatch.setattr(connection, "SECONDS", 0.5)
    heads = (
        b"POST /label-st",
        b"POST /label-studio HTTP/1.1\r\nHost: x\r\nX-Assay-Secret: " + SECRET + b"\r\nContent-Length: 99\r\n\r\n",
    )
    for head in heads:
        with socket.create_connection(("127.0.0.1", door.port), timeout=PATIENCE) as slow:
            began = time.monotonic()
            slow.sendall(head)
            assert status(door.post()) == 204
            slow.settimeout(0.1)
            while (answer := _answer_to_a_byte(slow)) is None:
                assert time.monotonic() - began < PATIENCE
            assert status(answer) == 408
    assert door.woken() == len(heads)


def _answer_to_a_byte(link: socket.socket) -> bytes | None:
    """Send one byte more; the answer if there is one by now."""
    link.sendall(b"x")
    try:
        return link.recv(65_536)
    except TimeoutError:
        return None


@pytest.mark.slow
def test_it_ends_at_once_and_quietly_while_requests_are_under_way(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Half a head, half a body and an answer that is lingered over do not hold up the end, and nothing is printed or left."""
    before = threading.active_count()
    head = b"POST /label-studio HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
    with ExitStack() as links:
        with Listening(app_of(webhook.webhook(SECRET, lambda: None))) as server:
            for part in (b"", head, head + b"\r\n1234", head + b"X-Assay-Secret: " + SECRET + b"\r\n\r\n1234"):
                link = links.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
                link.sendall(part)
            assert status(Door(server, Queue()).post()) == 204
            began = time.monotonic()
        assert time.monotonic() - began < listening.LINGER_SECONDS
    assert threading.active_count() == before
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_said(door: Door) -> None:
    """UsageError with what to do, and nothing left running."""
    before = threading.active_count()
    with pytest.raises(UsageError, match="--http-port"), Listening(app_of(), port=door.port):
        pass
    assert threading.active_count() == before


def test_a_host_that_is_none_is_said() -> None:
    """Whatever keeps it from listening is a UsageError that names it."""
    with (
        pytest.raises(UsageError, match=r"cannot listen on 192\.0\.2\.1 port 0"),
        Listening(app_of(), host="192.0.2.1"),
    ):
        pass


def test_it_listens_on_this_machine_alone(door: Door) -> None:
    """Without --http-host nobody else can reach it: another of this machine's own addresses is refused."""
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
