"""Writing references in a real browser: one key each, and nothing that was typed is ever lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldSource
from annotate.domain.gold.drafts import ReferenceDraft
from annotate.store import Store
from proxy.records import Context, Item, Judgement
from support.app import in_store
from support.browser import WAIT, act_when_idle, page_on, settled, sign, until
from support.gold import label
from support.gold_page import open_gold
from support.store import NOW

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
LEAVING = """box => {
  box.dispatchEvent(new InputEvent('input', {bubbles: true}));
  return !dispatchEvent(new Event('beforeunload', {cancelable: true}));
}"""


def asked(store: Store) -> None:
    """Three wrong answers: a user corrected the first, another system answered the second rightly, the third has neither."""
    items = [Item(id=name, question=f"Question {name}?", answer="No.", system="new") for name in "abc"]
    with store.atomic(durable=True):
        store.traffic.items.add(
            [*items, Item(id="b-old", question="Question b?", answer="Yes, b.", system="old")], now=NOW
        )
        store.traffic.feedback.keep([Feedback(item_id="a", value="-1", sign=-1, correction="Yes, a.")], now=NOW)
    for name in "abc":
        label(store, name, Judgement.WRONG)
    label(store, "b-old", Judgement.RIGHT)


def asked_of_systems(store: Store) -> None:
    """Beside these, two more systems that are as wrong on the third question; and a fourth question to two of them."""
    asked(store)
    passages = (
        Context(text="The ward opens at nine. Visitors ask at the desk.", title="Leaflet"),
        Context(text="No parking here.", title="Map"),
    )
    items = [
        Item(id=name, question=f"Question {name[0]}?", answer=f"Ask at noon, {name}.", system=name, contexts=passages)
        for name in ("c2", "c3", "d2", "d3")
    ]
    with store.atomic(durable=True):
        store.traffic.items.add(items, now=NOW)
    for item in items:
        label(store, item.id, Judgement.WRONG)


def left(page: Page, count: int) -> None:
    """Until the head says how many questions are left."""
    page.get_by_role("heading", name=f"{count} left", level=1).wait_for()
    settled(page)


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Reference answer")


def drafts(db: Path, name: str = "a") -> list[tuple[str, str]]:
    """Who has typed what for an item, the newest first."""
    return in_store(
        db,
        lambda store: [
            (kept.annotator, kept.draft.text) for kept in store.gold.drafts.of_question(store.traffic.items.key(name))
        ],
    )


def begin(page: Page, who: str) -> None:
    open_gold(page)
    sign(page, who)
    box(page).click()


@contextmanager
def another(chromium: Browser, address: str) -> Iterator[Page]:
    """A second window, which shares nothing with the first."""
    with chromium.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        act_when_idle(page)
        page.goto(address)
        yield page


def test_a_proposal_is_one_key_and_is_kept_with_the_candidate(chromium: Browser, tmp_path: Path) -> None:
    """Alt+1 fills the box and Ctrl+Enter saves; of a text that was changed the distance says how far.

    Then a question to three systems: a passage copied by key, one reference; and one that leaves an answer out.
    """
    db = tmp_path / "assay.db"
    with page_on(chromium, db, asked_of_systems) as (page, watch):
        from playwright.sync_api import expect

        begin(page, "ann")
        for question, text, more in (("a", "Yes, a.", ""), ("b", "Yes, b.", " Ask!")):
            page.get_by_text(f"Question {question}?").wait_for()
            expect(box(page)).to_be_focused()
            page.keyboard.press("Alt+1")
            expect(box(page)).to_have_value(text)
            settled(page)
            expect(page.get_by_role("button", name="Use")).to_be_disabled()
            page.keyboard.press("End")
            page.keyboard.type(more)
            page.keyboard.press("Control+Enter")
            page.get_by_text(f"Question {question}?").wait_for(state="detached")
            settled(page)
        _copy_from_passages(page)
        _leave_one_out(page)
        watch.assert_clean(page)

    def taken(store: Store) -> list[tuple[str, GoldSource, str, int | None]]:
        entries = [(store.gold.of_item(store.traffic.items.key(name)), name) for name in "ab"]
        return [
            (
                entry.reference,
                proposal.origin.source,
                store.traffic.items.ids([proposal.origin.item])[0],
                proposal.edit_distance,
            )
            for entry, _ in entries
            if entry and (proposal := store.gold.taken_proposal(entry.gold_id))
        ]

    assert in_store(db, taken) == [
        ("Yes, a.", GoldSource.CORRECTION, "a", 0),
        ("Yes, b. Ask!", GoldSource.RIGHT_ANSWER, "b-old", 5),
    ]
    assert drafts(db, "a") == drafts(db, "b") == []
    assert in_store(
        db, lambda store: [entry.reference for entry in store.gold.entries() if entry.item_id in "cd2"]
    ) == [
        "The ward opens at nine. Visitors ask at the desk. Visitors ask at the desk.",
        "At nine.",
    ]
    why = in_store(
        db,
        lambda store: [
            store.gold.revisions(entry.gold_id)[-1].why for entry in store.gold.entries() if entry.item_id == "c"
        ],
    )
    assert why == ["Passage 1 · Leaflet"]


def _copy_from_passages(page: Page) -> None:
    """What is selected, and the sentence that was found, are copied by a key, with the passage in the note; one save for three."""
    from playwright.sync_api import expect

    page.get_by_text("Question c?").wait_for()
    left(page, 2)
    assert page.evaluate("['a-answered', 'a-asked'].map(name => CSS.highlights.get(name).size > 0)") == [True, False]
    passage = page.locator(".a-passages details").first
    passage.locator("summary").press("Enter")
    passage.locator(":scope > .a-text").click(click_count=3)
    page.keyboard.press("Alt+c")
    expect(box(page)).to_have_value("The ward opens at nine. Visitors ask at the desk.")
    expect(box(page)).to_be_focused()
    expect(page.get_by_role("textbox", name="Source or note")).to_have_value("Passage 1 · Leaflet")
    settled(page)
    find = page.get_by_role("searchbox", name="Find in passages")
    find.fill("PARKING")
    expect(page.get_by_text("No parking here."), "what was found opens").to_be_visible()
    find.fill("desk")
    find.press("Enter")
    expect(page.locator(".a-tools [role=status]")).to_have_text("1 / 1")
    find.press("Alt+c")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Question d?").wait_for()
    left(page, 1)


def _leave_one_out(page: Page) -> None:
    """By keyboard: the answer that is not ticked keeps its question in the queue, with the reason."""
    from playwright.sync_api import expect

    expect(box(page)).to_be_focused()
    page.keyboard.type("At nine.")
    page.get_by_role("checkbox", name="Answer 2 · d3").press("Space")
    reason = page.get_by_role("textbox", name="Why does it not correct answer 2?")
    reason.fill("Another ward.")
    reason.press("Control+Enter")
    page.get_by_text("Not corrected by the reference of ann").wait_for()
    page.get_by_text("Another ward.").wait_for()
    page.get_by_text("This question has a reference, below.").wait_for()
    left(page, 1)
    expect(box(page)).to_have_value("")


def test_a_reload_brings_back_what_was_typed(chromium: Browser, tmp_path: Path) -> None:
    """Without leaving the box, and before a name was given; a name that comes later signs it."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, asked) as (page, watch):
        from playwright.sync_api import expect

        open_gold(page)
        box(page).press_sequentially("Half a")
        sign(page, "ann")
        until(page, lambda: drafts(db) == [("ann", "Half a")])
        expect(box(page)).to_have_value("Half a")
        box(page).press_sequentially(" sentence")
        until(page, lambda: drafts(db) == [("ann", "Half a sentence")])
        page.reload()
        sign(page, "ann")
        expect(box(page)).to_have_value("Half a sentence")
        assert box(page).evaluate(LEAVING), "who leaves a moment after typing is asked first"
        watch.assert_clean(page)


