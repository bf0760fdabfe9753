"""A store whose rule in force mixes a judge that knows with one that does not: a rule that weighs them agrees better."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from support.scored import open_ids
from support.store import Assay, label, once, traffic_row

ITEMS = 1_000
SIGNATURE = "made up|v1"
RULE = "min(knows, noise) > 0.5"
RIGHT = 0.6


def is_right(number: int) -> bool:
    return bool(np.random.default_rng(number).random() < RIGHT)


def scores_of(number: int, knows: float = 2.0) -> tuple[float, float]:
    """A score that lies `knows` standard deviations higher for right answers, and one without any sense."""
    rng = np.random.default_rng([1, number])
    return float(ndtr(rng.normal() + knows * (is_right(number) - 0.5))), float(rng.random())


def scored(assay: Assay, knows: float = 2.0, rule: str = RULE) -> Assay:
    rows = [traffic_row(f"i{n}", question=f"Where is room {n}?") for n in range(ITEMS)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    given = [
        {"item_id": f"i{n}", "judge": judge, "value": value, "signature": f"{judge}|{SIGNATURE}"}
        for n in range(ITEMS)
        for judge, value in zip(("knows", "noise"), scores_of(n, knows), strict=True)
        if judge == "knows" or n % 20  # one in twenty lacks the second score
    ]
    assay("scores", "import", assay.write("scores.jsonl", given))
    assay("rule", "set", rule, "--name", "mine")
    return assay


def wave(assay: Assay, labels: int, seed: int = 1) -> Assay:
    """A wave of so many draws, each answered as it is."""
    assay("sample", "--labels", str(labels), "--seed", str(seed))
    rows = [label(name, "right" if is_right(int(name[1:])) else "wrong") for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    return assay


def ready_to_learn(assay: Assay) -> Assay:
    """200 labels of 1,000 answers."""
    return once(assay, "ready-to-learn", lambda: wave(scored(assay), 200))
