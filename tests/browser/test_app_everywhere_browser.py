"""Every page in a real browser at stores of every size: nothing breaks, nothing leaves the machine, nothing runs off the side.

Loading a page by its address costs the browser a second, which following a link does not: the first page of each visit is loaded,
`make test-all` loads every one. ASSAY_SHOTS names a folder for pictures of each; ASSAY_LARGE a large store that is ready.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING

import pytest

from annotate.pages.kit import server
from annotate.present.messages import LANGUAGES, whole_table
from annotate.store import Store
from proxy.records import Context, Item
from support.app import Make, nothing, questions, three, walk
from support.axe import barriers
from support.browser import Watch, running, serving, settled, still
from support.private import HIDDEN, MARKS, private
from support.tiers import shortly

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, WebSocket

PAGES = tuple(run_path(str(server.app_file()))["PAGES"])
pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST_BYTES = 1_000_000
PHONE, MOST_TABS = 390, 40
# What a page of the demo may take of a screen of 1280 x 800, in pixels and words: half of what it took before it was cut.
MOST = {
    "overview": (800, 250),
    "disagreements": (800, 700),
    "calibration": (1_400, 330),
    "judges": (1_200, 430),
    "systems": (800, 240),
    "labelling": (800, 190),
    "gold": (960, 220),
}
FIRST_BYTES = 255_000
SIZES = {1.0: (1280, 800), 1.25: (1024, 640)}  # what is left of the first at 125 %
VIEWS = ((1.0, "en"), (1.25, "zh"), (1.25, "ko"))  # a zoom and a language
FOLDED = (
    "[data-testid=stMain] [data-testid=stExpander] details:not([open]) summary",
    "[data-testid=stMain] [role=tab]",
    "[data-testid=stMain] [data-testid=stPopover] button",
    "[data-testid=stMain] [data-testid=stCheckbox] label",
)
RIGHT_TO_LEFT = (
    "هل يجوز شرب الماء قبل فحص الدم؟ \u05d4\u05d0\u05dd \u05de\u05d5\u05ea\u05e8 12 \u05e9\u05e2\u05d5\u05ea?"
)
ENDLESS = "W" * 3_000
WIDER = """
() => {
    const wide = element => element && element.scrollWidth > element.clientWidth + 1;
    return [document.documentElement, document.body, document.querySelector('[data-testid=stMain]')].some(wide);
}
"""


SIZE = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    const text = main.querySelector('[data-testid=stMainBlockContainer]').innerText;
    return [main.scrollHeight, text.split(/\\s+/).filter(Boolean).length];
}"""
# The first thing to press or fill in below the title: a link or a button that stands out, else any control of the page.
FIRST_ACTION = """() => {
    const main = document.activeElement.closest('[data-testid=stMainBlockContainer]');
    return !!main && !document.activeElement.closest('.st-key-frame');
}"""


@dataclass
class Seen(Watch):
    """A watch that also counts what came over the websocket, and keeps it."""

    frames: list[bytes] = field(default_factory=list)

    def begin(self) -> None:
        """Forget what was seen so far: another page is opened."""
        for seen in (self.frames, self.errors, self.outside, self.dialogs):
            seen.clear()

    def websocket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: self.frames.append(data.encode() if isinstance(data, str) else data))

    @property
    def size(self) -> int:
        return sum(map(len, self.frames))


def rough(store: Store) -> None:
    """Right-to-left and endless words in every place, judged and labelled; then the hostile three."""
    texts = (Context(text=ENDLESS, title=RIGHT_TO_LEFT), Context(text=RIGHT_TO_LEFT * 50))
    items = [
        Item(
            id=f"{RIGHT_TO_LEFT} {n}",
            question=f"{RIGHT_TO_LEFT} {n}",
            answer=ENDLESS,
            contexts=texts,
            system=ENDLESS[:200],
        )
        for n in range(3)
    ]
    with store.atomic():
        store.traffic.items.add(items, now="2026-11-20T00:00:00.000Z")
    three(store)


STORES: dict[str, Make | None] = {"empty": nothing, "demo": walk, "rough": rough, "large": None}
SHORTLY = {"empty": VIEWS[:1], "demo": (VIEWS[0], VIEWS[2]), "rough": VIEWS[:2], "large": VIEWS[:1]}


@contextmanager
def watched(chromium: Browser, zoom: float = 1.0) -> Iterator[tuple[Page, Seen]]:
    """A tab of a new visitor, at this zoom."""
    width, height = SIZES[zoom]
    seen = Seen()
    with still(chromium, width, height, zoom) as context:
        page = context.new_page()
        seen.follow(page)
        page.on("websocket", seen.websocket)
        yield page, seen


