"""Stores of every size for the app, and the app opened on one without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.pages.kit import server
from annotate.present.messages import whole_table
from annotate.store import Store
from annotate.workflow import demo
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Source
from annotate.workflow.judging import offline
from proxy.records import Context, Item
from support.store import Assay, once

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

NOW = "2026-11-21T09:00:00.000Z"
HOSTILE = (
    "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'> ![x](http://example.org/x.png) "
    "**bold** $latex$ :red[x] :smile: [link](javascript:alert(1)) `code` \ud800\0\u202eend"
)
SEEN = ("<script>window.hacked=1</script>", "![x](http://example.org/x.png)", "**bold** $latex$ :red[x] :smile:")
Make = Callable[[Store], object]
Open = Callable[..., "AppTest"]
T = TypeVar("T")


def walk(store: Store) -> None:
    """The demo's sixteen answers, all labelled."""
    demo.walk(store, lambda line: None, now=NOW)


def some_open(store: Store) -> None:
    """The demo with four draws that wait for a label."""
    demo.walk(store, lambda line: None, now=NOW, leave_open=4)


def nothing(store: Store) -> None:
    """An empty store."""


def traffic(store: Store) -> None:
    """Items that nobody has judged."""
    with demo.data("traffic.jsonl") as source:
        ingest.ingest(store, source, now=NOW)


def judged(store: Store) -> None:
    """Judged items of which none was drawn."""
    traffic(store)
    offline.judge(store, list(built_in().values()), now=NOW)


def drawn(store: Store) -> None:
    """A wave without labels."""
    judged(store)
    demo._draw(store, NOW)


def label(store: Store, folder: Path, rows: Sequence[dict[str, object]]) -> None:
    offline.judge(store, list(built_in().values()), now=NOW)
    demo._draw(store, NOW)
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest.import_labels(store, Source(str(path)), now=NOW)


def three(store: Store) -> None:
    """Three items with hostile and endless texts: one right, two wrong, one of those without a reference."""
    texts = (Context(text=HOSTILE, title=HOSTILE), Context(text="long passage " * 100_000))
    items = [Item(id=f"<b>{n}</b>", question=HOSTILE, answer=HOSTILE, contexts=texts) for n in range(3)]
    with store.atomic():
        store.traffic.items.add(items, now=NOW)
    rows: list[dict[str, object]] = [
        {"item_id": "<b>0</b>", "label": "right", "annotator": HOSTILE[:40]},
        {"item_id": "<b>1</b>", "label": "wrong", "rationale": HOSTILE, "harm": "serious"},
        {"item_id": "<b>2</b>", "label": "wrong", "rationale": HOSTILE, "reference": HOSTILE},
    ]
    label(store, store.path.parent, rows)


