"""The app as a person sees it, on stores of every size, without a browser."""

from __future__ import annotations

import gc
import re
import weakref
from html import unescape
from pathlib import Path

import pytest
from streamlit.runtime.caching.cache_resource_api import clear_session_cache
from streamlit.testing.v1 import AppTest

from annotate.analysis.report.report import build
from annotate.charts.intervals import Bar, intervals
from annotate.domain.message import share
from annotate.pages.kit import server
from annotate.pages.kit.draw import capital
from annotate.pages.kit.privacy import escaped
from annotate.pages.kit.texts import SHOWN_CHARACTERS
from annotate.present.commands import for_store, typed
from annotate.present.figure_table import below
from annotate.present.messages import text
from annotate.present.quantity import quantity
from annotate.present.report import shown_by
from annotate.store import Store
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.stats.intervals import Interval, wilson
from support.app import (
    SEEN,
    Make,
    Open,
    answer,
    drawn,
    in_store,
    judged,
    links,
    nothing,
    question,
    some_open,
    tables,
    three,
    traffic,
    walk,
    with_everything,
    words,
)


@pytest.mark.slow
def test_a_missing_store_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a store the app names the commands that make one, and makes none itself."""
    monkeypatch.setenv("ASSAY_DB", str(tmp_path / "none.db"))
    app = AppTest.from_file(str(server.app_file()), default_timeout=60).run()

    assert not app.exception
    assert "assay ingest FILE" in words(app)
    assert "assay demo" in words(app)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.slow
def test_a_file_that_is_no_store_is_one_readable_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known error is one box, not a traceback."""
    path = tmp_path / "other.db"
    path.write_bytes(b"no database " * 1000)
    monkeypatch.setenv("ASSAY_DB", str(path))
    app = AppTest.from_file(str(server.app_file()), default_timeout=60).run()

    assert not app.exception
    assert "no SQLite database" in app.error[0].value.replace("\\", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "command"),
    [
        (nothing, "assay ingest FILE"),
        (traffic, "assay judge"),
        (judged, "Labelling · Plan and draw"),
        (drawn, "Labelling · Send and fetch"),
        (some_open, "Labelling · Send and fetch"),
        (walk, "assay ingest FILE"),
        (three, "assay ingest FILE"),
    ],
)
def test_every_state_says_what_comes_next(opened: Open, make: Make, command: str) -> None:
    """From the empty store on: a link where a page does it, a command where none can."""
    app = opened(make)

    assert question(app) == "Can we trust the proxy?"
    page = with_everything(app)
    assert any(command in shown for shown in (*links(page), *(code.value for code in page.code[:1])))


