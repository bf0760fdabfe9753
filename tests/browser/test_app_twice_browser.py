"""Every button that writes, clicked twice under a busy server: it is done once, its news stays, and nothing is refused.

The second click comes while the first one waits for the store, which another process holds, or while the page is drawn anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from annotate.store import Store
from support.app import Make, in_store, judged, walk
from support.browser import page_on, settled, sign, until
from support.disagreements import differing, told
from support.gold import busy
from support.gold_page import open_gold
from support.labelling_browser import open_labelling, part
from support.labelling_page import disputed
from support.systems import many

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

WRITING, DRAWING = "while it is written", "while the page is drawn"
# Milliseconds: long enough for a click to reach the server, and for two of a double click.
ON_ITS_WAY = 400


class Press(NamedTuple):
    """A button that writes: its store, how it is reached, the event that it leaves, and the news that stays."""

    make: Make
    reach: Callable[[Page], Locator]
    event: str
    news: str


def _draw(page: Page) -> Locator:
    open_labelling(page)
    part(page, "Plan and draw", "draw")
    page.get_by_role("spinbutton", name="Labels").fill("12")
    page.get_by_role("button", name="Show what would be drawn").click()
    page.get_by_text("Widths of the 95 % intervals").wait_for()
    return page.get_by_role("button", name="Draw wave 1")


def _draw_pairs(page: Page) -> Locator:
    page.get_by_role("link", name="Systems", exact=True).click()
    page.get_by_role("heading", name="Which system is better?").wait_for()
    sign(page, "dr-kim")
    page.get_by_test_id("stMain").get_by_role("button", name="to label").click()
    page.get_by_role("spinbutton", name="Labels").fill("20")
    page.get_by_role("button", name="Show what would be drawn").click()
    page.get_by_text("would draw").wait_for()
    return page.get_by_role("button", name="Draw these")


def _reference(page: Page) -> Locator:
    open_gold(page)
    sign(page, "dr-kim")
    page.get_by_role("textbox", name="Reference answer").fill("Leave the forgotten one out.")
    page.get_by_role("textbox", name="Reference answer").press("Tab")
    return page.get_by_role("button", name="Save, next")


def _accept(page: Page) -> Locator:
    open_gold(page)
    sign(page, "dr-kim")
    page.get_by_role("radio", name="Review").click()
    return page.get_by_role("button", name="Accept", exact=True).first


def _adjudicate(page: Page) -> Locator:
    open_labelling(page)
    part(page, "To adjudicate", "adjudicate")
    page.get_by_role("radio", name="Right", exact=True).first.check(force=True)
    page.get_by_role("textbox", name="Why? (needed; kept with the label)").fill("It is the usual dose.")
    return page.get_by_role("button", name="Save and go on")


def _disagreement(page: Page) -> None:
    miss = next(case for case in told() if case.kind == "miss" and not case.causes)
    page.goto(f"{page.url.rstrip('/')}/disagreements?item={miss.item_id}")
    page.locator(".st-key-disagreements-bar").wait_for()
    settled(page)
    sign(page, "dr-kwon")


def _cause(page: Page) -> Locator:
    _disagreement(page)
    page.get_by_role("button", name="Cause").click()
    page.get_by_role("dialog").get_by_role("button", name="incomplete").click()
    return page.get_by_role("dialog").get_by_role("button", name="Save the cause")


def _second(page: Page) -> Locator:
    _disagreement(page)
    return page.locator(".st-key-disagreements-ask button").first


def _threshold(page: Page) -> Locator:
    page.goto(f"{page.url.rstrip('/')}/calibration?threshold=0.62")
    page.get_by_role("button", name="Use 0.620").wait_for()
    settled(page)
    sign(page, "dr-kim")
    return page.get_by_role("button", name="Use 0.620")


PRESSES = {
    "draw": Press(judged, _draw, "sample", "Wave 1: drew 12 of 16 answers"),
    "draw pairs": Press(many, _draw_pairs, "sample", "Wave 2: drew"),
    "reference": Press(walk, _reference, "gold add", ""),
    "accept": Press(busy, _accept, "gold accepted", "Entries accepted: 1."),
    "adjudicate": Press(disputed, _adjudicate, "labels adjudicate", "is right now"),
    "cause": Press(differing, _cause, "labels cause", "are saved"),
    "second": Press(differing, _second, "labels second annotator", "goes to a second annotator"),
    "threshold": Press(differing, _threshold, "rule set", "In force now"),
}


@contextmanager
def held(db: Path) -> Iterator[None]:
    """The store while another process writes to it: whoever else wants to waits."""
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def events(db: Path) -> list[str]:
    return in_store(db, lambda store: [event.what for event in store.audit.events.all()])


@pytest.mark.parametrize("moment", [WRITING, DRAWING])
@pytest.mark.parametrize("name", PRESSES)
def test_two_clicks_do_it_once(chromium: Browser, tmp_path: Path, name: str, moment: str) -> None:
    """One more event in the log, the news of it on the page, and no refusal, exception or error."""
    db, press = tmp_path / "assay.db", PRESSES[name]
    with page_on(chromium, db, press.make) as (page, watch):
        button = press.reach(page)
        button.wait_for()
        settled(page)
        before, pressed = events(db), button.element_handle()
        with held(db):
            pressed.evaluate("button => button.click()")
            page.wait_for_timeout(ON_ITS_WAY)
            if moment == WRITING:
                pressed.evaluate("button => button.click()")
                page.wait_for_timeout(ON_ITS_WAY)
            assert events(db) == before
        if moment == DRAWING:
            until(page, lambda: events(db) != before)
            pressed.evaluate("button => button.isConnected && button.click()")
        until(page, lambda: events(db) != before)
        settled(page)
        if press.news:
            page.get_by_text(press.news).first.wait_for()
        settled(page)
        assert events(db) == [*before, press.event]
        assert page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count() == 0
        watch.assert_clean(page)
    with closing(Store(db)) as store:
        assert store.check() == []
