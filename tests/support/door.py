"""The webhook's server in this process, and raw requests to it."""

from __future__ import annotations

import socket
from queue import Empty, Queue

from annotate.server.listening import Listening

SECRET = b"correct-horse-battery-staple"
PATIENCE = 20.0


class Door:
    """A running server and the nudges that it gave."""

    def __init__(self, server: Listening, nudges: Queue[None]) -> None:
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


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])
