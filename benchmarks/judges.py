"""The offline judges against annotators' labels, on the labelled answers in the folder that ASSAY_DATA names.

    python benchmarks/judges.py [--repetitions 1000] [--seed 0]

AUROC with 95 % percentile intervals from resampled groups (answers to the same question), beside trivial token precision
and the paired difference to it; milliseconds an item; the share of injected errors that lower the faithfulness score. An
error replaces or adds something that the passages hold or do not hold, as its function says. Exit status 1 if a bar is missed.
"""

from __future__ import annotations

import sys

# Another file of this folder has the name of a standard module, which a script's own folder would hide.
sys.path = [folder for folder in sys.path if not folder.endswith("benchmarks")]

import argparse
import json
import os
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.judges import OfflineFaithfulness, offline, reference_based
from proxy.records import Context, Item, Score
from proxy.text.language import sentences
from proxy.text.tokens import words

SETS = ("clapnq_rag", "qafeedback", "feedback_cdc")
LABELS = ("human_faithful", "human_correct")
PERSON = "human_reference"
TRIVIAL = "token precision"
AUROC_BARS = {
    ("clapnq_rag", "human_faithful"): 0.92,
    ("qafeedback", "human_faithful"): 0.83,
    ("qafeedback", "human_correct"): 0.77,
}
ERROR_BARS = {"number": 0.80, "entity": 0.75, "negation": 0.70, "foreign sentence": 0.97}
ERROR_SETS = ("clapnq_rag", "qafeedback")
LIMIT_MS = 4.0

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|did|does|do|should|must|may|might)\b")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
Numbers = NDArray[np.float64]
Row = Mapping[str, Any]
Values = Mapping[str, Sequence[float | None]]


class Auroc(NamedTuple):
    """The estimate, its interval, and that of the difference to token precision on the same answers."""

    estimate: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float


def read(path: Path) -> list[Row]:
    """The rows that a system wrote: people's own answers are left out."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["system"] != PERSON]


def item(row: Row, answer: str | None = None) -> Item:
    """The row as an item, with another answer if one is given."""
    return Item(
        id=row["id"],
        question=row["question"],
        answer=row["answer"] if answer is None else answer,
        contexts=tuple(Context(text=text) for text in row["contexts"]),
        reference=row["reference"],
    )


def token_precision(judged_item: Item) -> float | None:
    """The share of the answer's tokens that stand in the contexts."""
    tokens = words(judged_item.answer)
    held = {word for context in judged_item.contexts for word in words(context.text)}
    return sum(token in held for token in tokens) / len(tokens) if tokens and held else None


def judged(rows: Sequence[Row]) -> tuple[dict[str, list[float | None]], float]:
    """The values of every judge and rule by name, None for an abstention; milliseconds of the judges an item."""
    items = [item(row) for row in rows]
    judges = (*offline(), *reference_based())
    start = time.process_time()
    outcomes = [[judge.judge(judged_item) for judge in judges] for judged_item in items]
    spent = time.process_time() - start
    values: dict[str, list[float | None]] = {
        judge.name: [outcome[at].value if isinstance(outcome[at], Score) else None for outcome in outcomes]
        for at, judge in enumerate(judges)
    }
    both = list(zip(values["context_relevance"], values["faithfulness"], strict=True))
    rules: dict[str, Callable[[float, float], float]] = {
        "min": min,
        "product": lambda a, b: a * b,
        "mean": lambda a, b: (a + b) / 2,
    }
    for name, rule in rules.items():
        values[f"{name} of the first two"] = [None if a is None or b is None else rule(a, b) for a, b in both]
    values[TRIVIAL] = [token_precision(judged_item) for judged_item in items]
    return values, 1000 * spent / len(items)


def auroc(labels: NDArray[np.bool_], values: Numbers, weights: Numbers) -> float:
    """P(value of a right one > of a wrong one) + P(equal) / 2, each answer counted `weights` times; nan without both."""
    _, at = np.unique(values, return_inverse=True)
    right = np.bincount(at, weights=weights * labels)
    wrong = np.bincount(at, weights=weights * ~labels)
    below = np.cumsum(wrong) - wrong
    total = right.sum() * wrong.sum()
    return float((right * (below + wrong / 2)).sum() / total) if total else float("nan")


def measured(rows: Sequence[Row], label: str, values: Values, name: str, repetitions: int, seed: int) -> Auroc | None:
    """AUROC of one judge and its difference to token precision, where both have a value; None without both classes."""
    used = [
        at
        for at, row in enumerate(rows)
        if row[label] is not None and values[name][at] is not None and values[TRIVIAL][at] is not None
    ]
    labels = np.array([bool(rows[at][label]) for at in used])
    if len(set(labels.tolist())) < 2:
        return None
    own = np.array([values[name][at] for at in used], dtype=float)
    trivial = np.array([values[TRIVIAL][at] for at in used], dtype=float)
    names = {row["question"]: None for row in rows}
    groups = np.array([list(names).index(rows[at]["question"]) for at in used])
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(repetitions):
        times = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))
        weights = times[groups].astype(float)
        draws.append((auroc(labels, own, weights), auroc(labels, trivial, weights)))
    once = np.ones(len(used))
    estimate = auroc(labels, own, once)
    drawn = np.array(draws)
    low, high = np.nanquantile(drawn[:, 0], [0.025, 0.975])
    less, more = np.nanquantile(drawn[:, 0] - drawn[:, 1], [0.025, 0.975])
    return Auroc(estimate, low, high, estimate - auroc(labels, trivial, once), less, more)


