"""The adapter against a small server in memory that can break at the worst moment."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from annotate import label_studio
from annotate.label_studio import LabelStudio
from annotate.tasks import Task, task
from proxy.errors import LabelStudioError
from proxy.records import Item

TOKEN = "0123456789abcdef0123456789abcdef01234567"
URL = "http://127.0.0.1:8080"


class Server:
    """What the adapter uses of Label Studio's API. `faults` holds, by import, what happens after it was stored."""

    def __init__(self) -> None:
        self.tasks: list[dict[str, object]] = []
        self.posts: list[int] = []
        self.gets: list[str] = []
        self.faults: list[Callable[[httpx.Request], httpx.Response]] = []
        self.refuse: list[Callable[[httpx.Request], httpx.Response]] = []
        self.largest = 1000
        self.page = 1000

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        if request.headers["Authorization"] != f"Token {TOKEN}":
            return httpx.Response(401, json={"detail": "Invalid token."})
        path = request.url.path
        if path.endswith("/whoami"):
            return httpx.Response(200, json={"id": 1, "email": "ann@example.org"})
        if path == "/api/tasks/":
            return self._list(request)
        if path == "/api/projects/1/import":
            return self._store(request)
        if path == "/api/users/":
            return httpx.Response(
                200, json=[{"id": 1, "email": "ann@example.org"}, {"id": 2, "email": "b@example.org"}]
            )
        return httpx.Response(404, json={"detail": "No Project matches the given query."})

    def _store(self, request: httpx.Request) -> httpx.Response:
        rows = json.loads(request.content)
        self.posts.append(len(rows))
        if self.refuse:
            return self.refuse.pop(0)(request)
        if len(rows) > self.largest:
            return httpx.Response(413, text="Request Entity Too Large")
        first = len(self.tasks) + 1
        self.tasks += [{"id": first + place, "annotations": [], **row} for place, row in enumerate(rows)]
        if self.faults:
            return self.faults.pop(0)(request)
        return httpx.Response(201, json={"task_count": len(rows), "task_ids": list(range(first, first + len(rows)))})

    def _list(self, request: httpx.Request) -> httpx.Response:
        self.gets.append(str(request.url))
        query = json.loads(request.url.params["query"])
        rows = self.tasks
        for each in query["filters"]["items"]:
            if each["filter"] == "filter:tasks:id":
                rows = [row for row in rows if int(str(row["id"])) > each["value"]]
            else:
                rows = [row for row in rows if row["data"]["external_id"] in each["value"]]  # type: ignore[index]
        page = rows[: min(self.page, int(request.url.params["page_size"]))]
        return httpx.Response(200, json={"tasks": page, "total": len(rows), "total_annotations": 0})


def status(code: int) -> Callable[[httpx.Request], httpx.Response]:
    """A server, or what stands before it, that answers with a status and repeats the request."""
    return lambda request: httpx.Response(code, text=request.content.decode())


def broken(kind: type[httpx.TransportError]) -> Callable[[httpx.Request], httpx.Response]:
    """A connection that breaks."""

    def fail(request: httpx.Request) -> httpx.Response:
        raise kind(f"broke with {TOKEN} and patient-text", request=request)

    return fail


def tasks(count: int) -> list[Task]:
    """Tasks with text that no error may repeat."""
    return [task(f"w1-{n}", Item(id=str(n), question=f"patient-text {n}", answer="a")) for n in range(count)]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """A fresh server, and look-ups that need no patience."""
    monkeypatch.setattr(label_studio, "LOOKUP_WAITS", (0.0, 0.0))
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    return Server()


@pytest.fixture
def connection(server: Server) -> LabelStudio:
    """A connection to the server in memory."""
    return LabelStudio.connect(URL, TOKEN, transport=httpx.MockTransport(server))


def test_pushing_twice_adds_nothing(server: Server, connection: LabelStudio) -> None:
    """The second push finds every task and imports none."""
    first = connection.push(1, tasks(10))
    second = connection.push(1, tasks(10))

    assert first == second == {f"w1-{n}": n + 1 for n in range(10)}
    assert server.posts == [10]


def test_only_the_missing_are_imported_in_batches(server: Server, connection: LabelStudio) -> None:
    """A task that is there stays where it is; the others go in batches, and a key counts once."""
    connection.push(1, tasks(3))
    ids = connection.push(1, [*tasks(10), *tasks(2)], batch=4)

    assert server.posts == [3, 4, 3]
    assert ids == {f"w1-{n}": n + 1 for n in range(10)}


def test_a_server_with_short_pages_is_read_to_the_end(server: Server, connection: LabelStudio) -> None:
    """A server that gives fewer tasks a page than were asked for still gives all of them."""
    server.page = 3
    ids = connection.push(1, tasks(10))

    assert [raw["id"] for raw in connection.pull(1)] == list(range(1, 11))
    assert connection.push(1, tasks(10)) == ids
    assert server.posts == [10]


@pytest.mark.parametrize(
    "fault",
    [
        *map(status, (504, 500, 429, 408)),
        *map(broken, (httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.ReadError)),
        lambda request: httpx.Response(201, json={"import": 5}),
    ],
    ids=["504", "500", "429", "408", "no answer", "hung up", "reset", "no task ids"],
)
def test_an_import_that_was_stored_but_not_confirmed_is_found(
    server: Server, connection: LabelStudio, fault: Callable[[httpx.Request], httpx.Response]
) -> None:
    """A gateway time-out or a broken connection after the tasks were stored leaves 10 tasks, not 20 or 30."""
    server.faults = [fault]
    ids = connection.push(1, tasks(10))

    assert len(server.tasks) == 10
    assert server.posts == [10]
    assert ids == {f"w1-{n}": n + 1 for n in range(10)}


