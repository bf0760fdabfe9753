"""Messages that hold names of others: shown as they are, whatever a browser's markdown would make of them."""

from __future__ import annotations

import re

import pytest

from annotate.pages.kit.privacy import Literal, escaped


@pytest.mark.parametrize(
    "name", ["**bold**", "[x](http://example.org)", "$x$", ":red[x]", "# title", "a_b_c", "<b>x</b>"]
)
def test_every_mark_is_escaped(name: str) -> None:
    """Without its backslashes and joiners it is the name; no mark stands without a backslash."""
    markdown = escaped(name)
    assert re.sub(r"\\(.)", r"\1", markdown).replace("\u2060", "") == name
    assert not re.search(r"(?<!\\)[!-/:-@\[^-`{-~]", markdown.replace("\\\\", ""))


@pytest.mark.parametrize(
    "address", ["http://example.org/x", "HTTPS://example.org", "www.example.org", "me@example.org", "ftp://x.org"]
)
def test_an_address_becomes_no_link(address: str) -> None:
    """Markdown on the web links bare addresses after it has taken the backslashes away: these patterns are its own."""
    seen = re.sub(r"\\(.)", r"\1", escaped(f"see {address} there"))
    assert not re.search(r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)", seen, re.IGNORECASE)
    assert not re.search(r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)", seen)


@pytest.mark.parametrize("name", ["top`x", "`", "a `b", "x``y"])
def test_a_backtick_in_a_name_swaps_no_code(name: str) -> None:
    """The command after it stays code, and the name is literal."""
    markdown = escaped(f"answers of {name} have no score: run `assay judge`, then look")
    assert re.findall(r"(?<!\\)`([^`]*)(?<!\\)`", markdown) == ["assay judge"]


def test_a_name_of_marks_and_backticks_stays_whole_where_it_stands_twice() -> None:
    """Nothing between the two names is code."""
    name = "*_`|`_*"
    assert re.sub(r"\\(.)", r"\1", escaped(f"{name} against {name}")) == f"{name} against {name}"
    assert not re.search(r"(?<!\\)`", escaped(f"{name} against {name}"))


def test_a_name_by_itself_holds_no_code() -> None:
    """What went through `texts.others` is literal, backticks and all."""
    assert escaped(Literal("`top` k-3")) == r"\`top\` k\-3"


def test_commands_stay_code() -> None:
    """What stands between backticks is code, which shows everything literally."""
    assert escaped("run `assay compare a_b`.") == r"run `assay compare a_b`\."
