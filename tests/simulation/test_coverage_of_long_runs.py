"""Does the interval for the long run hold the rate behind the window? Each seed makes new traffic, draws it and labels it.

With R repetitions a coverage c passes when c >= .95 - 3 sqrt(.05 x .95 / R).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.analysis.planning.synthetic_waves import Window, rehearse, window
from annotate.domain.sampling.proposal import Request
from proxy.evaluation.agreement import measure
from proxy.evaluation.estimate import Estimate

REPETITIONS = 300
FLOOR = 0.95 - 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
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

    def window(self, rng: np.random.Generator) -> Window:
        """A group's share right is Beta(a, b) with a / (a + b) = P(right) and 1 / (a + b + 1) = icc, drawn anew each time."""
        share: NDArray[np.float64] = np.full(self.groups, self.right)
        if self.icc:
            strength = 1 / self.icc - 1
            share = rng.beta(strength * self.right, strength * (1 - self.right), self.groups)
        right = rng.random(self.groups * self.each) < np.repeat(share, self.each)
        passes = np.where(right, rng.random(len(right)) < self.sensitivity, rng.random(len(right)) > self.specificity)
        values = np.clip(rng.normal(np.where(passes, 0.75, 0.25) + 0.1 * right, self.noise), 0, 1)
        # The verdict is the judge's cut, so that no value contradicts it.
        values = np.where(passes, np.maximum(values, 0.501), np.minimum(values, 0.5))
        alone = window(np.where(passes, "pass", "fail"), values, right.astype(np.float64))
        return replace(alone, groups=[str(n // self.each) for n in range(len(right))])


def waves(*labels: int) -> Sequence[Request]:
    return [Request(labels=count, seed=0) for count in labels]


def holds(one: Estimate, truth: float) -> bool:
    assert one.long_run is not None
    return one.long_run.low <= truth <= one.long_run.high


def coverage(source: Source, requests: Sequence[Request]) -> Mapping[str, float]:
    """The share of seeds whose long-run interval holds the rate."""
    held = dict.fromkeys(source.truth, 0)
    for seed in range(REPETITIONS):
        rng = np.random.default_rng([seed, 17])
        report = measure(rehearse(source.window(rng), requests, rng), BETA_DRAWS)
        for name, rate in source.truth.items():
            held[name] += holds(getattr(report, name), rate)
    return {name: count / REPETITIONS for name, count in held.items()}


@pytest.mark.slow
def test_a_census_is_still_a_sample_of_what_comes() -> None:
    """All of 300 items labelled: the window has no width, and the long run that of 300 draws."""
    covered = coverage(Source(groups=300), waves(300))

    assert min(covered.values()) >= FLOOR, covered


@pytest.mark.slow
def test_most_of_a_window() -> None:
    """200 of 300: what chance drew and what the window is of its traffic both count."""
    covered = coverage(Source(groups=300), waves(200))

    assert min(covered.values()) >= FLOOR, covered


@pytest.mark.slow
def test_a_sharp_judge_tells_much_of_the_window_and_nothing_of_its_share() -> None:
    """200 of 1,000 where the verdict says nearly all: the strata's sizes are themselves a sample, so p (1 - p) / N stays."""
    sharp = Source(groups=1_000, sensitivity=0.97, specificity=0.95, noise=0.1)
    covered = coverage(sharp, waves(200))

    assert min(covered.values()) >= FLOOR, covered


@pytest.mark.slow
def test_two_waves() -> None:
    """100 and then 100 of 400, the second where the first found spread."""
    covered = coverage(Source(groups=400), waves(100, 100))

    assert min(covered.values()) >= FLOOR, covered


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "each", "icc", "labels"),
    [(60, 5, 0.5, 300), (30, 5, 0.9, 100), (20, 50, 0.3, 60)],
    ids=["60 x 5, all labelled", "30 x 5, 100 labels", "20 x 50, 60 labels"],
)
def test_groups_whose_labels_agree(groups: int, each: int, icc: float, labels: int) -> None:
    """Questions asked again: few groups speak for the traffic, however many items they hold."""
    covered = coverage(Source(groups=groups, each=each, icc=icc), waves(labels))

    assert min(covered.values()) >= FLOOR, covered


@pytest.mark.slow
def test_groups_of_which_all_labels_are_right() -> None:
    """20 questions asked five times, 95 % right and nearly always alike: often all is right, which 20 facts say and not 100."""
    covered = coverage(Source(groups=20, each=5, icc=0.9, right=0.95), waves(100))

    assert covered["correctness"] >= FLOOR, covered
