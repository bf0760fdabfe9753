"""A store whose judge tells right from wrong better the higher its value, drawn and labelled through the command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from annotate.store import Store
from support.scored import open_ids
from support.store import Assay, label, once, traffic_row

ITEMS = 400
RULE = "quality > 0.5"
SIGNATURE = "quality|made up|v1"


def value_of(number: int) -> float:
    """A value in hundredths for each item, many of them tied."""
    return round(float(np.random.default_rng(number).beta(2, 1.5)), 2)


def is_right(number: int) -> bool:
    """Nearly always above .6, at random below."""
    chance = 0.99 if value_of(number) >= 0.6 else 0.4
    return bool(np.random.default_rng(10_000 + number).random() < chance)


def scored(assay: Assay, count: int = ITEMS, value: Callable[[int], float] = value_of, first: int = 0) -> Assay:
    numbers = range(first, first + count)
    rows = [traffic_row(f"i{n}", question=f"Where is room {n // 2}?", group=f"q{n // 2}") for n in numbers]
    assay("ingest", assay.write("traffic.jsonl", rows))
    given = [{"item_id": f"i{n}", "judge": "quality", "value": value(n), "signature": SIGNATURE} for n in numbers]
    assay("scores", "import", assay.write("scores.jsonl", given))
    if not first:
        assay("rule", "set", RULE, "--name", "mine")
    return assay


def labelled(assay: Assay, labels: int, says: Callable[[int], object] | None = None, seed: int = 1) -> Assay:
    """A wave of so many draws, each answered."""
    assay("sample", "--labels", str(labels), "--seed", str(seed))
    word = says or (lambda n: "right" if is_right(n) else "wrong")
    rows = [label(name, word(int(name[1:]))) for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    return assay


def ready_to_choose(assay: Assay) -> Assay:
    """400 items with values in hundredths, 240 of them labelled."""
    return once(assay, "ready-to-choose", lambda: labelled(scored(assay), 240))


def commands(answer: dict[str, Any]) -> list[str]:
    """The commands of the next steps."""
    return [command for step in answer["next"] for command in step["commands"]]


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    with closing(Store(path)) as store:
        yield store
