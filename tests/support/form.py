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
from support.browser import WAIT, still

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


# What an expert cannot see of the texts: where they go on below without a mark, have a mark and end, or scroll by themselves.
# Columns side by side have a mark each; one below the other they are one column, with the mark of the second and none between.
HIDDEN = """() => {
    for (const toast of document.querySelectorAll('[class*=toast]')) toast.style.display = 'none';
    const bar = document.querySelector('.lsf-bottombar').getBoundingClientRect().top, wrong = [];
    const places = [...document.querySelectorAll('.as-judge, .as-read')].map(column => {
        const boxes = [...column.querySelectorAll('.as-text, .as-passage, .as-none, .as-all')].map(box => box.getBoundingClientRect());
        const mark = column.querySelector('.as-more'), box = mark.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, Math.min(box.top + 6, bar - 3));
        return {end: Math.max(...boxes.filter(box => box.height).map(box => box.bottom)),
                isMarked: box.top < bar - 8 && mark.contains(top), top: box.top};
    });
    if (innerWidth <= 900) {
        const [first] = places.splice(0, 1), between = document.querySelector('.as-judge .as-more').offsetHeight;
        if (between) wrong.push(['between', between]);
        places[0].end = Math.max(first.end, places[0].end);
    }
    for (const {end, isMarked, top} of places)
        if (isMarked ? end < top - 1 : end > bar + 1) wrong.push([isMarked, end, top, bar]);
    for (const box of document.querySelectorAll('.as-form *')) {
        const isScrolled = box.clientHeight && box.scrollHeight > box.clientHeight + 2 && box.tagName !== 'TEXTAREA';
        if (isScrolled && getComputedStyle(box).overflowY !== 'visible' && !box.closest('.ant-checkbox, .ant-radio'))
            wrong.push([box.className, box.scrollHeight, box.clientHeight]);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push(['page', document.documentElement.scrollWidth]);
    return wrong;
}"""
# A laptop, a smaller one, a laptop at 125 %, and a tablet either way.
SIZES = ((1366, 768), (1280, 800), (1093, 614), (820, 1180), (1180, 820))


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
    page.set_default_timeout(WAIT)
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
    page.locator(".as-answer p").first.wait_for()


def next_task(page: Page, question: str) -> None:
    page.locator(".as-question").get_by_text(question, exact=True).wait_for()
