"""Files of any shape: every readable row comes out as it was, every other with its line, its reason and its bytes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest

from annotate.files import KEPT_BYTES, FileRow, Rejected, read_rows
from proxy.errors import UsageError
from support.files import BOM, File, good, parquet, rejected


@pytest.mark.parametrize(
    "content",
    [b'{"a": "1", "b": "x"}\n', b"a,b\n1,x\n", parquet(pa.table({"a": ["1"], "b": ["x"]}))],
    ids=["jsonl", "csv", "parquet"],
)
def test_the_content_tells_the_format(file: File, content: bytes) -> None:
    """A name without an ending says nothing, and nothing is needed."""
    assert good(file(content)) == [{"a": "1", "b": "x"}]


@pytest.mark.parametrize("sign", [b",", b";", b"\t", b"|"])
def test_the_header_tells_what_separates_columns(file: File, sign: bytes) -> None:
    """Spreadsheets of other countries write semicolons or tabs; the other signs stay text."""
    content = BOM + sign.join((b"a", b"b")) + b"\n" + sign.join((b'"1, 2; 3\t4|5"', b"x")) + b"\n"

    assert good(file(content)) == [{"a": "1, 2; 3\t4|5", "b": "x"}]


@pytest.mark.parametrize("content", [b'{"a": "1"}\n', b"a\n1\n", b'"a"\n"1"\n'])
def test_a_byte_order_mark_is_no_content(file: File, content: bytes) -> None:
    """Excel and Notepad write one; it must not end up in the first field's name."""
    assert good(file(BOM + content)) == [{"a": "1"}]


@pytest.mark.parametrize("content", [b'\n \n{"a": "1"}\n\n\t\n{"a": "2"}', b"\n\na\n1\n\n2\n\n"])
def test_blank_lines_are_no_rows(file: File, content: bytes) -> None:
    """They are passed over, and the rows after them keep their line numbers."""
    rows = list(read_rows(file(content)))

    assert [row.fields["a"] for row in rows if isinstance(row, FileRow)] == ["1", "2"]
    assert [row.line for row in rows] == ([3, 6] if content.startswith(b"\n ") else [4, 6])


@pytest.mark.parametrize("content", [b"", BOM, b"\n \n\n"])
def test_an_empty_file_has_no_rows(file: File, content: bytes) -> None:
    """Nothing came in: neither a row nor a fault."""
    assert list(read_rows(file(content))) == []


def test_a_jsonl_file_cut_at_any_byte_loses_only_its_last_record(file: File) -> None:
    """The lines before stay; what is left of the last is rejected with its bytes, or is the whole record."""
    whole = {"id": "3", "answer": 'Fußweg: 5 € \\ "x" 駅', "contexts": [{"text": "a", "score": 0.5}], "n": 12}
    lines = [json.dumps({"id": str(n)}).encode() + b"\n" for n in (1, 2)]
    last = json.dumps(whole, ensure_ascii=False).encode()

    for threshold in range(len(last) + 1):
        rows = list(read_rows(file(b"".join(lines) + last[:threshold])))
        assert [dict(row.fields) for row in rows[:2] if isinstance(row, FileRow)] == [{"id": "1"}, {"id": "2"}]
        if threshold == 0:
            assert len(rows) == 2
        elif threshold == len(last):
            assert isinstance(rows[2], FileRow)
            assert (rows[2].line, rows[2].fields) == (3, whole)
        else:
            assert isinstance(rows[2], Rejected)
            assert (rows[2].line, rows[2].raw) == (3, last[:threshold])
            assert "cut off" in rows[2].reason or "UTF-8" in rows[2].reason


def test_a_csv_file_cut_at_any_byte_loses_only_its_last_record(file: File) -> None:
    """The same, but for three cuts that leave a well-formed record: after the last comma, and within a doubled quote."""
    head = b'id,question,answer\n1,why,"because"\n2,"how\nso","like so"\n'
    last = '3,"wo, bitte?","Fußweg: 5 €\n""x"" 駅"'.encode()
    seemingly_whole = {b'3,"wo, bitte?",': "", last[: last.index(b'""x') + 1]: "Fußweg: 5 €\n"}
    seemingly_whole |= {last[: last.index(b'"" ') + 1]: 'Fußweg: 5 €\n"x', last: 'Fußweg: 5 €\n"x" 駅'}

    for threshold in range(1, len(last) + 1):
        rows = list(read_rows(file(head + last[:threshold])))
        assert [row.fields["id"] for row in rows[:2] if isinstance(row, FileRow)] == ["1", "2"]
        assert [row.line for row in rows] == [2, 3, 5]
        if last[:threshold] in seemingly_whole:
            assert isinstance(rows[2], FileRow)
            assert rows[2].fields["answer"] == seemingly_whole[last[:threshold]]
        else:
            assert isinstance(rows[2], Rejected)
            assert rows[2].raw == last[:threshold]


