"""Each action of the labelling page with real clicks in a real browser, and its state in the address in every language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.store import Store
from support.app import SEEN, in_store, judged
from support.browser import page_on, settled, speak, until
from support.fake_server import TOKEN, FakeServer, on_a_port
from support.labelling_browser import open_labelling, part
from support.labelling_page import disputed, hostile_thumbs

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_a_case_is_adjudicated_and_taken_back_and_the_part_stays_in_the_address(
    chromium: Browser, tmp_path: Path
) -> None:
    """Form, reason, Ctrl+Enter's button; then the decision is taken back; the address names the part in every language."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, disputed) as (page, watch):
        open_labelling(page)
        part(page, "To adjudicate", "adjudicate")
        page.get_by_text("An annotator marks this answer as seriously harmful.").wait_for()
        page.get_by_role("radio", name="Right", exact=True).first.check(force=True)
        page.get_by_role("textbox", name="Why? (needed; kept with the label)").fill("It is the usual dose.")
        page.get_by_role("button", name="Save and go on").click()
        page.get_by_text("is right now").wait_for()
        settled(page)
        assert in_store(db, lambda store: len(store.labels.adjudication.waiting())) == 2

        page.get_by_text("Show what was adjudicated: 1").click()
        page.get_by_role("button", name="Take back").click()
        page.get_by_role("textbox", name="Why? (needed)", exact=True).fill("Hasty.")
        page.get_by_role("textbox", name="Why? (needed)", exact=True).press("Enter")
        settled(page)
        page.get_by_role("button", name="Take back").last.click()
        page.get_by_text("Taken back:").wait_for()
        assert in_store(db, lambda store: len(store.labels.adjudication.waiting())) == 3

        speak(page, "한국어")
        part(page, "차수", "waves")
        page.reload()
        page.get_by_text("각 답변은 어떤 확률로 뽑혔나요?").wait_for()
        settled(page)
        until(page, lambda: "lab=waves" in page.url)
        watch.assert_clean(page)


def test_a_wave_is_looked_at_drawn_sent_and_fetched(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dry run, drawing, push and pull against a server on this machine; one wave, twelve tasks."""
    db, server = tmp_path / "assay.db", FakeServer()
    with on_a_port(server) as url:
        monkeypatch.setenv("LABEL_STUDIO_URL", url)
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
        with page_on(chromium, db, judged, own=True) as (page, watch):
            open_labelling(page)
            part(page, "Plan and draw", "draw")
            page.get_by_role("spinbutton", name="Labels").fill("12")
            page.get_by_role("button", name="Show what would be drawn").click()
            page.get_by_text("would draw 12 of 16 answers").wait_for()
            page.get_by_text("Widths of the 95 % intervals").wait_for()
            settled(page)
            assert in_store(db, lambda store: store.sampling.waves.all()) == []
            page.get_by_role("button", name="Draw wave 1").click()
            page.get_by_role("tab", name="Send and fetch", selected=True).wait_for()
            settled(page)
            assert len(in_store(db, lambda store: store.sampling.waves.all())) == 1

            page.get_by_role("button", name="Send open draws").click()
            page.get_by_text("12 tasks sent").wait_for()
            page.get_by_role("link", name="Label as everybody").wait_for()
            assert len(server.tasks) == 12
            result = [{"from_name": "verdict", "to_name": "answer", "type": "choices", "value": {"choices": ["right"]}}]
            server.annotate(
                server.tasks[0]["id"], result=result, completed_by=1, lead_time=5.0, updated_at=server._now()
            )
            page.get_by_role("button", name="Fetch labels").click()
            page.get_by_text("1 new, 0 changed").wait_for()
            page.get_by_text("1 of 12 drawn answers are labelled").wait_for()
            assert TOKEN not in page.locator("[data-testid=stApp]").inner_text()
            watch.assert_clean(page)
    store = Store(db)
    told = [(event.what, event.who) for event in store.audit.events.all()]
    problems = store.check()
    store.close()
    assert [event for event in told if event[1] == "dr-three"] == [
        ("sample", "dr-three"),
        ("push", "dr-three"),
        ("pull", "dr-three"),
    ]
    assert problems == []


def test_complaints_are_looked_through(chromium: Browser, tmp_path: Path) -> None:
    """A filter of the inbox, kept in the address, and the way to the next wave; nothing runs that others wrote."""
    with page_on(chromium, tmp_path / "assay.db", hostile_thumbs) as (page, watch):
        open_labelling(page)
        part(page, "Thumbs-down", "thumbs")
        page.get_by_text("Waiting for the next wave: 1").wait_for()
        page.get_by_text("Of no known answer: 1").click()
        page.get_by_text("No answer with this id came in yet").wait_for()
        page.wait_for_url(lambda address: "lf=unknown" in address)
        page.get_by_role("button", name="Set aside …").click()
        page.get_by_role("textbox", name="Why is nothing to be labelled?").fill("A test of ours.")
        page.get_by_role("button", name="Set aside", exact=True).click()
        page.get_by_text("Set aside: no label, and no chance has changed.").wait_for()
        page.get_by_text("Set aside: 1", exact=True).click()
        page.get_by_text("Set aside by dr-three").wait_for()
        page.get_by_role("button", name="Let it wait again").click()
        page.get_by_text("It waits again.").wait_for()
        page.get_by_text("Waiting for the next wave: 1").click()
        page.get_by_text("The app answered").wait_for()
        settled(page)
        shown = page.locator("[data-testid=stMain]")
        until(page, lambda: all(text in shown.inner_text() for text in SEEN))
        page.get_by_role("button", name="Plan a wave that draws them").click()
        page.get_by_role("tab", name="Plan and draw", selected=True).wait_for()
        settled(page)
        watch.assert_clean(page)
