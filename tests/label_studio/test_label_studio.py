"""Tasks to and from a small server in memory that can break at the worst moment."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from annotate.domain.labelling_task import Task, task
from annotate.label_studio import delivery
from annotate.label_studio.client import LabelStudio
from annotate.workflow.labelling.pull import LONG_AGO
from proxy.errors import LabelStudioError
from proxy.records import Item
from support.fake_server import TOKEN, FakeServer

Answer = Callable[[httpx.Request], httpx.Response]


def status(code: int) -> Answer:
    """A server, or what stands before it, that answers with a status and repeats the request."""
    return lambda request: httpx.Response(code, text=request.content.decode())


def broken(kind: type[httpx.TransportError]) -> Answer:
    """A connection that breaks."""

    def fail(request: httpx.Request) -> httpx.Response:
        raise kind(f"broke with {TOKEN} and patient-text", request=request)

    return fail


def made(count: int) -> list[Task]:
    """Tasks with text that no error may repeat."""
    return [task(f"w1-{n}", Item(id=str(n), question=f"patient-text {n}", answer="a")) for n in range(count)]


def keys(count: int) -> list[str]:
    """The keys of those tasks, as the server sorts them."""
    return sorted(each.key for each in made(count))


def test_pushing_twice_adds_nothing(fake_server: FakeServer, fake: LabelStudio, fake_project: int) -> None:
    """The second push finds every task and imports none."""
    first = fake.push(fake_project, made(10))
    second = fake.push(fake_project, made(10))

    assert first == second
    assert first.ids == {row["data"]["external_id"]: row["id"] for row in fake_server.tasks}
    assert fake_server.posts == [10]


def test_only_the_missing_are_imported_in_batches(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that is there stays where it is; the others go in batches by number or by size, and a key counts once."""
    fake.push(fake_project, made(3))
    monkeypatch.setattr(delivery, "BATCH", 4)
    fake.push(fake_project, [*made(10), *made(2)])
    monkeypatch.setattr(delivery, "BATCH_BYTES", 100)
    fake.push(fake_project, made(12))

    assert fake_server.posts == [3, 4, 3, 1, 1]
    assert fake_server.keys() == keys(12)


