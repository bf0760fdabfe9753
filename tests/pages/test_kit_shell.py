"""Streamlit's page as the installed release has it: what we replace is there, and nothing else in it would be refused."""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from annotate.pages.kit import shell


def test_the_page_of_the_installed_release_has_the_parts_that_are_replaced() -> None:
    """If this fails after an upgrade of Streamlit, mend annotate/pages/kit/shell.py."""
    page = shell.page()

    assert re.findall(r"<script>(.*?)</script>", page, re.DOTALL) == [shell.SCRIPT]
    assert "<title>Assay</title>" in page
    assert shell.TITLE not in page
    # Our script sets all that the one in its place sets.
    before = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    [theirs] = shell.INLINE_SCRIPT.findall(before)
    assert set(re.findall(r"window\.(\w+)", theirs)) <= set(re.findall(r"window\.(\w+)", shell.SCRIPT))


def test_the_page_has_no_other_script_and_no_handler_that_the_policy_refuses() -> None:
    """Every other script is a file of the server's own."""
    tags = re.findall(r"<script\b([^>]*)>", shell.page())

    assert [tag for tag in tags if "src=" not in tag] == [""]
    assert all('src="./static/' in tag for tag in tags if tag)
    assert not re.search(r"<[^>]+\son\w+=", shell.page())
