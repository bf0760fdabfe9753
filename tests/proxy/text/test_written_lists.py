"""Lists written as text: what each writer wrote comes out, prose stays prose, and what is lost is said."""

from __future__ import annotations

import json
import random
import string
from contextlib import suppress

import numpy as np
import pytest

from proxy.errors import InputError
from proxy.text.written_lists import read_list, read_object

TEXTS = [
    ["a"],
    ["a", "b's", 'say "x"', 'it\'s "both"'],
    ["two\nlines\tand a tab", "back\\slash", "\\n", "駅 Fußweg \U0001f600", "\x00\x7f\u200b"],
    ["", " ", "'", '"', "[", "]", "', '", "'] ['", "...", "a ... b", "None", "1"],
    [],
]


@pytest.mark.parametrize("texts", TEXTS)
def test_what_python_json_and_numpy_write_is_read_as_it_was(texts: list[str]) -> None:
    """Oracle: the writers themselves."""
    array = np.array(texts, dtype=object)
    for written in (json.dumps(texts), repr(texts), str(array), repr(array), str(np.array(texts)), f" {texts!r}\n"):
        assert read_list(written) == texts


@pytest.mark.slow
def test_any_texts_survive_every_writer() -> None:
    """2,000 lists of random signs, quotes and escapes."""
    rng = random.Random(20261121)
    signs = "'\"\\[]{}(),.: \n\t…駅u" + string.ascii_letters + string.digits
    for _ in range(2_000):
        texts = ["".join(rng.choices(signs, k=rng.randrange(12))) for _ in range(rng.randrange(1, 6))]
        array = np.array(texts, dtype=object)
        assert read_list(repr(texts)) == read_list(json.dumps(texts)) == read_list(str(array)) == texts


def test_objects_are_read_too() -> None:
    """With numbers, nothing, truth values and lists within; LangChain's documents by their names."""
    values = [{"text": "it's", "score": 0.5, "id": None, "ok": True, "pages": [1, -2]}, {"text": "b"}]
    array = np.array(values, dtype=object)

    for written in (repr(values), str(array), repr(array), json.dumps(values)):
        assert read_list(written) == values
    assert read_list("[Document(metadata={'page': 1}, page_content='a')]") == [
        {"metadata": {"page": 1}, "page_content": "a"}
    ]
    assert read_list("[{'text': 'a', 'score': nan}]") == [{"text": "a", "score": "NaN"}]
    assert read_list("[list(['a', 'b']) list([])]") == [["a", "b"], []]
    assert read_list("[1 2\n 3]") == [1, 2, 3]
    assert read_list("array([['a', 'b'],\n       ['c', 'd']], dtype='<U1')") == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    "prose",
    [
        "[1] Smith et al.",
        "[1] Smith et al. [2]",
        "[1, 2] show this; see also [3]",
        "[[1]] Smith [[2]]",
        "[sic]",
        "[citation needed]",
        "[None of the above]",
        "[2019] The ward moved.",
        "[12, see below]",
        "[... the ward] moved",
        "[link](https://example.org)",
        "['Emergency' ward] is on floor 3",
        '["Quoted"] is what he said',
        '["Quoted"], he said [2]',
        "[x] done",
        "[ ] to do",
        "[object Object]",
        "[-",
        "[",
        "no list",
        "{'text': 'a'}",
        "array([1, 2]) makes an array",
    ],
)
def test_prose_stays_one_passage(prose: str) -> None:
    """A bracket at the start makes no list, and one at the end neither."""
    assert read_list(prose) is None


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("['a', 'b", "cut off"),
        ('["a", "b", ', "cut off"),
        ("[{'text': 'a'}, {'te", "cut off"),
        ("['it's bad']", "at character 5"),
        ("['a', b]", "at character 6"),
        ("['a' 'b', 'c']", "commas stand between some"),
        ("['a' 'joined by Python'\n 'b', 'c', 'd']", "commas stand between some"),
        ("['a'] ['b']", "something follows"),
        ("['a'], ['b']", "something follows"),
        ("[b'a' b'b']", "at character 1"),
        ("[{'text' 'a'}]", "at character"),
        ("[{'at': datetime.datetime(2026, 1, 1)}]", "at character"),
        ("[UUID('x')]", "at character"),
        ("['\\U99999999']", "no character"),
        ("[" * 60 + "'a'" + "]" * 60, "nested deeper"),
        ("[" * 100_000 + "'a'" + "]", "nested deeper"),
        ("['a', " + "9" * 10_000 + "]", "too long"),
        (str(np.array([str(n) for n in range(2_000)], dtype=object)), "cut short"),
        (repr(np.array([str(n) for n in range(2_000)], dtype=object)), "cut short"),
        (str(np.arange(2_000)), "cut short"),
    ],
)
def test_what_looks_like_a_list_and_is_none_is_refused(written: str, reason: str) -> None:
    """It is not taken as one passage, and the reason helps to mend it."""
    with pytest.raises(InputError, match="looks like a list and cannot be read as one") as error:
        read_list(written)
    assert reason in str(error.value)


def test_json_with_line_ends_in_its_texts_is_read() -> None:
    """Spreadsheets and scripts put them there."""
    assert read_list('["a\nb", "c"]') == ["a\nb", "c"]


@pytest.mark.slow
def test_no_text_of_any_kind_raises_anything_but_a_reason() -> None:
    """5,000 damaged lists."""
    rng = random.Random(20261121)
    for _ in range(5_000):
        written = list(repr(rng.choice([*TEXTS, [["a"], None, 1.5, {"b": "c"}]])))
        for _ in range(rng.randrange(1, 4)):
            written.insert(rng.randrange(len(written)), rng.choice("'\"[](){},.:\\ax1 \n"))
        value: object = None
        with suppress(InputError):
            value = read_list("".join(written))
        assert value is None or isinstance(value, list)


@pytest.mark.parametrize(
    "value",
    [
        {"a": "it's", "b": 'say "x"', "c": ["1", {"d": None}], "e": -1.5, "f": True},
        [{"a": "{'b': 1}"}, {"ü\n": "\\"}],
    ],
    ids=str,
)
def test_what_python_writes_of_an_object_is_read(value: object) -> None:
    """The oracle is Python itself, whose `str` wrote it."""
    assert read_object(str(value)) == value


@pytest.mark.parametrize(
    "text",
    ["{'a': 1} and more", "{'a': <object at 0x1>}", "{'a': [1}", "{'a'", "{'a', 'b'}", '{"a": 1}', "['a']", "{}"],
)
def test_what_is_no_object_of_python_stays_as_it_is(text: str) -> None:
    """Prose, what was cut off, sets, and what JSON reads."""
    assert read_object(text) is None
