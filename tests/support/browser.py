"""A headless browser for the session, the app on a store of the test's own, and what a page does that it should not.

Everything here waits for what it needs to see: a machine that is busy makes these tests slow, not red.
"""

from __future__ import annotations

import shutil
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import pytest

from annotate.pages.kit import server
from annotate.store import Store
from support.app import Make
from support.label_studio import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request

WAIT = 120_000
QUIET = 250
STORE = "assay.db"
SHARED = ExitStack()
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-compositing",
    "--disable-software-rasterizer",
    "--disable-smooth-scrolling",
    "--disable-threaded-animation",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]
# While a page is drawn anew what stands on it is of yesterday: a click there is lost, so an action waits for the end.
BUSY = "[data-testid=stApp][data-test-script-state]:not([data-test-script-state=notRunning])"
# Milliseconds since the page was last seen at work: a click is answered a moment after it was made.
QUIET_SINCE = """(least) => {
  const app = document.querySelector('[data-testid=stApp]'), now = performance.now();
  if (!app || app.dataset.testScriptState !== 'notRunning') { window.assayIdle = undefined; return false; }
  window.assayIdle ??= now;
  return now - window.assayIdle >= least;
}"""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        missing("no chromium: apt-get install chromium")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
    SHARED.close()


def still(chromium: Browser, width: int, height: int, zoom: float = 1.0) -> BrowserContext:
    """The context of a visitor who asked for less motion: without a graphics card, drawing it takes a tenth of the time."""
    return chromium.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=zoom, reduced_motion="reduce"
    )


@dataclass
class Watch:
    """What a page did that it should not have done."""

    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        """Note what this page does, which may take its time."""
        page.set_default_timeout(WAIT)
        page.on("request", self.request)
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != "127.0.0.1":
            self.outside.append(request.url)

    def assert_clean(self, page: Page) -> None:
        """Nothing went wrong, out, or off."""
        assert self.errors == []
        assert self.outside == []
        assert self.dialogs == []
        assert page.evaluate("window.hacked") is None


@contextmanager
def running(db: Path) -> Iterator[str]:
    """The app on this store, started as `assay app` does; ended by its own process."""
    process, port = server.start(db, None)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(10)


def wait_for(address: str) -> None:
    end = time.monotonic() + WAIT / 1000
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the app did not start")


class Shared(NamedTuple):
    """An app that serves one test after the other: it looks for its store behind a link that each turns to its own folder."""

    address: str
    link: Path


@lru_cache
def shared() -> Shared:
    """The app of this session, started by the first test that asks for it."""
    link = Path(SHARED.enter_context(tempfile.TemporaryDirectory())) / "folder"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ASSAY_USER", raising=False)  # else the name of whoever asks first would be that of all
        return Shared(SHARED.enter_context(running(link / STORE)), link)


@contextmanager
def serving(db: Path, *, own: bool) -> Iterator[str]:
    """An app on this store: its own, which sees the test's environment, or the one that tests share."""
    if own:
        with running(db) as address:
            yield address
    else:
        assert db.name == STORE
        shared().link.unlink(missing_ok=True)
        shared().link.symlink_to(db.parent)
        yield shared().address


@contextmanager
def page_on(chromium: Browser, db: Path, make: Make, *, own: bool = False) -> Iterator[tuple[Page, Watch]]:
    """A page of the app on a new store, watched."""
    with closing(Store(db)) as store:
        make(store)
    watch = Watch()
    with serving(db, own=own) as address, still(chromium, 1366, 768) as context:
        page = context.new_page()
        watch.follow(page)
        act_when_idle(page)
        page.goto(address)
        try:
            yield page, watch
        except Exception as error:
            error.add_note(f"{page.url} showed:\n{page.locator('body').inner_text()}")
            raise


def act_when_idle(page: Page) -> None:
    """Let every click and entry wait until the script has run to its end."""
    page.add_locator_handler(page.locator(BUSY), lambda: None)


def settled(page: Page) -> None:
    """Until the script has run to its end and does not begin again."""
    page.evaluate("window.assayIdle = undefined")
    page.wait_for_function(QUIET_SINCE, arg=QUIET)


def sign(page: Page, name: str) -> None:
    """Say who it is, in the header."""
    page.locator(".st-key-frame").get_by_test_id("stPopoverButton").last.click()
    page.get_by_role("textbox", name="Your name").fill(name)
    page.get_by_role("textbox", name="Your name").press("Enter")
    page.get_by_test_id("stPopoverButton").filter(has_text=name).wait_for()
    settled(page)
    page.keyboard.press("Escape")
    settled(page)


def speak(page: Page, language: str) -> None:
    """Choose a language, by its own name, in the header."""
    page.locator(".st-key-frame").get_by_test_id("stPopoverButton").nth(-2).click()
    page.get_by_text(language, exact=True).click()
    settled(page)
    page.keyboard.press("Escape")
    settled(page)


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Until this holds, asked again and again; it fails as a plain assertion would."""
    end = time.monotonic() + WAIT / 1000
    while not holds():
        assert time.monotonic() < end, "what was waited for did not come"
        page.wait_for_timeout(100)


def scroll_to(part: Locator) -> None:
    """Bring this into view; where Streamlit draws it anew at that moment, nothing is scrolled and nothing breaks."""
    part.evaluate("element => element.scrollIntoView({block: 'nearest'})")


def pick(page: Page, box: str, option: str) -> None:
    """Choose this option of a list, by keyboard and mouse; opened again where what is drawn above has closed it."""
    from playwright.sync_api import TimeoutError as TooLate

    wanted = page.get_by_role("option", name=option, exact=True)
    for _ in range(20):
        settled(page)
        page.get_by_role("combobox", name=box).focus()
        page.keyboard.press("ArrowDown")
        try:
            wanted.click(timeout=3_000)
        except TooLate:
            page.keyboard.press("Escape")
            continue
        settled(page)
        return
    pytest.fail(f"{box} does not offer {option}")


def choose_row(page: Page, table: str, row: int = 0) -> None:
    """Choose this row, from 0, of the table of this name by keyboard; it keeps the focus."""
    from playwright.sync_api import expect

    links = page.get_by_role("table", name=table).locator("tbody tr").nth(row).get_by_role("link")
    settled(page)
    links.first.focus()
    page.keyboard.press("Enter")
    settled(page)
    expect(page.locator("tr[aria-current]").get_by_role("link").first).to_be_focused()
