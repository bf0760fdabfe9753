"""Callers without the secret who hold connections open do not keep out the webhook, whatever they send and however slowly."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from queue import Queue

import pytest

from annotate.server import connection, listening, webhook
from annotate.server.app import app_of
from annotate.server.callers import ADMITTED
from annotate.server.connection import STRANGERS
from annotate.server.listening import Listening
from support.door import PATIENCE, SECRET, Door, status

HEAD = b"POST /label-studio HTTP/1.1\r\nHost: x\r\n"
LENGTH = b"Content-Length: 99999\r\n\r\n"
KNOWN = HEAD + b"X-Assay-Secret: " + SECRET + b"\r\n" + LENGTH
SLOW = {
    "nothing": b"",
    "half a head": HEAD,
    "a body without the secret": HEAD + LENGTH + b"x",
    "a body with a wrong secret": HEAD + b"X-Assay-Secret: wrong\r\n" + LENGTH + b"x",
    "a body with a signature": HEAD
    + b"X-Assay-Signature: t=%d,v1=" % int(time.time())
    + b"0" * 64
    + b"\r\n"
    + LENGTH
    + b"x",
}
FLOOD = STRANGERS + 100


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """A server on which no time runs out: what makes room is not that others are cut."""
    monkeypatch.setattr(connection, "SECONDS", 600.0)
    monkeypatch.setattr(listening, "LINGER_SECONDS", 600.0)
    nudges: Queue[None] = Queue()
    with Listening(app_of(webhook.webhook(SECRET, lambda: nudges.put(None)))) as server:
        yield Door(server, nudges)


class Slow:
    """Connections that are held open."""

    def __init__(self, port: int, stack: ExitStack) -> None:
        self._port, self._stack = port, stack

    def open(self, sent: bytes, source: str = "127.0.0.1") -> socket.socket:
        """Send the beginning of a request from an address of this machine."""
        address = ("127.0.0.1", self._port)
        link = self._stack.enter_context(socket.create_connection(address, PATIENCE, source_address=(source, 0)))
        link.sendall(sent)
        return link


@pytest.fixture
def slow(door: Door) -> Iterator[Slow]:
    with ExitStack() as stack:
        yield Slow(door.port, stack)


def is_open(link: socket.socket) -> bool:
    """Whether the server has neither answered nor cut it."""
    link.setblocking(False)
    try:
        link.recv(1)
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    return False


@pytest.mark.slow
@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
def test_slow_callers_without_the_secret_keep_nobody_out(door: Door, slow: Slow, sent: bytes) -> None:
    """More of them than there are places go on all the while, and each real call is answered and pulls."""
    for _ in range(FLOOD):
        slow.open(sent)
    assert status(door.post()) == 204
    for _ in range(10):
        for _ in range(10):
            slow.open(sent)
        assert status(door.post()) == 204
    assert door.woken() == 11


@pytest.mark.slow
def test_a_known_caller_who_is_slow_keeps_the_place(door: Door, slow: Slow) -> None:
    """Who has shown the secret is not cut for others; with the rest of the body comes the answer."""
    known = slow.open(KNOWN + b"1")
    assert status(door.post()) == 204  # the one before has been judged by now
    for _ in range(FLOOD):
        slow.open(HEAD)
    known.sendall(b"x" * 99_998)

    assert status(known.recv(65_536)) == 204
    assert door.woken() == 2


@pytest.mark.slow
def test_the_address_with_the_most_connections_gives_them_up(door: Door, slow: Slow) -> None:
    """A slow caller from elsewhere is older than all of the flood, and stays."""
    elsewhere = slow.open(HEAD, "127.0.0.2")
    flood = [slow.open(HEAD) for _ in range(FLOOD)]
    assert status(door.post()) == 204

    assert is_open(elsewhere)
    # Each of the last ones is open, and one place went to the call above.
    assert [is_open(link) for link in flood] == [False] * (FLOOD - STRANGERS + 2) + [True] * (STRANGERS - 2)


@pytest.mark.slow
def test_those_who_know_the_secret_have_a_limit_too(door: Door, slow: Slow) -> None:
    """Beyond it they are answered 503; when they are gone, there is room again."""
    with ExitStack() as stack:
        for _ in range(ADMITTED):
            Slow(door.port, stack).open(KNOWN)
        assert status(door.post()) == 503
    answers = (status(door.post()) for _ in range(1000))
    assert next(answer for answer in answers if answer != 503) == 204
