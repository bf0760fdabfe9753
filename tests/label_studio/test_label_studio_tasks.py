"""Tasks at a small server in memory: what changed, and what is taken back."""

from __future__ import annotations

import pytest

from annotate.domain.labelling_task import Task, task
from annotate.label_studio import tasks
from annotate.label_studio.client import LabelStudio
from annotate.workflow.labelling.pull import LONG_AGO
from proxy.errors import LabelStudioError
from proxy.records import Item
from support.fake_server import FakeServer


def made(count: int) -> list[Task]:
    return [task(f"w1-{n}", Item(id=str(n), question=f"Question {n}?", answer="a")) for n in range(count)]


@pytest.mark.slow
def test_only_untouched_tasks_are_taken_back(fake_server: FakeServer, fake: LabelStudio, fake_project: int) -> None:
    """Annotated, skipped and begun tasks stay; one that was gone before counts as gone; told to, all go."""
    ids = sorted(fake.push(fake_project, made(5)).ids.values())
    number = fake_server.annotate(ids[0])
    fake_server.annotate(ids[1], was_cancelled=True)
    next(row for row in fake_server.tasks if row["id"] == ids[2])["drafts"] = [{"id": 1}]

    assert fake.remove(fake_project, [*ids, 999]) == {ids[3], ids[4], 999}
    assert set(fake.touched_since(fake_project, LONG_AGO)) == set(ids[:3])
    assert fake.has_annotation(str(number))
    assert fake.remove(fake_project, ids, even_annotated=True) == set(ids)
    assert not fake.has_annotation(str(number))
    assert not fake.has_annotation("no number")


def test_a_task_that_somebody_answers_just_before_it_is_taken_back_stays(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """The server itself looks once more, so an answer given between our look and the deletion is not lost."""
    ids = sorted(fake.push(fake_project, made(3)).ids.values())
    fake_server.before_delete = [lambda: fake_server.annotate(ids[1])]

    assert fake.remove(fake_project, ids) == {ids[0], ids[2]}


def test_an_answered_task_stays_where_the_server_has_miscounted(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """What decides is the annotations that we see, not the server's counters alone."""
    ids = sorted(fake.push(fake_project, made(3)).ids.values())
    fake_server.annotate(ids[1])
    fake_server.is_stale = True

    assert fake.remove(fake_project, ids) == {ids[0], ids[2]}


def test_changed_gives_every_task_once_in_order(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages join without gap or repetition, also where a task is deleted between two of them."""
    monkeypatch.setattr(tasks, "PAGE", 4)
    ids = sorted(fake.push(fake_project, made(10)).ids.values())
    rows = fake.everything(fake_project)
    first = next(rows)
    del fake_server.tasks[0]

    assert [first["id"], *(each["id"] for each in rows)] == ids


def test_changed_since_gives_what_was_touched_at_that_time_or_later(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int
) -> None:
    """The time itself is included, and any way of writing it is understood."""
    ids = sorted(fake.push(fake_project, made(5)).ids.values())
    fake_server.annotate(ids[1])
    fake_server.annotate(ids[3])
    at = {row["id"]: str(row["updated_at"]) for row in fake.everything(fake_project)}

    assert list(fake.touched_since(fake_project, at[ids[1]])) == [ids[1], ids[3]]
    assert list(fake.touched_since(fake_project, at[ids[3]].replace(".000000Z", "+00:00"))) == [ids[3]]


def test_a_page_that_lacks_its_tasks_is_no_empty_project(
    fake_server: FakeServer, fake: LabelStudio, fake_project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that counts tasks and shows none is not taken to have lost them."""
    fake.push(fake_project, made(3))
    page = tasks.Tasks._page
    monkeypatch.setattr(tasks.Tasks, "_page", lambda *args, **more: {**page(*args, **more), "tasks": []})

    with pytest.raises(LabelStudioError, match="left out tasks"):
        list(fake.everything(fake_project))
