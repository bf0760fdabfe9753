"""Coverage and width of a first wave where users pressed thumbs down and judges dispute: both are looked at first, at a known rate.

4 % of the traffic has a thumb down, all of it wrong, and an eighth of it is disputed, 60 % right: the strata that are drawn most
densely then hold what is least like the rest. Half of the labels for the thumbs covered .84 and told as much as .3 to .8 of a
plain random sample.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import correctness_of
from support.tiers import shortly

pytestmark = pytest.mark.slow

ITEMS, FAILED, DOWN = 1_200, 212, 53


def traffic(rng: np.random.Generator, disputed: int) -> SyntheticTraffic:
    """A rule with 89 % right among the passed and 25 % among the failed answers, and two scores of which one tells nothing."""
    passes = np.arange(ITEMS) >= FAILED
    right = np.where(passes, rng.random(ITEMS) < 0.89, rng.random(ITEMS) < 0.25).astype(float)
    down, is_disputed = np.zeros(ITEMS, dtype=np.bool_), np.zeros(ITEMS, dtype=np.bool_)
    down[rng.choice(np.flatnonzero(right == 0), DOWN, replace=False)] = True
    if disputed:
        rows = rng.choice(np.flatnonzero(passes & ~down), disputed, replace=False)
        is_disputed[rows], right[rows] = True, rng.random(disputed) < 0.6
    value = np.where(passes, 0.75, 0.25) + rng.normal(0, 0.08, ITEMS) + 0.05 * right
    value = np.where(passes, np.clip(value, 0.501, 1), np.clip(value, 0, 0.5))
    return SyntheticTraffic(
        verdicts=np.where(passes, "pass", "fail"),
        values=value,
        is_thumbed_down=down,
        is_disputed=is_disputed,
        right=right,
        groups=[str(row) for row in range(ITEMS)],
        scores=np.column_stack([value, rng.random(ITEMS)]),
    )


# How many labels, and how many answers are disputed beside the thumbs.
@pytest.mark.parametrize(("labels", "disputed"), shortly(product((60, 100), (0, 150)), (60, 150), (100, 0)))
def test_thumbs_and_disputes_cost_no_more_than_a_random_sample(labels: int, disputed: int) -> None:
    """Nominal coverage within three standard errors, and no wider than a plain random sample of as many labels."""
    times = 200
    held, widths, plain = [], [], []
    for number in range(times):
        rng = np.random.default_rng([3, disputed, labels, number])
        now = traffic(rng, disputed)
        estimate, truth = (
            correctness_of(simulate_waves(now, [ProposalRequest(labels=labels, seed=0)], rng)),
            float(now.right.mean()),
        )
        assert estimate.low is not None
        assert estimate.high is not None
        held.append(estimate.low - 1e-9 <= truth <= estimate.high + 1e-9)
        widths.append(estimate.high - estimate.low)
        plain.append(2 * 1.96 * np.sqrt(truth * (1 - truth) / labels * (1 - labels / ITEMS)))

    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / times)
    assert np.mean(widths) < np.mean(plain)
