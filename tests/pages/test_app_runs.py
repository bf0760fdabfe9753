"""Runs of a page that are cut short, and clicks that had not heard of the last answer; and counts that outlive their reader."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
import streamlit as st

from annotate.pages.kit import background, reruns, script_requests
from annotate.store import Store
from proxy.errors import UsageError
from proxy.records import Item
from support.app import NOW, walk

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

HOUR = 3_600.0
NEWS = """
import streamlit as st
from annotate.pages.kit import reruns
reruns.begin()
st.button("Act", on_click=reruns.tell, args=("news", "done"))
st.text(reruns.pending_message("news") or "nothing")
if st.session_state.get("cut short"):
    st.stop()
reruns.end()
"""
ADDRESS = """
import streamlit as st
from annotate.pages.kit import url_state, reruns
reruns.begin()
url_state.begin()
st.button("Lead", on_click=url_state.choose, args=("part", "there", "here"))
st.text(url_state.segmented("Part", {"here": "Here", "there": "There", "elsewhere": "Elsewhere"}, "part", default="here"))
reruns.end()
"""
BROKEN_OFF = """
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from annotate.pages.kit import reruns

def act():
    get_script_run_ctx().script_requests.request_rerun(RerunData())
    st.session_state["first"] = True
    st.session_state["second"] = True

st.button("Plain", on_click=act)
st.button("Whole", on_click=reruns.whole(act))
"""


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    """Nothing is counted for another test."""
    yield
    st.cache_resource.clear()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """The demo's store."""
    store = Store(tmp_path / "assay.db")
    walk(store)
    yield store
    store.close()


def opened(script: str) -> AppTest:
    """This script as a page, run once."""
    from streamlit.testing.v1 import AppTest

    return AppTest.from_string(script, default_timeout=60).run()


def button(app: AppTest, label: str) -> AppTest:
    """Press it."""
    return next(widget for widget in app.button if widget.label == label).click().run()


@pytest.mark.slow
def test_news_is_shown_until_a_run_that_showed_it_has_ended() -> None:
    """A run that is cut short may never have been seen."""
    app = opened(NEWS)
    app.session_state["cut short"] = True
    assert [button(app, "Act").text[0].value, app.run().text[0].value] == ["done", "done"]

    app.session_state["cut short"] = False
    assert [app.run().text[0].value, app.run().text[0].value] == ["done", "nothing"]


def test_news_outlives_a_click_that_was_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that comes at once was asked for before the news were read."""
    monkeypatch.setattr(reruns, "AT_ONCE", HOUR)
    app = opened(NEWS)
    assert [button(app, "Act").text[0].value, app.run().text[0].value] == ["done", "done"]
    monkeypatch.setattr(reruns, "AT_ONCE", 0.0)
    assert app.run().text[0].value == "nothing"


@pytest.mark.parametrize(
    ("at_once", "goes_back", "expected"), [(HOUR, False, "there"), (HOUR, True, "here"), (0.0, False, "here")]
)
def test_an_address_from_before_undoes_nothing(
    monkeypatch: pytest.MonkeyPatch, at_once: float, expected: str, *, goes_back: bool
) -> None:
    """A click that is too quick brings the old address; a reader who goes back means it."""
    app = button(opened(ADDRESS), "Lead")
    assert (app.text[0].value, app.query_params) == ("there", {"part": "there"})

    monkeypatch.setattr(reruns, "AT_ONCE", at_once)
    monkeypatch.setattr(script_requests, "is_going_back", lambda: goes_back)
    app.query_params.clear()
    assert app.run().text[0].value == expected
    assert app.query_params == ({} if expected == "here" else {"part": "there"})


@pytest.mark.parametrize(("at_once", "expected"), [(HOUR, "there"), (0.0, "here")])
def test_a_widget_that_had_not_heard_undoes_nothing(
    monkeypatch: pytest.MonkeyPatch, at_once: float, expected: str
) -> None:
    """It says what it said before the page chose for the reader; later, that is a choice."""
    app = button(opened(ADDRESS), "Lead")
    monkeypatch.setattr(reruns, "AT_ONCE", at_once)
    app.button_group[0].set_value("here").run()
    assert app.text[0].value == expected
    app.button_group[0].set_value("elsewhere").run()
    assert app.text[0].value == "elsewhere"


def test_three_quick_choices_end_on_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """There, elsewhere and there again, each asked for with the address of the first: the last one holds."""
    monkeypatch.setattr(reruns, "AT_ONCE", HOUR)
    app = opened(ADDRESS)
    for code in ("there", "elsewhere", "there"):
        app.query_params.clear()
        app.query_params.update(part="there")
        app.button_group[0].set_value(code).run()
        assert (app.text[0].value, app.query_params) == (code, {"part": code})
    app.query_params.update(part="elsewhere")
    assert app.run().text[0].value == "there"


def test_one_of_several_in_the_address_can_be_chosen() -> None:
    """A link with two values means neither; the reader may choose the last of them."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_string(ADDRESS, default_timeout=60)
    app.query_params["part"] = ["there", "elsewhere"]
    assert app.run().text[0].value == "here"
    app.button_group[0].set_value("elsewhere").run()
    assert (app.text[0].value, app.query_params) == ("elsewhere", {"part": "elsewhere"})


@pytest.mark.parametrize(("label", "is_whole"), [("Plain", False), ("Whole", True)])
def test_an_action_is_not_broken_off_by_a_click_that_waits(label: str, *, is_whole: bool) -> None:
    """Streamlit breaks off a plain callback at its first use of `st`."""
    app = button(opened(BROKEN_OFF), label)
    assert [name in app.session_state for name in ("first", "second")] == [is_whole, is_whole]


def test_two_readers_share_a_count_and_a_write_begins_another(store: Store) -> None:
    """One count for one version of the store, on a connection of its own."""
    seen, gate = list[Store](), Event()

    def count(own: Store) -> int:
        seen.append(own)
        gate.wait(10)
        return own.traffic.items.count()

    with ThreadPoolExecutor() as readers:
        futures = [readers.submit(background.awaited, store, "items", count) for _ in range(2)]
        gate.set()
        assert [future.result(10) for future in futures] == [16, 16]
    assert background.awaited(store, "items", count) == 16
    assert len(seen) == 1
    assert seen[0] is not store

    with store.atomic():
        store.traffic.items.add([Item(id="other", question="q", answer="a")], now=NOW)
    assert background.awaited(store, "items", count) == 17
    assert len(seen) == 2


def test_what_went_wrong_is_said_and_tried_again(store: Store) -> None:
    """An error is raised where the count is waited for, and is not kept."""

    def fails(own: Store) -> int:
        raise UsageError(f"{own.traffic.items.count()} are too many")

    with pytest.raises(UsageError, match="16 are too many"):
        background.awaited(store, "fails", fails)
    assert background.awaited(store, "fails", lambda own: own.traffic.items.count()) == 16


def test_a_count_does_not_keep_the_app_from_ending(store: Store) -> None:
    """Its thread is no reason to wait."""
    daemons, gate = list[bool](), Event()

    def count(own: Store) -> int:
        from threading import current_thread

        daemons.append(current_thread().daemon)
        gate.wait(10)
        return own.traffic.items.count()

    waits = Thread(target=background.awaited, args=(store, "waits", count))
    waits.start()
    gate.set()
    waits.join(10)
    assert daemons == [True]
