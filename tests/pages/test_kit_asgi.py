"""What the app's process does before the first visitor: it imports what pages need, and computes the report when nobody waits."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from threading import Event, Timer

import pytest

from annotate.pages.kit import asgi, cache, reruns
from annotate.store import Store


@pytest.mark.parametrize("name", asgi.USED)
def test_what_is_imported_beforehand_exists(name: str) -> None:
    """The process passes over what is missing, so an upgrade that moves a module would only make the first page slower."""
    assert import_module(name).__name__ == name


@pytest.mark.parametrize("page", ["overview", "", "calibration"])
def test_the_report_is_begun_at_once_for_a_page_that_needs_it(page: str, computed: list[bool]) -> None:
    """The browser still loads then."""
    asgi._warm(_asked(page))
    assert computed == [False]


@pytest.mark.parametrize("page", asgi.WITHOUT_REPORT)
def test_a_page_that_answers_without_the_report_is_drawn_first(page: str, computed: list[bool]) -> None:
    """Both would have half of the processor."""
    drawing = Timer(0.2, reruns.ANY_DRAWN.set)
    drawing.start()
    asgi._warm(_asked(page))
    drawing.join()
    assert computed == [True]


def test_the_report_is_computed_though_nobody_comes(computed: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes later finds it."""
    monkeypatch.setattr(asgi, "ASKED_WITHIN", 0.01)
    asgi._warm(asgi.FirstPage())
    assert computed == [False]


def test_only_the_first_page_counts() -> None:
    """The second visitor does not take the place of the first."""
    first = _asked("systems")
    first.put("overview")
    assert first.get(1) == "systems"


@pytest.fixture
def computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a page was drawn by the time that the report was computed, each time that it was."""
    times: list[bool] = []
    drawn = Event()
    monkeypatch.setattr(reruns, "ANY_DRAWN", drawn)
    monkeypatch.setattr(cache, "report", lambda store: times.append(drawn.is_set()))
    Store(tmp_path / "assay.db").close()
    monkeypatch.setenv("ASSAY_DB", str(tmp_path / "assay.db"))
    return times


def _asked(page: str) -> asgi.FirstPage:
    first = asgi.FirstPage()
    first.put(page)
    return first
