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
from support.browser import page_on, pick, settled, sign, until
from support.disagreements import ANSWER, differ, differing, told

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

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
    page.locator(".st-key-disagreements-bar").wait_for()
    settled(page)


def row(page: Page, name: str) -> Locator:
    """The row of this item in the list, all of it."""
    return page.locator("[data-testid=stRadioGroup] > div", has_text=f"Where is lift {name}?")


def question(page: Page) -> Locator:
    """The question of the item that is open."""
    return page.locator(".a-turn.now")


def wait_for_item(page: Page, name: str) -> None:
    page.wait_for_url(lambda url: f"item={name}" in url)
    question(page).get_by_text(f"Where is lift {name}?").wait_for()
    settled(page)


def test_a_row_is_selected_and_keys_go_on(chromium: Browser, tmp_path: Path) -> None:
    """A click anywhere in a row opens it; arrows and letters go on from there; the same link opens the same; filters and pages."""
    with page_on(chromium, tmp_path / "assay.db", differing) as (page, watch):
        open_page(page)
        question(page).get_by_text(f"Where is lift {NAMES[0]}?").wait_for()
        row(page, NAMES[2]).get_by_test_id("stRadioCaption").click(force=True)
        wait_for_item(page, NAMES[2])
        page.keyboard.press("ArrowDown")
        wait_for_item(page, NAMES[3])
        page.keyboard.press("n")
        wait_for_item(page, NAMES[4])
        page.keyboard.press("p")
        wait_for_item(page, NAMES[3])
        page.locator("[class*=st-key-disagreements-read]").evaluate("box => box.scrollTo(0, 100)")
        row(page, NAMES[2]).click()
        wait_for_item(page, NAMES[2])
        assert page.locator("[class*=st-key-disagreements-read]").evaluate("box => box.scrollTop") == 0

        open_page(page, item=NAMES[4])
        wait_for_item(page, NAMES[4])
        until(page, lambda: page.locator("mark", has_text="It runs at night.").count() == 1)
        page.go_back()
        wait_for_item(page, NAMES[2])

        page.get_by_role("radio", name="Failed, but right", exact=True).click(force=True)
        page.wait_for_url(lambda url: "kind=false_fail" in url)
        settled(page)
        page.get_by_role("button", name="All traffic").click()
        pick(page, "System", "old")
        page.wait_for_url(lambda url: "system=old" in url)
        settled(page)
        page.keyboard.press("Escape")
        left = differ(EVERY, lambda case: case.kind == "false_fail" and case.system == "old")
        page.get_by_text(f"{len(left)} of {len(left)}, worst first").wait_for()
        question(page).get_by_text(f"Where is lift {left[0]}?").wait_for()
        page.get_by_role("button", name="Show all traffic").click()
        page.wait_for_url(lambda url: "system" not in url)
        settled(page)
        page.get_by_role("button", name="Show all").click()
        page.wait_for_url(lambda url: "kind" not in url)
        settled(page)
        page.get_by_role("button", name="Page 2").click()
        page.wait_for_url(lambda url: "p=2" in url)
        question(page).get_by_text(f"Where is lift {NAMES[20]}?").wait_for()
        settled(page)
        row(page, NAMES[21]).click()
        wait_for_item(page, NAMES[21])
        watch.assert_clean(page)


def test_what_is_done_and_the_file(chromium: Browser, tmp_path: Path) -> None:
    """A second annotator asked for, causes saved, the list downloaded: all of it is in the store and in the file."""
    db = tmp_path / "assay.db"
    miss = next(case for case in EVERY if case.kind == "miss" and not case.causes)
    with page_on(chromium, db, differing) as (page, watch):
        open_page(page, item=miss.item_id, kind="miss")
        sign(page, "dr-kwon")
        row(page, miss.item_id).click()
        page.keyboard.press("2")
        page.get_by_text("goes to a second annotator").wait_for()
        settled(page)
        page.keyboard.press("u")
        page.get_by_role("dialog").get_by_role("button", name="incomplete").click()
        settled(page)
        page.get_by_role("dialog").get_by_role("button", name="Save the cause").click()
        page.get_by_text("are saved").wait_for()
        page.get_by_role("dialog").wait_for(state="detached")
        settled(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name="CSV").click()
        rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
        row(page, miss.item_id).click()
        page.keyboard.press("o")
        page.wait_for_url(lambda url: "/labelling" in url)
        page.get_by_text(f"Where is lift {miss.item_id}?").first.wait_for()
        settled(page)
        page.go_back()
        wait_for_item(page, miss.item_id)
        row(page, miss.item_id).click()
        page.keyboard.press("w")
        page.wait_for_url(lambda url: "/gold" in url and "part=write" in url)
        settled(page)
        watch.assert_clean(page)

    assert [row["item_id"] for row in rows] == differ(EVERY, lambda case: case.kind == "miss")
    assert {row["causes"] for row in rows if row["item_id"] == miss.item_id} == {'["incomplete"]'}
    store = Store(db)
    assert len(store.labels.second_readings.draws()) == 1
    assert [(event.who, event.what) for event in store.audit.events.all()][-2:] == [
        ("dr-kwon", "labels second annotator"),
        ("dr-kwon", "labels cause"),
    ]
    assert store.check() == []
    store.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 640), (390, 844)])
def test_list_item_and_bar_stand_on_one_screen(chromium: Browser, tmp_path: Path, width: int, height: int) -> None:
    """Nothing is wider than the window, the bar stands in it wherever one reads, and a click on a row sends little."""
    sent = [0]
    with page_on(chromium, tmp_path / "assay.db", differing) as (page, watch):
        page.set_viewport_size({"width": width, "height": height})
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(len(frame))))
        open_page(page)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width
        bar = page.locator(".st-key-disagreements-bar")
        for part in (page.locator("[data-testid=stRadioGroup]"), question(page)) if width > 900 else ():
            box = part.bounding_box()
            assert box
            assert box["y"] < height
        box = bar.bounding_box()
        assert box
        assert box["y"] + box["height"] <= height + 1 or width < 900
        question(page).scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box
        assert box["y"] + box["height"] <= height + 1
        sent.clear()
        row(page, NAMES[1]).click()
        wait_for_item(page, NAMES[1])
        assert sum(sent) < 16_000, sum(sent)
        watch.assert_clean(page)


def test_hostile_texts_are_text_where_they_are_marked(chromium: Browser, tmp_path: Path) -> None:
    """Scripts, images, markup and turned writing of others stand as they were written, in the table and in the answer."""

    def make(store: Store) -> None:
        differing(store)
        held = f"{ANSWER} {HOSTILE.replace(chr(0xD800), '')} مرحبا"
        with store.atomic():
            store._db.conn.execute("UPDATE texts SET answer = ?, question = ?", (held, held))

    with page_on(chromium, tmp_path / "assay.db", make) as (page, watch):
        open_page(page, item=NAMES[0])
        page.locator(".a-turn.answer bdi").first.wait_for()
        for shown in (page.locator(".a-turn.answer"), question(page), page.locator("[data-testid=stRadioGroup]")):
            until(page, lambda shown=shown: all(part in shown.inner_text() for part in SEEN[:1]))
        answer = page.locator(".a-turn.answer")
        until(page, lambda: all(part in answer.inner_text() for part in (*SEEN, "⟨U+202E⟩", "not supported")))
        assert page.locator("[data-testid=stMain] script, [data-testid=stMain] img").count() == 0
        assert page.locator("[data-testid=stMain] [data-testid=stHtml] a").count() == 0
        watch.assert_clean(page)
