"""The form in a real browser: hostile texts are shown as text, keys label, and one glance is enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from annotate.label_studio import LabelStudio
from annotate.label_studio_local import LocalServer
from annotate.tasks import task
from fixtures_label_studio import HOSTILE, items, pulled
from proxy.records import Context, Item, Judgement

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.live


@pytest.fixture
def page(chromium: Browser, label_studio_server: LocalServer) -> Iterator[Page]:
    """A page of a laptop's size, logged in."""
    with chromium.new_page(viewport={"width": 1366, "height": 768}) as page:
        page.goto(f"{label_studio_server.url}/user/login/")
        page.fill("input[name=email]", label_studio_server.email)
        page.fill("input[name=password]", label_studio_server.password)
        page.click("button[type=submit]")
        page.wait_for_url(lambda url: "login" not in url)
        yield page


def open_stream(page: Page, server: LocalServer, project: int) -> None:
    """Open the label stream, which is the page that an expert gets."""
    page.goto(f"{server.url}/projects/{project}/data?labeling=1")
    page.get_by_text("Is the answer right?").wait_for()


@pytest.mark.browser
def test_hostile_texts_are_shown_as_text(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """Markup in question, answer and passage is read, not run, and fetches nothing."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    item = Item(id="1", question=f"Q {HOSTILE}", answer=f"A {HOSTILE}", contexts=(Context(text=f"P {HOSTILE}"),))
    connection.push(project, [task("k0", item)])
    open_stream(page, label_studio_server, project)

    for letter in "QAP":
        page.get_by_text(f"{letter} {HOSTILE}", exact=True).wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    assert not [url for url in asked if not url.startswith((label_studio_server.url, "data:", "blob:"))]
    assert not [url for url in asked if url.endswith("/x")]


@pytest.mark.browser
def test_keys_label_and_wrong_asks_without_insisting(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """One key and Ctrl+Enter make a label; wrong opens causes and reference, and goes through without them."""
    connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(4))])
    open_stream(page, label_studio_server, project)
    reference, cause = page.locator("textarea[name=reference]"), page.get_by_text("Incomplete")

    page.get_by_text("Question 0?").wait_for()
    assert not reference.is_visible()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")

    page.get_by_text("Question 1?").wait_for()
    page.keyboard.press("2")
    reference.wait_for()
    assert cause.is_visible()
    page.keyboard.press("Control+Enter")

    page.get_by_text("Question 2?").wait_for()
    page.keyboard.press("2")
    page.keyboard.press("7")
    reference.fill("The better answer.")
    page.get_by_test_id("bottombar-submit-button").click()

    page.get_by_text("Question 3?").wait_for()
    page.keyboard.press("2")
    reference.fill("A second thought.")
    page.get_by_text("Answer 3.").click()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.get_by_text("No More Tasks Left in Queue").wait_for()

    records, reasons = pulled(connection, project)
    made = [(each.judgement, each.causes, each.reference) for n in range(4) for each in records[f"k{n}"]]
    assert reasons == []
    assert made == [
        (Judgement.RIGHT, (), None),
        (Judgement.WRONG, (), None),
        (Judgement.WRONG, ("incomplete",), "The better answer."),
        (Judgement.RIGHT, (), None),
    ]
    assert all(each.seconds is not None and each.seconds > 0 for [each] in records.values())


@pytest.mark.browser
def test_one_glance_is_enough(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """With long texts, question, answer, verdict and the first passage stand on a laptop's screen without scrolling."""
    long = "A sentence of ordinary length that says something. " * 80
    item = Item(id="1", question=f"Long question? {long}", answer=long, contexts=(Context(text=long),) * 5)
    connection.push(project, [task("k0", item)])
    open_stream(page, label_studio_server, project)

    bottom = page.get_by_test_id("bottombar-submit-button").bounding_box()
    assert bottom is not None
    for text in ("Question", "Answer", "Is the answer right?", "Unsure", "Passage 1"):
        box = page.get_by_text(text, exact=text != "Unsure").first.bounding_box()
        assert box is not None, text
        assert box["y"] >= 0, text
        assert box["y"] + box["height"] <= bottom["y"], text
        assert box["x"] + box["width"] <= 1366, text
    assert "hidden" not in page.inner_text("body")


@pytest.mark.browser
def test_an_item_without_passages_says_so(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """Where nothing was retrieved the expert is told, and can label all the same."""
    connection.push(project, [task("k0", Item(id="1", question="Q", answer="A"))])
    open_stream(page, label_studio_server, project)
    shown = page.evaluate("getComputedStyle(document.querySelector('.as-read'), '::after').content")

    assert shown == '"No passages were retrieved."'
