"""The gold page in a real browser: each action by a real click or key, and two people who write at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.domain.gold import GoldStatus
from annotate.store import Store
from support.app import in_store
from support.browser import WAIT, act_when_idle, page_on, settled, sign, until
from support.gold import busy, steps
from support.gold_page import open_gold

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

FIELD = "Reference answer"


def go(page: Page, part: str) -> None:
    """Turn to a part or a choice; how many are there may stand behind its name."""
    page.get_by_role("radio", name=re.compile(rf"^{re.escape(part)}( [\d,]+)?$")).click()
    settled(page)


def press(page: Page, name: str, place: int = 0) -> None:
    page.get_by_role("button", name=name, exact=True).nth(place).click()
    settled(page)


def news(page: Page, words: str) -> None:
    page.get_by_test_id("stAlert").get_by_text(words).first.wait_for()
    settled(page)


def emptied(page: Page) -> None:
    """Until the form stands there for the next item."""
    page.wait_for_function(f"document.querySelector('textarea[aria-label=\"{FIELD}\"]')?.value === ''")


def _has_draft(store: Store) -> bool:
    """Whether what is typed has reached the store."""
    return any(store.gold.drafts.of_question(row) for row in store.gold.without_reference())


def references(path: Path) -> dict[str | None, str]:
    """The reference of each item that has an entry which is not retired."""
    return in_store(
        path,
        lambda store: {
            entry.item_id: entry.reference for entry in store.gold.entries() if entry.status is not GoldStatus.RETIRED
        },
    )


def test_from_the_first_key_to_the_file(chromium: Browser, tmp_path: Path) -> None:
    """References are written by keyboard alone, the cursor staying in the form; then reviewed, released and downloaded."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, busy) as (page, watch):
        from playwright.sync_api import expect

        open_gold(page)
        expect(page.get_by_role("textbox", name=FIELD), "on arrival").to_be_focused()
        sign(page, "dr-kim")
        page.get_by_role("textbox", name=FIELD).click()
        for n, text in ((4, "Four."), (0, "Nought.")):
            page.get_by_text(f"What is wrong with answer {n}?").wait_for()
            emptied(page)
            expect(page.get_by_role("textbox", name=FIELD), "the cursor is in the box of each item").to_be_focused()
            page.keyboard.type(text)
            page.keyboard.press("Control+Enter")
            page.get_by_text(f"What is wrong with answer {n}?").wait_for(state="detached")
            settled(page)
        assert references(db)["w4"] == "Four."
        assert references(db)["w0"] == "Nought."

        emptied(page)
        page.keyboard.type("Not now")
        page.keyboard.press("Alt+n")
        page.get_by_text("What is wrong with answer 2?").wait_for()
        settled(page)
        emptied(page)
        page.get_by_role("textbox", name=FIELD).fill("Two.")
        page.get_by_role("textbox", name="Source or note").fill("Guideline 7, page 3")
        page.get_by_role("textbox", name="Source or note").press("Control+Enter")
        page.get_by_text("What is wrong with answer 3?").wait_for()
        settled(page)
        page.keyboard.press("Alt+n")
        page.get_by_role("button", name="Begin again").wait_for()
        press(page, "Begin again")
        page.get_by_text("What is wrong with answer 1?").wait_for()
        expect(page.get_by_role("textbox", name=FIELD), "what was put off comes back").to_have_value("Not now")

        go(page, "Review")
        page.get_by_text("Two.", exact=True).wait_for()
        press(page, "Choose all on this page")
        press(page, "Accept 4 chosen")
        news(page, "Entries accepted: 4.")
        go(page, "Releases")
        page.get_by_role("textbox", name="Name", exact=True).fill("v3")
        press(page, "Make the release")
        news(page, "Released: v3")
        press(page, "Verify")
        news(page, "v3 is what it was")
        page.get_by_role("combobox", name="To", exact=True).click()
        page.keyboard.type("v3")
        page.keyboard.press("Enter")
        page.get_by_text("4 added, 3 removed").wait_for()
        with page.expect_download(timeout=WAIT) as download:
            page.get_by_role("button", name="Download").click()
        rows = [json.loads(line) for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()]
        assert {"Four.", "Nought.", "Two."} <= {row["reference"] for row in rows}
        until(page, lambda: "part=releases" in page.url)
        watch.assert_clean(page)
    written = in_store(db, lambda store: {entry.item_id: entry.gold_id for entry in store.gold.entries()})
    assert in_store(db, lambda store: steps(store, written["w2"]))[0][1:] == (
        "candidate",
        "dr-kim",
        "Guideline 7, page 3",
    )
    assert in_store(db, lambda store: store.check()) == []


