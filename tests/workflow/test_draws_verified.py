"""Draws and chances computed again by nothing but the standard library, from what a store keeps and anybody can read.

Nothing of Assay is used but the rows of the store: the definition of a frame, its salt, its strata, and what was known of the
items.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import sqlite3
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from statistics import NormalDist
from typing import Any

import pytest

from support.store import Assay, label, traffic_row

COUNT = 240
Known = dict[str, Any]
ITEMS = """
    SELECT i.key, i.id, i.question, i."group", v.verdict, v.value,
        EXISTS (SELECT 1 FROM feedback WHERE item_id = i.id AND sign = -1) AS is_down
    FROM items i LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key WHERE i.key BETWEEN ? AND ? ORDER BY i.key
"""


@pytest.fixture
def drawn(assay: Assay) -> sqlite3.Connection:
    """A stratified wave before any label, one after, and an active one: as rows by name."""
    assay("ingest", assay.write("t.jsonl", [traffic_row(f"i{n}", group=f"g{n // 2}") for n in range(COUNT)]))
    values = {n: random.Random(n).random() for n in range(COUNT) if n % 19}
    for judge, power in (("s", 1), ("t", 3)):
        rows = [{"item_id": f"i{n}", "judge": judge, "value": round(value**power, 4)} for n, value in values.items()]
        assay("scores", "import", assay.write("s.jsonl", rows))
    assay("rule", "set", "s > 0.4")
    assay("feedback", assay.write("f.jsonl", [{"item_id": f"i{n}", "value": -1} for n in range(0, COUNT, 37)]))
    for seed, options in enumerate(((), (), ("--active",))):
        assay("sample", "--labels", "60", "--seed", str(seed), *options)
        assay("draws", "export", "draws.jsonl")
        names = [json.loads(line)["item_id"] for line in (assay.folder / "draws.jsonl").read_text().splitlines()]
        said = [label(name, random.Random(name).choice(("right", "right", "wrong"))) for name in names]
        assay("labels", "import", assay.write("l.jsonl", said))
    connection = sqlite3.connect(assay.db)
    connection.row_factory = sqlite3.Row
    return connection


def number(item_id: str, salt: str) -> float:
    return int(hashlib.sha256(f"{salt}|{item_id}".encode()).hexdigest()[:13], 16) / 16**13


def definition(connection: sqlite3.Connection, wave: int) -> Known:
    row = connection.execute("SELECT content FROM frame_definitions WHERE wave = ?", (wave,)).fetchone()
    known: Known = json.loads(zlib.decompress(row["content"]))
    return known


def fold(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8, key=b"predictor fold").digest()) % 10


def normal_score(column: Sequence[float], value: float | None) -> float:
    """The normal quantile of the mid-rank of a value among those of a column, between its neighbours."""
    if value is None or len(set(column)) < 2:
        return 0.0
    levels, n = sorted(set(column)), len(column)
    scores = []
    for level in levels:
        below, ties = sum(other < level for other in column), column.count(level)
        scores.append(NormalDist().inv_cdf((below + ties / 2) / n))
    place = bisect_left(levels, value)
    if place == 0 or place == len(levels):
        return scores[min(place, len(levels) - 1)]
    low, high = levels[place - 1], levels[place]
    return scores[place - 1] + (scores[place] - scores[place - 1]) * (value - low) / (high - low)


def level(predictor: Known, own: int, values: Sequence[float | None]) -> int:
    """P(right) by the model of the item's fold, as the level that it lies in."""
    others = [row for row, other in zip(predictor["scores"], predictor["fold"], strict=True) if other != own]
    intercept, *rest = predictor["coefficients"][own]
    slopes, missing = rest[: len(values)], rest[len(values) :]
    odds = intercept
    for place, value in enumerate(values):
        known = [row[place] for row in others if row[place] is not None]
        odds += slopes[place] * normal_score(known, value) + (missing[place] if value is None else 0)
    right = 1 / (1 + math.exp(-odds))
    return min(int(math.asin(math.sqrt(right)) / (math.pi / 2) * 64), 63)


