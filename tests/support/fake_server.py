"""What the adapter uses of Label Studio's API, in memory: as a transport, or on a port of this machine.

It is as forgetful as the real one: no key of ours is unique, and a repeated request is done again.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from annotate.label_studio import connection, delivery, projects
from annotate.label_studio.client import LabelStudio

FAKE_URL = "http://127.0.0.1:8080"
TOKEN = "0123456789abcdef0123456789abcdef01234567"
MOMENT = datetime(2026, 11, 21, 8, tzinfo=UTC)
Row = dict[str, Any]


class FakeServer:
    """Projects and tasks. `faults` holds, by import, what is answered after it was stored, `refuse` what is instead.

    One that `is_stale` counts wrong: it takes projects for empty and tasks for untouched that are not.
    """

    def __init__(self) -> None:
        self.projects: dict[int, Row] = {}
        self.tasks: list[Row] = []
        self.posts: list[int] = []
        self.gets: list[str] = []
        self.faults: list[Callable[[httpx.Request], httpx.Response]] = []
        self.refuse: list[Callable[[httpx.Request], httpx.Response]] = []
        self.largest, self.page, self.invites = 1000, 1000, True
        self.texts_given = 0
        self.is_stale, self.before_delete = False, list[Callable[[], object]]()
        self._lock, self._made, self._annotations = threading.Lock(), 0, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("Authorization") != f"Token {TOKEN}":
            return httpx.Response(401, json={"detail": "Invalid token."})
        with self._lock:
            return self._answer(request, request.url.path.removeprefix("/api/").strip("/").split("/"))

    def project(self) -> int:
        return int(self._make({"title": "Made by hand"})["id"])

    def annotate(self, task: int, **more: object) -> int:
        self._annotations += 1
        [row] = [row for row in self.tasks if row["id"] == task]
        row["annotations"].append({"id": self._annotations, **more})
        row["updated_at"] = self._now()
        return self._annotations

    def keys(self) -> list[str]:
        return sorted(str(row["data"]["external_id"]) for row in self.tasks)

    def _answer(self, request: httpx.Request, parts: list[str]) -> httpx.Response:
        match (request.method, *parts):
            case ("GET", "current-user", "whoami"):
                return httpx.Response(200, json={"id": 1})
            case ("GET", "users"):
                return httpx.Response(
                    200, json=[{"id": 1, "email": "ann@example.org"}, {"id": 2, "email": "b@example.org"}]
                )
            case ("GET", "invite") if self.invites:
                return httpx.Response(200, json={"invite_url": "/user/signup/?token=t"})
            case ("GET", "projects"):
                rows = [
                    {**row, "task_number": 0 if self.is_stale else len(self._of(row["id"]))}
                    for row in self.projects.values()
                ]
                return self._page(request, rows)
            case ("POST", "projects"):
                return httpx.Response(201, json=self._make(json.loads(request.content)))
            case ("POST", "projects", number, "import") if int(number) in self.projects:
                return self._import(request, int(number))
            case (method, "projects", number) if int(number) in self.projects:
                return self._project(method, int(number), request.content)
            case ("GET", "tasks") if int(request.url.params["project"]) in self.projects:
                return self._list(request)
            case ("POST", "dm", "actions"):
                return self._delete(request)
            case ("GET", "annotations", number):
                ids = [annotation["id"] for row in self.tasks for annotation in row["annotations"]]
                return httpx.Response(200 if int(number) in ids else 404, json={})
        return httpx.Response(404, json={"detail": "No Project matches the given query."})

    def _page(self, request: httpx.Request, rows: list[Row]) -> httpx.Response:
        page, size = int(request.url.params["page"]), min(self.page, int(request.url.params["page_size"]))
        more = "next" if page * size < len(rows) else None
        return httpx.Response(200, json={"results": rows[(page - 1) * size : page * size], "next": more})

    def _project(self, method: str, number: int, body: bytes) -> httpx.Response:
        if method == "DELETE":
            del self.projects[number]
            return httpx.Response(204)
        if method == "PATCH":
            self.projects[number] |= json.loads(body)
        tasks = self._of(number)
        counted = {"task_number": len(tasks), "total_annotations_number": sum(len(row["annotations"]) for row in tasks)}
        return httpx.Response(200, json={**self.projects[number], **counted, "skipped_annotations_number": 0})

    def _import(self, request: httpx.Request, project: int) -> httpx.Response:
        rows = json.loads(request.content)
        self.posts.append(len(rows))
        if self.refuse:
            return self.refuse.pop(0)(request)
        if len(rows) > self.largest:
            return httpx.Response(413, text="Request Entity Too Large")
        made = [
            {
                "id": self._number(),
                "project": project,
                "annotations": [],
                "drafts": [],
                "updated_at": self._now(),
                **row,
            }
            for row in rows
        ]
        self.tasks += made
        if self.faults:
            return self.faults.pop(0)(request)
        return httpx.Response(201, json={"task_count": len(rows), "task_ids": [row["id"] for row in made]})

    def _list(self, request: httpx.Request) -> httpx.Response:
        self.gets.append(str(request.url))
        items = json.loads(request.url.params["query"])["filters"]["items"]
        rows = [row for row in self._of(int(request.url.params["project"])) if all(meets(row, item) for item in items)]
        page = rows[: min(self.page, int(request.url.params["page_size"]))]
        self.texts_given += len(page) * ("data" in request.url.params.get("include", ""))
        return httpx.Response(200, json={"tasks": page, "total": len(rows)})

    def _delete(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        filters, included = body["filters"]["items"], body["selectedItems"]["included"]
        for happens in self.before_delete:
            happens()
        filters = [
            condition for condition in filters if not (self.is_stale and condition["filter"].endswith("_annotations"))
        ]
        gone = [
            row["id"]
            for row in self.tasks
            if row["id"] in included and all(meets(row, condition) for condition in filters)
        ]
        self.tasks = [row for row in self.tasks if row["id"] not in gone]
        return httpx.Response(200, json={"processed_items": len(gone)})

    def _of(self, project: int) -> list[Row]:
        return [row for row in self.tasks if row["project"] == project]

    def _make(self, body: Row) -> Row:
        row = {"id": self._number(), "parsed_label_config": {"verdict": {}}, **body}
        self.projects[row["id"]] = row
        return row

    def _number(self) -> int:
        self._made += 1
        return self._made

    def _now(self) -> str:
        moment = MOMENT + timedelta(seconds=len(self.tasks) + self._annotations)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def meets(row: Row, record: Row) -> bool:
    value, column = record["value"], record["filter"].removeprefix("filter:tasks:")
    skipped = sum(annotation.get("was_cancelled", False) for annotation in row["annotations"])
    held = {
        "id": row["id"],
        "updated_at": row["updated_at"],
        "data.external_id": row["data"]["external_id"],
        "total_annotations": len(row["annotations"]) - skipped,
        "cancelled_annotations": skipped,
        "draft_exists": bool(row["drafts"]),
    }[column]
    return {
        "greater": lambda: held > value,
        "greater_or_equal": lambda: held >= value,
        "equal": lambda: held == value,
        "in_list": lambda: held in value,
    }[record["operator"]]()


@contextmanager
def on_a_port(answer: Callable[[httpx.Request], httpx.Response], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address at which the answers are given over real HTTP, or HTTPS."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = f"http://{self.headers['Host']}{self.path}"
            response = answer(httpx.Request(self.command, url, headers=dict(self.headers), content=body))
            self.send_response(response.status_code)
            self.send_header("Content-Length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

        def __getattr__(self, name: str) -> object:
            """Every method is served alike."""
            if name.startswith("do_"):
                return self.handle_any
            raise AttributeError(name)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def fake_server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """A fresh server, and look-ups that need no patience."""
    for module, waits in ((delivery, "LOOKUP_WAITS"), (projects, "LOOKUP_WAITS"), (connection, "READ_WAITS")):
        monkeypatch.setattr(module, waits, (0.0, 0.0))
    return FakeServer()


@pytest.fixture
def fake(fake_server: FakeServer) -> Iterator[LabelStudio]:
    with LabelStudio.connect(FAKE_URL, TOKEN, transport=httpx.MockTransport(fake_server)) as connected:
        yield connected


@pytest.fixture
def fake_project(fake_server: FakeServer) -> int:
    return fake_server.project()
