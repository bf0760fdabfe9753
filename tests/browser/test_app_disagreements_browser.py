"""The page of disagreements in a real browser: a row selected, keys pressed, filters, both actions, the file, hostile texts."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from annotate.store import Store
from support.app import HOSTILE, SEEN
from support.browser import page_on, pick, select_row, settled, sign, until
from support.disagreements import ANSWER, differ, differing, told

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

EVERY = told()
NAMES = differ(EVERY)


def asked(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query, keep_blank_values=True).items()}


def open_page(page: Page, **wanted: str) -> None:
    """The page under this address, as a link opens it."""
    start = urlsplit(page.url)
    query = "&".join(f"{name}={value}" for name, value in wanted.items())
    page.goto(f"{start.scheme}://{start.netloc}/disagreements?{query}")
    page.get_by_role("heading", name="Where is the proxy wrong?").wait_for()
    page.get_by_text("Rule in force").wait_for()
    settled(page)


def wait_for_item(page: Page, name: str) -> None:
    page.wait_for_url(lambda url: f"item={name}" in url)
    page.locator("[data-testid=stText]", has_text=f"Where is lift {name}?").wait_for()
    settled(page)


def test_a_row_is_selected_and_keys_go_on(chromium: Browser, tmp_path: Path) -> None:
    """The third row opens; N goes on, P goes back; the same link opens the same item; filters and pages by click."""
    with page_on(chromium, tmp_path / "assay.db", differing) as (page, watch):
        open_page(page)
        select_row(page, page.get_by_test_id("stDataFrame").first, 2)
        wait_for_item(page, NAMES[2])
        page.keyboard.press("n")
        wait_for_item(page, NAMES[3])
        page.keyboard.press("p")
        wait_for_item(page, NAMES[2])

        open_page(page, item=NAMES[4])
        wait_for_item(page, NAMES[4])
        until(page, lambda: page.locator("bdi", has_text="It runs at night.").count() == 1)
        until(page, lambda: "not supported" in page.locator("[data-testid=stHtml]").inner_text())
        page.go_back()
        wait_for_item(page, NAMES[2])

        page.get_by_text("▽ False fail", exact=True).first.click()
        page.wait_for_url(lambda url: "kind=false_fail" in url)
        settled(page)
        pick(page, "System", "old")
        page.wait_for_url(lambda url: "system=old" in url)
        settled(page)
        count = len(differ(EVERY, lambda case: case.kind == "false_fail" and case.system == "old"))
        page.get_by_text(f"misses 0, false fails {count}").wait_for()
        page.get_by_role("button", name="Show all again").click()
        page.wait_for_url(lambda url: "system" not in url)
        settled(page)
        page.get_by_role("button", name="Page 2").click()
        page.wait_for_url(lambda url: "p=2" in url)
        settled(page)
        select_row(page, page.get_by_test_id("stDataFrame").first, 0)
        wait_for_item(page, NAMES[10])
        watch.assert_clean(page)


def test_both_actions_and_the_file(chromium: Browser, tmp_path: Path) -> None:
    """A second annotator asked for, causes saved, the list downloaded: all of it is in the store and in the file."""
    db = tmp_path / "assay.db"
    miss = next(case for case in EVERY if case.kind == "miss" and not case.causes)
    with page_on(chromium, db, differing) as (page, watch):
        open_page(page, item=miss.item_id, kind="miss")
        sign(page, "dr-kim")
        page.get_by_role("button", name="Ask for a second annotator").click()
        page.get_by_text("goes to a second annotator").wait_for()
        settled(page)
        pick(page, "Why is it wrong?", "incomplete")
        page.keyboard.press("Escape")
        page.get_by_role("group", name="Selected values").get_by_text("incomplete").wait_for()
        page.get_by_role("button", name="Save the cause").click()
        page.get_by_text("are saved").wait_for()
        settled(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name="List as CSV").click()
        rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
        watch.assert_clean(page)

    assert [row["item_id"] for row in rows] == differ(EVERY, lambda case: case.kind == "miss")
    assert {row["causes"] for row in rows if row["item_id"] == miss.item_id} == {'["incomplete"]'}
    store = Store(db)
    assert len(store.labels.second_readings.draws()) == 1
    assert [(event.who, event.what) for event in store.audit.events.all()][-2:] == [
        ("dr-kim", "labels second annotator"),
        ("dr-kim", "labels cause"),
    ]
    assert store.check() == []
    store.close()


def test_hostile_texts_are_text_where_they_are_marked(chromium: Browser, tmp_path: Path) -> None:
    """Scripts, images, markup and turned writing of others stand as they were written, in the table and in the answer."""

    def make(store: Store) -> None:
        differing(store)
        held = f"{ANSWER} {HOSTILE.replace(chr(0xD800), '')} مرحبا"
        with store.atomic():
            store._db.conn.execute("UPDATE texts SET answer = ?, question = ?", (held, held))

    with page_on(chromium, tmp_path / "assay.db", make) as (page, watch):
        open_page(page, item=NAMES[0])
        page.locator("[data-testid=stHtml] bdi").first.wait_for()
        shown = page.locator("[data-testid=stHtml]")
        until(page, lambda: all(part in shown.inner_text() for part in (*SEEN, "⟨U+202E⟩", "not supported")))
        assert page.locator("[data-testid=stMain] script, [data-testid=stMain] img").count() == 0
        assert page.locator("[data-testid=stMain] [data-testid=stHtml] a").count() == 0
        watch.assert_clean(page)