@pytest.mark.parametrize("header", [b"", b"id,text\n"], ids=["jsonl", "csv"])
def test_bytes_that_are_no_utf8_cost_only_their_row(file: File, header: bytes) -> None:
    """Latin-1 and half a character are rejected, word for word as they came."""
    bad = [b"1,caf\xe9\n", b"2,\xed\xa0\x80\n"] if header else [b'{"id": "caf\xe9"}\n', b'{"id": "\xed\xa0\x80"}\n']
    fine = b"3,ok\n" if header else b'{"id": "3"}\n'
    rows = list(read_rows(file(header + bad[0] + fine + bad[1] + fine)))

    first = 2 if header else 1
    assert [type(row) for row in rows] == [Rejected, FileRow, Rejected, FileRow]
    assert [row.line for row in rows] == [first, first + 1, first + 2, first + 3]
    assert [row.raw for row in rows if isinstance(row, Rejected)] == bad
    assert all("UTF-8" in row.reason for row in rows if isinstance(row, Rejected))


@pytest.mark.parametrize("content", [b'{"a": "x\\u0000y"}\n', b"a\nx\0y\n"])
def test_nul_is_text(file: File, content: bytes) -> None:
    """A NUL inside a text neither ends nor breaks it."""
    assert good(file(content)) == [{"a": "x\0y"}]


def test_lone_surrogates_come_out_as_they_were(file: File) -> None:
    """JSON can write half a character; it is text that UTF-8 cannot hold, and it is kept."""
    assert good(file(b'{"a": "x\\ud800y", "\\udfff": "\\ud83d\\ude00"}\n')) == [
        {"a": "x\ud800y", "\udfff": "\U0001f600"}
    ]


def test_numbers_beyond_json_do_not_break_a_row(file: File) -> None:
    """NaN and Infinity come as words, 1e999 as Python reads it, and no integer is too large to be read."""
    (row,) = good(file(f'{{"a": NaN, "b": -Infinity, "c": 1e999, "d": {2**70}, "e": [NaN]}}'))

    assert row == {"a": "NaN", "b": "-Infinity", "c": float("inf"), "d": 2**70, "e": ["NaN"]}


def test_a_number_of_ten_thousand_digits_costs_only_its_row(file: File) -> None:
    """Python refuses to read it, and the row is rejected instead of the file."""
    rows = list(read_rows(file('{"a": %s}\n{"a": 1}\n' % ("9" * 10_000))))

    assert [type(row) for row in rows] == [Rejected, FileRow]


@pytest.mark.slow
def test_any_depth_of_nesting_is_a_row_or_is_rejected(file: File) -> None:
    """No depth breaks the reader, neither at Python's limit nor far beyond."""
    depths = [10, 100, *range(900, 1010, 5), 100_000]
    path = file("".join('{"a": ' + "[" * depth + "]" * depth + "}\n" for depth in depths))

    rows = list(read_rows(path))

    assert [row.line for row in rows] == list(range(1, len(depths) + 1))
    assert isinstance(rows[0], FileRow)
    assert isinstance(rows[-1], Rejected)
    assert "nested" in rows[-1].reason


@pytest.mark.parametrize("line", ['"text"', "3", "null", "[1]", "{'a': 1}", '{"a": 1} {"a": 2}', "{"])
def test_a_line_that_is_no_object_costs_only_itself(file: File, line: str) -> None:
    """Whatever stands in a line of JSONL, the next is read."""
    rows = list(read_rows(file('{"a": 0}\n' + line + '\n{"a": 1}\n')))

    assert [type(row) for row in rows] == [FileRow, Rejected, FileRow]
    assert rows[1] == Rejected(2, rows[1].reason if isinstance(rows[1], Rejected) else "", (line + "\n").encode())


def test_csv_cells_may_hold_anything_in_quotes(file: File) -> None:
    """Commas, quotes, line ends of every kind and blanks come out exactly; the next record keeps its line."""
    cells = ["a,b", 'say "x"', "two\nlines", "dos\r\nlines", "  blanks ", "", "=1+1"]
    sink = io.StringIO(newline="")
    writer = csv.writer(sink)
    writer.writerow([f"c{n}" for n in range(len(cells))])
    writer.writerows([cells, cells])

    rows = list(read_rows(file(sink.getvalue())))

    assert [list(row.fields.values()) for row in rows if isinstance(row, FileRow)] == [cells, cells]
    assert [row.line for row in rows] == [2, 5]


