"""The part Teach in a real browser: guidelines are edited and saved, the version is undone, and all of it can be reached."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser

from support.alignment import GUIDELINE
from support.app import nothing
from support.axe import barriers
from support.browser import page_on, settled, sign
from support.store import Assay
from support.teaching import USELESS, measured_twice, versions

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("quick_retries")]


def test_guidelines_are_edited_and_the_version_is_undone(chromium: Browser, assay: Assay) -> None:
    """From the tab to a file with what was typed, to an answer and back, and to the judge as it was before."""
    with ThreadPoolExecutor(1) as elsewhere:  # this thread has the event loop of Playwright
        elsewhere.submit(measured_twice, assay).result()
    with page_on(chromium, assay.db, nothing) as (page, watch):
        sign(page, "ann")
        page.get_by_role("link", name="Judges", exact=True).click()
        page.get_by_role("radio", name="Teach").click()
        page.wait_for_url("**judges=teach**")
        page.get_by_text("A version of overall has been in force since").wait_for()
        settled(page)
        assert barriers(page) == []

        box = page.get_by_role("textbox", name="Guidelines, a line each")
        assert box.input_value() == f"{GUIDELINE}."
        box.fill(f"{GUIDELINE}\n{USELESS}\nName the floor.")
        page.get_by_role("button", name="Save to be measured").click()
        page.get_by_text("3 guidelines of ann wait to be measured").wait_for()
        settled(page)
        [file] = assay.folder.glob("guidelines-overall-*.txt")
        assert file.read_text() == f"{GUIDELINE}\n{USELESS}\nName the floor.\n"
        page.get_by_text(
            re.compile(rf"assay align overall --model m .*--guidelines \S*{re.escape(file.name)}")
        ).wait_for()

        table = page.get_by_role("table", name="What experts corrected")
        table.get_by_role("link").first.click()
        page.wait_for_url("**/disagreements?*item=**")
        settled(page)
        page.go_back()
        page.get_by_role("button", name="Undo").wait_for()
        settled(page)

        page.get_by_role("button", name="Undo").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("overall is asked again as it was before").wait_for()
        settled(page)
        assert barriers(page, "[role=dialog]") == []
        dialog.get_by_role("button", name="Undo").click()
        page.get_by_text("The scores of the version stay.").wait_for()
        settled(page)
        assert not any(version["in_force"] for version in versions(assay))
        watch.assert_clean(page)
