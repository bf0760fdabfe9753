"""What the app's process imports before the first visitor, some of it from inside other packages, is where it says."""

from __future__ import annotations

from importlib import import_module

import pytest

from annotate.pages.kit.asgi import USED


@pytest.mark.parametrize("name", USED)
def test_what_is_imported_beforehand_exists(name: str) -> None:
    """The process passes over what is missing, so an upgrade that moves a module would only make the first page slower."""
    assert import_module(name).__name__ == name
