"""The calibration page in a real browser: the slider, its link, saving a threshold and certifying one, with real clicks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from annotate.store import Store
from support.app import nothing
from support.browser import page_on, pick, settled, sign, until
from support.calibration import labelled, scored
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

TITLE = "What does a score of 0.7 mean, where should the threshold be?"


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def main(page: Page) -> str:
    return page.locator("[data-testid=stMain]").inner_text()


def cards(page: Page) -> list[str]:
    """The six values at the threshold that is looked at."""
    values = page.locator("[data-testid=stMetricValue]")
    values.nth(5).wait_for()
    return values.all_inner_texts()


def slide(page: Page, steps: int) -> None:
    """Move the threshold with the keyboard, a hundredth a step."""
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    page.get_by_text("Chosen by eye on these very labels").wait_for()
    settled(page)


def rules(db: Path) -> list[tuple[str, str, bool]]:
    store = Store(db)
    try:
        return [(rule.name, rule.expression, rule.is_calibrated) for rule, _, _ in store.scores.rules.history()]
    finally:
        store.close()


def test_a_cut_is_looked_at_shared_saved_and_certified(chromium: Browser, assay: Assay) -> None:
    """By keyboard and mouse, on one store: every action of the page, and what it leaves behind."""
    labelled(scored(assay), 240)
    with page_on(chromium, assay.db, nothing) as (page, watch):
        page.get_by_role("link", name="Calibration").click()
        page.get_by_role("heading", name=TITLE).wait_for()
        settled(page)
        sign(page, "dr-kim")
        until(page, lambda: page.locator("[data-testid=stVegaLiteChart]").count() >= 8)
        assert page.get_by_role("button", name="Save 0.62 as the rule in force").count() == 0

        slide(page, 12)
        until(page, lambda: asked(page).get("threshold") == ["0.62"])
        settled(page)
        shown = cards(page)
        link = page.url
        page.goto(link)
        page.get_by_text("Chosen by eye on these very labels").wait_for()
        settled(page)
        until(page, lambda: "Shown: a threshold of 0.62. In force: 0.5." in main(page))
        until(page, lambda: cards(page) == shown)
        page.get_by_role("link", name="Judges").click()
        page.get_by_role("heading", level=1).get_by_text("judge").first.wait_for()
        settled(page)
        page.go_back()
        page.get_by_text("Chosen by eye on these very labels").wait_for()
        settled(page)
        assert asked(page)["threshold"] == ["0.62"]
        until(page, lambda: cards(page) == shown)
        assert page.get_by_role("slider").get_attribute("aria-label") == "The threshold to look at"

        sign(page, "dr-kim")
        page.get_by_role("textbox", name="Name of the rule").fill("by eye")
        page.get_by_role("button", name="Save 0.62 as the rule in force").click()
        page.get_by_text("In force now: by eye, version 1: quality > 0.62").wait_for()
        settled(page)
        assert rules(assay.db)[-1] == ("by eye", "quality > 0.62", False)
        until(page, lambda: "Shown: the threshold in force, 0.62." in main(page))

        for name, said in (
            ("isotonic", "By isotonic steps the chance is"),
            ("Platt", "By Platt's curve the chance is"),
        ):
            page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).first.click()
            page.get_by_text(said).wait_for()
        page.get_by_role("button", name="Put the guaranteed threshold in force").click()
        page.get_by_text("which labels chose with a guarantee (for this window and for the long run)").wait_for()
        settled(page)
        name, _, is_calibrated = rules(assay.db)[-1]
        assert (name, is_calibrated) == ("by eye", True)
        page.get_by_text(re.compile(r"^The threshold in force, 0\.\d+, keeps at least 90 %")).wait_for()
        page.wait_for_load_state("networkidle")

        pick(page, "Judge", "quality")
        page.get_by_text("Labelled draws: 240").wait_for()
        settled(page)
        assert asked(page)["judge"] == ["quality"]
        watch.assert_clean(page)
    store = Store(assay.db)
    assert store.check() == []
    assert [event.who for event in store.audit.events.all()][-2:] == ["dr-kim", "dr-kim"]
    store.close()