def test_an_import_that_was_not_stored_is_not_repeated_blindly(server: Server, connection: LabelStudio) -> None:
    """Where the look-up finds nothing the push ends with an error, since the server may still be at work."""
    server.refuse = [status(504)]
    with pytest.raises(LabelStudioError, match="push again"):
        connection.push(1, tasks(10))

    assert server.posts == [10]
    assert len(connection.push(1, tasks(10))) == 10
    assert len(server.tasks) == 10


def test_a_request_that_is_too_large_is_halved(server: Server, connection: LabelStudio) -> None:
    """A limit in front of the server is met by smaller batches."""
    server.largest = 3
    ids = connection.push(1, tasks(10))

    assert len(ids) == len(server.tasks) == 10


def test_one_task_that_is_too_large_is_an_error(server: Server, connection: LabelStudio) -> None:
    """Halving ends at one task."""
    server.largest = 0
    with pytest.raises(LabelStudioError, match="too large"):
        connection.push(1, tasks(3))


def test_looking_up_many_keys_keeps_each_request_short(server: Server, connection: LabelStudio) -> None:
    """Long keys are asked for in several requests, none longer than a common server takes."""
    keys = [f"{n:064x}" for n in range(300)]
    connection.push(1, [Task(key=key, data={"external_id": key}) for key in keys])
    server.gets.clear()

    assert connection.known(1, [*keys, "unknown"]) == {key: n + 1 for n, key in enumerate(keys)}
    assert max(map(len, server.gets)) < 4500


def test_the_oldest_of_duplicates_is_known(server: Server, connection: LabelStudio) -> None:
    """Where somebody imported a task twice by hand, the first one stays ours."""
    server.tasks = [{"id": n, "data": {"external_id": "k"}} for n in (4, 9)]

    assert connection.known(1, ["k"]) == {"k": 4}


def test_pull_gives_every_task_once_in_order(
    server: Server, connection: LabelStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages join without gap or repetition, also where a task is deleted between two of them."""
    monkeypatch.setattr(label_studio, "PAGE_SIZE", 4)
    connection.push(1, tasks(10))
    pulled = connection.pull(1)
    first = next(pulled)
    del server.tasks[0]

    assert [first["id"], *(each["id"] for each in pulled)] == list(range(1, 11))


def test_annotators_are_addresses_by_id(connection: LabelStudio) -> None:
    """User ids are mapped to addresses."""
    assert connection.annotators() == {1: "ann@example.org", 2: "b@example.org"}


def test_a_refused_token_says_what_to_do(server: Server) -> None:
    """A wrong token names the place to copy it from, and is not repeated."""
    with pytest.raises(LabelStudioError, match="refused the token") as caught:
        LabelStudio.connect(URL, "wrong-token", transport=httpx.MockTransport(server))

    assert "wrong-token" not in str(caught.value)


def test_another_program_at_the_address_is_noticed() -> None:
    """What answers, but not as Label Studio does, is refused when connecting."""
    for answer in (httpx.Response(200, text="<html>"), httpx.Response(200, json={}), httpx.Response(200, json=[])):
        with pytest.raises(LabelStudioError, match="check"):
            LabelStudio.connect(URL, TOKEN, transport=httpx.MockTransport(lambda request, answer=answer: answer))


def test_a_missing_project_is_named(connection: LabelStudio) -> None:
    """A project that is not there is an error with its number."""
    with pytest.raises(LabelStudioError, match="Project 7 is not at"):
        connection.ensure_project("Wave", 7)


def test_no_server_says_how_to_start_one() -> None:
    """Where nothing listens, the message names the address and the command."""
    transport = httpx.MockTransport(broken(httpx.ConnectError))
    with pytest.raises(LabelStudioError, match=r"No Label Studio answers at http://127.0.0.1:8080: start it"):
        LabelStudio.connect(URL, TOKEN, transport=transport)


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://x", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """An address without http:// is refused before anything is sent."""
    with pytest.raises(LabelStudioError, match="no web address"):
        LabelStudio.connect(url, TOKEN)


@pytest.mark.parametrize("token", ["", "  ", "two words", "line\nbreak", "tökén"])
def test_a_token_that_is_none_is_refused(token: str) -> None:
    """A token that no header can carry is refused without being repeated."""
    with pytest.raises(LabelStudioError) as caught:
        LabelStudio.connect(URL, token)

    assert not token.strip() or token not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        *map(status, (200, 302, 400, 401, 403, 404, 413, 500)),
        *map(broken, (httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.ConnectError)),
        lambda request: httpx.Response(200, json=["patient-text"]),
    ],
    ids=[*("200", "302", "400", "401", "403", "404", "413", "500"), "no answer", "hung up", "no server", "a list"],
)
def test_no_error_repeats_a_token_or_a_text(
    server: Server, connection: LabelStudio, answer: Callable[[httpx.Request], httpx.Response]
) -> None:
    """Whatever goes wrong with an import, the message is one line without secrets and the traceback shows no other."""
    server.refuse = [answer]
    with pytest.raises(LabelStudioError) as caught:
        connection.push(1, tasks(1))

    assert "patient-text" not in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_address_with_a_password_is_shown_without_it() -> None:
    """The user and password of an address stay out of errors."""
    transport = httpx.MockTransport(broken(httpx.ConnectError))
    with pytest.raises(LabelStudioError) as caught:
        LabelStudio.connect("https://user:hidden@example.org/ls?key=hidden", TOKEN, transport=transport)

    assert "https://example.org/ls" in str(caught.value)
    assert "hidden" not in str(caught.value)
