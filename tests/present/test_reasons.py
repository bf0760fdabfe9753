"""Reasons from below: English where they are made, in the table for the other languages, with their values kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import annotate
import proxy
from annotate.present.messages import text, whole_table
from proxy.reason import Reason, joined


def templates() -> Iterator[tuple[str, str]]:
    """Every constant template that is given to Reason, with its module; those made of parts at run time are left out."""
    for package in (annotate, proxy):
        root = Path(str(package.__file__)).parent
        for path in root.rglob("*.py"):
            if "Reason(" not in (source := path.read_text(encoding="utf-8")):
                continue
            module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
            for call in ast.walk(ast.parse(source)):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Reason" and call.args:
                    yield from ((module, words) for words in constants(module, call.args[0]))


def constants(module: str, argument: ast.expr) -> Iterator[str]:
    """The text itself, that of the module's constant, or each of a constant mapping."""
    if isinstance(argument, ast.Constant):
        yield str(argument.value)
    name = argument.value if isinstance(argument, ast.Subscript) else argument
    if isinstance(name, ast.Name):
        value = getattr(import_module(module), name.id, None)
        yield from [value] if isinstance(value, str) else value.values() if isinstance(value, dict) else []


@pytest.mark.slow
def test_every_reason_can_be_said_in_every_language() -> None:
    """What the code gives as a template has a row with just these words."""
    known = {row["en"] for name, row in whole_table().items() if name.startswith("reasons.")}
    listed = list(templates())

    assert len(listed) > 20
    assert [each for each in listed if each[1] not in known] == []


def test_a_reason_keeps_what_it_was_made_of() -> None:
    """English with commas in counts; another language says the same values, also those of a reason within a reason."""
    kinds = joined([Reason("{count} unsure or disagreed on", count=1_200), Reason("{count} left unanswered", count=3)])
    missing = "{missing} of {drawn} drawn answers have no right or wrong ({kinds})"
    reason = Reason(missing, missing=1_203, drawn=9_000, kinds=kinds)

    assert (
        reason
        == "1,203 of 9,000 drawn answers have no right or wrong (1,200 unsure or disagreed on, 3 left unanswered)"
    )
    assert text(reason) == reason
    assert (
        text(reason, "zh") == "抽出的 9,000 個答案中有 1,203 個沒有對錯判定（1,200 個不確定或意見不一、3 個無人作答）"
    )


def test_what_the_table_lacks_is_said_as_it_came() -> None:
    """A judge's own words stay English."""
    assert text("the judge said no", "ko") == "the judge said no"
