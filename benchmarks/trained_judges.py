"""Trained judges against the offline ones, on the labelled answers in the folder that ASSAY_DATA names.

    ASSAY_DATA=FOLDER python benchmarks/trained_judges.py [--seed 0]

References of the questions whose role is to teach train the judges (of a set without references, questions that patterns make of
its passages), people's labels of answers to the others score both. AUROC of either and the paired difference with its 95 %
interval, clustered by question; beside it the same on held-out synthetic pairs, and the shrinkage (inf: ranks as the offline
judge does).
"""

from __future__ import annotations

import sys

# Another file of this folder has the name of a standard module, which a script's own folder would hide.
sys.path = [folder for folder in sys.path if not folder.endswith("benchmarks")]

import argparse
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from proxy.evaluation.estimate import Estimate
from proxy.evaluation.held_out_pairs import held_out
from proxy.evaluation.learned_rule import is_training_unit
from proxy.judges import OfflineFaithfulness
from proxy.judges.base import Judge
from proxy.judges.trained.features import FEATURES
from proxy.judges.trained.supported_answers import SupportedAnswer
from proxy.judges.trained.training import Trained, train
from proxy.questions.from_templates import from_templates
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import distinct, passage_of
from proxy.records import Context, Item, Score
from proxy.stats.calibration.auroc import auroc, measurable
from proxy.stats.intervals import quantile
from proxy.stats.sampling.clusters import Ways, clustered

SETS, LABELS = ("clapnq_rag", "qafeedback", "feedback_cdc"), ("human_faithful", "human_correct")
PERSON = "human_reference"
SUPPORTED = 0.5
Row = Mapping[str, Any]


def item(row: Row) -> Item:
    """Return the row as an item."""
    contexts = tuple(Context(text=text) for text in row["contexts"])
    return Item(id=row["id"], question=row["question"], answer=row["answer"], contexts=contexts)


def value(judge: Judge, judged: Item) -> float | None:
    """Return a judge's score; None for an abstention."""
    outcome = judge.judge(judged)
    return outcome.value if isinstance(outcome, Score) else None


def references(rows: Sequence[Row]) -> Iterator[SupportedAnswer]:
    """Yield the reference of each question that teaches, with the passage that supports it most, where one does."""
    first = {row["question"]: row for row in reversed(rows) if row["reference"] and is_training_unit(row["question"])}
    for row in first.values():
        asked = replace(item(row), answer=row["reference"])
        support = {context: _support(asked, context) for context in asked.contexts}
        if support and max(support.values()) > SUPPORTED:
            best = max(support, key=lambda context: support[context])
            yield SupportedAnswer(question=asked.question, contexts=(best,), answer=asked.answer)


def built_questions(rows: Sequence[Row]) -> Iterator[SupportedAnswer]:
    """Yield the questions that patterns make of the passages and that teach, as `assay questions build` keeps them."""
    index = PassageIndex(distinct(passage_of(text) for row in rows for text in row["contexts"]))
    for question in from_templates(index, single=2_000, multi=0, seed=0).questions:
        if is_training_unit(question.question):
            contexts = tuple(Context(text=source.text) for source in question.sources)
            yield SupportedAnswer(question=question.question, contexts=contexts, answer=question.expected[0][0])


def _support(asked: Item, context: Context) -> float:
    return value(OfflineFaithfulness(), replace(asked, contexts=(context,))) or 0.0


def compared(trained: Trained, rows: Sequence[Row], label: str) -> str | None:
    """Compare a trained judge with the offline one on people's labels; None with too few of a kind."""
    judges = (trained.judge, FEATURES[trained.judge.model.criterion].stock)
    scored = [(row, [value(judge, item(row)) for judge in judges]) for row in rows if row[label] is not None]
    both = [(row, values) for row, values in scored if None not in values]
    right = np.array([bool(row[label]) for row, _ in both])
    if measurable(right):
        return None
    first, second = (auroc([values[place] for _, values in both], right) for place in range(2))
    assert first is not None
    assert second is not None
    question = np.unique([row["question"] for row, _ in both], return_inverse=True)[1]
    spread = math.sqrt(clustered(first.influence - second.influence, Ways.of(question)).variance)
    half, gap = quantile(len(np.unique(question)) - 1) * spread, first.estimate - second.estimate
    return (
        f"{label:<15}{len(right):>5} labels  {first.estimate:.3f}  {second.estimate:.3f}  "
        f"{gap:+.3f} [{gap - half:+.3f}, {gap + half:+.3f}]"
    )


def on_pairs(trained: Trained) -> str:
    """Return the same on the synthetic pairs that were held out."""
    result = held_out(trained)
    gap = result.difference
    return (
        f"{'synthetic':<15}{gap.n:>5} pairs   {_number(result.trained)}  {_number(result.stock)}  "
        f"{gap.estimate or 0:+.3f} [{gap.low or 0:+.3f}, {gap.high or 0:+.3f}]"
    )


def _number(estimate: Estimate) -> str:
    return "-" if estimate.estimate is None else f"{estimate.estimate:.3f}"


def main() -> int:
    """Print a table a set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        print(f"skipped: set ASSAY_DATA to the folder with {', '.join(f'{name}.jsonl' for name in SETS)}")
        return 0
    for name in SETS:
        rows = [json.loads(line) for line in (Path(folder) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        answers = list(references(rows)) or list(built_questions(rows))
        scoring = [row for row in rows if not is_training_unit(row["question"]) and row["system"] != PERSON]
        print(f"\n{name}: {len(answers)} answers teach; AUROC trained, offline, difference")
        for outcome in train(answers, seed=seed):
            if isinstance(outcome, Trained):
                print(f"{outcome.judge.name}, shrinkage {outcome.shrinkage:g}")
                lines = [on_pairs(outcome), *(compared(outcome, scoring, label) for label in LABELS)]
                print("\n".join(f"  {line}" for line in lines if line))
            else:
                print(f"{outcome.criterion}: too few pairs ({outcome.positives} and {outcome.negatives})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
