"""The overview in a real browser: it asks nobody else, a miss opens, the weeks are chosen in the address, the page downloads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.app import nothing
from support.browser import page_on, settled, until
from support.drift import fill, label_all
from support.html_report import Page as Parsed
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_the_page_is_read_and_taken_along(chromium: Browser, assay: Assay, tmp_path: Path) -> None:
    """Sentence and weeks are there; a pill, a miss and the download do what they say; nothing leaves, nothing fails."""
    label_all(assay, fill(assay, weeks=6))
    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.get_by_role("heading", name="Can I trust the proxy this week?").wait_for()
        page.get_by_text("Nothing has changed since").or_(page.get_by_text("cannot be said")).first.wait_for()
        settled(page)
        page.locator("[data-testid=stVegaLiteChart]").first.wait_for()
        until(page, lambda: page.locator("[data-testid=stMetricChart]").count() >= 4)

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