def framed(connection: sqlite3.Connection, wave: int) -> dict[int, tuple[str, str, float | None]]:
    """The id, the stratum and the own chance of each item of a frame."""
    known = definition(connection, wave)
    rows = connection.execute(ITEMS, (known["rule"], known["first_item"], known["last_item"])).fetchall()
    scores = {(row["judge"], row["item"]): row["value"] for row in connection.execute("SELECT * FROM scores")}
    frame = {}
    for row in rows:
        kind = {"pass": "passed", "fail": "failed", None: "unscored"}[row["verdict"]]
        kind = "thumbs_down" if row["is_down"] else kind
        rank = row["value"]
        if predictor := known["predictor"]:
            values = [row["value"], *(scores.get((judge, row["key"])) for judge in predictor["judges"])]
            rank = level(predictor, fold(row["question" if predictor["is_by_question"] else "group"]), values)
        cuts, cells = known["by_kind"][kind]
        stratum, chance = known["cells"][cells[sum(rank > cut for cut in cuts)]]
        frame[row["key"]] = row["id"], stratum, chance
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("wave", [1, 2])
def test_a_stratified_wave_is_drawn_again(drawn: sqlite3.Connection, wave: int) -> None:
    """In each stratum the smallest numbers of what no earlier wave drew; chances are n / N."""
    (salt,) = drawn.execute("SELECT salt FROM waves WHERE key = ?", (wave,)).fetchone()
    before = {row["item"] for row in drawn.execute("SELECT item FROM draws WHERE wave < ?", (wave,))}
    frame = framed(drawn, wave)
    left = {key: row for key, row in frame.items() if key not in before}
    sizes = Counter(stratum for _, stratum, _ in left.values())
    planned = {row["stratum"]: row for row in drawn.execute("SELECT * FROM strata WHERE wave = ?", (wave,))}

    assert sizes == {name: row["size"] for name, row in planned.items()}
    draws = {row["item"]: row for row in drawn.execute("SELECT * FROM draws WHERE wave = ?", (wave,))}
    for name, part in planned.items():
        members = sorted((number(row[0], salt), key) for key, row in left.items() if row[1] == name)
        assert {key for _, key in members[: part["drawn"]]} == {
            key for key, row in draws.items() if row["stratum"] == name
        }
    for row in draws.values():
        part = planned[row["stratum"]]
        assert row["inclusion_probability"] == part["drawn"] / part["size"]


@pytest.mark.slow
def test_the_chances_of_an_active_wave_are_computed_again(drawn: sqlite3.Connection) -> None:
    """Own chances from the definition; drawn in the order of the numbers, wherever the sum of chances passes a whole number."""
    wave = 3
    (salt,) = drawn.execute("SELECT salt FROM waves WHERE key = ?", (wave,)).fetchone()
    before = {row["item"] for row in drawn.execute("SELECT item FROM draws WHERE wave < ?", (wave,))}
    left = {key: row for key, row in framed(drawn, wave).items() if key not in before}
    draws = {row["item"]: row for row in drawn.execute("SELECT * FROM draws WHERE wave = ?", (wave,))}
    own = {key: row for key, row in draws.items() if left[key][2] is not None}

    assert len({row["inclusion_probability"] for row in own.values()}) > 5
    assert all(left[key][1:] == (row["stratum"], row["inclusion_probability"]) for key, row in own.items())
    numbers = {key: number(row[0], salt) for key, row in left.items()}
    total = sum(numbers.values()) % 1
    reached = set()
    for key in sorted(numbers, key=numbers.__getitem__):
        after = total + (left[key][2] or 0.0)
        if math.floor(after) > math.floor(total):
            reached.add(key)
        total = after
    assert reached == set(own)


@pytest.mark.slow
def test_a_wave_takes_as_much_of_the_store_however_many_items_it_frames(assay: Assay) -> None:
    """Fifty times the items, to a few bytes of longer numbers; rows would take a byte each before they are compressed."""
    sizes = []
    for count in (400, 20_000):
        own = Assay(assay.folder, assay.folder / f"{count}.db")
        own("ingest", own.write("t.jsonl", [{"id": f"i{n}", "question": f"{n}?", "answer": "a"} for n in range(count)]))
        rows = [{"item_id": f"i{n}", "judge": "s", "value": n * 7919 % 1000 / 1000} for n in range(count)]
        own("scores", "import", own.write("s.jsonl", rows))
        own("rule", "set", "s > 0.5")
        own("sample", "--labels", "200", "--seed", "1")
        with closing(sqlite3.connect(own.db)) as connection:
            (kept,) = connection.execute("SELECT sum(length(content)) FROM frame_definitions").fetchone()
            (packed,) = connection.execute("SELECT count(*) FROM frame_blocks").fetchone()
        assert packed == 0
        sizes.append(kept)

    # At most 32 digests of 16 bytes, which the smaller frame has fewer of.
    assert sizes[1] < sizes[0] + 32 * 32 + 100 < 2500
