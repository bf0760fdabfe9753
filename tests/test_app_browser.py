"""The real app in a real browser: nothing leaves this machine, nothing that others wrote runs, the keyboard suffices."""

from __future__ import annotations

import os
import shutil
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from annotate import streamlit_server
from annotate.gold import GoldStatus
from annotate.store import Store
from fixtures_app import HOSTILE, SEEN, Make, nothing, three, walk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--no-first-run", "--disable-component-update", "--disable-sync"),
)
WAIT = 30_000
REFERENCE = "Do not take two tablets: leave the forgotten one out."


@dataclass
class Watch:
    """What a page did that it should not have done."""

    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def request(self, request: Request) -> None:
        """Note a request that leaves this machine."""
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != "127.0.0.1":
            self.outside.append(request.url)

    def assert_clean(self, page: Page) -> None:
        """Nothing went wrong, out, or off."""
        assert self.errors == []
        assert self.outside == []
        assert self.dialogs == []
        assert page.evaluate("window.hacked") is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; skipped where there is none, but not in CI."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        missing = f"no browser: install one of {', '.join(NAMES)}"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield found
        found.close()


@contextmanager
def running(db: Path) -> Iterator[str]:
    """The app on this store, started as `assay app` does; ended by its own process."""
    port = streamlit_server.free_port(None)
    process = streamlit_server.start(db, port)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(address: str) -> None:
    """Until the server answers, for at most half a minute."""
    for _ in range(150):
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the app did not start")


@contextmanager
def page_on(browser: Browser, db: Path, make: Make) -> Iterator[tuple[Page, Watch]]:
    """A page of the app on a new store, watched."""
    store = Store(db)
    make(store)
    store.close()
    watch = Watch()
    with running(db) as address, browser.new_context(viewport={"width": 1366, "height": 768}) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("request", watch.request)
        page.on("console", lambda message: watch.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: watch.errors.append(str(error)))
        page.on("dialog", lambda dialog: (watch.dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(address)
        yield page, watch


def open_gold(page: Page) -> None:
    """Go to the gold set by the navigation at the top."""
    page.get_by_role("link", name="Gold set").click()
    page.get_by_role("heading", name="What do we know for sure?").wait_for()


def settled(page: Page) -> None:
    """Until the script has run to its end."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


@pytest.mark.parametrize("make", [walk, nothing])
def test_both_pages_open_and_ask_nobody_else(browser: Browser, tmp_path: Path, make: Make) -> None:
    """Both pages show without an error in the console and without a request to another machine."""
    with page_on(browser, tmp_path / "assay.db", make) as (page, watch):
        page.get_by_role("heading", name="Can the proxy be trusted?").wait_for()
        settled(page)
        assert page.title() == "Assay"
        if make is walk:
            page.locator("canvas, svg.marks, [data-testid=stVegaLiteChart]").first.wait_for()
        open_gold(page)
        settled(page)

        watch.assert_clean(page)


def test_hostile_texts_are_text(browser: Browser, tmp_path: Path) -> None:
    """Scripts, images and markup of others stand on both pages as they were written, and do nothing."""
    with page_on(browser, tmp_path / "assay.db", three) as (page, watch):
        page.get_by_text("Answer, what people and judges say, reference").first.wait_for()
        settled(page)
        for part in page.get_by_text("Answer, what people and judges say, reference").all():
            part.click()
        overview = page.locator("[data-testid=stMain]").inner_text()
        open_gold(page)
        page.get_by_text("What the app had found").wait_for()
        settled(page)
        gold = page.locator("[data-testid=stMain]").inner_text()

        for part in SEEN:
            assert part in overview
            assert part in gold
        assert page.locator("[data-testid=stMain] script, [data-testid=stMain] img").count() == 0
        assert len(gold) < 100_000
        assert HOSTILE not in gold
        watch.assert_clean(page)


def test_a_reference_is_written_with_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    """Name, Tab, text, Ctrl+Enter: the reference is a candidate under that name, on the page and in the store."""
    db = tmp_path / "assay.db"
    with page_on(browser, db, walk) as (page, watch):
        open_gold(page)
        page.get_by_role("textbox", name="Your name").fill("dr-kim")
        page.get_by_role("textbox", name="Your name").press("Enter")
        settled(page)
        page.get_by_role("textbox", name="What should the app have said?").focus()
        page.keyboard.type(REFERENCE)
        page.keyboard.press("Control+Enter")
        page.get_by_text("is a candidate now").wait_for()
        page.get_by_text("every answer that people call wrong has a reference").wait_for()
        settled(page)

        assert REFERENCE in page.locator("[data-testid=stMain]").inner_text()
        watch.assert_clean(page)
    store = Store(db)
    candidates = store.gold.page(GoldStatus.CANDIDATE, start=0, size=100)
    problems = store.check()
    store.close()
    assert ("dr-kim", REFERENCE) in [(one.annotator, one.reference) for one in candidates]
    assert problems == []
