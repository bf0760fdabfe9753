"""Does the difference in pass precision of two systems hold the truth, though it takes their rates as independent?

Both answer the same questions, in groups that share how hard they are: their rates rise and fall together, which independent rates
do not know. That makes the interval wide rather than false; systems that share nothing are the strict case.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import proxy
from proxy.comparison.comparison import from_rates
from proxy.evaluation.estimate import Estimate
from support.simulation import assert_held, repeated

pytestmark = pytest.mark.slow

QUESTIONS, OF_A_GROUP = 600, 4
CELLS = [(shared, quality) for shared in (0.0, 0.6) for quality in (0.5, 1.5)]
Numbers = NDArray[np.float64]


def traffic(rng: np.random.Generator, questions: int, shared: float, quality: float) -> tuple[Numbers, Numbers]:
    """Right or wrong, and the score, of two systems (rows); `shared` is what their questions have in common."""
    group = np.repeat(rng.standard_normal((1, questions // OF_A_GROUP)), OF_A_GROUP, axis=1)
    common = np.sqrt(0.3) * group + np.sqrt(0.7) * rng.standard_normal((1, questions))
    hard = np.sqrt(shared) * common + np.sqrt(1 - shared) * rng.standard_normal((2, questions))
    right = hard < np.array([[0.6], [0.9]])
    return right.astype(float), quality * right + rng.standard_normal((2, questions))


def long_run(right: Numbers, score: Numbers, rng: np.random.Generator) -> Estimate:
    """One system's pass precision in the long run, of labels drawn by verdict, its groups as clusters."""
    passed = score > 0.5
    chance = np.where(passed, 0.12, 0.3)
    drawn = rng.random(len(right)) < chance
    frame = pd.DataFrame(
        {
            "id": [f"i{row}" for row in range(len(right))],
            "score": 1 / (1 + np.exp(0.5 - score)),
            "label": pd.Series(np.where(right > 0, "right", "wrong")).where(drawn),
            "stratum": np.where(passed, "pass", "fail"),
            "pi": np.where(drawn, chance, np.nan),
            "group": [f"g{row // OF_A_GROUP}" for row in range(len(right))],
        }
    )
    design = proxy.Design(strata="stratum", probability="pi", cluster="group")
    measured = proxy.measure(frame, rule="score > 0.5", label="label", design=design).pass_precision
    assert measured.long_run is not None
    return Estimate(estimate=measured.estimate, low=measured.long_run.low, high=measured.long_run.high, n=measured.n)


@repeated(20, 600)
def test_the_interval_holds_the_difference(repetitions: int) -> None:
    """The truth is that of a million questions of the same law."""
    rng = np.random.default_rng(7)
    truths = {}
    for cell in CELLS:
        right, score = traffic(rng, 1_000_000, *cell)
        first, second = (right[side][score[side] > 0.5].mean() for side in (0, 1))
        truths[cell] = second - first

    def run(count: int, stream: int) -> dict[Hashable, list[bool]]:
        held: dict[Hashable, list[bool]] = {cell: [] for cell in CELLS}
        for cell in CELLS:
            rng = np.random.default_rng([stream, int(10 * cell[0]), int(10 * cell[1])])
            for _ in range(count):
                right, score = traffic(rng, QUESTIONS, *cell)
                rates = [long_run(right[side], score[side], rng) for side in (0, 1)]
                difference = from_rates(rates[0], rates[1], ("A", "B")).difference
                assert difference.low is not None
                assert difference.high is not None
                held[cell].append(bool(difference.low <= truths[cell] <= difference.high))
        return held

    assert_held(run, repetitions)
