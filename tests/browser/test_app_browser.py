"""The real app in a real browser: nothing leaves this machine, nothing that others wrote runs, the keyboard suffices."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.domain.gold import GoldStatus
from annotate.present.messages import whole_table as table
from annotate.store import Store
from support.app import HOSTILE, SEEN, three, walk
from support.browser import page_on, settled, sign, until
from support.gold_page import open_gold

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

REFERENCE = "Do not take two tablets: leave the forgotten one out."


def test_hostile_texts_are_text(chromium: Browser, tmp_path: Path) -> None:
    """Scripts, images and markup of others stand on both pages as they were written, and do nothing."""
    with page_on(chromium, tmp_path / "assay.db", three) as (page, watch):
        page.get_by_text("All quantities").click()
        page.get_by_text("Where do the wrong answers sit?").click()
        page.get_by_text("Answer, what annotators and judges say, reference").first.wait_for()
        settled(page)
        for part in page.get_by_text("Answer, what annotators and judges say, reference").all():
            part.click()
            settled(page)
        shown = page.locator("[data-testid=stMain]")
        until(page, lambda: all(part in shown.inner_text() for part in SEEN))
        open_gold(page)
        page.get_by_text("Passages, in the order retrieved: 2").wait_for()
        settled(page)
        until(page, lambda: all(part in shown.inner_text() for part in SEEN))
        gold = shown.inner_text()
        assert page.locator("[data-testid=stMain] script, [data-testid=stMain] img").count() == 0
        assert len(gold) < 100_000
        assert HOSTILE not in gold
        watch.assert_clean(page)


def test_a_reference_is_written_with_the_keyboard(chromium: Browser, tmp_path: Path) -> None:
    """Name, Tab, text, Ctrl+Enter: the reference is a candidate under that name, on the page and in the store."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, walk) as (page, watch):
        open_gold(page)
        sign(page, "dr-kim")
        page.get_by_role("textbox", name="Reference answer").focus()
        page.keyboard.type(REFERENCE)
        page.keyboard.press("Control+Enter")
        page.get_by_test_id("stToast").get_by_text("Saved for review").wait_for()
        page.get_by_text("Every answer that annotators call wrong has a reference").wait_for()
        settled(page)

        page.get_by_role("radio", name="Review").click()
        page.get_by_text(REFERENCE).wait_for()
        settled(page)
        watch.assert_clean(page)
    with closing(Store(db)) as store:
        candidates = store.gold.page(GoldStatus.CANDIDATE, start=0, size=100)
        problems = store.check()
    assert ("dr-kim", REFERENCE) in [(candidate.annotator, candidate.reference) for candidate in candidates]
    assert problems == []


def test_a_link_opens_in_its_language_with_its_choices(chromium: Browser, tmp_path: Path) -> None:
    """Opened, changed, reloaded; back and forward; and by the navigation, which drops the parameters, to another page and back."""
    ko = {name: row["ko"] for name, row in table().items()}
    with page_on(chromium, tmp_path / "assay.db", walk) as (page, watch):
        home = page.url.rstrip("/")

        def sees(part: str) -> None:
            page.get_by_role("heading", name=ko["gold.title"], level=1).wait_for()
            page.get_by_role("radio", name=ko[f"gold.part_{part}"], checked=True).wait_for()
            settled(page)
            assert page.evaluate("document.documentElement.lang") == "ko"

        page.goto(f"{home}/gold?lang=ko&part=growth")
        sees("growth")
        page.get_by_role("radio", name=ko["gold.part_pairs"]).click()
        page.wait_for_url("**/gold?lang=ko&part=pairs")
        sees("pairs")
        page.reload()
        sees("pairs")
        until(page, lambda: page.url.endswith("/gold?lang=ko&part=pairs"))

        page.get_by_role("radio", name=ko["gold.part_set"]).click()
        page.wait_for_url("**part=set")
        sees("set")
        page.go_back()
        sees("pairs")
        page.go_forward()
        sees("set")

        page.get_by_role("link", name=ko["nav.labelling"]).click()
        page.get_by_role("heading", name=ko["labelling.title"], level=1).wait_for()
        page.wait_for_url("**/labelling?lang=ko")
        settled(page)
        page.get_by_role("link", name=ko["nav.gold"]).click()
        sees("set")
        page.wait_for_url("**/gold?lang=ko&part=set")
        watch.assert_clean(page)
