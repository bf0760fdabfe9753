"""What was chosen in a box that is closed again: undone elsewhere it stays undone, however late the next click comes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import page_on, pick, settled, speak
from support.disagreements import differing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

A_MOMENT = 2_000  # longer than a click may be on its way while the page answers another


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    with page_on(chromium, tmp_path / "assay.db", differing) as (page, watch):
        page.goto(page.url.split("?")[0].rstrip("/") + "/disagreements")
        page.locator(".st-key-disagreements-bar").wait_for()
        settled(page)
        yield page
        watch.assert_clean(page)


def choose_system(page: Page) -> None:
    page.get_by_role("button", name="All traffic").click()
    pick(page, "System", "old")
    page.wait_for_url(lambda url: "system=old" in url)
    settled(page)
    page.keyboard.press("Escape")
    settled(page)


def click_on_later(page: Page) -> None:
    """What any next click does: it brings along what every box on the page says."""
    page.wait_for_timeout(A_MOMENT)
    page.get_by_role("radio", name="Passed, but wrong", exact=True).click(force=True)
    page.wait_for_url(lambda url: "kind=miss" in url)
    settled(page)


def test_a_part_that_was_cleared_stays_cleared(page: Page) -> None:
    """The system chosen in the header, and taken back by the key beside the page's title."""
    choose_system(page)
    page.get_by_role("button", name="Show all traffic").click()
    page.wait_for_url(lambda url: "system" not in url)
    settled(page)
    click_on_later(page)

    assert "system" not in page.url


def test_a_part_that_was_left_by_going_back_stays_left(page: Page) -> None:
    """The system chosen in the header, and the browser's way back."""
    choose_system(page)
    page.go_back()
    page.wait_for_url(lambda url: "system" not in url)
    settled(page)
    click_on_later(page)

    assert "system" not in page.url


def test_a_language_that_was_left_by_going_back_stays_left(page: Page) -> None:
    """A language chosen in the header, and the browser's way back: the next click speaks the former one."""
    speak(page, "한국어")
    page.wait_for_url(lambda url: "lang=ko" in url)
    page.go_back()
    page.wait_for_url(lambda url: "lang" not in url)
    settled(page)
    click_on_later(page)

    assert "lang" not in page.url


def test_a_period_that_was_cleared_stays_cleared(page: Page) -> None:
    """The same of the period in the same box."""
    page.get_by_role("button", name="All traffic").click()
    pick(page, "Period", "Last 28 days")
    page.wait_for_url(lambda url: "from=" in url)
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show all traffic").click()
    page.wait_for_url(lambda url: "from=" not in url)
    settled(page)
    click_on_later(page)

    assert "from=" not in page.url


def test_what_was_asked_for_behind_more_stays_cleared(page: Page) -> None:
    """A harm asked for behind the button, and taken back by the key that clears the list."""
    page.get_by_role("button", name="More").click()
    pick(page, "Harm", "serious")
    page.wait_for_url(lambda url: "harm=" in url)
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show all", exact=True).click()
    page.wait_for_url(lambda url: "harm=" not in url)
    settled(page)
    click_on_later(page)

    assert "harm=" not in page.url
