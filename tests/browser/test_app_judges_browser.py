"""The page of the judges in a real browser: each choice by a click, kept in the address, and nothing goes wrong or out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from support.app import nothing
from support.axe import barriers
from support.browser import page_on, pick, settled
from support.judges import several

pytestmark = pytest.mark.browser

# The sentence below the title, whatever the labels show.
MEASURED = re.compile(
    r"judges and metrics in use (?:tell right from wrong better than chance|is shown to tell right from wrong)"
)


def open_judges(page: Page) -> None:
    page.get_by_role("link", name="Judges").click()
    page.get_by_role("heading", name="Which judges tell right from wrong?").wait_for()


def test_choices_are_made_by_clicks_and_shared_by_the_address(chromium: Browser, tmp_path: Path) -> None:
    """A judge, a system, months: each shows its own numbers and stands in the address, which opens the same page again.

    The system holds on other pages, until one key shows all traffic again.
    """
    with page_on(chromium, tmp_path / "assay.db", several) as (page, watch):
        open_judges(page)
        page.get_by_text(MEASURED).wait_for()
        settled(page)
        assert page.get_by_text("is being worked out").count() == 0
        page.get_by_role("img", name="Ranking of right above wrong").first.wait_for()

        pick(page, "Look at one judge closely", "context_relevance")
        page.wait_for_url("**close=context_relevance**")
        settled(page)
        page.get_by_role("radio", name="Where answers fail").click()
        page.wait_for_url("**judges=quadrants**")
        settled(page)
        page.get_by_role("button", name="All traffic").click()
        pick(page, "System", "s1")
        page.wait_for_url("**system=s1**")
        settled(page)
        page.keyboard.press("Escape")
        page.get_by_text("of 45 (").first.wait_for()
        page.get_by_text("Shown: system s1").wait_for()
        page.get_by_role("radio", name="Drift").click()
        page.wait_for_url("**judges=drift**")
        settled(page)
        page.get_by_role("radio", name="month").first.click()
        page.wait_for_url("**windows=month**")
        settled(page)

        page.goto(page.url)
        page.get_by_text(MEASURED).wait_for()
        page.get_by_role("radio", name="month", checked=True).first.wait_for()
        settled(page)
        page.get_by_text("Shown: system s1").wait_for()
        page.get_by_role("link", name="Calibration", exact=True).click()
        page.get_by_text("This page shows all traffic").wait_for()
        page.wait_for_url("**/calibration?*system=s1*")
        settled(page)
        page.get_by_role("link", name="Overview").click()
        page.get_by_text("Shown: system s1").wait_for()
        settled(page)
        assert barriers(page) == []
        page.keyboard.press("Alt+0")
        page.wait_for_url(lambda address: "system" not in address)
        page.get_by_text("Shown: system s1").wait_for(state="detached")
        settled(page)
        watch.assert_clean(page)


def test_an_empty_store_names_the_next_command(chromium: Browser, tmp_path: Path) -> None:
    """Nothing to show, and nothing wrong in the console."""
    with page_on(chromium, tmp_path / "assay.db", nothing) as (page, watch):
        open_judges(page)
        page.get_by_text("No judge has scored an answer yet").wait_for()
        page.get_by_text("assay ingest FILE").wait_for()
        settled(page)
        watch.assert_clean(page)