def number_changed(row: Row, rng: random.Random) -> str | None:
    """One digit of a number that the passages hold is another, and they do not hold the new number."""
    held = set(_NUMBER.findall(" ".join(row["contexts"])))
    matches = [match for match in _NUMBER.finditer(row["answer"]) if match.group() in held]
    if not matches:
        return None
    match = rng.choice(matches)
    digits = [at for at, sign in enumerate(match.group()) if sign.isdigit()]
    changed = [match.group()[:at] + digit + match.group()[at + 1 :] for at in digits for digit in "123456789"]
    foreign = [number for number in changed if number not in held and number != match.group()]
    return _replaced(row["answer"], match, rng.choice(foreign)) if foreign else None


def entity_swapped(row: Row, rng: random.Random) -> str | None:
    """A capitalised run within a sentence, held by the passages, is another one of theirs that the answer lacks."""
    text = " ".join(row["contexts"])
    matches = [match for match in _NAME.finditer(row["answer"]) if match.group() in text]
    if not matches:
        return None
    match = rng.choice(matches)
    others = sorted({name for name in _NAME.findall(text) if name not in row["answer"] and match.group() not in name})
    return _replaced(row["answer"], match, rng.choice(others)) if others else None


def negation_inserted(row: Row, rng: random.Random) -> str | None:
    """A "not" follows any auxiliary."""
    matches = list(_AUXILIARY.finditer(row["answer"]))
    if not matches:
        return None
    match = rng.choice(matches)
    return _replaced(row["answer"], match, f"{match.group()} not")


def _replaced(text: str, match: re.Match[str], new: str) -> str:
    """The text with another string in place of the match."""
    return text[: match.start()] + new + text[match.end() :]


def lowered(rows: Sequence[Row], seed: int) -> dict[str, tuple[float, int]]:
    """By kind of error, the share of answers that score lower with it, and how many could be changed."""
    judge = OfflineFaithfulness()
    kinds: dict[str, Callable[[Row, random.Random], str | None]] = {
        "number": number_changed,
        "entity": entity_swapped,
        "negation": negation_inserted,
    }

    def foreign_sentence(row: Row, rng: random.Random) -> str | None:
        stranger = rng.choice([record for record in rows if record["question"] != row["question"]])
        return f"{row['answer']} {rng.choice(sentences(stranger['answer']))}"

    kinds["foreign sentence"] = foreign_sentence
    rng = random.Random(seed)
    falls: dict[str, list[bool]] = {kind: [] for kind in kinds}
    for row in rows:
        before = judge.judge(item(row))
        for kind, inject in kinds.items():
            changed = inject(row, rng)
            after = judge.judge(item(row, changed)) if changed else None
            if isinstance(before, Score) and isinstance(after, Score):
                falls[kind].append(after.value < before.value)
    return {kind: (sum(fall) / len(fall), len(fall)) for kind, fall in falls.items() if fall}


def main() -> int:
    """Print the tables; 1 if a bar is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        print(f"skipped: set ASSAY_DATA to the folder with {', '.join(f'{name}.jsonl' for name in SETS)}")
        return 0
    missed = []
    data = {name: path for name in SETS if (path := Path(folder) / f"{name}.jsonl").exists()}
    for name, path in data.items():
        rows = read(path)
        values, cost = judged(rows)
        print(
            f"\n{name}: {len(rows)} answers to {len({row['question'] for row in rows})} questions, {cost:.2f} ms an item"
        )
        print(f"{'':<28}{'n':>5}  {'AUROC':<22}{'less token precision'}")
        missed += [f"{name} takes {cost:.1f} ms an item"] if cost > LIMIT_MS and name in ERROR_SETS else []
        for label in LABELS:
            for judge in values:
                area = measured(rows, label, values, judge, options.repetitions, options.seed)
                if area is None:
                    continue
                count = sum(
                    row[label] is not None and v is not None for row, v in zip(rows, values[judge], strict=True)
                )
                told = f"{area.estimate:.3f} [{area.low:.3f}, {area.high:.3f}]"
                less = f"{area.difference:+.3f} [{area.difference_low:+.3f}, {area.difference_high:+.3f}]"
                print(
                    f"{label.removeprefix('human_'):<9}{judge:<25}{count:>5}  {told:<22}{'' if judge == TRIVIAL else less}"
                )
                bar = AUROC_BARS.get((name, label), 0.0) if judge == "faithfulness" else 0.0
                missed += [f"{name} {label}: {area.estimate:.3f} < {bar}"] if area.estimate < bar else []
    for name in ERROR_SETS:
        if name in data:
            for kind, (share, count) in lowered(read(data[name]), options.seed).items():
                print(f"{name:<12}{kind:<18}lowers the faithfulness score in {share:.3f} of {count}")
                missed += [f"{name} {kind}: {share:.3f} < {ERROR_BARS[kind]}"] if share < ERROR_BARS[kind] else []
    print("\n".join(["", *missed] if missed else ["", "all bars are met"]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
