"""The overview in a real browser: one screen, links to where work waits, a dot, a week and a miss that open, a file to take along."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from support.app import nothing, walk
from support.browser import page_on, settled, until
from support.drift import fill, label_all
from support.html_report import Page as Parsed
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

MOST_WORDS = 250
MARKS = ".mark-symbol.role-mark path"


def home(page: Page) -> None:
    page.get_by_role("link", name="Overview").first.click()
    page.get_by_role("heading", name="Can we trust the proxy?").wait_for()
    page.locator(f".st-key-card-weeks {MARKS}").first.wait_for()
    settled(page)


def test_one_screen_leads_on(chromium: Browser, assay: Assay, tmp_path: Path) -> None:
    """It fits 1280 by 800 in 250 words; a week opens its answers, a tile its page; nothing leaves, nothing fails."""
    label_all(assay, fill(assay, weeks=6))
    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.get_by_test_id("stVegaLiteChart").nth(0).wait_for()
        settled(page)
        main = page.get_by_test_id("stMain")
        assert main.evaluate("element => element.scrollHeight") <= 800
        assert len(main.inner_text().split()) <= MOST_WORDS

        page.get_by_role("link", name="Right among the passed").click()
        page.wait_for_url("**/calibration*")
        settled(page)

        home(page)
        page.locator(f".st-key-card-weeks {MARKS}").first.click()
        page.wait_for_url("**/disagreements?*")
        asked = parse_qs(urlsplit(page.url).query)
        assert asked == {"counted": ["window~week~pass_precision~2026-06-01"]}
        settled(page)
        watch.assert_clean(page)


def test_a_dot_opens_its_answer(chromium: Browser, tmp_path: Path) -> None:
    """The link names the answer; the chart that the browser got names none."""
    with page_on(chromium, tmp_path / "assay.db", walk) as (page, watch):
        home(page)
        page.locator(f".st-key-card-quadrants {MARKS}").first.click()
        page.wait_for_url("**/disagreements?item=*")
        settled(page)
        watch.assert_clean(page)


def test_everything_is_one_click_away_and_taken_along(chromium: Browser, assay: Assay, tmp_path: Path) -> None:
    """A pill, a miss and the download do what they say."""
    label_all(assay, fill(assay, weeks=6))
    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.get_by_role("heading", name="Can we trust the proxy?").wait_for()
        settled(page)
        page.get_by_text("All quantities").click()
        for title in ("How did it go, week by week?", "Where do the wrong answers sit?"):
            page.get_by_text(title).click()
            settled(page)
        page.get_by_text("Nothing has changed since").or_(page.get_by_text("cannot be said")).first.wait_for()
        settled(page)

        page.get_by_role("button", name="Passed by the proxy", exact=True).click()
        page.wait_for_url("**course=**")
        settled(page)
        until(page, lambda: "pass_rate" in page.url)

        page.get_by_text("Answer, what annotators and judges say, reference").first.click()
        page.get_by_text("What the judges say", exact=True).first.wait_for()
        settled(page)

        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download the report as one HTML file").click()
        file = tmp_path / "saved.html"
        waiting.value.save_as(file)
        assert waiting.value.suggested_filename == "assay-report.html"
        watch.assert_clean(page)

    rows, report = Parsed(file.read_text(encoding="utf-8")).table("figures"), assay.json("report")
    assert rows["correctness"].numbers["estimate"] == report["correctness"]["estimate"]
