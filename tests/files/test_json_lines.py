"""A line of JSON says what the standard decoder reads in it, and fails as it fails."""

from __future__ import annotations

import io
import json

import pytest

from annotate.files import FileRow, read_rows
from annotate.files.json_lines import decode, json_lines
from support.files import File

LINES = (
    *('{"a": 1}', '{"a": 1}\n', '  {"a": 1}', '\t{"a": [1, {"b": null}]} \r\n', '"text"', "12", "12 ", "[]", "null\n"),
    *('{"a": NaN, "b": -Infinity}', '{"a": 123456789012345678901234567890}', '{"a": 1e400}', '{"a": "\\ud800"}'),
    *('{"a": 1, "a": 1}', '{"é": "駅 😀"}', '{"a": 1}\x0b', '{"a": 1}\u2003', '{"a": 1} {"b": 2}'),
    *(
        "",
        "   ",
        "{",
        '{"a"',
        '{"a": }',
        "{'a': 1}",
        '{"a": "\n"}',
        '{"a": "x',
        "[1, 2",
        "tru",
        "nul",
        "-",
        '{"a": 01}',
    ),
    "[" * 100_000,
)


def outcome(read: object, *arguments: object) -> object:
    """What a call returns, or its error."""
    try:
        return "read", repr(read(*arguments))  # type: ignore[operator]
    except json.JSONDecodeError as error:
        return "refused", error.msg, error.pos
    except RecursionError:
        return "too deep"


@pytest.mark.parametrize("line", LINES, ids=lambda line: repr(line[:20]))
def test_a_line_is_read_as_the_standard_decoder_reads_it(line: str) -> None:
    """The short way past the decoder changes neither a value nor an error."""
    assert outcome(decode, line.encode()) == outcome(json.JSONDecoder(parse_constant=str).decode, line)


def test_a_comma_after_a_line_is_no_part_of_it() -> None:
    """Lines that were taken from an array end with one; two, or one before a second value, are an error."""
    assert decode(b'{"a": 1} , \n') == {"a": 1}
    for line in (b'{"a": 1},,', b'{"a": 1}, {"b": 2}', b","):
        with pytest.raises(json.JSONDecodeError):
            decode(line)


def test_byte_order_marks_stand_where_files_were_put_together() -> None:
    """`cat` of two files of Windows costs no line."""
    stream = io.BufferedReader(io.BytesIO(b'\xef\xbb\xbf{"a": 1}\n\xef\xbb\xbf{"a": 2}\n'))

    assert [row.fields for row in json_lines(stream) if isinstance(row, FileRow)] == [{"a": 1}, {"a": 2}]


REPEATED = "the key 'a' stands twice in one JSON object, with two values"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"a": 1, "a": 2}\n{"a": 3}\n', [REPEATED, {"a": 3}]),
        ('{"b": [{"a": "x", "a": null}]}\n{"a": 3}\n', [REPEATED, {"a": 3}]),
        ('{"a": [1], "b": 2, "a": [1]}\n', [{"a": [1], "b": 2}]),
        ('[{"a": 3}, {"a": 1, "a": 2}, {"a": 4}]', [{"a": 3}, f"{REPEATED} (element 2)", {"a": 4}]),
        ('{\n"a": 1,\n"a": 2\n}\n{\n"a": 3\n}', [REPEATED, {"a": 3}]),
    ],
    ids=["lines", "within", "the same twice", "an array", "pretty"],
)
def test_two_values_under_one_key_cost_their_row_alone(file: File, text: str, rows: list[object]) -> None:
    """The decoder keeps the last; which of them was meant, nobody knows."""
    read = [row.fields if isinstance(row, FileRow) else row.reason for row in read_rows(file(text))]

    assert read == rows