def test_every_decision_about_entries(chromium: Browser, tmp_path: Path) -> None:
    """Flags, edits, marks, history, the search, and pairs; the serious ones alone; the part and the filter in the address."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, busy) as (page, watch):
        open_gold(page)
        sign(page, "dr-kim")
        page.get_by_role("textbox", name=FIELD).fill("not sent")
        go(page, "Serious harm (1)")  # within the second: the text leaves with the finger
        until(page, lambda: in_store(db, _has_draft))
        until(page, lambda: page.get_by_role("textbox", name=FIELD).input_value() == "not sent")
        until(page, lambda: "harm=serious" in page.url)
        page.get_by_text("Serious harm", exact=True).wait_for()

        go(page, "Review")
        page.get_by_text("The label says wrong since").wait_for()
        press(page, "Edit")
        page.get_by_role("textbox", name="Reference").fill("The lift is on the right.")
        page.get_by_role("textbox", name="Reference").press("Control+Enter")
        news(page, "is changed, accepted.")
        press(page, "Retire")
        news(page, "Entries retired: 1.")

        go(page, "The set")
        page.get_by_role("textbox", name="Find").fill("RIGHT")
        page.get_by_role("textbox", name="Find").press("Enter")
        page.get_by_text("Found: 1 of 5.").wait_for()
        settled(page)
        press(page, "History")
        page.get_by_text("accepted by dr-kim: edited").wait_for()
        page.keyboard.press("Escape")
        page.get_by_text("Knowledge base lacks this").click()
        news(page, "The mark is kept.")

        go(page, "Duplicates")
        page.get_by_text("Pairs that ask nearly the same: 2; in conflict: 1.").wait_for()
        page.get_by_text("Quantities on one side only: left 5ml; right 50ml.").wait_for()
        page.get_by_role("textbox", name="Why?").first.fill("two strengths are sold")
        press(page, "Keep both")
        news(page, "Both stay")
        press(page, "Keep only this", 1)
        news(page, "is retired.")
        page.get_by_text("None: no two entries ask nearly the same").wait_for()

        go(page, "Growth")
        page.get_by_test_id("stVegaLiteChart").nth(1).wait_for()
        go(page, "Cause")
        go(page, "Topics and slices")
        press(page, "Work out the topics and slices")
        page.get_by_text("Field", exact=True).wait_for()
        page.reload()
        page.get_by_text("What does the gold set cover?").wait_for()
        settled(page)
        watch.assert_clean(page)
    kept = references(db)
    assert set(kept) == {"a", "b", "d", "e"}, "c was a duplicate of d, f was retired"
    assert kept["e"] == "The lift is on the right."
    assert in_store(db, lambda store: store.gold.count_lacking()) == 1


def test_two_people_who_write_at_once_lose_nothing(chromium: Browser, tmp_path: Path) -> None:
    """The second sees both texts, keeps what they wrote, and decides; a form sent twice adds one."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, busy) as (page, watch):
        open_gold(page)
        with chromium.new_context() as context:
            second_page = context.new_page()
            second_page.set_default_timeout(WAIT)
            act_when_idle(second_page)
            second_page.goto(page.url)
            for window, name in ((page, "ann"), (second_page, "bob")):
                sign(window, name)
                window.get_by_text("What is wrong with answer 4?").wait_for()
            page.get_by_role("textbox", name=FIELD).fill("Ann's text.")
            second_page.get_by_role("textbox", name=FIELD).fill("Bob's text.")
            page.get_by_role("textbox", name=FIELD).press("Control+Enter")
            page.keyboard.press("Control+Enter")
            page.get_by_test_id("stToast").get_by_text("Saved for review").first.wait_for()
            settled(page)
            assert references(db)["w4"] == "Ann's text."
            assert "w0" not in references(db), "the key pressed twice wrote nothing for the next one"

            second_page.get_by_role("textbox", name=FIELD).press("Control+Enter")
            second_page.get_by_text("Somebody else was quicker").wait_for()
            second_page.get_by_text("Ann's text.").wait_for()
            settled(second_page)
            until(
                second_page,
                lambda: second_page.get_by_role("textbox", name="What you wrote").input_value() == "Bob's text.",
            )
            second_page.get_by_role("textbox", name="What you wrote").fill("Bob's text, with Ann's.")
            press(second_page, "Replace theirs with mine")
            news(second_page, "holds your text now")
        watch.assert_clean(page)
    gold_id = in_store(db, lambda store: next(entry.gold_id for entry in store.gold.entries() if entry.item_id == "w4"))
    history = in_store(
        db, lambda store: [(revision.who, revision.reference) for revision in store.gold.revisions(gold_id)]
    )
    assert history == [("ann", "Ann's text."), ("bob", "Bob's text, with Ann's.")]
    assert in_store(db, _events) == 1


def _events(store: Store) -> int:
    return sum(event.what == "gold add" for event in store.audit.events.all())
