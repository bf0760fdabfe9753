"""A Label Studio in memory, as the adapter shows it, for tests of what is sent and what is kept.

The adapter itself is tested against the real server, and so is the whole loop.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, NamedTuple, Self

import pytest

from annotate.domain.labelling_form import Form
from annotate.domain.labelling_task import Task
from annotate.domain.server_identity import ServerProject, has_mark_of, store_of
from annotate.label_studio.errors import NotOnServer
from annotate.label_studio.projects import ProjectSize
from annotate.label_studio.tasks import Touched
from annotate.store import Store
from annotate.workflow.labelling import pull
from annotate.workflow.labelling import push as labelling_push
from annotate.workflow.labelling.pull import LONG_AGO
from annotate.workflow.labelling.server_identity import identify
from support.store import NOW, Assay, draw, once

DRAWS = 8
SERVER = "http://studio.test"
PEOPLE = {1: "ann@example.org", 2: "ben@example.org", 3: "cem@example.org"}
START = datetime(2026, 11, 21, 9, tzinfo=UTC)


class Sent(NamedTuple):
    ids: Mapping[str, int]
    doubled: int


class Studio:
    """Projects, tasks and annotations; each change moves the clock by a minute."""

    def __init__(self, url: str = SERVER) -> None:
        self.url = url
        self.markers: dict[int, str] = {}
        self.made_at: dict[int, str] = {}
        self.titles: dict[int, str] = {}
        self.tasks: dict[int, dict[str, Any]] = {}
        self.imports: list[int] = []
        self.asked: list[str | None] = []
        self.given: list[int] = []
        self.sweeps = 0
        self.before_answer: list[Callable[[], None]] = []
        self._clock, self._next = START, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def ensure_project(self, title: str, form: Form, *, marker: str, guide: str | None = None) -> int:
        """The project with the marker, made where there is none."""
        for number in self.made_at:
            if self.markers[number] == marker:
                return number
        number = len(self.markers) + 1
        self.markers[number], self.titles[number], self.made_at[number] = marker, title, self.now()
        self._answer()
        return number

    def check_project(self, number: int, *, guide: str | None = None, marker: str | None = None) -> None:
        """Fail where there is no such project."""
        if number not in self.made_at:
            raise NotOnServer(f"Project {number} is not there")
        if marker is not None:
            self.mark(number, marker)

    def list_projects(self, store: str) -> list[ServerProject]:
        return [
            ServerProject(number, made_at, has_mark_of(self.markers[number], store))
            for number, made_at in self.made_at.items()
        ]

    def mark(self, project: int, marker: str) -> None:
        """Put a mark into a project that has none of the same store."""
        self.check_project(project)
        if not has_mark_of(self.markers[project], store_of(marker)):
            self.markers[project] = marker

    def restored(self, url: str) -> Studio:
        """A server at another address on a copy of the data as it is now."""
        twin = copy.deepcopy(self)
        twin.url = url
        return twin

    def push(
        self,
        project: int,
        tasks: Sequence[Task],
        after: int = 0,
        *,
        doubtful: Collection[str] = (),
        confirmed: Collection[str] = (),
    ) -> Sent:
        """Import what the project lacks, as far as the caller's hints let the adapter see it."""
        there = {
            raw["data"]["external_id"]: number
            for number, raw in self._in(project).items()
            if number > after or raw["data"]["external_id"] in doubtful
        }
        missing = [task for task in tasks if task.key not in there]
        self.imports.append(len(missing))
        for task in missing:
            there[task.key] = self._add(project, dict(task.data))
        if missing:
            self._answer()
        return Sent({task.key: there[task.key] for task in tasks}, 0)

    def everything(self, project: int) -> Iterator[dict[str, Any]]:
        self.check_project(project)
        self.asked.append(None)
        yield from self.read(project, set(self.tasks))

    def touched_since(self, project: int, since: str) -> dict[int, Touched]:
        """Tasks that changed at or after a time."""
        self.check_project(project)
        if since == LONG_AGO:
            self.sweeps += 1
        else:
            self.asked.append(since)
        return {
            number: Touched(raw["updated_at"], bool(raw["annotations"]))
            for number, raw in self._in(project).items()
            if raw["updated_at"] >= since
        }

    def read(self, project: int, task_ids: Collection[int]) -> Iterator[dict[str, Any]]:
        for number, raw in list(self._in(project).items()):
            if number in task_ids:
                self.given.append(number)
                yield {"id": number, **raw, "annotations": [dict(annotation) for annotation in raw["annotations"]]}

    def size(self, project: int) -> ProjectSize:
        self.check_project(project)
        return ProjectSize(len(self._in(project)), sum(len(raw["annotations"]) for raw in self._in(project).values()))

    def remove(self, project: int, task_ids: Collection[int], *, even_annotated: bool = False) -> set[int]:
        self.check_project(project)
        gone = {
            number
            for number in task_ids
            if number not in self.tasks or even_annotated or not self.tasks[number]["annotations"]
        }
        for number in gone:
            self.tasks.pop(number, None)
        return gone

    def has_annotation(self, number: str) -> bool:
        return any(str(annotation["id"]) == number for raw in self.tasks.values() for annotation in raw["annotations"])

    def annotators(self) -> dict[int, str]:
        return PEOPLE

    def invitation(self) -> str | None:
        """Where to sign up."""
        return f"{SERVER}/signup"

    def task_of(self, key: str, project: int = 1) -> int:
        """The oldest task with a key."""
        return min(number for number, raw in self._in(project).items() if raw["data"]["external_id"] == key)

    def task_keys(self, project: int = 1) -> list[str]:
        return [raw["data"]["external_id"] for raw in self._in(project).values()]

    def annotate(self, task: int, word: str | None, who: int = 1, **more: Any) -> int:
        """Somebody answers a task, or skips it (None)."""
        made: dict[str, Any] = {"id": self._number(), "completed_by": who, "lead_time": 5.0}
        made |= {
            "result": verdict(word),
            "was_cancelled": word is None,
            "created_at": self.now(),
            "updated_at": self.now(),
            **more,
        }
        self.tasks[task]["annotations"].append(made)
        self._touch(task)
        return int(made["id"])

    def edit(self, annotation: int, word: str) -> None:
        """Somebody changes what they said."""
        for task, record in self._annotations():
            if record["id"] == annotation:
                self._touch(task)
                record |= {"result": verdict(word), "updated_at": self.tasks[task]["updated_at"]}

    def delete(self, annotation: int) -> None:
        """Somebody takes back what they said."""
        for task, record in list(self._annotations()):
            if record["id"] == annotation:
                self.tasks[task]["annotations"].remove(record)
                self._touch(task)

    def drop(self, project: int) -> None:
        """Somebody deletes a project with all it holds; its number is not given again."""
        self.tasks = {number: raw for number, raw in self.tasks.items() if raw["project"] != project}
        del self.made_at[project]

    def copy(self, task: int) -> int:
        """A network that repeats an import makes a task twice."""
        return self._add(self.tasks[task]["project"], self.tasks[task]["data"])

    def now(self) -> str:
        return self._clock.isoformat().replace("+00:00", "Z")

    def _in(self, project: int) -> dict[int, dict[str, Any]]:
        return {number: raw for number, raw in self.tasks.items() if raw["project"] == project}

    def _add(self, project: int, data: dict[str, Any]) -> int:
        number = self._number()
        self.tasks[number] = {"project": project, "data": data, "annotations": [], "updated_at": self.now()}
        return number

    def _annotations(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for task, raw in self.tasks.items():
            for annotation in raw["annotations"]:
                yield task, annotation

    def _touch(self, task: int) -> None:
        self._clock += timedelta(minutes=1)
        self.tasks[task]["updated_at"] = self.now()

    def _number(self) -> int:
        self._next += 1
        return self._next

    def _answer(self) -> None:
        """What happens between the server's work and its answer."""
        if self.before_answer:
            self.before_answer.pop(0)()


def verdict(word: str | None) -> list[dict[str, Any]]:
    if word is None:
        return []
    return [{"from_name": "verdict", "to_name": "answer", "type": "choices", "value": {"choices": [word]}}]


@pytest.fixture
def drawn(loaded: Assay) -> Iterator[Store]:
    """A store with eight open draws."""
    once(loaded, "eight-drawn", lambda: draw(loaded, DRAWS))
    store = Store(loaded.db)
    assert len(store.sampling.waves.open_draws()) == DRAWS
    yield store
    store.close()


@pytest.fixture
def studio() -> Studio:
    return Studio()


def named(store: Store, studio: Studio) -> str:
    """The name that the store keeps the server under."""
    return identify(store, studio, takes_new=True, who="tester", now=NOW).name  # type: ignore[arg-type]


def pushed(store: Store, studio: Studio, **request: object) -> dict[str, int]:
    done = labelling_push.push(store, studio, named(store, studio), labelling_push.PushRequest(**request), now=NOW)  # type: ignore[arg-type]
    return {delivery.annotator: delivery.project for delivery in done.deliveries}


def again(store: Store, studio: Studio, **request: object) -> tuple[int, int, int]:
    done = labelling_push.push(store, studio, named(store, studio), labelling_push.PushRequest(**request), now=NOW)  # type: ignore[arg-type]
    return done.sent, done.there, done.withdrawn


def pulled(store: Store, studio: Studio, now: str = NOW, **more: object) -> pull.Pulled:
    return pull.pull(store, studio, named(store, studio), now=now, **more)  # type: ignore[arg-type]


def words(store: Store) -> Counter[str]:
    return Counter(label.judgement.value for _, label in store.labels.read())
