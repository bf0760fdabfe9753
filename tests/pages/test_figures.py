"""Figures kept between reruns: computed once while the store stays the same, and never older than the store."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from annotate.domain.gold.drafts import ReferenceDraft
from annotate.pages.kit import cache
from annotate.store import Store
from proxy.records import Item
from support.app import NOW, in_store, walk

WRITE = """
import sys
from pathlib import Path
from annotate.store import Store
from proxy.records import Item
store = Store(Path(sys.argv[1]))
with store.atomic():
    store.traffic.items.add([Item(id="other", question="q", answer="a")], now="2026-11-21T00:00:00.000Z")
store.close()
"""
COUNTED = """
import os
from pathlib import Path
import streamlit as st
from annotate.pages.kit import cache
from annotate.store import Store

store = Store(Path(os.environ["ASSAY_DB"]))
def compute():
    log = Path(os.environ["ASSAY_DB"] + ".log")
    log.write_text(log.read_text() + "x" if log.exists() else "x")
    return store.traffic.items.count()
st.text(str(cache.kept(store, "counted", compute)))
store.close()
"""


class Counting:
    """How many items there are, and how often that was asked."""

    def __init__(self, store: Store) -> None:
        self.store, self.times = store, 0

    def __call__(self) -> int:
        """Count."""
        self.times += 1
        return self.store.traffic.items.count()


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    """Nothing is kept from another test."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def demo(store_path: Path) -> Iterator[Store]:
    """The demo's sixteen items."""
    store = Store(store_path)
    walk(store)
    yield store
    store.close()


def add(store: Store, name: str) -> None:
    """One more item."""
    with store.atomic():
        store.traffic.items.add([Item(id=name, question="q", answer="a")], now=NOW)


@pytest.mark.slow
def test_a_figure_is_computed_once_until_somebody_writes(demo: Store) -> None:
    """Asking again, also over another connection, computes nothing; a write of either is seen at once."""
    count, second = Counting(demo), Store(demo.path)
    assert [cache.kept(store, "n", count) for store in (demo, demo, second)] == [16] * 3
    assert count.times == 1

    add(demo, "own")
    assert [cache.kept(store, "n", count) for store in (second, demo)] == [17] * 2
    add(second, "its")
    assert [cache.kept(store, "n", count) for store in (demo, second)] == [18] * 2
    assert count.times == 3
    second.close()


@pytest.mark.slow
def test_another_process_is_seen(demo: Store) -> None:
    """What a command in another process writes is in the next figure."""
    count = Counting(demo)
    assert cache.kept(demo, "n", count) == 16
    subprocess.run([sys.executable, "-c", WRITE, str(demo.path)], check=True)

    assert cache.kept(demo, "n", count) == 17
    assert count.times == 2


def draft(store: Store, text: str) -> None:
    """Write what no figure depends on."""
    with cache.unmoved(store):
        store.gold.drafts.keep(1, "ann", ReferenceDraft(text=text), None, now=NOW)


def test_a_draft_makes_no_figure_old(demo: Store) -> None:
    """Neither one nor several; what anybody else writes is seen, and so is the next write of the same connection."""
    count = Counting(demo)
    cache.kept(demo, "n", count)
    for text in ("One", "One at", "One at a time."):
        in_store(demo.path, lambda other, text=text: draft(other, text))
        assert cache.kept(demo, "n", count) == 16
    assert (count.times, len(demo.gold.drafts.of_question(1))) == (1, 3)

    in_store(demo.path, lambda other: add(other, "between"))
    draft(demo, "After that.")
    assert cache.kept(demo, "n", count) == 17
    add(demo, "last")
    assert cache.kept(demo, "n", count) == 18
    assert count.times == 3


def test_a_write_just_after_a_draft_is_seen(demo: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another connection writes once the draft is in, and before the watch has looked."""
    count, watch, looked = Counting(demo), cache._watch_of(demo), Store.changes
    cache.kept(demo, "n", count)
    times = 0

    def look(store: Store) -> int:
        nonlocal times
        if store is watch.store and not demo._db.conn.in_transaction:
            times += 1
            in_store(demo.path, lambda other: add(other, "beside"))
        return looked(store)

    monkeypatch.setattr(Store, "changes", look)
    draft(demo, "Half.")
    monkeypatch.undo()
    assert times == 1
    assert cache.kept(demo, "n", count) == 17


def test_names_and_questions_are_kept_apart(demo: Store) -> None:
    """Another name, another question and another store are other figures; the same question is the same."""
    asked = [("n", ()), ("n", ("a",)), ("n", ("a", 1)), ("m", ("a",)), ("n", ("a",))]
    values = iter(range(10))

    figures = [cache.kept(demo, name, lambda: next(values), *question) for name, question in asked]

    assert figures == [0, 1, 2, 3, 1]


def test_what_is_written_while_it_is_computed_is_not_missed(demo: Store) -> None:
    """A figure is kept under the version from before it was computed: one that a write overtook is computed again."""

    def overtaken() -> int:
        seen = demo.traffic.items.count()
        if seen == 16:
            in_store(demo.path, lambda other: add(other, "meanwhile"))
        return seen

    assert cache.kept(demo, "n", overtaken) == 16
    assert cache.kept(demo, "n", overtaken) == 17


def test_a_store_that_was_replaced_is_seen(demo: Store, tmp_path: Path) -> None:
    """Another file at the same place, such as a restored backup, is another store."""
    assert cache.kept(demo, "n", demo.traffic.items.count) == 16
    demo.close()
    empty = Store(tmp_path / "other.db")
    empty.close()
    for path in demo.path.parent.glob(f"{demo.path.name}-*"):
        path.unlink()
    shutil.move(tmp_path / "other.db", demo.path)

    assert in_store(demo.path, lambda store: cache.kept(store, "n", store.traffic.items.count)) == 0


@pytest.mark.slow
def test_two_reruns_and_two_sessions_share_it(demo: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is run again, and a second visitor, get what was computed for the first; a write is seen by both."""
    from streamlit.testing.v1 import AppTest

    monkeypatch.setenv("ASSAY_DB", str(demo.path))
    log = demo.path.with_name(f"{demo.path.name}.log")
    sessions = [AppTest.from_string(COUNTED, default_timeout=60) for _ in range(2)]

    shown = [session.run(timeout=30).text[0].value for session in (*sessions, *sessions)]
    assert (shown, log.read_text()) == (["16"] * 4, "x")

    add(demo, "new")
    shown = [session.run(timeout=30).text[0].value for session in (*sessions, *sessions)]
    assert (shown, log.read_text()) == (["17"] * 4, "xx")


@pytest.mark.slow
def test_the_report_is_one_for_all(demo: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once all is counted, which is kept in the store, it is the same object; other limits are another report."""
    monkeypatch.chdir(demo.path.parent)
    cache.report(demo)
    first = cache.report(demo)
    assert cache.report(demo) is first

    Path("assay.toml").write_text("[report]\nlimit = 0.5\n")
    assert cache.report(demo) is not first


def test_totals_that_a_figure_keeps_make_no_figure_old(demo: Store) -> None:
    """A figure that counts traffic writes the counts down; the figures beside it are not computed again for that."""
    counting = Counting(demo)

    def counted() -> int:
        demo.rollups.get("of this test", ("items",), "", lambda: [(1.0,)])
        return 1

    cache.kept(demo, "before", counting)
    cache.kept(demo, "counts", counted)
    cache.kept(demo, "before", counting)
    assert counting.times == 1
    in_store(demo.path, lambda other: add(other, "later"))
    assert cache.kept(demo, "before", counting) == 17
