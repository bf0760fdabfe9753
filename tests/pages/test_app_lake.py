"""Every page of a store whose traffic lies in a lake says what it says of the same traffic in a store of its own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from annotate.pages.kit import server
from annotate.project import Project
from annotate.store import Store
from support.app import links, tables, walk, words
from support.gold_page import press, reads

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'assay[lake]'")

pytestmark = pytest.mark.slow

PAGES = ("overview", "disagreements", "calibration", "judges", "systems", "labelling", "gold")


class Twins(NamedTuple):
    """The demo in a store of its own and in a lake, two files of one name."""

    plain: Path
    laked: Path


@pytest.fixture
def twins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Twins:
    paths = Twins(tmp_path / "plain" / "assay.db", tmp_path / "laked" / "assay.db")
    Project.open(paths.laked).maintenance.make(lake=str(tmp_path / "lake"))
    for path in paths:
        with closing(Store(path)) as store:
            walk(store)
    monkeypatch.setenv("ASSAY_USER", "eva")
    return paths


def opened(path: Path, page: str, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A page of the app on this store."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    monkeypatch.setenv("ASSAY_DB", str(path))
    app = AppTest.from_file(str(server.app_file()), default_timeout=60)
    app._page_hash = "" if page == PAGES[0] else calc_hash(page)
    return app.run()


def shown(app: AppTest, path: Path) -> str:
    """What the page says, without where its store lies."""
    assert not app.exception
    parts = [words(app), reads(app), *links(app), *(table.to_csv() for table in tables(app))]
    parts += [f"{button.label} {button.disabled}" for button in app.button]
    return "\n".join(parts).replace("\\", "").replace(str(path), "STORE")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_the_same(twins: Twins, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences, links, tables and buttons; of Overview what is behind its expander too."""
    texts = []
    for path in twins:
        app = opened(path, page, monkeypatch)
        if page == "overview":
            app.session_state["everything"] = True
            app.run()
        texts.append(shown(app, path))
    assert texts[0] == texts[1]
    assert len(texts[0]) > 500


def test_a_reference_is_written_alike(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form saves it, the next answer comes, and both stores hold the same entries."""
    texts = []
    for path in twins:
        app = opened(path, "gold", monkeypatch)
        app.text_area[0].set_value("  Never take two at once.  ")
        press(app, "Save, next")
        with closing(Store(path)) as store:
            written = [entry for entry in store.gold.entries() if entry.source == "written in the app"]
            texts.append((shown(app, path), str([(entry.reference, entry.annotator) for entry in written])))
            assert store.check() == []
    assert texts[0] == texts[1]
    assert "Never take two at once." in texts[0][1]


def test_an_answer_is_overruled_alike(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    """A click on the worst answer opens the page that adjudicates it, with all that was said of it."""
    texts = []
    for path in twins:
        app = opened(path, "disagreements", monkeypatch)
        app.button(key="disagreements-overrule").click().run()
        texts.append(shown(app, path))
    assert texts[0] == texts[1]
