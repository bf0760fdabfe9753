"""What is tried while the network fails: a project, tasks in three batches, some taken back; again until it is done."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pytest

from annotate.domain.labelling_form import Form
from annotate.domain.labelling_task import Task, task
from annotate.label_studio import connection, delivery, projects
from annotate.label_studio.client import LabelStudio
from proxy.errors import LabelStudioError
from proxy.records import Item
from support.fault_proxy import Fault, FaultProxy

COUNT, BATCH, WITHDRAWN = 30, 10, 4
ATTEMPTS = 12
MARK = "assay:test:everybody"

PLACES = {
    "the making of the project": ("POST", r"/api/projects/\?|/api/projects/$"),
    "the list of projects": ("GET", r"/api/projects/\?"),
    "an import": ("POST", "/import"),
    "the list of tasks": ("GET", "/api/tasks/"),
    "the deletion": ("POST", "/dm/actions"),
    "the first word": ("GET", "whoami"),
}


class Done(NamedTuple):
    project: int
    ids: dict[str, int]
    errors: list[str]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches and time limits that fit a test."""
    monkeypatch.setattr(delivery, "BATCH", BATCH)
    monkeypatch.setattr(delivery, "IMPORT_SECONDS", 1.5)
    monkeypatch.setattr(delivery, "LOOKUP_WAITS", (0.0, 0.1, 0.2, 0.7))
    monkeypatch.setattr(projects, "LOOKUP_WAITS", (0.0, 0.1, 0.2, 0.7))
    monkeypatch.setattr(connection, "READ_SECONDS", 1.5)
    monkeypatch.setattr(connection, "READ_WAITS", (0.02, 0.1))


def made() -> list[Task]:
    """The tasks, with a text that no error may repeat."""
    return [task(f"w1-{n}", Item(id=str(n), question=f"patient-text {n}", answer="a")) for n in range(COUNT)]


def until_done(proxy: FaultProxy, token: str, mark: str) -> Done:
    """Run from the start until a run reaches its end; each run knows only what the one before it confirmed."""
    errors: list[str] = []
    for _ in range(ATTEMPTS):
        try:
            with LabelStudio.connect(proxy.url, token) as studio:
                project = studio.ensure_project("Faults", Form(), marker=mark)
                ids = studio.push(project, made()).ids
                wanted = [ids[f"w1-{n}"] for n in range(WITHDRAWN)]
                if studio.remove(project, wanted) >= set(wanted):
                    return Done(project, ids, errors)
        except LabelStudioError as error:
            errors.append(str(error))
            proxy.accept()
    pytest.fail(f"not done after {ATTEMPTS} runs: {errors}")


def check(proxy: FaultProxy, token: str, mark: str, done: Done) -> None:
    """One project with the mark, and in it each key once, at the id that was told, but for those taken back."""
    proxy.heal()
    assert "patient-text" not in str(done.errors)
    assert token not in str(done.errors)
    assert not [error for error in done.errors if "\n" in error]
    with LabelStudio.connect(proxy.url, token) as studio:
        assert studio.ensure_project("Faults", Form(), marker=mark) == done.project
        rows = list(studio.everything(done.project))
        keys = Counter(str(row["data"]["external_id"]) for row in rows)  # type: ignore[index]
        assert keys == Counter(f"w1-{n}" for n in range(WITHDRAWN, COUNT))
        assert {row["id"] for row in rows} == {done.ids[key] for key in keys}
        assert studio.size(done.project).tasks == COUNT - WITHDRAWN


FAULTS = tuple(fault for fault in Fault if fault is not Fault.DELAY)
LATE = 2.2
