"""Files written: whole or not at all, private, exact as JSONL, and no formula in a spreadsheet."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest

from annotate.files import write_rows
from annotate.files.writing import from_cell, to_cell
from proxy.errors import UsageError
from support.files import good

NASTY = [
    "\nx",
    "＝1+1",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\tx",
    "\rx",
    "=cmd|' /C calc'!A0",
    "plain",
    'q"q',
    "two\nlines",
    "x\0y",
    "é 駅",
]


def test_csv_out_runs_no_formula_and_jsonl_is_exact(tmp_path: Path) -> None:
    """A spreadsheet sees text where a cell starts like a formula; JSONL keeps every character."""
    rows = [{"a": text, "n": -0.5} for text in NASTY]
    write_rows(str(tmp_path / "x.csv"), ["a", "n"], rows)
    write_rows(str(tmp_path / "x.jsonl"), ["a", "n"], rows)

    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as stream:
        cells = list(csv.reader(stream))[1:]
    assert [cell for cell, _ in cells] == ["'" + text if text[0] in "=+-@\t\r\n＝" else text for text in NASTY]
    assert {number for _, number in cells} == {"-0.5"}
    assert good(str(tmp_path / "x.jsonl")) == rows


SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def test_every_cell_that_a_spreadsheet_may_run_is_text_and_comes_back() -> None:
    """Signs of either width, line ends, and all of them behind spaces and quotes; what is no formula stays as it is."""
    before = ("", " ", "  ", "'", "''", '"', "\u00a0", "\u3000", " ' ", "'\"")
    for lead, sign, rest in itertools.product(before, SIGNS, ("", "1+1", "cmd|' /C calc'!A0")):
        text = lead + sign + rest
        cell = to_cell(text)
        assert cell == "'" + text
        assert from_cell(cell) == text
    for text in ("plain", "'quoted'", "a=1", "5 - 3", "", "'", " x", "“=1”"):
        assert to_cell(text) == from_cell(text) == text


def test_jsonl_out_and_in_again_changes_nothing(tmp_path: Path) -> None:
    """Lone surrogates, NUL and characters that other tools take for line ends come back."""
    rows = [{"a": "\ud800", "b": ["\udfff", {"c": "\0"}]}, {"a": "\u2028\x85\x1e", "b": None}, {"a": "\U0001f600"}]

    assert write_rows(str(tmp_path / "x.jsonl"), ["a"], rows) == 3
    assert good(str(tmp_path / "x.jsonl")) == rows


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    """A file is written whole or not at all, and nothing is left lying beside it."""
    target = tmp_path / "x.jsonl"
    target.write_text("old")

    with pytest.raises(ValueError, match="JSON"):
        write_rows(str(target), ["a"], [{"a": 1}, {"a": float("nan")}])

    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_files_out_are_private(tmp_path: Path) -> None:
    """They hold what patients asked: nobody else on the machine may read them."""
    write_rows(str(tmp_path / "x.csv"), ["a"], [{"a": 1}])

    assert (tmp_path / "x.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["x.xlsx", "x", "missing/x.csv"])
def test_an_unknown_ending_or_folder_is_said_before_anything_is_written(tmp_path: Path, name: str) -> None:
    """The message names the path; no file appears."""
    with pytest.raises(UsageError, match="x"):
        write_rows(str(tmp_path / name), ["a"], [{"a": 1}])
    assert list(tmp_path.iterdir()) == []
