"""Clicks that come faster than answers: nothing is done twice, lost, or undone, and a long count holds nobody up."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.pages.kit import server
from annotate.store import Store
from support.app import in_store, judged
from support.browser import Watch, page_on, settled, until, wait_for
from support.labelling_browser import open_labelling, part
from support.tiers import shortly

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

TWO_CLICKS = """([words, gap]) => {
  const button = [...document.querySelectorAll('button')].find(one => one.innerText.includes(words));
  button.click();
  setTimeout(() => button.click(), gap);
}"""
# A page that holds a transaction until a gate opens, a button that writes, and a count that waits for a gate of its own.
SLOW = """
import os
import time
from pathlib import Path
import streamlit as st
from annotate.pages.kit import background, reruns
from annotate.store import Store
from proxy.records import Item

folder = Path(os.environ["SLOW"])

def waits_for(name):
    with (folder / f"{name}.log").open("a") as log:
        log.write("x")
    while not (folder / name).exists():
        time.sleep(0.02)

@reruns.whole
def save(store):
    with store.atomic(durable=True):
        store.traffic.items.add([Item(id="saved", question="q", answer="a")], now="2026-11-21T00:00:00.000Z")

def count(own):
    waits_for("count")
    return own.traffic.items.count()

@st.cache_resource(scope="session")
def opened():
    return Store(folder / "assay.db")

reruns.begin()
store = opened()
st.button("Save", on_click=save, args=(store,))
kind = st.radio("Kind", ["nothing", "held", "counted"])
if kind == "held":
    with store.snapshot():
        items = store.traffic.items.count()
        waits_for("held")
        st.text(f"held {items}")
if kind == "counted":
    with st.spinner("It counts"):
        found = background.awaited(store, "slow", count)
    st.text(f"counted {found}")
reruns.end()
"""


@contextmanager
def slow_page(chromium: Browser, folder: Path) -> Iterator[Page]:
    """The slow page in a tab, served with the settings of the app."""
    (folder / "slow.py").write_text(SLOW)
    Store(folder / "assay.db").close()
    with socket.socket() as free:  # far from those that apps of other tests try one after the other
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "slow.py"), "--server.port", str(port)]
    for name, value in server.SETTINGS.items():
        if isinstance(value, bool):
            command += [f"--{name}", str(value).lower()]
    process = subprocess.Popen(command, env=os.environ | {"SLOW": str(folder)}, stdout=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        with chromium.new_context() as context:
            page = context.new_page()
            Watch().follow(page)
            page.goto(f"http://127.0.0.1:{port}")
            page.get_by_role("radiogroup", name="Kind").wait_for()
            settled(page)
            yield page
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("gap", shortly([0, 30, 90], 30))  # milliseconds; people manage the last
def test_two_quick_clicks_draw_one_wave_and_lead_where_one_leads(chromium: Browser, tmp_path: Path, gap: int) -> None:
    """The second click knows nothing of the first: its address and its form are from before, and must undo nothing."""
    db = tmp_path / "assay.db"
    with page_on(chromium, db, judged) as (page, watch):
        open_labelling(page)
        part(page, "Plan and draw", "draw")
        page.get_by_role("spinbutton", name="Labels").fill("12")
        page.get_by_role("button", name="Show what would be drawn").click()
        page.get_by_text("Widths of the 95 % intervals").wait_for()
        page.get_by_role("button", name="Draw wave 1").wait_for()
        settled(page)
        page.evaluate(TWO_CLICKS, ["Draw wave 1", gap])
        page.get_by_role("tab", name="Send and fetch", selected=True).wait_for()
        settled(page)
        until(page, lambda: page.get_by_text("Wave 1: drew 12 of 16 answers").count() == 1)
        until(page, lambda: page.get_by_role("tab", name="Send and fetch", selected=True).is_visible())
        until(page, lambda: "lab=send" in page.url)
        assert len(in_store(db, lambda store: store.sampling.waves.all())) == 1
        watch.assert_clean(page)


def test_what_is_saved_while_the_page_counts_is_kept(chromium: Browser, tmp_path: Path) -> None:
    """A run that began beside the one that counts would write within its transaction, which is rolled back when it is left."""
    with slow_page(chromium, tmp_path) as page:
        page.get_by_text("held", exact=True).click()
        until(page, (tmp_path / "held.log").exists)
        page.get_by_role("button", name="Save").click()
        page.wait_for_timeout(500)
        (tmp_path / "held").touch()
        page.get_by_text("held 1").wait_for()
        settled(page)
        assert in_store(tmp_path / "assay.db", lambda store: store.traffic.items.count()) == 1


def test_a_long_count_goes_on_while_its_reader_looks_elsewhere(chromium: Browser, tmp_path: Path) -> None:
    """Another part of the page is there before the count has ended; who comes back finds it, and it was counted once."""
    with slow_page(chromium, tmp_path) as page:
        page.get_by_text("counted", exact=True).click()
        page.get_by_text("It counts").wait_for()
        until(page, (tmp_path / "count.log").exists)
        page.get_by_text("nothing", exact=True).click()
        page.get_by_text("It counts").wait_for(state="hidden")
        settled(page)
        assert not (tmp_path / "count").exists()

        page.get_by_text("counted", exact=True).click()
        page.get_by_text("It counts").wait_for()
        (tmp_path / "count").touch()
        page.get_by_text("counted 0").wait_for()
        assert (tmp_path / "count.log").read_text() == "x"
