"""The page on Python shows what its code prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
WITHOUT_STORE = PAGE.read_text(encoding="utf-8").partition("## With a store")[0]


def test_the_page_shows_what_its_code_prints() -> None:
    """Every block without a store runs, in order, and the block of text below it is its output."""
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", WITHOUT_STORE, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    printed, shown = "", 0
    for language, content in blocks:
        if language == "text":
            assert content.rstrip() == printed.rstrip()
            shown += 1
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(content, str(PAGE), "exec"), names)
        printed = output.getvalue()
    assert shown == 7
