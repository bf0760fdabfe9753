"""How much less annotators read where answers to one question come one after the other, on real answers of several systems.

    ASSAY_DATA=… python benchmarks/reading_order.py

A character of the question, the passages or the answer counts if the task before does not show it. The count is compared with
that of a random order of the same tasks. Each figure is the mean of SEEDS simple random samples, for one annotator and for two
annotators with an overlap of a fifth. A tenth of the questions is spread, as in every push.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotate.domain.assignment import DrawPlace, assigned
from annotate.domain.question_key import question_key
from annotate.domain.reading_order import ToPlace, reading_order

SEEDS, DRAWN, OVERLAP = 5, (100, 200), 0.2
Row = Mapping[str, Any]


def read_anew(rows: Sequence[Row]) -> int:
    """Count the characters that an annotator has to read who remembers the question of the task before, with its passages."""
    total, question, known = 0, "", set[str]()
    for row in rows:
        if row["question"] != question:
            question, known = row["question"], set()
            total += len(question)
        passages = {context if isinstance(context, str) else context["text"] for context in row["contexts"]}
        total += len(row["answer"]) + sum(map(len, passages - known))
        known |= passages
    return total


def saved(rows: Sequence[Row], drawn: int, annotators: int, seed: int) -> float:
    """Return the share of the characters that need not be read in one sample."""
    rng = random.Random(seed)
    sample = rng.sample(list(rows), min(drawn, len(rows)))
    keys = [question_key(row["question"]) for row in sample]
    names = [f"annotator {n}" for n in range(annotators)]
    overlap = OVERLAP if annotators > 1 else 0.0
    places = [DrawPlace(n, n, len(sample), key) for n, key in enumerate(keys)]
    alone = assigned([place._replace(question="") for place in places], {}, names, overlap)
    together = assigned(places, {}, names, overlap)
    before = after = 0
    for name in names:
        before += read_anew([row for n, row in enumerate(sample) if name in alone[n]])
        theirs = [
            ToPlace(n, 1, key, f"{n:06}", str(seed), is_pair=False) for n, key in enumerate(keys) if name in together[n]
        ]
        after += read_anew([sample[place.draw] for place in reading_order(theirs)])
    return 1 - after / before


def main() -> None:
    """Print one line a set, sample and number of annotators."""
    for file in sorted(Path(os.environ["ASSAY_DATA"]).glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if {"question", "contexts", "answer"} <= row.keys()]
        if len({row.get("system") for row in rows}) < 2:
            continue
        for drawn in DRAWN:
            for annotators in (1, 2):
                shares = [saved(rows, drawn, annotators, seed) for seed in range(SEEDS)]
                print(
                    f"{file.stem}: {drawn} of {len(rows)} answers, {annotators} annotators: {sum(shares) / SEEDS:.1%} less"
                )


if __name__ == "__main__":
    main()
