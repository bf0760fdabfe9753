"""Pairs that `assay compare A B --draw` chooses are never wider than random pairs, whatever the judge is worth.

Questions of two systems whose answers are alike (correlation .5 of what lies behind them); a judge sees what lies behind an answer
with much noise (poor), some (fair) or little (good). Half of the pairs are drawn first, before any label, half after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from annotate.domain.sampling.pairs import Pool, proposal
from proxy.evaluation.predictor import FOLDS, PredictorScores
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame
from proxy.stats.testing.paired import DifferenceInterval
from proxy.stats.testing.paired_power import paired_difference
from support.simulation import at_least

Numbers = NDArray[np.float64]
NOISE = {"poor": 30.0, "fair": 1.5, "good": 0.5}
QUESTIONS, FIRST, EFFECT = 600, 0.75, 0.05


class World(NamedTuple):
    """A row a system, a column a question: right or wrong, and the judge's value."""

    right: Numbers
    value: Numbers


def world(rng: np.random.Generator, noise: float) -> World:
    shared, own, blur = (rng.standard_normal(shape) for shape in (QUESTIONS, (2, QUESTIONS), (2, QUESTIONS)))
    behind = np.sqrt(0.5) * (shared + own)
    edges = norm.ppf([FIRST, FIRST + EFFECT])[:, None]
    value = norm.cdf(((edges - behind) / noise - blur) / np.sqrt(1 + noise**-2))
    return World((behind < edges).astype(float), value)


def pool(simulated: World, labelled: NDArray[np.bool_]) -> Pool:
    """The answers with what the labels predict of them."""
    flat, known = simulated.value.ravel(), np.tile(labelled, 2)
    frame = SamplingFrame(
        keys=np.arange(2 * QUESTIONS),
        kinds=Coded.of(np.where(flat > 0.5, "passed", "failed")),
        values=flat,
        right=np.where(known, simulated.right.ravel(), np.nan),
        is_eligible=~known,
    )
    return Pool(
        frame=frame.foreseen(PredictorScores(flat[:, None], np.tile(np.arange(QUESTIONS) % FOLDS, 2))),
        system=np.repeat([0, 1], QUESTIONS),
        question=np.tile(np.arange(QUESTIONS), 2),
        keys=tuple(map(str, range(QUESTIONS))),
    )


def measured(simulated: World, labelled: NDArray[np.bool_], chance: Numbers) -> DifferenceInterval:
    """The difference as a comparison reports it."""
    predicted = pool(simulated, labelled).expected.reshape(2, QUESTIONS)
    apart, right = predicted[1] - predicted[0], (simulated.right[1] - simulated.right[0])[labelled]
    return paired_difference(right, apart[labelled], chance[labelled], (QUESTIONS, float(apart.mean()))).difference


def random_pairs(simulated: World, pairs: int, rng: np.random.Generator) -> DifferenceInterval:
    labelled = np.isin(np.arange(QUESTIONS), rng.choice(QUESTIONS, pairs, replace=False))
    return measured(simulated, labelled, np.full(QUESTIONS, pairs / QUESTIONS))


def drawn_pairs(simulated: World, pairs: int, rng: np.random.Generator) -> DifferenceInterval:
    labelled, missed = np.zeros(QUESTIONS, dtype=np.bool_), np.ones(QUESTIONS)
    for size in (pairs // 2, pairs - pairs // 2):
        proposed = proposal(pool(simulated, labelled), 2 * size, f"salt-{rng.integers(2**40)}")
        missed *= 1 - proposed.chances[:QUESTIONS]
        labelled[np.unique(proposed.rows % QUESTIONS)] = True
    return measured(simulated, labelled, 1 - missed)


class Compared(NamedTuple):
    """Of both designs on the same traffic: the ratio of their mean widths with its error, and how often the drawn held the truth."""

    ratio: float
    error: float
    coverage: float


def compared(judge: str, pairs: int, repetitions: int) -> Compared:
    rng = np.random.default_rng([pairs, list(NOISE).index(judge)])
    widths, held = np.zeros((repetitions, 2)), np.zeros(repetitions)
    for place in range(repetitions):
        simulated = world(rng, NOISE[judge])
        both = random_pairs(simulated, pairs, rng), drawn_pairs(simulated, pairs, rng)
        widths[place] = [interval.high - interval.low for interval in both]
        held[place] = both[1].low <= EFFECT <= both[1].high
    plain, drawn = widths.mean(axis=0)
    error = float(np.std(widths[:, 1] - drawn / plain * widths[:, 0])) / plain / np.sqrt(repetitions)
    return Compared(float(drawn / plain), float(error), float(held.mean()))


@pytest.mark.slow
def test_a_good_judge_makes_drawn_pairs_narrower() -> None:
    """100 pairs under a good judge, 40 times: the ratio lies below 1 by more than two errors, and intervals hold."""
    comparison = compared("good", 100, 40)

    assert comparison.ratio < 1 - 2 * comparison.error
    assert comparison.coverage >= at_least(0.95, 40)


@pytest.mark.long
@pytest.mark.parametrize("judge", list(NOISE))
@pytest.mark.parametrize("pairs", [20, 50, 100, 200])
def test_drawn_pairs_are_never_wider_than_random_ones(judge: str, pairs: int) -> None:
    """The ratio of mean widths over 800 repetitions is at most 1 and two errors, and intervals hold the truth."""
    comparison = compared(judge, pairs, 800)

    assert comparison.ratio <= 1 + 2 * comparison.error, comparison
    assert comparison.coverage >= at_least(0.95, 800), comparison