@pytest.fixture(scope="session", autouse=True)
def _pages_start_quickly(request: pytest.FixtureRequest) -> None:
    """What Streamlit's AppTest does anew for each page, and the app's server does once or never, is done once or never.

    It searches all installed packages for components, compiles app.py, and notes each call for the statistics of its makers;
    and it asks a thousand times a second whether the run of a page has ended.
    And who reads these pages looks before they click: nothing was on its way when a run ended.
    """
    if not any(item.path.name.startswith("test_app") for item in request.session.items):
        return
    from streamlit import config
    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import local_script_runner

    from annotate.pages.kit import reruns

    scripts = local_script_runner.ScriptCache()
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    local_script_runner.ScriptCache = lambda: scripts
    look = local_script_runner.require_widgets_deltas

    def wait(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
        if thread := runner._script_thread:
            thread.join(timeout)
        look(runner, 0 if thread and thread.is_alive() else timeout)

    local_script_runner.require_widgets_deltas = wait
    reruns.AT_ONCE = 0.0
    config.set_option("browser.gatherUsageStats", server.SETTINGS["browser.gatherUsageStats"])


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "assay.db"


def fill(path: Path, make: Make) -> None:
    """The store of `make` at this path: a function of a module makes it once in a process, in an empty folder."""

    def fresh() -> None:
        with closing(Store(path)) as store:
            make(store)

    if any(path.parent.iterdir()) or "<" in make.__qualname__:  # a lambda, or a function of its test
        fresh()
    else:
        once(Assay(path.parent, path), f"{make.__module__}.{make.__qualname__}", fresh)


@pytest.fixture
def opened(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Make a store and open a page of the app on it."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    def open_page(make: Make, page: str = "", user: str = "ann") -> AppTest:
        fill(store_path, make)
        monkeypatch.setenv("ASSAY_DB", str(store_path))
        monkeypatch.setenv("ASSAY_USER", user)
        app = AppTest.from_file(str(server.app_file()), default_timeout=60)
        app._page_hash = calc_hash(page) if page else ""
        app.run()
        assert not app.exception
        return app

    return open_page


def words(app: AppTest) -> str:
    """Everything on the page that is written by us: markdown, captions, titles, boxes, code, and sentences with links."""
    elements = (app.title, app.header, app.markdown, app.caption, app.code)
    boxes = (app.success, app.warning, app.error, app.info)
    return "\n".join([*(str(element.value) for kind in (*elements, *boxes) for element in kind), *_linked(app)])


def _linked(app: AppTest) -> Iterator[str]:
    bodies = (part.proto.body for part in app.get("html"))
    for body in (body for body in bodies if body.startswith("<div class='a-linked'>")):
        yield from ("".join(line.itertext()) for line in ET.fromstring(body).iter("p"))


def links(app: AppTest) -> list[str]:
    """What the links of the page are called."""
    return [link.proto.label.replace("\\", "") for link in app.get("page_link")]


def tables(app: AppTest) -> list[pd.DataFrame]:
    """The tables on the page as they are read, in their order; a column of digits is one of numbers."""
    return [*map(table_of, _html_tables(app)), *(dataframe.value for dataframe in app.dataframe)]


def table_of(html: str) -> pd.DataFrame:
    """A table of the page: its first row heads the columns."""
    head, *rows = [list(row) for row in ET.fromstring(html).iter("tr")]
    names = ["".join(cell.itertext() if cell.find("span") is None else [cell.text or ""]) for cell in head]
    frame = pd.DataFrame([["".join(cell.itertext()) for cell in row] for row in rows], columns=names)
    for place in range(len(names)):
        if frame.iloc[:, place].str.fullmatch(r"-?\d[\d,]*").all():
            frame.isetitem(place, frame.iloc[:, place].str.replace(",", "").astype(int))
    return frame


def _html_tables(app: AppTest) -> list[str]:
    bodies = [part.proto.body for part in app.get("html")]
    return [body for body in bodies if body.startswith('<div class="a-table"')]


def question(app: AppTest) -> str:
    """The question that heads the page, without the answer beside it."""
    heading: str = app.title[0].value
    asked = re.match(r":gray\[(.*?)\]", heading)
    return asked[1] if asked else heading


def questions(page: str, language: str) -> set[str]:
    """What a page may ask at its head: the gold set asks another question where references are written."""
    tables = {"gold": ("gold", "gold_write")}.get(page, (page,))
    return {whole_table()[f"{table}.title"][language] for table in tables}


def answer(app: AppTest) -> tuple[str, str]:
    """The word that answers the question, with the colour that it has, and the sentence below; "" where there is none."""
    word = re.search(r"(:\w+\[\*\*.*?\*\*\]|\*\*.*?\*\*)$", app.title[0].value)
    sentence: str = app.markdown[0].value
    return word[1] if word else "", sentence.replace("\\", "")


def with_everything(app: AppTest) -> AppTest:
    """The overview with all that is behind its expander, and behind those within it."""
    parts = ("overview-over_time", "overview-wrong", "overview-strata", "overview-gate", "report-feedback")
    for key in ("everything", *(f"everything-{part}" for part in (*parts, "effective_labels-title"))):
        app.session_state[key] = True
    return app.run()


def widget(widgets: Sequence[Any], name: str) -> Any:
    """The widget that asks for this: it has another number whenever the page has put a new one in its place."""
    [shown] = [drawn for drawn in widgets if re.fullmatch(rf"{re.escape(name)}(-\d+)?", drawn.key or "")]
    return shown


def in_store(path: Path, ask: Callable[[Store], T]) -> T:
    """What a second look at the store says."""
    with closing(Store(path)) as store:
        return ask(store)
