"""A scripted model behind a real socket: it speaks the chat completions and embeddings protocols, well or with chosen faults.

In a test: `with Endpoint(faults="429:0.1") as endpoint:` and then `endpoint.url`. As a process:
`PYTHONPATH=tests python -m support.endpoint --latency 0.05`, which prints its URL first. What arrived is counted before anything is
answered, so a client's own count can be held against it. An error in a policy is raised when the endpoint is left.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import signal
import socket
import struct
import threading
from asyncio import StreamReader, StreamWriter
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Any, Self

from support.model_faults import ANSWERED, Reply, drawn, error, known
from support.replies import POLICIES, Policy, Vectors, completion, embedding_list

BACKLOG = 4096
KEPT = 10_000
DRIP_SECONDS = 0.2
PATIENCE_SECONDS = 2.0
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
KEY = re.compile(rb"\r\nauthorization: *bearer ([^\r]*)", re.IGNORECASE)
PARAMETERS = ("logprobs", "seed", "temperature", "max_completion_tokens")
EVERYTHING = frozenset({"json_schema", "json_object_schema", "json_object", *PARAMETERS})
Faults = str | Callable[[int, dict[str, Any]], str | None] | None


def refused(body: dict[str, Any], accepts: Iterable[str], status: int) -> Reply | None:
    """The error that names the first parameter this model does not take; None where it takes all."""
    asked = body.get("response_format") or {}
    form = "json_object_schema" if "schema" in asked else asked.get("type", "text")
    if form != "text" and form not in accepts:
        message = f"Invalid parameter: 'response_format' of type '{form}' is not supported with this model."
        return error(status, message, code="unsupported_value", param="response_format")
    for name in PARAMETERS:
        if not (body.get(name) is None or body[name] is False or name in accepts):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return error(status, message, code="unsupported_parameter", param=name)
    return None


def wire(reply: Reply, number: int) -> bytes:
    """A reply as HTTP/1.1 writes it."""
    head = f"HTTP/1.1 {reply.status} -\r\ncontent-type: {reply.kind}\r\ncontent-length: {len(reply.body)}\r\n"
    extra = "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
    return f"{head}x-request-id: req_{number}\r\n{extra}\r\n".encode() + reply.body


async def reset(writer: StreamWriter, reply: bytes) -> None:
    """Half a reply, then a reset instead of an end."""
    writer.write(reply[: len(reply) // 2])
    await asyncio.sleep(0.01)
    with contextlib.suppress(OSError):  # a client that was killed has gone by itself
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def drip(writer: StreamWriter, reply: bytes) -> None:
    """A good reply, a byte at a time."""
    for at in range(len(reply)):
        writer.write(reply[at : at + 1])
        await writer.drain()
        await asyncio.sleep(DRIP_SECONDS)


class Endpoint:
    """A server of one scripted model, with the counts of what it was asked."""

    def __init__(
        self,
        *,
        latency: float = 0.0,
        policy: str | Policy = "lexical",
        faults: Faults = None,
        seed: int = 0,
        accepts: Iterable[str] = EVERYTHING,
        refuses_with: int = 400,
        port: int = 0,
        keep: int = KEPT,
        together: int = 0,
        vectors: Vectors = lambda text: [1.0, 0.0],
    ) -> None:
        self.latency = latency
        self.together = together
        self.vectors = vectors
        self.embedded: Counter[str] = Counter()
        self.keys: set[bytes] = set()
        self.policy = POLICIES[policy] if isinstance(policy, str) else policy
        self.faults = drawn(faults, seed) if isinstance(faults, str) else faults
        self.accepts = frozenset(accepts)
        self.refuses_with = refuses_with
        self.port = port
        self.requests = self.finished = self.in_flight = self.in_flight_peak = 0
        self.bodies: deque[dict[str, Any]] = deque(maxlen=keep)
        self.broken: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop = asyncio.Event()
        self._gathered = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve(ready.set)), daemon=True)
        self._thread.start()
        ready.wait(10)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._loop and self._thread:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)
        if self.broken and raised[0] is None:
            raise self.broken

    async def serve(self, ready: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(
            self._connection, "127.0.0.1", self.port, backlog=BACKLOG, limit=2**20, reuse_address=True
        )
        self.port = server.sockets[0].getsockname()[1]
        ready()
        await self._stop.wait()
        server.close()

    def stop(self) -> None:
        self._stop.set()

    async def _connection(self, reader: StreamReader, writer: StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = LENGTH.search(head)
                body = await reader.readexactly(int(length.group(1))) if length else b""
                await self._request(head, body, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        except Exception as mistake:  # noqa: BLE001 - kept for __exit__; the thread has nobody to tell
            self.broken = mistake
        finally:
            writer.close()

    async def _request(self, head: bytes, body: bytes, reader: StreamReader, writer: StreamWriter) -> None:
        method, path, _ = head.split(b" ", 2)
        if (method, path) not in ((b"POST", b"/v1/chat/completions"), (b"POST", b"/v1/embeddings")):
            writer.write(wire(self._elsewhere(method.decode(), path.decode()), 0))
            return
        self.requests += 1
        self.keys.update(KEY.findall(head))
        self.in_flight += 1
        self.in_flight_peak = max(self.in_flight_peak, self.in_flight)
        if self.in_flight_peak >= self.together:
            self._gathered.set()
        try:
            await self._chat(json.loads(body), self.requests, reader, writer)
        finally:
            self.in_flight -= 1

    def _elsewhere(self, method: str, path: str) -> Reply:
        """What is not a chat: the counts, the models, or nothing."""
        if (method, path) == ("GET", "/requests"):
            counts = ("requests", "finished", "in_flight_peak")
            return Reply(200, json.dumps({name: getattr(self, name) for name in counts}).encode())
        if (method, path) == ("GET", "/v1/models"):
            return Reply(
                200, b'{"object":"list","data":[{"id":"scripted","object":"model","created":1,"owned_by":"x"}]}'
            )
        return error(404, f"Invalid URL ({method} {path})")

    async def _chat(self, body: dict[str, Any], number: int, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer one chat, or break off as its fault says."""
        self.bodies.append(body)
        fault = known(self.faults(number, body)) if self.faults else None
        if self.latency:
            await asyncio.sleep(self.latency)
        if self.together:  # a slow machine gets there too
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._gathered.wait(), PATIENCE_SECONDS)
        if fault == "hang":
            await reader.read()
        elif fault == "close":
            writer.close()
        elif fault == "reset":
            await reset(writer, wire(self._reply(body, fault, number), number))
        elif fault == "drip":
            await drip(writer, wire(self._reply(body, fault, number), number))
        else:
            writer.write(wire(self._reply(body, fault, number), number))
            await writer.drain()
            self.finished += 1

    def _reply(self, body: dict[str, Any], fault: str | None, number: int) -> Reply:
        """The status and the text for one chat, or for one list of texts to embed."""
        if fault in ANSWERED:
            return ANSWERED[fault]
        if "input" in body:
            self.embedded.update(body["input"])
        refusal = refused(body, self.accepts, self.refuses_with)
        if refusal:
            return refusal
        answer = (
            embedding_list(body, self.vectors, fault)
            if "input" in body
            else completion(body, self.policy, fault, number)
        )
        text = json.dumps(answer).encode()
        return Reply(200, text[: len(text) // 2] if fault == "cut" else text)


async def run(endpoint: Endpoint) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, endpoint.stop)
    await endpoint.serve(lambda: print(endpoint.url, flush=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--faults", default="")
    parser.add_argument("--policy", default="lexical", choices=sorted(POLICIES))
    for name in ("--seed", "--port"):
        parser.add_argument(name, type=int, default=0)
    given = vars(parser.parse_args())
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(Endpoint(**given, keep=0)))


if __name__ == "__main__":
    main()
