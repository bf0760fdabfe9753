"""The labelling page in a real browser, opened, and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.browser import settled, sign

if TYPE_CHECKING:
    from playwright.sync_api import Page


def open_labelling(page: Page, name: str = "dr-three") -> None:
    """Go to the page by the navigation, and say who acts."""
    page.get_by_role("link", name="Labelling", exact=True).click()
    page.get_by_role("heading", name="What should we label next?").wait_for()
    sign(page, name)


def part(page: Page, name: str, key: str) -> None:
    """Choose a part of the page: the address has its key, which is the same in every language."""
    page.get_by_role("tab", name=name, exact=True).click()
    page.wait_for_url(lambda address: f"lab={key}" in address)
    settled(page)
