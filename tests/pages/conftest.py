"""What the tests of pages share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.calibration import ready_to_choose
from support.store import Assay


@pytest.fixture(autouse=True)
def _charts_are_taken_as_valid(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No chart of a page is held against the schema of Vega-Lite, a quarter of a page's time.

    Each is where the browser draws it, and in tests/charts.
    """
    if request.path.name.startswith("test_app"):
        from altair.utils.schemapi import SchemaBase

        monkeypatch.setattr(SchemaBase, "validate", classmethod(lambda cls, instance, schema=None: None))


@pytest.fixture(autouse=True)
def _no_store_stays_open(request: pytest.FixtureRequest) -> Iterator[None]:
    """The session of a page ends with its test: every text that is shown asks each store that is open what it masks."""
    yield
    if request.path.name.startswith("test_app"):
        import streamlit as st

        from annotate.pages.kit import privacy

        st.cache_resource.clear()
        while privacy._WATCHERS:
            privacy._WATCHERS.popitem()[1].close()


@pytest.fixture
def many(assay: Assay, store_path: Path) -> Path:
    """400 answers, 240 of them labelled, where the page opens its store."""
    ready_to_choose(assay)
    assert assay.db == store_path
    return assay.db
