"""One HTTP connection with an end: what uvicorn's settings do not bound, in its own protocol class.

uvicorn has no setting for how long a request may take to arrive, drops a caller who closes their half of the connection before
the answer, and limits requests but not connections. `TimedConnection` is given to it by its public setting `http`, and overrides
methods of `asyncio.Protocol` and uvicorn's `shutdown`. It reaches for these attributes of `H11Protocol`, which uvicorn does not
document: `loop`, `transport`, `connections`, and `cycle` with `more_body` and `response_started`. If an upgrade breaks
tests/server/test_webhook_server.py, this is the file to mend.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.h11_impl import H11Protocol

# A request and its answer have this long, however slowly they trickle; Label Studio itself gives up after one second.
SECONDS = 5.0
# uvicorn answers 503 beyond CONNECTIONS; beyond MOST nobody is answered, so that no flood takes every file handle.
CONNECTIONS = 64
MOST = 4 * CONNECTIONS


class TimedConnection(H11Protocol):
    """Carries one request, and is cut when its time is over."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(SECONDS, self._refuse, HTTPStatus.REQUEST_TIMEOUT)
        if len(self.connections) > MOST:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._deadline.cancel()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Refuse a request that was cut short; whoever has sent all of it may still wait for the answer."""
        if self.cycle is None or self.cycle.more_body:
            self._refuse(HTTPStatus.BAD_REQUEST)
        return True

    def shutdown(self) -> None:
        """Cut what is under way when the server ends."""
        self.transport.abort()

    def _refuse(self, status: HTTPStatus) -> None:
        if self.cycle is None or not self.cycle.response_started:
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            self.transport.write(head.encode("ascii"))
        self.transport.close()
