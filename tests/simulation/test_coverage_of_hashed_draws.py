"""Are chances what they say, and do intervals hold, where draws are decided by hashes of ids?

A seed is a repetition: its salt gives every item another number. Of R repetitions a count of draws has the standard deviation
sqrt(R pi (1 - pi)); a coverage of .95 has one of .007 at 1,000.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves, window
from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest, drawing
from proxy.evaluation.agreement import measure
from proxy.evaluation.levels import levels_of
from proxy.planning.strata import SamplingFrame, Stratum
from support.sampling import frame, ids
from support.simulation import assert_covers, repeated

QUANTITIES = ("correctness", "pass_precision", "sensitivity", "specificity", "npv")
REQUESTS = {
    WaveDesign.STRATIFIED: ProposalRequest(labels=60, seed=0),
    WaveDesign.ACTIVE: ProposalRequest(labels=60, seed=0, design=WaveDesign.ACTIVE),
    WaveDesign.STREAM: ProposalRequest(seed=0, design=WaveDesign.STREAM, rate=0.1, rate_failed=0.3),
}


class HashedNumbers:
    """Numbers of items by the hashes of their ids, another salt a wave, in the place of a generator."""

    def __init__(self, seed: int) -> None:
        self.seed, self.wave = seed, 0

    def random(self, count: int) -> np.ndarray:
        self.wave += 1
        salt = designs.salt_of(self.seed, f"wave-{self.wave}")
        return designs.drawing_numbers([f"item-{number}" for number in range(count)], salt)


def a_frame() -> SamplingFrame:
    """400 items of four kinds, some drawn before, of which some have labels that predict the others."""
    rows = frame({Stratum.PASSED: 240, Stratum.FAILED: 120, Stratum.UNSCORED: 30, Stratum.THUMBS_DOWN: 10})
    rng = np.random.default_rng(5)
    labelled = rng.random(len(rows.keys)) < 0.15
    right = np.where(labelled, (rng.random(len(rows.keys)) < 0.7).astype(np.float64), np.nan)
    return replace(rows, is_eligible=~labelled, right=right, level=levels_of(rng.random(len(rows.keys))))


@pytest.mark.slow
@pytest.mark.parametrize("design", REQUESTS)
def test_each_item_is_drawn_as_often_as_its_chance_says(design: WaveDesign) -> None:
    """Over 1,000 salts no count is off by five standard deviations, and their squares are one on average."""
    rows, repetitions = a_frame(), 1000
    counts, names = np.zeros(len(rows.keys)), ids(rows)
    for seed in range(repetitions):
        numbers = designs.drawing_numbers(names, designs.salt_of(seed, "wave-1"))
        proposal = drawing(rows, REQUESTS[design], np.where(rows.is_eligible, numbers, 2.0))
        counts[proposal.rows] += 1
    chances = np.where(rows.is_eligible, np.nan_to_num(proposal.chances), 0.0)
    is_open = (chances > 0) & (chances < 1)

    assert (counts[chances == 0] == 0).all()
    assert (counts[chances == 1] == repetitions).all()
    pi = chances[is_open]
    z = (counts[is_open] - repetitions * pi) / np.sqrt(repetitions * pi * (1 - pi))
    assert is_open.sum() > 300
    assert np.abs(z).max() < 5
    # Chi-square over its degrees of freedom: five of its standard deviations.
    assert abs((z**2).mean() - 1) < 5 * np.sqrt(2 / is_open.sum())


def traffic() -> SyntheticTraffic:
    """1,000 answers, 72 % right, and a score that tells something."""
    rng = np.random.default_rng(11)
    right = (rng.random(1000) < 0.72).astype(np.float64)
    values = np.clip(rng.normal(0.35 + 0.3 * right, 0.2), 0, 1)
    return window(np.where(values > 0.5, "pass", "fail"), values, right)


@pytest.mark.slow
@repeated(20, 1000)
def test_intervals_hold_with_hashed_draws(repetitions: int) -> None:
    """A stratified and an active wave of 60 labels each: the truth is that of the window."""
    answers, held = traffic(), dict.fromkeys(QUANTITIES, 0)
    whole = ProposalRequest(labels=len(answers.right), seed=0)
    truth = measure(simulate_waves(answers, [whole], np.random.default_rng(0)))
    requests = [REQUESTS[WaveDesign.STRATIFIED], REQUESTS[WaveDesign.ACTIVE]]
    for seed in range(repetitions):
        report = measure(simulate_waves(answers, requests, HashedNumbers(seed)))  # type: ignore[arg-type]
        for name in QUANTITIES:
            estimate, true = getattr(report, name), getattr(truth, name).estimate
            held[name] += estimate.low <= true <= estimate.high

    assert_covers({name: count / repetitions for name, count in held.items()}, repetitions)
