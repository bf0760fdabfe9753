"""Every page of the app on stores of every kind in every language: no exception, a question as title, and the reader's words."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING

import pytest

from annotate.pages.kit import messages, server
from annotate.present.messages import whole_table
from annotate.store import Store
from support.app import Make, drawn, judged, nothing, question, questions, some_open, three, traffic, walk, words
from support.documents import numbers
from support.tiers import shortly

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

PAGES = tuple(run_path(str(server.app_file()))["PAGES"])
pytestmark = pytest.mark.slow

KINDS: dict[str, Make] = {
    "empty": nothing,
    "traffic": traffic,
    "judged": judged,
    "drawn": drawn,
    "demo": walk,
    "half open": some_open,
    "hostile": three,
}
Stores = Callable[[str], Path]


@pytest.fixture(scope="session")
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """A store of each kind, made once; pages write no more than what they counted. Ten times the large one is for the browser."""
    made: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("everywhere") / "assay.db"
            if kind == "large":
                shutil.copy(request.getfixturevalue("smaller_store"), made[kind])
            elif kind in KINDS:
                store = Store(made[kind])
                KINDS[kind](store)
                store.close()
        return made[kind]

    return of


def opened(path: Path, page: str, language: str) -> AppTest:
    """The page by its own address, in this language."""
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    app = AppTest.from_file(str(server.app_file()), default_timeout=180)
    app._page_hash = calc_hash(page) if page != server.FIRST_PAGE else ""
    app.query_params[messages.PARAMETER] = language
    return app.run()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("kind", [*KINDS, pytest.param("large", marks=pytest.mark.long)])
@pytest.mark.parametrize("tier", shortly(("short", "whole"), "short"))
def test_every_page_opens(
    stores: Stores, kind: str, page: str, tier: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its title is the page's question in the language of the address, it says something below, and nothing breaks.

    The demo in every language, each of which says every number of the English page; other stores in one of them in turn.
    `make test-all` opens all in every one, and the large store, which `make test-live` opens in a browser.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DB", str(stores(kind)))
    turn = ([*KINDS, "large"].index(kind) + PAGES.index(page)) % len(messages.LANGUAGES)
    every = list(messages.LANGUAGES)
    said = {}
    for language in every if tier == "whole" or kind == "demo" else every[turn : turn + 1]:
        app = opened(stores(kind), page, language)

        assert not app.exception, (language, app.exception)
        assert question(app) in questions(page, language)
        assert len(app.title) == 1
        assert len(words(app)) > len(app.title[0].value)
        said[language] = numbers(words(app))
    if "en" in said:
        assert {language: lacking for language in said if (lacking := said["en"] - said[language])} == {}


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_without_a_store_the_app_says_how_to_begin(
    language: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No page, no exception, and no file made: what to run, in the reader's language."""
    path = tmp_path / "none.db"
    monkeypatch.setenv("ASSAY_DB", str(path))
    for page in PAGES:
        app = opened(path, page, language)

        assert not app.exception
        assert "assay demo" in words(app)
        assert whole_table()["frame.begin"][language] in words(app)
    assert not path.exists()


def test_a_broken_file_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file that is no store is said to be none, on every page."""
    path = tmp_path / "assay.db"
    path.write_bytes(b"no database at all" * 100)
    monkeypatch.setenv("ASSAY_DB", str(path))
    for page in PAGES:
        app = opened(path, page, "en")

        assert not app.exception
        assert len(app.error) == 1