def shot(page: Page, name: str) -> None:
    """A picture, where they are asked for."""
    if folder := os.environ.get("ASSAY_SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


def open_page(page: Page, address: str, name: str, language: str = "en", *, by_link: bool = False) -> None:
    """The page by its own address or by its link, until its script has run to the end and what it draws is there."""
    if by_link:
        page.get_by_role("link", name=whole_table()[f"nav.{name}"][language], exact=True).click()
    else:
        page.goto(f"{address}/{name}?lang={language}")
    asked = re.compile("|".join(map(re.escape, questions(name, language))))
    page.get_by_role("heading", name=asked, level=1).wait_for()
    settled(page)


def brevity(page: Page, name: str, came: int) -> list[str]:
    """What of the page is too much: height, words, bytes, tab stops before its first control, its width on a phone."""
    height, words = page.evaluate(SIZE)
    most_height, most_words = MOST[name]
    faults = [f"{height} px high"] * (height > most_height) + [f"{words} words"] * (words > most_words)
    faults += [f"{came:,} bytes"] * (came > FIRST_BYTES)
    page.evaluate("document.activeElement.blur()")
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(FIRST_ACTION):
            break
    else:
        faults.append("the first control comes after 40 tab stops")
    before = page.viewport_size
    page.set_viewport_size({"width": PHONE, "height": 844})
    settled(page)
    faults += ["wider than a phone"] * bool(page.evaluate(WIDER))
    if before:
        page.set_viewport_size(before)
    return faults


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("tier", shortly(("short", "whole"), "short"))
def test_every_page_at_both_zooms(
    chromium: Browser,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    kind: str,
    tier: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No exception, console error, request elsewhere or page wider than the window.

    The whole in every view; the short form in English and, where the texts are long enough to run off the side, in another one.
    """
    monkeypatch.chdir(tmp_path)
    is_whole = tier == "whole"
    views = VIEWS if is_whole else SHORTLY[kind]
    db, make = tmp_path / "assay.db", STORES[kind]
    if make is None:
        shutil.copy(request.getfixturevalue("large_store" if is_whole else "smaller_store"), db)
    else:
        with closing(Store(db)) as store:
            make(store)
    faults = []
    with serving(db, own=False) as address:
        for zoom, language in views:
            with watched(chromium, zoom) as (page, seen):
                for name in PAGES:
                    seen.begin()
                    open_page(page, address, name, language, by_link=name != PAGES[0] and not is_whole)
                    shot(page, f"{kind}-{name}-{zoom:g}-{language}")
                    where = f"{name} at {zoom:g} in {language}: "
                    faults += [where + fault for fault in (*seen.errors, *seen.outside, *seen.dialogs)]
                    faults += [where + "exception"] * page.locator("[data-testid=stException]").count()
                    faults += [f"{where}{seen.size:,} bytes"] * (seen.size > MOST_BYTES)
                    title = f"{whole_table()[f'nav.{name}'][language]} · Assay"
                    faults += [where + page.title()] * (page.title() != title)
                    faults += [where + "wider than the window"] * bool(page.evaluate(WIDER))
                    if (zoom, language) == views[0]:
                        faults += [where + str(barrier) for barrier in barriers(page)]
                        if kind == "demo":
                            faults += [where + words for words in brevity(page, name, seen.size)]
                    faults += [where + "a script of others ran"] * (page.evaluate("window.hacked") is not None)
    assert faults == []


@pytest.mark.parametrize("tier", shortly(("short", "whole"), "short"))
def test_nothing_personal_reaches_the_browser(
    chromium: Browser, tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page, and in the whole no part of a page, holds what was planted into every field of the store, or what is hidden."""
    monkeypatch.chdir(tmp_path)
    db = tmp_path / "assay.db"
    with closing(Store(db)) as store:
        planted = (*private(store), *MARKS.values())
    (tmp_path / "assay.toml").write_text(HIDDEN)
    leaks = []
    with running(db) as address, watched(chromium) as (page, seen):
        for name in PAGES:
            seen.begin()
            open_page(page, address, name, by_link=name != PAGES[0])
            _open_everything(page) if tier == "whole" else _open_folded(page)
            shot(page, f"private-{name}")
            came = b"".join(seen.frames) + page.content().encode()
            leaks += [f"{name}: {text}" for text in planted if text.encode() in came]
            assert seen.errors == []
    assert leaks == []


def _open_everything(page: Page) -> None:
    """Every part that can be chosen, then all that is folded, every tab, and the first row of each table."""
    parts = page.locator("[data-testid=stMain] [role=radio]")
    for place in range(parts.count()):
        if parts.nth(place).is_visible() and parts.nth(place).inner_text() not in LANGUAGES.values():
            _click(page, parts.nth(place))
            _open_folded(page)
    _open_folded(page)


def _open_folded(page: Page) -> None:
    """What is folded here; a popover is closed again."""
    rows = page.locator("[data-testid=stMain] tbody tr:first-child a[href^='?']")
    for place in range(rows.count()):
        if rows.nth(place).is_visible():
            _click(page, rows.nth(place))
    for selector in FOLDED:
        for place in range(page.locator(selector).count()):
            part = page.locator(selector).nth(place)
            if part.is_visible():
                _click(page, part)
                if "stPopover" in selector:
                    page.keyboard.press("Escape")


def _click(page: Page, part: Locator) -> None:
    part.click()
    settled(page)
