"""The one door for HTTP from outside: Label Studio's webhook, which may only wake the next pull.

In comes a request, out goes a status without a body. The rule: a request says no more than "look now" - its body is read to its
end and thrown away, so what is forged, repeated, lost or out of order changes nothing that a pull would not find anyway.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import threading
from collections.abc import Callable
from http import HTTPStatus
from types import TracebackType
from typing import NamedTuple, Self

from proxy.errors import UsageError

SECRET_VARIABLE = "ASSAY_WEBHOOK_SECRET"  # noqa: S105 (the name, not a secret)
SECRET_HEADER = b"x-assay-secret"
SECRET_LEAST = 16
HOOK, HEALTH = b"/label-studio", b"/health"
LOOPBACK = "127.0.0.1"
HEAD_BYTES, BODY_BYTES = 16_384, 1_000_000
# A whole request has this long, however slowly it trickles; Label Studio itself gives up after one second.
SECONDS, LINGER_SECONDS = 5.0, 1.0
CONNECTIONS = 64
READ_BYTES = 65_536


class Head(NamedTuple):
    """What is read of a request: its method and path, and its headers, the names in small letters."""

    method: bytes
    path: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    def values(self, name: bytes) -> list[bytes]:
        """Each value of a header."""
        return [value for key, value in self.headers if key == name]


def secret_from_environment() -> bytes | None:
    """The shared secret; None where there is none, UsageError where it cannot be one."""
    text = os.environ.get(SECRET_VARIABLE)
    if not text:
        return None
    if len(text) < SECRET_LEAST or not (text.isascii() and text.isprintable()) or " " in text:
        raise UsageError(
            f"{SECRET_VARIABLE} wants {SECRET_LEAST} or more letters, digits and signs without spaces: `openssl rand -hex 32`"
        )
    return text.encode("ascii")


def head_of(raw: bytes) -> Head | None:
    """The request line and headers, None where they are none."""
    first, *lines = raw.split(b"\r\n")
    words = first.split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1.") or not words[0].isalpha():
        return None
    headers: list[tuple[bytes, bytes]] = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not name or name != name.strip():
            return None
        headers.append((name.lower(), value.strip(b" \t")))
    return Head(words[0], words[1], tuple(headers))


def is_authentic(head: Head, secret: bytes) -> bool:
    """Whether the request has the secret, once; missing and wrong take the same time."""
    given = head.values(SECRET_HEADER)
    return hmac.compare_digest(given[0] if len(given) == 1 else b"", secret)


def refusal(head: Head | None, secret: bytes) -> HTTPStatus | None:
    """Why a request is refused before its body is read; None where it may wake a pull, or asks for our health."""
    if head is None:
        return HTTPStatus.BAD_REQUEST
    path = head.path.partition(b"?")[0]
    if path == HEALTH:
        return None if head.method == b"GET" else HTTPStatus.METHOD_NOT_ALLOWED
    if path != HOOK:
        return HTTPStatus.NOT_FOUND
    if head.method != b"POST":
        return HTTPStatus.METHOD_NOT_ALLOWED
    if not is_authentic(head, secret):
        return HTTPStatus.UNAUTHORIZED
    size = length_of(head)
    if size is None:
        return HTTPStatus.LENGTH_REQUIRED
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if size > BODY_BYTES else None


def length_of(head: Head) -> int | None:
    """How many bytes the body has; None where that is not said, or said twice."""
    given = head.values(b"content-length")
    if head.values(b"transfer-encoding") or len(given) != 1 or not given[0].isdigit() or len(given[0]) > 18:
        return None
    return int(given[0])


class WebhookServer:
    """Listens in a thread of its own while the context lasts; `nudge` is called for each request that has the secret."""

    def __init__(self, secret: bytes, nudge: Callable[[], None], *, host: str = LOOPBACK, port: int = 0) -> None:
        self._secret, self._nudge, self._host, self.port = secret, nudge, host, port
        self._open = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="webhook", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except OSError as error:
            self._end()
            raise UsageError(
                f"the webhook cannot listen on {self._host} port {self.port} ({error.strerror}): name another with --webhook-port"
            ) from error
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._end()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, self._host, self.port, limit=HEAD_BYTES)

    async def _close(self) -> None:
        """Stop listening and cut what is under way."""
        self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request, within its time; too many at once are turned away."""
        self._open += 1
        try:
            status = HTTPStatus.SERVICE_UNAVAILABLE
            if self._open <= CONNECTIONS:
                try:
                    status = await asyncio.wait_for(self._status(reader), SECONDS)
                except TimeoutError:
                    status = HTTPStatus.REQUEST_TIMEOUT
            await _answer(reader, writer, status)
        except (OSError, asyncio.CancelledError):
            pass  # whoever asked is gone, or we are ending
        finally:
            self._open -= 1
            writer.transport.abort()

    async def _status(self, reader: asyncio.StreamReader) -> HTTPStatus:
        """Read the request and say what becomes of it."""
        try:
            raw = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return HTTPStatus.BAD_REQUEST
        head = head_of(raw[:-4])
        refused = refusal(head, self._secret)
        if refused is not None or head is None:
            return refused or HTTPStatus.BAD_REQUEST
        if head.method == b"GET":
            return HTTPStatus.OK
        left = length_of(head) or 0
        while left:
            part = await reader.read(min(left, READ_BYTES))
            if not part:
                return HTTPStatus.BAD_REQUEST
            left -= len(part)
        self._nudge()
        return HTTPStatus.NO_CONTENT


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: HTTPStatus) -> None:
    """The status alone; what is still on its way is read for a moment, or the answer would be lost with it."""
    length = "" if status is HTTPStatus.NO_CONTENT else "Content-Length: 0\r\n"
    writer.write(f"HTTP/1.1 {status.value} {status.phrase}\r\n{length}Connection: close\r\n\r\n".encode("ascii"))
    await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            while await reader.read(READ_BYTES):
                pass
    except TimeoutError:
        pass
