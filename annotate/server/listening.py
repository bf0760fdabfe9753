"""Serve an app by uvicorn in a thread while a context lasts."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotate.server.callers import Places
from annotate.server.connection import BACKLOG, TimedConnection
from annotate.server.own_thread import OwnThread
from proxy.errors import UsageError

LOOPBACK = "127.0.0.1"
LINGER_SECONDS = 1.0
UVICORN: dict[str, Any] = {
    "http": TimedConnection,
    "ws": "none",
    "lifespan": "off",
    "loop": "asyncio",
    "backlog": BACKLOG,
    "timeout_graceful_shutdown": 1,
    "headers": [("Connection", "close")],
    "server_header": False,
    "date_header": False,
    "proxy_headers": False,
    "log_config": None,
    "log_level": "error",
    "access_log": False,
}


class Listening(OwnThread):
    """Listens on `host` and `port` (0: any free one, named by the attribute) while the context lasts."""

    def __init__(self, app: ASGIApp, *, host: str = LOOPBACK, port: int = 0) -> None:
        self._host, self.port = host, port
        self._server = uvicorn.Server(uvicorn.Config(Lingering(app), **UVICORN))

    def __enter__(self) -> Self:
        self._socket = self._bound()
        self.port = self._socket.getsockname()[1]
        return super().__enter__()

    def _run(self) -> None:
        self._server.run([self._socket])

    def _end(self) -> None:
        self._server.should_exit = True

    def _bound(self) -> socket.socket:
        """Take the port here, where a failure can be reported; uvicorn would log it and end the thread."""
        try:
            family, *_, address = socket.getaddrinfo(self._host, self.port, type=socket.SOCK_STREAM)[0]
            return socket.create_server(address[:2], family=family)
        except OSError as error:
            raise UsageError(
                f"cannot listen on {self._host} port {self.port} ({error.strerror}): name another with --http-port"
            ) from error


class Lingering:
    """Middleware: free the place of a request when it ends, and read what is still on its way for a moment after the answer.

    uvicorn closes the connection after an answer. Where bytes of the request are unread the system resets it, and the caller may
    lose the answer, like the 401 to a large body.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._places = app, Places()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, read on, and then end the answer."""
        is_read = False

        async def received() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = not message.get("more_body", False)
            return message

        async def sent(message: Message) -> None:
            if message["type"] != "http.response.body" or message.get("more_body", False):
                await send(message)
                return
            await send({**message, "more_body": True})
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_SECONDS):
                    while not is_read:
                        await received()
            await send({"type": "http.response.body"})

        with self._places.of(scope):
            await self._app(scope, received, sent)
