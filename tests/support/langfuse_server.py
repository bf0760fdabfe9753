"""A server that speaks the part of Langfuse's API that is used here, over real HTTP; its own client validates every answer."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlparse

PUBLIC, SECRET = "pk-lf-1", "sk-lf-1"
OBSERVATIONS, SCORES, CONFIGS = "/api/public/v2/observations", "/api/public/v3/scores", "/api/public/score-configs"
SENT = "/api/public/scores"
AT = "2026-11-20T08:00:00.000Z"


def observation(trace: str, kind: str = "SPAN", **more: object) -> dict[str, Any]:
    """An observation as API v2 writes it: inputs and outputs are text."""
    root = kind == "SPAN"
    row = {"id": f"{trace}-{kind.lower()}", "traceId": trace, "projectId": "p1", "type": kind, "startTime": AT}
    row |= {"endTime": AT, "isRootObservation": root, "parentObservationId": None if root else f"{trace}-span"}
    return {**row, "level": "DEFAULT", **more}


def trace(name: str, answer: str = "On the ground floor.", **more: object) -> list[dict[str, Any]]:
    """A root with a question and an answer, and its retriever."""
    passages = json.dumps([{"page_content": f"Room {name} is on the ground floor."}])
    return [
        observation(name, input=json.dumps(f"Where is room {name}?"), output=json.dumps(answer), **more),
        observation(name, "RETRIEVER", input='"room"', output=passages, **more),
    ]


def score(name: str, value: object, kind: str = "NUMERIC", **more: object) -> dict[str, Any]:
    """A score as API v3 writes it."""
    row = {"id": f"{name}-{value}", "projectId": "p1", "name": name, "value": value, "dataType": kind, "source": "EVAL"}
    times = {"timestamp": AT, "createdAt": AT, "updatedAt": AT, "environment": "default"}
    return {**row, **times, "subject": {"kind": "trace", "id": "a"}, **more}


@dataclass
class LangfuseServer:
    """What it holds, what it was asked, and how it fails: `fails` gives the status of a request by its number."""

    observations: list[dict[str, Any]] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    configs: dict[str, dict[str, Any]] = field(default_factory=dict)
    fails: dict[int, int] = field(default_factory=dict)
    page: int = 2
    asked: list[str] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    forgets_cursors: bool = False

    def answer(self, path: str, body: bytes) -> tuple[int, object]:
        """The status and content for a request that carries the right keys."""
        self.asked.append(path)
        if status := self.fails.get(len(self.asked)):
            return status, {"message": "not now"}
        url = urlparse(path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == OBSERVATIONS:
            return self._page(self.observations, "startTime", query, query["fromStartTime"], query["toStartTime"], 1000)
        if url.path == SCORES:
            return self._page(self.scores, "timestamp", query, query["fromTimestamp"], query["toTimestamp"], 100)
        if url.path.startswith(CONFIGS):
            return 200, self.configs[url.path.rpartition("/")[2]]
        if url.path == SENT:
            return self._take(json.loads(body))
        return 404, {"message": "not found"}

    def _page(
        self, rows: list[dict[str, Any]], name: str, query: dict[str, str], since: str, until: str, most: int
    ) -> tuple[int, object]:
        if int(query["limit"]) > most:
            return 400, {"message": "limit"}
        start, end = _time(since), _time(until)
        inside = [row for row in rows if start <= _time(row[name]) < end][::-1]  # the newest first, as Langfuse does
        cursor = query.get("cursor")
        if cursor is not None and self.forgets_cursors:
            return 400, {"message": "invalid cursor"}
        first = int(base64.urlsafe_b64decode(cursor)) if cursor else 0
        after = first + self.page
        meta = {"cursor": base64.urlsafe_b64encode(str(after).encode()).decode()} if after < len(inside) else {}
        return 200, {"data": inside[first:after], "meta": {"limit": self.page, **meta}}

    def _take(self, scores: list[dict[str, Any]]) -> tuple[int, object]:
        by_id = {each["id"]: each for each in self.sent} | {sent_score["id"]: sent_score for sent_score in scores}
        self.sent = list(by_id.values())
        return 202, {"message": "Accepted"}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


@contextmanager
def langfuse_server() -> Iterator[tuple[LangfuseServer, str]]:
    """A server that runs on this machine, and its address."""
    server = LangfuseServer()
    expected = "Basic " + base64.b64encode(f"{PUBLIC}:{SECRET}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])))

        def _answer(self, body: bytes) -> None:
            if self.headers.get("Authorization") != expected:
                status, content = 401, {"message": "Invalid credentials"}
            else:
                status, content = server.answer(self.path, body)  # type: ignore[assignment]
            text = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status == 429:
                self.send_header("Retry-After", "1")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