@pytest.mark.parametrize(
    ("record", "reason"),
    [('"a"b,c', "no CSV"), ("a", "1 cells where the header has 2"), ("a,b,c", "3 cells where the header has 2")],
)
def test_a_csv_record_that_does_not_fit_costs_only_itself(file: File, record: str, reason: str) -> None:
    """Bad quoting and a wrong number of cells are said, with the line and the bytes."""
    rows = list(read_rows(file(f"x,y\n1,2\n{record}\n3,4\n")))

    assert [type(row) for row in rows] == [FileRow, Rejected, FileRow]
    assert isinstance(rows[1], Rejected)
    assert (rows[1].line, rows[1].raw) == (3, f"{record}\n".encode())
    assert reason in rows[1].reason


def test_the_header_of_a_file_that_was_put_behind_another_is_no_record(file: File) -> None:
    """With a byte order mark of its own, or without."""
    content = "id,answer\n1,a\nid,answer\n2,b\n\ufeffid,answer\n3,id\n"

    assert [row["id"] for row in good(file(content))] == ["1", "2", "3"]


def test_an_open_quote_says_where_it_opened(file: File) -> None:
    """The rest of the file is in quotes then: it is kept, and the line is the one to look at."""
    rows = list(read_rows(file('x,y\n1,2\n3,"open\n4,5\n6,7\n')))

    assert rows[1] == Rejected(3, "no CSV: a quote opens in this record and is not closed", b'3,"open\n4,5\n6,7\n')


@pytest.mark.parametrize("header", [b"a,a\n", b",\n", b'a,"b"c\n', b"a,\xff\n"], ids=str)
def test_without_a_header_no_csv_is_read(file: File, header: bytes) -> None:
    """A header that is doubled, blank, broken or no UTF-8 refuses the file as a whole: no record may take its place."""
    rows = list(read_rows(file(header + b"1,2\n3,4\n")))

    assert len(rows) == 1
    assert isinstance(rows[0], Rejected)
    assert rows[0].line == 0
    assert "header" in rows[0].reason
    rows[0].reason.encode()


def test_a_column_may_stand_twice_where_both_say_the_same(file: File) -> None:
    """As a frame writes its index that is one of its columns too; a record in which they differ is not read."""
    first, second, third = read_rows(file(b"a,b,a\n1,x,1\n2,y,3\n4,z,4\n"))

    assert [row.fields for row in (first, third) if isinstance(row, FileRow)] == [
        {"a": "1", "b": "x"},
        {"a": "4", "b": "z"},
    ]
    assert isinstance(second, Rejected)
    assert (second.line, second.reason) == (3, "two columns of one name differ")


def test_a_named_format_is_taken_at_its_word(file: File) -> None:
    """--format csv reads a CSV whose header begins with a brace."""
    assert [row.fields for row in read_rows(file("{a\n1\n"), "csv") if isinstance(row, FileRow)] == [{"{a": "1"}]


def test_the_bytes_kept_of_a_bad_row_are_bounded(file: File) -> None:
    """A line of megabytes leaves its first megabyte in quarantine."""
    (row,) = rejected(file(b'{"a": "' + b"x" * 2_000_000))

    assert len(row.raw) == KEPT_BYTES


def test_a_file_that_cannot_be_opened_is_a_wrong_request(tmp_path: Path) -> None:
    """A folder is no file, and the message says which path."""
    with pytest.raises(UsageError, match="cannot read"):
        list(read_rows(str(tmp_path)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id": "a", "contexts": [{"id": "b"}]}', "a"),
        ('{"question": "Q", "id": "a"}', "a"),
        ('{"contexts": [{"id": "b"}], "id": "a"}', "a"),
        ('{"contexts": [{"id": "b"}], "id": 7}', 7),
        ('{"id": "caf\\u00e9"}', "café"),
        ('{"id": "é"}', "é"),
        ('{"question": "say \\"id\\": \\"x\\"", "id": "a"}', "a"),
        ('{"key": "id", "id": "a"}', "a"),
        ('{"question": "Q"}', None),
    ],
)
def test_one_column_can_be_read_alone(file: File, line: str, expected: object) -> None:
    """It is that of the whole row, wherever it stands and however it is written."""
    (row,) = read_rows(file(line + "\n"), column="id")

    assert isinstance(row, FileRow)
    assert row.fields.get("id") == expected
