"""Do the intervals of RGB's scores hold the truth as often as they say, with items that share a source? Seeded simulations."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product

import numpy as np
import pytest

from proxy.questions.scoring import clustered_share
from support.simulation import assert_covers, repeated

pytestmark = pytest.mark.slow


def answered(
    rng: np.random.Generator, passages: int, items: int, truth: float, alike: float
) -> tuple[list[bool], list[str]]:
    """Answers to up to `items` items on each passage; each passage has a chance of its own, Beta with intraclass correlation."""
    scale = (1 - alike) / alike
    chances = rng.beta(truth * scale, (1 - truth) * scale, passages)
    sizes = rng.integers(1, items + 1, passages)
    right = [bool(rng.random() < chance) for chance, size in zip(chances, sizes, strict=True) for _ in range(size)]
    return right, [f"p{place}" for place, size in enumerate(sizes) for _ in range(size)]


@repeated(300, 2_000)
def test_a_share_over_source_passages_holds_the_truth(repetitions: int) -> None:
    """Few and many passages, with up to five items each that are a little or much alike, at .5, .8 and .95."""
    covered: dict[Hashable, float] = {}
    for passages, truth, alike in product((10, 40), (0.5, 0.8, 0.95), (0.1, 0.6)):
        rng = np.random.default_rng([passages, int(100 * truth), int(10 * alike)])
        estimates = [clustered_share(*answered(rng, passages, 5, truth, alike), "none") for _ in range(repetitions)]
        ends = [(estimate.low, estimate.high) for estimate in estimates]
        covered[passages, truth, alike] = float(
            np.mean([low is not None and high is not None and low <= truth <= high for low, high in ends])
        )

    assert_covers(covered, repetitions)
