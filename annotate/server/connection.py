"""One HTTP connection with an end, and room for those that have shown a secret: what uvicorn's settings do not bound.

uvicorn has no setting for how long a request may take to arrive, drops a caller who closes their half of the connection before
the answer, and limits requests but not connections. `TimedConnection` is given to it by its public setting `http`, and overrides
methods of `asyncio.Protocol` and uvicorn's `shutdown`. It reaches for these attributes of `H11Protocol`, which uvicorn does not
document: `loop`, `transport`, `client`, `connections`, `scope`, and `cycle` with `more_body` and `response_started`. If an
upgrade breaks tests/server/test_webhook_server.py or test_slow_connections.py, this is the file to mend.

Callers without the secret never keep out callers with it. The former share STRANGERS connections; when another one arrives, the
oldest connection of the address that holds the most is closed. A route admits a caller before it reads the body
(`callers.admit`), and admitted callers have connections of their own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from http import HTTPStatus
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from annotate.server.callers import is_admitted

# A request and its answer have this long, however slowly they trickle; Label Studio itself gives up after one second.
SECONDS = 5.0
# More than are accepted before the first of them is read (BACKLOG), so that a burst with the secret is not taken for a flood.
STRANGERS, BACKLOG = 256, 128


class TimedConnection(H11Protocol):
    """Carries one request, and is cut when its time is over."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock, and make room."""
        super().connection_made(transport)
        self.began = self.loop.time()
        self._deadline = self.loop.call_later(SECONDS, self._refuse, HTTPStatus.REQUEST_TIMEOUT)
        strangers = [connection for connection in self._all() if not is_admitted(connection.scope or {})]
        if len(strangers) > STRANGERS:
            _oldest_of_the_most(strangers).give_up()

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

    @property
    def address(self) -> str:
        """Where it comes from."""
        return self.client[0] if self.client else ""

    def _all(self) -> set[TimedConnection]:
        return cast("set[TimedConnection]", self.connections)

    def give_up(self) -> None:
        """Cut it, for others."""
        self.connections.discard(self)  # now, and not when the event loop comes to it: it is counted no more
        self.transport.abort()

    def _refuse(self, status: HTTPStatus) -> None:
        if self.cycle is None or not self.cycle.response_started:
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            self.transport.write(head.encode("ascii"))
        self.transport.close()


def _oldest_of_the_most(connections: list[TimedConnection]) -> TimedConnection:
    """Return the oldest connection of the address that has the most."""
    [(busiest, _)] = Counter(connection.address for connection in connections).most_common(1)
    return min(
        (connection for connection in connections if connection.address == busiest),
        key=lambda connection: connection.began,
    )
