"""A proxy on a port of this machine that does to requests what networks do: it drops, delays, cuts, repeats and refuses.

`fault_proxy` stands before the real Label Studio: `.url` is the address to use, `.fail(...)` says what goes wrong and when.
"""

from __future__ import annotations

import http.client
import random
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from annotate.label_studio.local import LocalServer

ANSWER_SECONDS = 120
_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Fault(StrEnum):
    DROP_BEFORE = "drop before"  # the server never sees it
    DROP_AFTER = "drop after"  # the server did the work, the answer is lost
    THRESHOLD = "cut"  # the answer ends in the middle
    REPEAT = "repeat"  # the server gets it twice, the client one answer
    DELAY = "delay"  # it reaches the server late
    FAIL = "fail"  # a status of the proxy's own; the server never sees it
    REFUSE = "refuse"  # dropped, and from then on nobody listens, until `accept`


class Answer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes


@dataclass(kw_only=True)
class Rule:
    """A fault for the requests that match: from the nth on, so many times, or at a rate."""

    fault: Fault
    method: str = ""
    path: str = ""
    nth: int = 1
    times: int = 1
    rate: float | None = None
    seed: int = 0
    status: int = 502
    seconds: float = 1.0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def strikes(self, method: str, path: str) -> bool:
        """Whether this request is one of those; counts it."""
        if (self.method and method != self.method) or not re.search(self.path, path) or self.times <= 0:
            return False
        if self.rate is not None:
            return self._random.random() < self.rate
        self.nth -= 1
        self.times -= self.nth <= 0
        return self.nth <= 0


class FaultProxy:
    """Forwards to one server; `seen` lists the requests that came, `struck` those that a fault befell."""

    def __init__(self, upstream: str) -> None:
        self._upstream = urlsplit(upstream)
        self._rules: list[Rule] = []
        self._lock = threading.Lock()
        self._port = 0
        self.seen: list[tuple[str, str]] = []
        self.struck: list[tuple[Fault, str, str]] = []
        self.accept()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def fail(self, fault: Fault, **when: object) -> None:
        """From now on this goes wrong; the keywords are Rule's: `path` is a pattern, `rate` a chance from 0 to 1."""
        self._rules.append(Rule(fault=fault, **when))  # type: ignore[arg-type]

    def heal(self) -> None:
        self._rules.clear()
        self.accept()

    def refuse(self) -> None:
        """Listen no more: connecting fails, as while a server restarts."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def accept(self) -> None:
        """Listen, at the same address as before."""
        if getattr(self, "_server", None) is None:
            self._server: _Listener | None = _Listener(self, self._port)
            self._port = self._server.server_port

    def befalls(self, method: str, path: str) -> Rule | None:
        with self._lock:
            self.seen.append((method, path))
            rule = next((rule for rule in list(self._rules) if rule.strikes(method, path)), None)
            if rule:
                self.struck.append((rule.fault, method, path))
            return rule

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        there = http.client.HTTPConnection(self._upstream.hostname or "", self._upstream.port, timeout=ANSWER_SECONDS)
        try:
            there.request(method, path, body, {**headers, "Connection": "close"})
            answer = there.getresponse()
            kept = [pair for pair in answer.getheaders() if pair[0].lower() not in _HOP_BY_HOP]
            return Answer(answer.status, kept, answer.read())
        finally:
            there.close()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: FaultProxy, port: int) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", port), _Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        request = (self.command, self.path, headers, body)
        proxy = self.server.proxy
        rule = proxy.befalls(self.command, self.path)
        fault = rule.fault if rule else None
        if fault in {Fault.DROP_BEFORE, Fault.REFUSE}:
            if fault is Fault.REFUSE:
                threading.Thread(target=proxy.refuse, daemon=True).start()
                time.sleep(0.1)
            self._drop()
            return
        if rule and fault is Fault.FAIL:
            self._answer(Answer(rule.status, [("Content-Type", "text/html")], b"<h1>Bad Gateway</h1>"))
            return
        if rule and fault is Fault.DELAY:
            time.sleep(rule.seconds)
        answer = proxy.forward(*request)
        if fault is Fault.REPEAT:
            answer = proxy.forward(*request)
        if fault is Fault.DROP_AFTER:
            self._drop()
            return
        self._answer(answer, is_cut=fault is Fault.THRESHOLD)

    def __getattr__(self, name: str) -> object:
        """Every method is served alike."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _answer(self, answer: Answer, *, is_cut: bool = False) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        length = max(len(answer.body), 2) if is_cut else len(answer.body)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(answer.body[: length // 2] if is_cut else answer.body)
        if is_cut:
            self._drop(at_once=False)

    def _drop(self, *, at_once: bool = True) -> None:
        """Close the connection: with a reset, or after what was written went out."""
        self.close_connection = True
        with suppress(OSError):
            if at_once:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR) if not at_once else self.connection.close()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def fault_proxy(label_studio_server: LocalServer) -> Iterator[FaultProxy]:
    """A proxy before the real Label Studio."""
    proxy = FaultProxy(label_studio_server.url)
    yield proxy
    proxy.refuse()