def test_two_windows_of_one_person_keep_both_texts(chromium: Browser, tmp_path: Path) -> None:
    """What is typed in one is offered in the other, under the form and by a key."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, asked) as (page, watch):
        from playwright.sync_api import expect

        begin(page, "ann")
        with another(chromium, page.url) as other:
            begin(other, "ann")
            box(page).press_sequentially("The first.")
            until(page, lambda: drafts(db) == [("ann", "The first.")])
            box(other).press_sequentially("The second.")
            until(other, lambda: drafts(db) == [("ann", "The second."), ("ann", "The first.")])
            other.get_by_text("Your other draft").wait_for()
            other.get_by_text("The first.", exact=True).wait_for()
            box(page).press_sequentially(" Still.")
            until(page, lambda: ("ann", "The first. Still.") in drafts(db))
            expect(box(other)).to_have_value("The second.")
        page.reload()
        sign(page, "ann")
        expect(box(page)).to_have_value("The first. Still.")
        page.get_by_text("The second.", exact=True).wait_for()
        watch.assert_clean(page)


def test_two_people_have_a_draft_each_and_see_that_the_other_has(chromium: Browser, tmp_path: Path) -> None:
    """Not its text; who is overtaken finds theirs again after a reload, and decides."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, asked) as (page, watch):
        from playwright.sync_api import expect

        begin(page, "ann")
        box(page).press_sequentially("By Ann.")
        until(page, lambda: drafts(db) == [("ann", "By Ann.")])
        with another(chromium, page.url) as other:
            begin(other, "bob")
            other.get_by_text("begun by ann").wait_for()
            expect(box(other)).to_have_value("")
            assert "By Ann." not in other.content()
            box(other).press_sequentially("By Bob.")
            until(other, lambda: len(drafts(db)) == 2)
            box(other).press("Control+Enter")
            other.get_by_text("Question b?").wait_for()
        assert drafts(db) == [("ann", "By Ann.")]
        page.reload()
        sign(page, "ann")
        page.get_by_text("needs no reference any more").wait_for()
        page.get_by_text("By Bob.").wait_for()
        expect(box(page)).to_have_value("By Ann.")
        box(page).press("Control+Enter")
        page.get_by_text("Somebody else was quicker").wait_for()
        page.get_by_role("button", name="Keep theirs").click()
        page.get_by_text("Question b?").wait_for()
        until(page, lambda: drafts(db) == [])
        watch.assert_clean(page)


