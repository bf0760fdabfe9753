"""Opened states of Systems, Labelling and Gold set in a real browser: tabs, folds, chosen rows, popovers and dialogs pass axe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.app import Make
from support.axe import barriers
from support.browser import page_on, settled
from support.gold import busy
from support.labelling_page import disputed, hostile_thumbs
from support.systems import graded

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MAIN = "[data-testid=stMain]"
FOLDS = f"{MAIN} [data-testid=stExpander] details:not([open]) > summary"
ROWS = f"{MAIN} tbody tr:first-child a[href^='?']"
# Those of the header are looked at on their own.
POPOVERS = f"{MAIN} [data-testid=stPopover]:not(.st-key-frame *) button"
# A button whose name ends so opens a dialog or a form.
DIALOGS = f"{MAIN} [data-testid=stButton] button:has-text('…')"
OPENED = "[data-testid=stDialog], [data-testid=stPopoverBody]"
STATES: dict[str, tuple[Make, tuple[str, ...]]] = {
    "systems": (
        graded,
        tuple(f"systems?systems={tab}" for tab in ("changes", "answers", "basis", "grades", "ranking", "slices")),
    ),
    "labelling": (
        disputed,
        tuple(f"labelling?lab={part}" for part in ("annotators", "waves", "adjudicate", "draw", "send")),
    ),
    "thumbs": (hostile_thumbs, ("labelling?lab=thumbs",)),
    "gold": (
        busy,
        tuple(f"gold?part={part}" for part in ("write", "review", "set", "pairs", "growth", "releases")),
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_opened_states_pass_axe(chromium: Browser, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part as it comes, with a row chosen, with all its folds, and with each popover and dialog, for somebody who may act."""
    make, parts = STATES[name]
    faults, opened = [], 0
    monkeypatch.setenv("ASSAY_USER", "dr-three")
    with page_on(chromium, tmp_path / "assay.db", make, own=True) as (page, watch):
        home = page.url.rstrip("/")
        for part in parts:
            page.goto(f"{home}/{part}")
            page.locator("h1").first.wait_for()
            settled(page)
            faults += _barriers(page, part)
            for row in _visible(page, ROWS)[:2]:
                _press(page, row)
                faults += _barriers(page, f"{part}, a row chosen")
            folded = opened
            while folds := _visible(page, FOLDS):
                _press(page, folds[0])
                opened += 1
            if opened > folded:
                faults += _barriers(page, f"{part}, unfolded")
            for place in range(page.locator(f"{POPOVERS}, {DIALOGS}").count()):
                button = page.locator(f"{POPOVERS}, {DIALOGS}").nth(place)
                if button.is_visible() and button.is_enabled():
                    _press(page, button)
                    opened += page.locator(OPENED).count()
                    faults += _barriers(page, f"{part}, {button.inner_text()} opened", OPENED)
                    page.keyboard.press("Escape")
                    settled(page)
        watch.assert_clean(page)
    assert faults == []
    assert opened


def _visible(page: Page, selector: str) -> list[Locator]:
    return [part for part in page.locator(selector).all() if part.is_visible()]


def _press(page: Page, part: Locator) -> None:
    part.click()
    # A tooltip comes some time after the pointer rests, outside every landmark: Streamlit's own, and not what is opened here.
    page.mouse.move(0, 0)
    settled(page)


def _barriers(page: Page, state: str, opened: str | None = None) -> list[str]:
    """What axe finds in this state, or in what has opened in it; a picture where they are asked for."""
    if folder := os.environ.get("ASSAY_SHOTS"):
        page.screenshot(path=Path(folder) / f"{state.replace('?', '-').replace('=', '-')}.png", full_page=True)
    return [f"{state}: {barrier}" for barrier in barriers(page, opened)]


PALE = "<p style='color: #eee; background: #fff'>pale</p>"
PAGE = """<html lang=en><title>A page</title><main><h1>A page</h1>{page}</main>
<div role=dialog aria-label=Opened data-testid=stDialog>{opened}</div></html>"""


@pytest.mark.parametrize(
    ("page_part", "opened_part", "broken"),
    [
        ("<p>words</p>", "<p>words</p>", []),
        ("<p>words</p>", PALE, ["color-contrast"]),
        ("<p>words</p>", "<button></button>", ["button-name"]),
        ("<button></button>", "<p>words</p>", ["button-name"]),
    ],
)
def test_what_opens_is_looked_at_like_the_page(
    chromium: Browser, page_part: str, opened_part: str, broken: list[str]
) -> None:
    """Colours and names within it, names beside it; and on a page with nothing opened every rule."""
    page = chromium.new_page()
    page.set_content(PAGE.format(page=page_part, opened=opened_part))
    assert [barrier.id for barrier in barriers(page, OPENED)] == broken
    assert [barrier.id for barrier in barriers(page)] == broken
    page.set_content(PAGE.format(page=PALE, opened="").replace("stDialog", "nothing"))
    assert "color-contrast" in [barrier.id for barrier in barriers(page, OPENED)]
    page.close()
