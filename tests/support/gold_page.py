"""The gold page in a real browser, opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def open_gold(page: Page) -> None:
    page.get_by_role("link", name="Gold set").click()
    page.get_by_role("heading", name="What do we know for sure?").wait_for()
