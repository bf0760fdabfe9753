"""What was chosen in a box that is closed again: undone elsewhere it stays undone, however late the next click comes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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


class Choice(NamedTuple):
    """What is chosen: the button of the box, the list in it, the option, its parameter in the address; and what takes it back."""

    box: str
    name: str
    option: str
    parameter: str
    undo: str


SYSTEM = Choice("All traffic", "System", "old", "system", "Show all traffic")
PERIOD = Choice("All traffic", "Period", "Last 28 days", "from", "Show all traffic")
HARM = Choice("More", "Harm", "serious", "harm", "Show all")


def choose(page: Page, choice: Choice) -> None:
    """Choose it, and close the box."""
    page.get_by_role("button", name=choice.box).click()
    pick(page, choice.name, choice.option)
    page.wait_for_url(lambda url: f"{choice.parameter}=" in url)
    settled(page)
    page.keyboard.press("Escape")
    settled(page)


def stays_undone(page: Page, parameter: str) -> bool:
    """Whether any later click, which brings along what every box on the page says, leaves it out of the address."""
    page.wait_for_url(lambda url: f"{parameter}=" not in url)
    settled(page)
    page.wait_for_timeout(A_MOMENT)
    page.get_by_role("radio", name="Passed, but wrong", exact=True).click(force=True)
    page.wait_for_url(lambda url: "kind=miss" in url)
    settled(page)
    return f"{parameter}=" not in page.url


@pytest.mark.parametrize("choice", [SYSTEM, PERIOD, HARM], ids=lambda choice: choice.parameter)
def test_what_was_cleared_stays_cleared(page: Page, choice: Choice) -> None:
    """Chosen in a box, and taken back by a key outside it."""
    choose(page, choice)
    page.get_by_role("button", name=choice.undo).click()

    assert stays_undone(page, choice.parameter)


def test_what_was_left_by_going_back_stays_left(page: Page) -> None:
    """The system chosen in the header, and the browser's way back."""
    choose(page, SYSTEM)
    page.go_back()

    assert stays_undone(page, "system")


def test_a_language_that_was_left_by_going_back_stays_left(page: Page) -> None:
    """A language chosen in the header, and the browser's way back: the next click speaks the former one."""
    speak(page, "한국어")
    page.wait_for_url(lambda url: "lang=ko" in url)
    page.go_back()

    assert stays_undone(page, "lang")
