"""The form on the real server, as an expert has it: a project by the API alone, a page of a laptop's size, what was stored."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from annotate.domain import labelling_task
from annotate.domain.annotation import Annotation
from annotate.domain.labelling_form import Form
from annotate.label_studio.local import LocalServer
from proxy.records import Item
from support.browser import still

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


def project_with(api: httpx.Client, form: Form, data: Sequence[Mapping[str, object]], **settings: object) -> int:
    config = {"title": f"Form {uuid.uuid4().hex[:8]}", "label_config": form.xml(), **settings}
    made = api.post("/api/projects/", json={"show_collab_predictions": False, "show_instruction": False, **config})
    assert made.status_code == 201, made.text
    number = int(made.json()["id"])
    sent = api.post(f"/api/projects/{number}/import", json=[{"data": row} for row in data])
    assert sent.status_code == 201, sent.text
    return number


def data_of(form: Form, *items: Item) -> list[Mapping[str, object]]:
    """The data of the tasks that show these items, keyed k0, k1 ..."""
    return [labelling_task.task(f"k{n}", item, form).data for n, item in enumerate(items)]


def raw_tasks(api: httpx.Client, project: int) -> list[dict[str, Any]]:
    """The tasks of a project as the server tells them in a list."""
    answer = api.get("/api/tasks", params={"project": project, "fields": "all", "page_size": 100})
    assert answer.status_code == 200, answer.text
    tasks: list[dict[str, Any]] = answer.json()["tasks"]
    return tasks


def stored(api: httpx.Client, project: int, form: Form) -> tuple[dict[str, list[Annotation]], list[str]]:
    """All records of a project by the key of their task, and all reasons."""
    people = {user["id"]: user["email"] for user in api.get("/api/users/").json()}
    records: dict[str, list[Annotation]] = {}
    reasons: list[str] = []
    for raw in raw_tasks(api, project):
        key = str(raw["data"]["external_id"])
        records[key], odd = labelling_task.annotations(raw, people, f"label-studio:{project}", key, form.version)
        reasons += odd
    return records, reasons


@pytest.fixture(scope="session")
def signed_in(chromium: Browser, label_studio_server: LocalServer) -> Iterator[BrowserContext]:
    """A browser of a laptop's size, logged in once for all tests."""
    with still(chromium, 1366, 768) as context:
        page = context.new_page()
        page.goto(f"{label_studio_server.url}/user/login/")
        page.fill("input[name=email]", label_studio_server.email)
        page.fill("input[name=password]", label_studio_server.password)
        page.click("button[type=submit]")
        page.wait_for_url(lambda url: "login" not in url)
        page.close()
        yield context


@pytest.fixture
def page(signed_in: BrowserContext, label_studio_server: LocalServer) -> Iterator[Page]:
    """A page of its own, which knows nothing of the one before; any request to another host fails the test that made it."""
    asked: list[str] = []
    page = signed_in.new_page()
    page.on("request", lambda request: asked.append(request.url))
    yield page
    assert page.evaluate("window.hacked") is None
    page.evaluate("localStorage.clear()")
    page.close()
    assert not [url for url in asked if not url.startswith((label_studio_server.url, "data:", "blob:"))]
    assert not [url for url in asked if url.endswith("/x")]


def open_stream(page: Page, server: LocalServer, project: int) -> None:
    """Open the label stream, which is the page that an expert gets, and wait for the form."""
    page.goto(f"{server.url}/projects/{project}/data?labeling=1")
    page.locator(".as-answer .lsf-richtext__line").first.wait_for()


def next_task(page: Page, question: str) -> None:
    page.locator(".as-question").get_by_text(question, exact=True).wait_for()