@pytest.mark.slow
def test_a_session_that_ends_closes_no_connection_that_counts(
    opened: Open, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that still counts keeps its connection, or SQLite would end the process; the last to let go closes the file."""
    held: list[Store] = []
    monkeypatch.setattr("annotate.pages.overview.show", held.append)
    opened(walk)
    [store] = held
    rows = store._db.conn.execute("SELECT key FROM items")
    assert rows.fetchone()
    clear_session_cache("test session id")

    assert rows.fetchone()
    kept = weakref.ref(store._db)
    held.clear()
    del store, rows
    gc.collect()
    assert kept() is None


@pytest.mark.slow
def test_without_labels_nothing_is_claimed(opened: Open) -> None:
    """A judged store shows its counts and no measure of the proxy."""
    app = opened(judged)

    assert answer(app)[0] == "**It cannot be said yet**"
    assert [metric.value for metric in app.metric] == ["16", "0", "—"]
    assert links(app) == ["Labelling · Plan and draw"], "no figure, and nothing to read"


@pytest.mark.slow
def test_the_overview_tells_the_demo(opened: Open, store_path: Path) -> None:
    """The sentence comes first; every number has its interval and its labels; the miss is there with its reasons."""
    app = opened(walk)
    report = in_store(store_path, build)

    assert answer(app) == (":orange[**Not yet**]", capital(text(shown_by(report))))
    tiles = "".join(html.proto.body for html in app.get("html"))
    long_run = report.agreement.pass_precision.long_run
    assert long_run is not None
    ends = f"{percent(long_run.low).removesuffix(' %')} to {percent(long_run.high)}"
    assert f"90.9 %<small>{ends} · n = 11</small>" in tiles
    assert long_run.low < wilson(10 / 11, 11).low, "eleven labels in eight groups say less than eleven by themselves"
    assert "62 %<small>" in tiles
    assert "16<small>of 16 drawn</small>" in tiles
    assert not app.metric
    page = words(with_everything(app)).replace("\\", "")
    assert "o stage can be named" in page
    assert "not calibrated on your traffic" in page
    assert "How long before my abdominal ultrasound do I have to stop eating?" in [text.value for text in app.text]
    assert not any("faithfulness" in text.value for text in app.text), "the rest comes on demand"
    linked = [(link.proto.page, link.proto.query_string) for link in app.get("page_link")]
    assert ("disagreements", "kind=miss") in linked
    app.session_state["miss-1-more"] = True
    assert any("faithfulness 0.79" in text.value for text in app.run().text)
    cells = next(frame for frame in tables(app) if "share: wrong" in frame.columns)
    assert list(cells.iloc[0][["proxy", "wrong", "share: wrong"]]) == ["pass", 1, "6.3 %"]
    assert list(tables(app)[-1]["stratum"]) == ["failed", "passed", "thumbs-down"]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["", "gold"])
def test_hostile_texts_are_shown_as_text(opened: Open, page: str) -> None:
    """What others wrote stands in text elements literally, or escaped in HTML of ours, and in none that reads markdown."""
    app = opened(three, page)
    if not page:
        with_everything(app)
    ours = [html.proto.body for html in app.get("html")]
    texts = [*(text.value for text in app.text), *map(unescape, ours)]

    for part in SEEN:
        assert any(part in text for text in texts)
        assert part not in words(app)
        assert "<" not in part or not any(part in html for html in ours)
    assert not any("\ud800" in text or "\0" in text or "\u202e" in text for text in texts)


@pytest.mark.slow
def test_a_long_passage_is_shown_in_part(opened: Open) -> None:
    """A passage of over a million characters is cut until the reader asks for all of it."""
    app = opened(three, "gold")
    assert max(len(text.value) for text in app.text) <= SHOWN_CHARACTERS + 2

    app.toggle[0].set_value(True).run()

    assert max(len(text.value) for text in app.text) > 1_000_000


def test_messages_of_ours_show_names_literally() -> None:
    """Marks of markdown are escaped, commands stay code."""
    assert escaped("run `assay judge` for a_b*") == "run `assay judge` for a\\_b\\*"
    assert escaped("<b>") == "\\<b\\>"


def test_what_cannot_be_measured_says_why() -> None:
    """A card without an estimate shows the reason, and bounds where they are known."""
    unknown = Estimate(estimate=None, reason="not measurable: label 30 items below the threshold")
    bounded = Estimate(estimate=None, low=0.2, high=0.8, n=9, reason="not measurable", long_run=Interval(0.1, 0.9))

    assert text(share(unknown.estimate)) == "—"
    assert [text(line) for line in below(quantity("pass_precision", unknown))] == [unknown.reason]
    assert [text(line) for line in below(quantity("pass_precision", bounded))] == [
        "not measurable; this much is sure:",
        "this window: 20 to 80 %",
        "long run: 10 to 90 %",
        "n = 9",
    ]


def test_the_chart_draws_every_interval() -> None:
    """Each bar is a row of the chart's data, an unknown estimate stays empty."""
    bars = [Bar("a", "this window", 0.5, 0.4, 0.6), Bar("a", "long run", None, 0.3, 0.7)]
    drawn_rows = [row for rows in intervals(bars).to_dict()["datasets"].values() for row in rows]

    assert [(row["low"], row["high"]) for row in drawn_rows] == [(0.4, 0.6), (0.3, 0.7)]


def test_commands_name_the_store_where_they_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default store needs no --db; any other is named, quoted for a shell."""
    monkeypatch.chdir(tmp_path)

    with for_store(tmp_path / "assay.db"):
        assert typed("assay judge") == "assay judge"
    with for_store(tmp_path / "my store.db"):
        assert typed("assay judge") == "assay judge --db 'my store.db'"


@pytest.mark.slow
@pytest.mark.parametrize("make", [nothing, traffic, judged, some_open])
def test_sentences_of_pages_name_the_store_too(
    opened: Open, make: Make, store_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command on every page, in a sentence or by itself, where the app shows another store than the default one."""
    monkeypatch.chdir(tmp_path.parent)
    option = f" --db {store_path.relative_to(tmp_path.parent)}"
    commands = list[str]()
    for page in ("", "disagreements", "calibration", "judges", "systems", "labelling", "gold"):
        app = opened(make, page)
        commands += re.findall(r"`(assay [a-z][^`]*)`", words(app))
        commands += [line for code in app.code for line in code.value.splitlines() if line.startswith("assay ")]

    assert commands
    assert [command for command in commands if not command.endswith(option)] == []


@pytest.mark.slow
def test_news_is_shown_as_it_is() -> None:
    """What an action tells may hold ids that others chose: no markdown of theirs is carried out."""

    def page() -> None:
        from annotate.pages.kit import actor

        actor.tell("Saved: item ![x](http://elsewhere.example/x.png) is right.")
        actor.say_news()

    shown = AppTest.from_function(page, default_timeout=60).run().success[0].value

    assert shown == escaped("Saved: item ![x](http://elsewhere.example/x.png) is right.")
    assert "![x](" not in shown