def test_the_way_back_brings_back_what_was_typed(chromium: Browser, tmp_path: Path) -> None:
    """By the browser's own button, from another page and from another part; each left at once, by tap or by that button."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, asked) as (page, watch):
        from playwright.sync_api import expect

        begin(page, "ann")
        box(page).press_sequentially("Half")
        page.go_back()
        box(page).wait_for(state="detached")
        until(page, lambda: drafts(db) == [("ann", "Half")])
        page.get_by_role("link", name="Gold set").click()
        expect(box(page)).to_have_value("Half")
        settled(page)
        box(page).press("End")
        page.keyboard.type(" a sentence")
        page.get_by_role("link", name="Labelling", exact=True).click()
        box(page).wait_for(state="detached")
        settled(page)
        page.go_back()
        expect(box(page)).to_have_value("Half a sentence")
        settled(page)
        box(page).press("End")
        page.keyboard.type(", more")
        page.get_by_role("radio", name="Duplicates").click()
        box(page).wait_for(state="detached")
        settled(page)
        page.go_back()
        expect(box(page)).to_have_value("Half a sentence, more")
        watch.assert_clean(page)


def test_a_link_names_the_item_to_write_for(chromium: Browser, tmp_path: Path) -> None:
    """It opens before the first of the queue, on a phone and from right to left; by keyboard, saving goes on from there."""
    db = tmp_path / "assay.db"
    question, passage = "هل يجوز شرب الماء؟", "الماء مسموح قبل الفحص."

    def begun(store: Store) -> None:
        asked(store)
        with store.atomic(durable=True):
            item = Item(id="d", question=question, answer="No.", contexts=(Context(text=passage, title="Leaflet"),))
            store.traffic.items.add([item], now=NOW)
        label(store, "d", Judgement.WRONG)
        with store.atomic():
            store.gold.drafts.keep(store.traffic.items.key("d"), "ann", ReferenceDraft(text="نعم."), None, now=NOW)

    with page_on(chromium, db, begun) as (page, watch):
        from playwright.sync_api import expect

        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{page.url}gold?part=write&item=d")
        sign(page, "ann")
        page.get_by_text(question).wait_for()
        expect(box(page)).to_have_value("نعم.")
        folded = page.locator(".a-passages")
        expect(page.get_by_text(passage)).to_be_hidden()
        expect(folded).not_to_have_attribute("open", "")
        folded.locator(":scope > summary").press("Enter")
        folded.locator("details > summary").press("Enter")
        expect(page.get_by_text(passage)).to_be_visible()
        for place in (".a-turn.now .a-text", ".a-passages details > .a-text"):
            assert page.locator(place).evaluate("text => getComputedStyle(text).direction") == "rtl", place
        assert box(page).evaluate("box => getComputedStyle(box).unicodeBidi") == "plaintext"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        box(page).press("Control+Enter")
        page.get_by_text("Question a?").wait_for()
        until(page, lambda: "item=" not in page.url)
        watch.assert_clean(page)