def test_only_what_is_beyond_the_last_confirmed_is_read(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """With the newest confirmed id the push reads no task; older ones that are in doubt are asked for by their keys."""
    ids = fake.push(fake_project, made(10)).ids
    fake_server.texts_given = 0
    more = fake.push(fake_project, made(12)[8:], after=max(ids.values()), doubtful=["w1-8", "w1-9"])

    assert {key: more.ids[key] for key in ("w1-8", "w1-9")} == {key: ids[key] for key in ("w1-8", "w1-9")}
    assert fake_server.keys() == keys(12)
    assert fake_server.texts_given == 2


def test_a_server_with_short_pages_is_read_to_the_end(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """A server that gives fewer tasks a page than were asked for still gives all of them."""
    fake_server.page = 3
    done = fake.push(fake_project, made(10))

    assert [raw["id"] for raw in fake.everything(fake_project)] == sorted(done.ids.values())
    assert set(fake.touched_since(fake_project, LONG_AGO)) == set(done.ids.values())
    assert fake.size(fake_project).tasks == 10
    assert fake.push(fake_project, made(10)) == done


@pytest.mark.parametrize(
    "fault",
    [
        *map(status, (504, 500, 429, 408)),
        *map(broken, (httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.ReadError)),
        lambda request: httpx.Response(201, json={"import": 5}),
        lambda request: httpx.Response(201, text="{"),
    ],
    ids=["504", "500", "429", "408", "no answer", "hung up", "reset", "no task ids", "no JSON"],
)
def test_an_import_that_was_stored_but_not_confirmed_is_found(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int, fault: Answer
) -> None:
    """A gateway time-out or a broken connection after the tasks were stored leaves 10 tasks, not 20 or 30."""
    fake_server.faults = [fault]
    ids = fake.push(fake_project, made(10)).ids

    assert fake_server.posts == [10]
    assert ids == {row["data"]["external_id"]: row["id"] for row in fake_server.tasks}
    assert fake_server.keys() == keys(10)


def test_an_import_that_was_not_stored_is_not_repeated_blindly(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """Where the look-up finds nothing the push ends with an error, since the server may still be at work."""
    fake_server.refuse = [status(504)]
    with pytest.raises(LabelStudioError, match="push again"):
        fake.push(fake_project, made(10))

    assert fake_server.posts == [10]
    assert len(fake.push(fake_project, made(10)).ids) == 10
    assert fake_server.keys() == keys(10)


def test_a_request_that_is_too_large_is_halved(fake_server: FakeServer, fake: LabelStudio, fake_project: int) -> None:
    """A limit in front of the server is met by smaller batches."""
    fake_server.largest = 3
    ids = fake.push(fake_project, made(10)).ids

    assert len(ids) == len(fake_server.tasks) == 10


def test_one_task_that_is_too_large_is_an_error(fake_server: FakeServer, fake: LabelStudio, fake_project: int) -> None:
    """Halving ends at one task."""
    fake_server.largest = 0
    with pytest.raises(LabelStudioError, match="too large"):
        fake.push(fake_project, made(3))


def test_looking_up_many_keys_keeps_each_request_short(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """Long keys are asked for in several requests, none longer than a common server takes."""
    long = [f"{n:064x}" for n in range(300)]
    ids = fake.push(fake_project, [Task(key=key, data={"external_id": key}) for key in long]).ids
    fake_server.gets.clear()

    assert fake.known(fake_project, [*long, "unknown"]) == ids
    assert max(map(len, fake_server.gets)) < 4500


def repeat(fake_server: FakeServer) -> None:
    """What a network does that sends a request twice: every task is there once more."""
    for row in list(fake_server.tasks):
        fake_server.tasks.append({**row, "id": fake_server._number(), "annotations": []})


def test_copies_that_nobody_touched_are_removed_and_the_answered_one_is_kept(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """Of two copies the annotated, skipped or begun one stays, else the older; where both are answered, both, counted."""
    older = fake.push(fake_project, made(6)).ids
    repeat(fake_server)
    copies = {row["data"]["external_id"]: row["id"] for row in fake_server.tasks[6:]}
    fake_server.annotate(copies["w1-0"])
    fake_server.annotate(copies["w1-1"], was_cancelled=True)
    next(row for row in fake_server.tasks if row["id"] == copies["w1-2"])["drafts"] = [{"id": 1}]
    fake_server.annotate(older["w1-3"])
    fake_server.annotate(copies["w1-4"])
    fake_server.annotate(older["w1-4"])
    done = fake.push(fake_project, made(6))

    stays = {"w1-0": copies, "w1-1": copies, "w1-2": copies, "w1-3": older, "w1-4": older, "w1-5": older}
    assert done.ids == {key: ids[key] for key, ids in stays.items()}
    assert done.doubled == 1
    assert fake_server.keys() == sorted([*keys(6), "w1-4"])
    assert fake.push(fake_project, made(6)) == done


def test_a_repeated_import_is_noticed_by_its_own_push(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """Where the count after is not what it should be the push itself looks and removes, and gives the ids that stay."""

    def twice(request: httpx.Request) -> httpx.Response:
        ids = [row["id"] for row in fake_server.tasks]
        repeat(fake_server)
        return httpx.Response(201, json={"task_ids": ids})

    fake_server.faults = [twice]
    ids = fake.push(fake_project, made(10)).ids

    assert ids == {row["data"]["external_id"]: row["id"] for row in fake_server.tasks}
    assert fake_server.keys() == keys(10)


def test_a_copy_that_comes_late_is_put_right_by_the_next_push(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """A copy of a confirmed key that turns up afterwards is removed by a push of something else that names the key."""
    first = fake.push(fake_project, made(4)).ids
    repeat(fake_server)
    fake_server.annotate(next(row["id"] for row in fake_server.tasks[4:] if row["data"]["external_id"] == "w1-2"))
    done = fake.push(fake_project, made(6)[4:], after=max(first.values()), confirmed=first)

    assert fake_server.keys() == keys(6)
    assert done.ids["w1-0"] == first["w1-0"]
    assert done.ids["w1-2"] != first["w1-2"]


def test_a_copy_of_an_old_task_that_comes_while_we_push_is_removed(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """A key that was there, and is there again after the import of others, keeps its first task."""
    first = fake.push(fake_project, made(2)).ids

    def late(request: httpx.Request) -> httpx.Response:
        ids = [row["id"] for row in fake_server.tasks[2:]]
        repeat(fake_server)
        return httpx.Response(201, json={"task_ids": ids})

    fake_server.faults = [late]
    ids = fake.push(fake_project, made(4)).ids

    assert fake_server.keys() == keys(4)
    assert {key: ids[key] for key in first} == first


def test_tasks_of_others_are_never_removed(fake_server: FakeServer, fake: LabelStudio, fake_project: int) -> None:
    """Copies under keys that are not ours stay as they are, wherever they stand."""
    foreign = [Task(key="theirs", data={"external_id": "theirs"})]
    fake.push(fake_project, foreign)
    repeat(fake_server)
    fake.push(fake_project, made(2))
    repeat(fake_server)
    fake.push(fake_project, made(2))

    assert fake_server.keys().count("theirs") == 4
    assert fake_server.keys().count("w1-0") == 1


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
    fake_server: FakeServer, fake: LabelStudio, fake_project: int, answer: Answer
) -> None:
    """Whatever goes wrong with an import, the message is one line without secrets and the traceback shows no other."""
    fake_server.refuse = [answer]
    with pytest.raises(LabelStudioError) as caught:
        fake.push(fake_project, made(1))

    assert "patient-text" not in str(caught.value)
    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
