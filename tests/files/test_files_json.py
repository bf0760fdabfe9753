"""JSON that is no lines: each object is a row with its line, and a fault is one row of quarantine."""

from __future__ import annotations

import json
import random

import pytest

from annotate.files import FileRow, Rejected, json_values, read_rows
from support.files import BOM, File, good, rejected

ROWS: list[dict[str, object]] = [
    {"id": "1", "contexts": [{"text": "a]b}"}, {"text": 'q"\\'}], "answer": "Fußweg: 5 € 駅"},
    {"id": "2", "contexts": [], "meta": {"deep": [[1], {}]}},
    {"id": "3", "answer": None},
]


def laid_out() -> list[tuple[str, str]]:
    """(name, text) of the same rows in every layout."""
    texts = [json.dumps(row, ensure_ascii=False) for row in ROWS]
    pretty = [json.dumps(row, indent=2) for row in ROWS]
    return [
        ("array", json.dumps(ROWS)),
        ("pretty array", json.dumps(ROWS, indent=4)),
        ("array of lines", "[\n" + ",\n".join(texts) + "\n]\n"),
        ("pretty objects", "\n".join(pretty)),
        ("pretty without indent", "\n".join(json.dumps(row, indent=0) for row in ROWS)),
        ("one line of objects", " ".join(texts)),
        ("objects without blanks", "".join(texts)),
        ("two arrays", json.dumps(ROWS[:1]) + "\n" + json.dumps(ROWS[1:])),
        ("files put together", "\ufeff".join(pretty)),
        ("text sequence", "".join(f"\x1e{text}\n" for text in texts)),
        ("blank lines first", "\n \n" + json.dumps(ROWS)),
    ]


@pytest.mark.parametrize("text", [text for _, text in laid_out()], ids=[name for name, _ in laid_out()])
@pytest.mark.parametrize("mark", [b"", BOM], ids=["plain", "marked"])
def test_every_layout_gives_the_same_rows(file: File, text: str, mark: bytes) -> None:
    """Whatever stands between the objects, they come out as they were."""
    assert good(file(mark + text.encode())) == ROWS


