"""Rows of any tool with anything in any place: an answer, a span, or a reason; never an exception of ours."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from annotate.traffic.detection import detect
from annotate.traffic.formats import SOURCE_FORMATS
from annotate.traffic.joining import WaitReason, join
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import Evaluation, TrafficRow, Unanswered, Unread
from annotate.traffic.spans import Span
from proxy.errors import InputError

SAMPLES = sorted((Path(__file__).parents[1] / "samples").glob("*.jsonl"))
ODD: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        2**70,
        0.5,
        float("nan"),
        float("inf"),
        "",
        " ",
        "text",
        "[1]",
        "[",
        '{"text": 3}',
        "\ud800",
        "\0",
    ),
    *(
        "x" * 2000,
        b"\xff",
        date(2026, 11, 21),
        [],
        {},
        [[]],
        [{}],
        [None],
        {"": None},
        {"role": "user"},
        {"content": [1]},
    ),
    *([{"role": "user", "content": [{"type": "text"}]}], {"document": {"document": {}}}, {"kwargs": {"kwargs": 1}}),
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a row that can be written."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def changed(row: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The row with something else in one to three places, also within JSON held as text."""
    row = deepcopy(row)
    for _ in range(rng.randrange(1, 4)):
        inside, key = rng.choice(list(places(row)) or [(row, "x")])
        value = inside.get(key) if isinstance(inside, dict) else inside[key]
        if isinstance(value, str) and value[:1] in ("{", "[") and rng.random() < 0.7:
            try:
                inner = json.loads(value)
            except ValueError:
                inner = {}
            if spots := list(places(inner)):
                holder, name = rng.choice(spots)
                holder[name] = deepcopy(rng.choice(ODD))
                inside[key] = json.dumps(inner, default=str)
                continue
        inside[key] = deepcopy(rng.choice(ODD))
    return row


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_no_malformed_row_raises_anything_but_a_reason(path: Path) -> None:
    """300 changed rows of each tool; what is read can be kept, and spans come out of the store as they went in."""
    rng = random.Random(path.name)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    source_format = detect(rows).source_format
    assert source_format is not None
    read, spans = 0, []
    for _ in range(300):
        row = changed(rng.choice(rows), rng)
        for each in SOURCE_FORMATS:
            each.recognises(row)
        try:
            for reading in source_format.read(row, {}):
                read += 1
                if isinstance(reading, Span):
                    assert Span.from_json(reading.to_json()) == reading
                    spans.append(reading)
                elif isinstance(reading, TrafficRow):
                    item_from_row(reading.fields, {})
                elif isinstance(reading, Unanswered):
                    assert reading.why
                elif isinstance(reading, Evaluation):
                    assert reading.row
                else:
                    assert isinstance(reading, Unread)
                    assert reading.reason
        except InputError:
            continue
    assert read > 100
    for start in range(0, len(spans), 5):
        joined = join(spans[start : start + 5])
        for row in () if isinstance(joined, WaitReason) else joined:
            try:
                item_from_row(row.fields, {})
            except InputError:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("key", ["document", "message", "kwargs", "question", "messages", "a"])
def test_a_row_nested_deeply_is_read_or_refused(path: Path, key: str) -> None:
    """As deep as the reader of JSON goes, in the place of some values of the row."""
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    source_format = detect([row]).source_format
    assert source_format is not None
    deep: Any = {"role": "user", "content": "x"}
    for _ in range(900):
        deep = {key: deep, "role": "user"}
    spots = list(places(row))
    for holder, name in random.Random(key).sample(spots, min(10, len(spots))):
        before, holder[name] = holder[name], deep
        for each in SOURCE_FORMATS:
            each.recognises(row)
        with suppress(InputError):
            list(source_format.read(row, {}))
        holder[name] = before
    list(source_format.read({**row, ".".join("a" * 5000): 1, "attributes": {".".join("a" * 5000): 1}}, {}))
