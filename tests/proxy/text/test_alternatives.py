"""A reference's alternatives: bars, lists, several lines; tables and code are one reference."""

from __future__ import annotations

import pytest

from proxy.text.alternatives import alternatives, joined


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("1889 | in 1889", ["1889", "in 1889"]),
        ("1889|in 1889||", ["1889", "in 1889"]),
        ("A long answer\nof two lines | another\nof two", ["A long answer\nof two lines", "another\nof two"]),
        ("one |\ntwo |\nthree", ["one", "two", "three"]),
        ("first line\n|\nother line", ["first line", "other line"]),
        ("長い答え\n二行目 | 別の答え", ["長い答え\n二行目", "別の答え"]),
        ('["a | b", "c"]', ["a | b", "c"]),
        ("['a', \"it's\"]", ["a", "it's"]),
        ("[1] Smith et al. | Jones", ["[1] Smith et al.", "Jones"]),
        ("[1, 2]", ["[1, 2]"]),
        ("P(A|B) is\nwhat Bayes gives", ["P(A|B) is\nwhat Bayes gives"]),
        ("", []),
        (" | \n | ", []),
    ],
)
def test_alternatives_may_span_lines(reference: str, expected: list[str]) -> None:
    """A bar between blanks or line ends separates, in one line any bar does."""
    assert alternatives(reference) == expected


@pytest.mark.parametrize(
    "table",
    [
        "| drug | dose |\n| --- | --- |\n| a | 5 mg |",
        "drug | dose\n--- | ---\na | 5 mg",
        "drug | dose\na | 5 mg",
        "The doses:\n| a | 5 mg |\n| b | 7 mg |",
        "|330 m|",
        "Run\n```\nls | wc\n```",
    ],
)
def test_a_table_or_code_is_one_reference(table: str) -> None:
    """As it was written."""
    assert alternatives(table) == [table]


@pytest.mark.parametrize(
    "references",
    [
        ["a", "b"],
        ["a | b", "c"],
        ["one\ntwo", "three"],
        ["drug | dose\na | 5 mg", "c"],
        ["[x]"],
        ['["a"]'],
        [],
        ["| a |", "b"],
    ],
)
def test_a_list_reads_back(references: list[str]) -> None:
    """Bars where they are plain, else a JSON list."""
    assert alternatives(joined(references)) == references
