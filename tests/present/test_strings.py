"""The table of strings: in every language, with the same values; nothing missing and nothing left over."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import annotate
import app
from annotate.domain.message import EvidenceText, IntervalBasis, Kind, message, share
from annotate.present.messages import LANGUAGES, text
from annotate.present.messages import whole_table as table
from proxy.evaluation.estimate import Estimate

FOLDER = Path(annotate.__file__).parent
NAME = re.compile(r"[a-z_]+\.[a-z0-9_]+")


def constants() -> Iterator[str]:
    """Every text in the code, with `{}` for what is put in at run time."""
    for path in (*FOLDER.rglob("*.py"), Path(app.__file__)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            if isinstance(node, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]


def asked() -> Iterator[tuple[str, str]]:
    """The name of each string that a call asks for, with the file; names made at run time are left to the pages' tests."""
    for path in (*FOLDER.rglob("*.py"), Path(app.__file__)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0].value
            if (
                called in {"say", "marked", "heading", "message", "_full"}
                and isinstance(first, str)
                and NAME.fullmatch(first)
            ):
                yield first, path.name
            elif called == "title" and isinstance(first, str) and re.fullmatch("[a-z]+", first):
                yield f"{first}.title", path.name


def values(words: str) -> set[str]:
    """The names of the values in a string."""
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


def test_every_string_is_there_in_every_language() -> None:
    """No empty cell and no other language."""
    assert {name: set(row) for name, row in table().items() if set(row) - {"en_one"} != set(LANGUAGES)} == {}
    assert [name for name, row in table().items() if not all(words.strip() for words in row.values())] == []


def test_a_string_takes_the_same_values_in_every_language() -> None:
    """What is said in one language is said in all."""
    odd = {
        name: row
        for name, row in table().items()
        if len({frozenset(values(row[language])) for language in LANGUAGES}) > 1
        or not values(row.get("en_one", "")) <= values(row["en"])
    }
    assert odd == {}


def test_translations_are_translations() -> None:
    """A Chinese or Korean cell holds at least one sign of its script, unless it is made of values, names and marks."""
    scripts = {"zh": re.compile(r"[\u4e00-\u9fff]"), "ko": re.compile(r"[\uac00-\ud7a3]")}
    spoken = {
        name: row
        for name, row in table().items()
        if re.search(r"[a-z]{3}.*[a-z]{3} [a-z]", re.sub(r"\{.*?\}|`.*?`", "", row["en"]))
    }
    odd = [
        (name, code) for name, row in spoken.items() for code, script in scripts.items() if not script.search(row[code])
    ]
    assert odd == []


@pytest.mark.slow
def test_no_string_is_missing() -> None:
    """What the pages ask for is in the table."""
    assert [use for use in asked() if use[0] not in table()] == []


@pytest.mark.slow
def test_no_string_is_left_over() -> None:
    """What is in the table is asked for, by name or by a pattern."""
    keys = set(constants())
    patterns = [
        re.compile(".+".join(map(re.escape, key.split("{}"))))
        for key in keys
        if re.fullmatch(r"[a-z_]*\.?[a-z_]*\{\}[a-z_.{}]*", key) and key != "{}"
    ]
    titles = {f"{name}.title" for name in app.PAGES}
    lost = [
        name
        for name in table()
        if name not in keys | titles and not any(pattern.fullmatch(name) for pattern in patterns)
    ]
    assert lost == []


def test_a_string_that_the_table_lacks_is_an_error() -> None:
    """A page that asks for it fails in its test, not in silence."""
    from annotate.pages.kit.messages import say

    with pytest.raises(KeyError):
        say("frame.no_such_string")


def test_a_wide_bracket_brings_its_own_space() -> None:
    """Chinese has no space after it, even where the sentence puts one after a number; English keeps its own."""
    evidence = EvidenceText(Estimate(estimate=0.5, low=0.4, high=0.6, n=9), Kind.SHARE, IntervalBasis.WINDOW)
    row = message("report.below", precision=evidence, limit=share(0.9))
    assert ") of passed" in text(row)
    assert "）" in text(row, "zh")
    assert "） " not in text(row, "zh")