@pytest.mark.parametrize("piece", [1, 2, 7, 64])
def test_rows_do_not_hang_on_where_the_window_ends(file: File, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, texts, escapes and characters of several bytes are cut anywhere by the reading."""
    monkeypatch.setattr(json_values, "PIECE", piece)

    for _, text in laid_out():
        assert good(file(text)) == ROWS


def test_a_row_has_its_number_in_an_array_or_the_line_on_which_it_starts(file: File) -> None:
    """In a pretty-printed array, and for objects one after the other."""
    assert [row.line for row in read_rows(file("\n" + json.dumps([{"a": 1}, {"b": 2}], indent=1)))] == [1, 2]
    assert [row.line for row in read_rows(file('{\n"a": 1\n}\n\n{\n"a": 2}'))] == [1, 5]


def test_an_object_around_a_list_is_one_row(file: File) -> None:
    """It may be a trace: whoever knows the format looks into it."""
    whole = {"data": ROWS, "meta": {"page": 1}}

    for indent in (None, 2):
        assert good(file(json.dumps(whole, indent=indent))) == [whole]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_too_long_for_a_row_gives_its_first_list_of_objects(
    file: File, indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of other things and small objects are passed over; the list may lie deeper."""
    monkeypatch.setattr(json_values, "LONGEST_ROW", 2_000)
    monkeypatch.setattr("annotate.files.detection.LONGEST_ROW", 2_000)
    monkeypatch.setattr(json_values, "PIECE", 100)
    rows = [{"id": str(n), "answer": "x" * 50} for n in range(100)]
    meta = {"columns": ["a", "b"], "page": {"n": 1}, "empty": []}

    assert good(file(json.dumps({**meta, "data": rows, "end": True}, indent=indent))) == rows
    assert good(file(json.dumps({**meta, "result": {"total": 100, "data": rows}}, indent=indent))) == rows


def test_a_second_list_in_a_long_object_is_not_passed_over_in_silence(
    file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row of quarantine names it."""
    monkeypatch.setattr(json_values, "LONGEST_ROW", 500)
    monkeypatch.setattr("annotate.files.detection.LONGEST_ROW", 500)
    monkeypatch.setattr(json_values, "PIECE", 100)

    *rows, last = read_rows(file(json.dumps({"spans": [{"n": n} for n in range(90)], "scores": [{"n": 1}]})))

    assert [row.fields["n"] for row in rows if isinstance(row, FileRow)] == list(range(90))
    assert isinstance(last, Rejected)
    assert "'scores'" in last.reason


@pytest.mark.slow
@pytest.mark.parametrize("layout", [None, 2])
def test_an_array_cut_at_any_byte_keeps_the_rows_before(file: File, layout: int | None) -> None:
    """Each whole element is a row, and what is missing is one row of quarantine."""
    text = json.dumps(ROWS, indent=layout).encode()
    ends = [0]
    for row in ROWS:
        part = json.dumps(row, indent=layout).replace("\n", "\n  " if layout else "\n").encode()
        ends.append(text.index(part, ends[-1]) + len(part))

    for cut in range(2, len(text)):
        *rows, last = read_rows(file(text[:cut]))
        assert [dict(row.fields) for row in rows if isinstance(row, FileRow)] == ROWS[
            : sum(cut >= end for end in ends) - 1
        ]
        assert isinstance(last, Rejected)
        assert "cut off" in last.reason or "UTF-8" in last.reason


@pytest.mark.parametrize(
    ("text", "rows", "reason"),
    [
        ('[{"n": 1}, 7, {"n": 2}]', 2, "expected a JSON object, found int"),
        ('[{"n": 1}, [{"n": 3}], {"n": 2}]', 2, "expected a JSON object, found list"),
        ('[{"n": 1}, {"n": 2},,]', 2, "not valid JSON: Expecting value"),
        ('[{"n": 1} {"n": 2}]', 1, "a comma or ] is missing, and '{' found"),
        ('[{"n": 1}, {"n": 2}', 2, "the array does not end (the file may be cut off here)"),
        ('[{"n": 1}, {"n": 2,}, {"n": 3}]', 1, "nothing after it was read"),
        ('[{"n": 1}] x', 1, "not valid JSON"),
        ('[{"n": 1}, {"n": ' + "[" * 100_000, 1, "nested too deeply"),
        ('[{"n": 1}, {"n": ' + "9" * 10_000 + "}]", 1, "not valid JSON"),
        ("[", 0, "cut off"),
        ("{\n  'a': 1\n}\n{\n  'a': 2\n}\n" * 1000, 0, "not valid JSON"),
        ('{\n  "a": 1,\n}\n' * 1000, 0, "not valid JSON"),
    ],
)
def test_a_fault_is_one_row_of_quarantine(file: File, text: str, rows: int, reason: str) -> None:
    """What stands before it is read; so is what stands behind an element that is no object."""
    read = list(read_rows(file(text)))

    assert sum(isinstance(row, FileRow) for row in read) == rows
    [fault] = [row for row in read if isinstance(row, Rejected)]
    assert reason in fault.reason
    assert fault.line >= 1


def test_an_empty_array_has_no_rows(file: File) -> None:
    """Neither a row nor a fault."""
    assert list(read_rows(file("[]"))) == list(read_rows(file(" [\n]\n"))) == []


def test_bytes_that_are_no_utf8_cost_their_element(file: File) -> None:
    """The others are read."""
    rows = list(read_rows(file(b'[{"a": "caf\xe9"}, {"a": "ok"}]')))

    assert [type(row) for row in rows] == [Rejected, FileRow]
    assert rows[0] == Rejected(1, rows[0].reason if isinstance(rows[0], Rejected) else "", b'{"a": "caf\xe9"}')


def test_words_that_json_does_not_have_are_texts(file: File) -> None:
    """As in lines: NaN and Infinity, also where the window ends within them."""
    assert good(file('[{"a": NaN, "b": [-Infinity, Infinity]}]')) == [{"a": "NaN", "b": ["-Infinity", "Infinity"]}]


@pytest.mark.parametrize(
    "lines",
    [
        ['{"a": 1', '{"a": 2}', '{"a": 3}'],
        ['{"a": 1,', '{"a": 2}', '{"a": 3}'],
        ["{", '{"a": 2}', '{"a": 3}'],
        ['{"a": "x', '{"a": 2}', '{"a": 3}'],
        ['{"a": 1}{"a": 1', '{"a": 2}', '{"a": 3}'],
        ["{'a': 1}", '{"a": 2}', '{"a": 3}'],
    ],
)
def test_a_first_line_that_is_cut_off_leaves_the_file_lines(file: File, lines: list[str]) -> None:
    """It costs only itself, as any other line does."""
    rows = list(read_rows(file("\n".join(lines))))

    assert [type(row) for row in rows] == [Rejected, FileRow, FileRow]


def test_a_line_longer_than_a_row_can_be_costs_only_itself(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not held as a whole."""
    for module in ("json_lines", "detection"):
        monkeypatch.setattr(f"annotate.files.{module}.LONGEST_ROW", 1_000)

    rows = list(read_rows(file('{"a": 1}\n{"a": "' + "x" * 5_000 + '"}\n{"a": 2}\n')))

    assert [row.line for row in rows] == [1, 2, 3]
    assert [type(row) for row in rows] == [FileRow, Rejected, FileRow]
    assert len(rejected(file('{"a": 1}\n{"a": "' + "x" * 5_000))) == 1


@pytest.mark.slow
def test_any_text_gives_rows_or_reasons(file: File) -> None:
    """3,000 damaged texts: nothing is raised, and no row comes that was not there."""
    rng = random.Random(20261121)
    texts = [text for _, text in laid_out()]
    for _ in range(3_000):
        text = list(rng.choice(texts))
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(text))
            text[place] = rng.choice('[]{},:"\\ \n1ax')
        for row in read_rows(file("".join(text))):
            assert isinstance(row, FileRow) or row.reason
