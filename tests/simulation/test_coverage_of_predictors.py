"""Estimates that lean on a predictor hold the truth over adaptive waves, and are biased by less than a tenth of their error.

Three judges of AUROC a, halfway to .5, and .5; three of four answers right; 50 labels by strata, then 50 more where these leave the
most doubt. The predictor is pooled over both waves and cross-fitted by question (design/027).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import correctness_of
from proxy.records import Verdict
from proxy.stats.sampling.survey import explained

WAVES = [ProposalRequest(labels=50, seed=0), ProposalRequest(labels=50, seed=0, design=WaveDesign.ACTIVE)]
RIGHT = 0.75


def judged(rng: np.random.Generator, items: int, auroc: float) -> SyntheticTraffic:
    """Binormal judges: a distance of sqrt(2) z(AUROC) between right and wrong."""
    right = (rng.random(items) < RIGHT).astype(float)
    levels = (auroc, 0.5 + (auroc - 0.5) / 2, 0.5)
    scores = np.column_stack([ndtr(rng.normal(size=items) + np.sqrt(2) * ndtri(a) * (right - 0.5)) for a in levels])
    return SyntheticTraffic(
        verdicts=np.where(scores[:, 0] > 0.5, Verdict.PASS.value, Verdict.FAIL.value),
        values=scores[:, 0],
        is_thumbed_down=np.zeros(items, dtype=np.bool_),
        is_disputed=np.zeros(items, dtype=np.bool_),
        right=right,
        groups=[str(row) for row in range(items)],
        scores=scores,
    )


class BiasAndCoverage(NamedTuple):
    """Of many repetitions: the bias in standard errors, its Monte-Carlo error, coverage, and coverage where scores were used."""

    bias: float
    error: float
    coverage: float
    where_used: float


def repeated(items: int, auroc: float, repetitions: int) -> BiasAndCoverage:
    """Draw, label and estimate again and again, each time on traffic of its own."""
    off, held, used = [], [], []
    for number in range(repetitions):
        rng = np.random.default_rng([17, items, int(100 * auroc), number])
        now = judged(rng, items, auroc)
        evidence = simulate_waves(now, WAVES, rng)
        estimate, truth = correctness_of(evidence), float(now.right.mean())
        assert estimate.estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        off.append(estimate.estimate - truth)
        held.append(estimate.low <= truth <= estimate.high)
        used.append(bool(np.any(explained(evidence.arrays, evidence.arrays.score).explains)))
    chosen = np.array(held)[np.array(used)]
    return BiasAndCoverage(
        bias=float(np.mean(off) / np.std(off)),
        error=repetitions**-0.5,
        coverage=float(np.mean(held)),
        where_used=float(chosen.mean()) if len(chosen) else 1.0,
    )


def assert_valid(outcome: BiasAndCoverage, repetitions: int) -> None:
    least = 0.95 - 3 * (0.95 * 0.05 / repetitions) ** 0.5
    assert abs(outcome.bias) <= 0.1 + 2 * outcome.error
    assert outcome.coverage >= least
    assert outcome.where_used >= least - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("auroc", [0.6, 0.85, 0.94])
def test_two_waves_of_few_answers(auroc: float) -> None:
    """300 answers, of which 100 are labelled: each label moves the predictor, and a third of the answers is seen."""
    assert_valid(repeated(300, auroc, 80), 80)


@pytest.mark.long
@pytest.mark.parametrize("auroc", [0.6, 0.85, 0.94])
@pytest.mark.parametrize(("items", "repetitions"), [(300, 1500), (20_000, 700)])
def test_two_waves_to_a_tenth_of_an_error(items: int, auroc: float, repetitions: int) -> None:
    """The bias is at most a tenth of a standard error, as far as so many repetitions can tell."""
    assert_valid(repeated(items, auroc, repetitions), repetitions)
