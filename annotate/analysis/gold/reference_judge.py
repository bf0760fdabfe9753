"""Choose the offline judge that compares an answer with its reference, by the labels of the store where there are some.

`correctness_vs_reference` is meant unless the labels show that token recall, precision or F1 orders right above wrong better:
AUROC minus AUROC on the same answers, with questions as clusters and a level shared by the three. Half of the questions
choose, told by a hash; they say nothing afterwards of how well the chosen judge does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.gold import regression
from annotate.domain.gold.matching import AskedKey
from annotate.domain.gold.reference_choice import AurocDifference, ReferenceJudgeChoice
from annotate.domain.gold.regression import MIN_KNOWN
from annotate.store import Store
from proxy.judges.metrics.catalogue import judge_named
from proxy.records import Item, Score
from proxy.stats.calibration.auroc import auroc, measurable
from proxy.stats.intervals import CONFIDENCE, quantile

DEFAULT = "correctness_vs_reference"
RIVALS = ("token_recall", "token_precision", "token_f1")
Numbers = NDArray[np.float64]


def choose(store: Store) -> ReferenceJudgeChoice:
    """Choose by half of the labelled questions; the default where they are few or show nothing, or the others are few."""
    every = regression.labelled_answers(store)
    answers = {ask: item for ask, item in every.items() if _chooses(_question(ask))}
    others = Counter(kind for kind, _ in every.keys() - answers.keys())
    right = np.array([ask[0] == regression.KNOWN_RIGHT for ask in answers], dtype=np.float64)
    # A judge that could not be checked afterwards is no better than the default.
    too_few = min(others[regression.KNOWN_RIGHT], others[regression.KNOWN_WRONG]) < MIN_KNOWN
    if too_few or measurable(right):
        return ReferenceJudgeChoice(judge=DEFAULT, labels=len(answers))
    clusters = np.unique([_digest(_question(ask)) for ask in answers], return_inverse=True)[1]
    default = _values(DEFAULT, answers)
    shown = {
        name: difference
        for name in RIVALS
        if (difference := _difference(_values(name, answers), default, right, clusters)) and difference.low > 0
    }
    if not shown:
        return ReferenceJudgeChoice(judge=DEFAULT, labels=len(answers))
    best = max(shown, key=lambda name: shown[name].estimate)
    return ReferenceJudgeChoice(
        judge=best,
        labels=len(answers),
        difference=shown[best],
        questions=frozenset(_question(ask) for ask in answers),
    )


def _question(ask: regression.Ask) -> AskedKey:
    key = ask[1]
    return tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)


def _digest(question: AskedKey) -> str:
    return blake2b("\n".join(question).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _chooses(question: AskedKey) -> bool:
    return int(_digest(question), 16) % 2 == 0


def _values(name: str, answers: Mapping[regression.Ask, Item]) -> Numbers:
    """Return the scores of these answers; one without a score counts as 0, so that all judges are compared on the same."""
    judge = judge_named(name)
    outcomes = [judge.judge(item) for item in answers.values()] if judge else []
    return np.array([outcome.value if isinstance(outcome, Score) else 0.0 for outcome in outcomes])


def _difference(first: Numbers, other: Numbers, right: Numbers, clusters: NDArray[np.intp]) -> AurocDifference | None:
    """Return AUROC minus AUROC; the influences subtract, and add up within a question."""
    area, beside = auroc(first, right), auroc(other, right)
    sums = np.bincount(clusters, weights=area.influence - beside.influence) if area and beside else np.zeros(0)
    if area is None or beside is None or len(sums) < 2:
        return None
    level = 1 - (1 - CONFIDENCE) / len(RIVALS)
    half = quantile(len(sums) - 1, level) * math.sqrt(len(sums) / (len(sums) - 1) * float(sums @ sums))
    value = area.estimate - beside.estimate
    return AurocDifference(value, value - half, value + half)
