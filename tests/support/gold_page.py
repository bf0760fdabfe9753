"""The gold page, opened in a real browser, and its part Write as the app draws it without one."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest


def open_gold(page: Page) -> None:
    """Turn to the page; its part Write asks which questions need a reference, every other what is known for sure."""
    page.get_by_role("link", name="Gold set").click()
    page.get_by_role("heading", name="Which questions need a reference?").or_(
        page.get_by_role("heading", name="What do we know for sure?")
    ).first.wait_for()


def press(app: AppTest, label: str, place: int = 0) -> AppTest:
    """Press the button with this label."""
    return [button for button in app.button if button.label == label][place].click().run()


def reads(app: AppTest) -> str:
    """Everything that stands on the page as HTML of ours, with its texts as a browser shows them."""
    return unescape("\n".join(element.proto.body for element in app.get("html") if "<style>" not in element.proto.body))
