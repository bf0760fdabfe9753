"""Does the interval for the long run hold the rate behind the window? Each seed makes new traffic, draws it and labels it.

With R repetitions a coverage c passes when c >= .95 - 3 sqrt(.05 x .95 / R).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves, window
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import measure
from proxy.evaluation.estimate import Estimate
from support.simulation import assert_covers, repeated

pytestmark = pytest.mark.slow

# Neither quantity here rests on Beta draws, which take most of the time of a report.
BETA_DRAWS = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where windows come from: items in groups of one size whose labels correlate by `icc`, and a judge of this quality."""

    right: float = 0.75
    sensitivity: float = 0.9
    specificity: float = 0.6
    noise: float = 0.15
    groups: int
    each: int = 1
    icc: float = 0.0

    @property
    def truth(self) -> Mapping[str, float]:
        """The rates that the long run has: P(right), and by Bayes' rule P(right | pass)."""
        hits = self.right * self.sensitivity
        return {
            "correctness": self.right,
            "pass_precision": hits / (hits + (1 - self.right) * (1 - self.specificity)),
        }

    def window(self, rng: np.random.Generator) -> SyntheticTraffic:
        """A group's share right is Beta(a, b) with a / (a + b) = P(right) and 1 / (a + b + 1) = icc, drawn anew each time."""
        share: NDArray[np.float64] = np.full(self.groups, self.right)
        if self.icc:
            strength = 1 / self.icc - 1
            share = rng.beta(strength * self.right, strength * (1 - self.right), self.groups)
        right = rng.random(self.groups * self.each) < np.repeat(share, self.each)
        passes = np.where(right, rng.random(len(right)) < self.sensitivity, rng.random(len(right)) > self.specificity)
        values = np.clip(rng.normal(np.where(passes, 0.75, 0.25) + 0.1 * right, self.noise), 0, 1)
        # The verdict is the judge's threshold, so that no value contradicts it.
        values = np.where(passes, np.maximum(values, 0.501), np.minimum(values, 0.5))
        alone = window(np.where(passes, "pass", "fail"), values, right.astype(np.float64))
        return replace(alone, groups=[str(n // self.each) for n in range(len(right))])


def holds(estimate: Estimate, truth: float) -> bool:
    return estimate.long_run.low <= truth <= estimate.long_run.high


SOURCES = {
    # The window has no width, and the long run that of 300 draws.
    "a census": (Source(groups=300), (300,)),
    # What chance drew and what the window is of its traffic both count.
    "most of a window": (Source(groups=300), (200,)),
    # The verdict says nearly all: the strata's sizes are themselves a sample, so p (1 - p) / N stays.
    "a sharp judge": (Source(groups=1_000, sensitivity=0.97, specificity=0.95, noise=0.1), (200,)),
    # The second wave goes where the first found spread.
    "two waves": (Source(groups=400), (100, 100)),
    # Questions asked again: few groups speak for the traffic, however many items they hold.
    "60 x 5, all labelled": (Source(groups=60, each=5, icc=0.5), (300,)),
    "30 x 5, 100 labels": (Source(groups=30, each=5, icc=0.9), (100,)),
    "20 x 50, 60 labels": (Source(groups=20, each=50, icc=0.3), (60,)),
    # Often all is right, which 20 facts say and not 100.
    "20 x 5, nearly all right": (Source(groups=20, each=5, icc=0.9, right=0.95), (100,)),
}


@repeated(30, 300)
def test_long_run_intervals_hold_the_rate(repetitions: int) -> None:
    """Correctness and pass precision of each source; where nearly all is right, correctness alone."""
    covered: dict[Hashable, float] = {}
    for name, (source, labels) in SOURCES.items():
        requests = [ProposalRequest(labels=count, seed=0) for count in labels]
        rngs = [np.random.default_rng([seed, 17]) for seed in range(repetitions)]
        reports = [measure(simulate_waves(source.window(rng), requests, rng), BETA_DRAWS) for rng in rngs]
        for quantity in ("correctness", "pass_precision")[: 1 if source.right > 0.9 else 2]:
            rate = source.truth[quantity]
            covered[name, quantity] = float(np.mean([holds(getattr(report, quantity), rate) for report in reports]))

    assert_covers(covered, repetitions)
