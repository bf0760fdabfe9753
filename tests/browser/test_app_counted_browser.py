"""Counts in pictures, sentences and figures in a real browser: each opens as many answers as it says, by keyboard and mouse."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from annotate.analysis.counted_answers import counted_answers
from support.app import in_store
from support.axe import barriers
from support.browser import page_on, settled
from support.mixed import mixed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

MARK = "g.role-mark > [role=graphics-symbol]"
# Where a count stands by what leads there, and where in it the number of answers is.
PLACES = (
    ("calibration", ".a-cells a", "title"),
    ("judges?judges=quadrants", ".a-linked a", None),
    ("?all", "[data-testid=stExpander] .a-linked a[href*=thumb]", None),
)
# Pictures by where they stand and their key.
PICTURES = (
    ("judges?judges=scores", "side-by-side-spread-0"),
    ("calibration", "strip-wrong"),
    ("labelling?lab=waves", "waves-picture"),
)


def shot(page: Page, name: str) -> None:
    """A picture, where they are asked for."""
    if folder := os.environ.get("ASSAY_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def number(link: Locator, attribute: str | None) -> int:
    words = (link.get_attribute(attribute) if attribute else None) or link.inner_text()
    return int(re.findall(r"\d+", words)[-1])


def opens(page: Page, link: Locator, count: int, *, by_key: bool) -> None:
    """The list has as many rows, in the same session; going back comes back."""
    before = page.url
    if by_key:
        link.focus()
        page.keyboard.press("Enter")
    else:
        link.click()
    page.wait_for_url("**/disagreements?counted=**")
    settled(page)
    expect(page.locator(".st-key-disagreements-foot")).to_contain_text(f"of {count}")
    page.go_back()
    page.wait_for_url(before)
    settled(page)


def opens_picture(page: Page, db: Path, key: str) -> None:
    """The mark beside the first, by keys, and the same by a click: both open the answers that its code asks for."""
    marks = page.locator(f".st-key-{key} {MARK}")
    marks.and_(page.locator("[tabindex='0']")).focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{MARK}:focus")).to_be_visible()
    place, before = marks.evaluate_all("marks => marks.indexOf(document.activeElement)"), page.url
    for by_key in (True, False):
        if not by_key:
            page.go_back()
            page.wait_for_url(before)  # at once: not the page with what was asked of the list
            page.locator(f".st-key-{key} {MARK}[tabindex='0']").wait_for()
            settled(page)
        page.keyboard.press("Enter") if by_key else marks.nth(place).click()
        page.wait_for_url("**/disagreements?counted=**")
        settled(page)
        [asked] = parse_qs(urlsplit(page.url).query)["counted"]
        items = in_store(db, lambda store, asked=asked: counted_answers(store, asked))
        assert items
        expect(page.locator(".st-key-disagreements-foot")).to_contain_text(f"of {len(items)}")


def test_every_kind_of_place_opens_its_answers(chromium: Browser, tmp_path: Path) -> None:
    """The drawn 2x2 table, the sentence of a corner, a figure of feedback: light and dark, with nothing for axe to find."""
    with page_on(chromium, tmp_path / "assay.db", mixed) as (page, watch):
        home = page.url.rstrip("/")
        for place, selector, attribute in PLACES:
            page.goto(f"{home}/{place.removeprefix('?all')}")
            settled(page)
            links = page.locator(selector)
            for at, by_key in ((0, True), (-1, False)):
                if place == "?all":
                    for title in ("All quantities", "What thumbs tell of right and wrong"):
                        page.get_by_text(title).click()
                        settled(page)
                links.first.wait_for()
                link = links.nth(at)
                opens(page, link, number(link, attribute), by_key=by_key)
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)
                page.reload()
                settled(page)
                shot(page, f"counted-{place.partition('?')[0] or 'overview'}-{scheme}")
                assert barriers(page) == []
        for place, key in PICTURES:
            page.goto(f"{home}/{place}")
            page.locator(f".st-key-{key} {MARK}[tabindex='0']").wait_for()
            settled(page)
            opens_picture(page, tmp_path / "assay.db", key)
        watch.assert_clean(page)
