"""Plan how many labels a question needs, from guessed rates, wanted widths and costs.

Widths are half widths of two-sided intervals. Numbers of labels are real where they feed another formula; round them up to
plan. All of it is only as good as the guessed rates: plan with the least flattering one that is plausible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from proxy.stats.intervals import CONFIDENCE, quantile, wilson
from proxy.stats.sampling.allocation import clipped, defensive, design_variance, spread


class PowerPlan(NamedTuple):
    """A plan of n labels and N more items with scores alone, worth `effective` labels without scores, at this cost."""

    labels: int
    unlabelled: int
    effective: int
    cost: float


def simple_labels(p: float, half_width: float, confidence: float = CONFIDENCE) -> float:
    """Compute n0 = z^2 p (1 - p) / w^2: the labels of a simple random sample for p +- w.

    Cochran (1977), Sampling Techniques, 4.4.
    """
    _check_shares(p)
    if not half_width > 0:
        raise ValueError(f"half width {half_width}: give one above 0")
    return quantile(confidence=confidence) ** 2 * p * (1 - p) / half_width**2


def finite_labels(labels: float, items: float) -> float:
    """Compute n0 / (1 + (n0 - 1) / N): the labels for the same width for a window of N items alone."""
    if not items >= 1:
        raise ValueError(f"{items} items: give the size of the window, at least 1")
    return labels / (1 + (labels - 1) / items)


def powered_labels(labels: float, r2: float) -> float:
    """Compute n0 (1 - R^2): the labels where a score that explains R^2 of them is known of very many items."""
    _check_shares(r2)
    return labels * (1 - r2)


def r2_binary(right: float, sensitivity: float, specificity: float) -> float | None:
    """Compute phi^2 = J^2 p (1 - p) / (q (1 - q)); None where all pass or all fail.

    J = se + sp - 1, q = p se + (1 - p)(1 - sp).
    """
    _check_shares(right, sensitivity, specificity)
    passes = right * sensitivity + (1 - right) * (1 - specificity)
    if not 0 < passes < 1:
        return None
    return (sensitivity + specificity - 1) ** 2 * right * (1 - right) / (passes * (1 - passes))


def neyman_gain(sensitivity: float, specificity: float) -> float:
    """Compute 1 / (sqrt(se (1 - sp)) + sqrt((1 - se) sp))^2: the worth in labels of Neyman's strata, passes and fails.

    It does not depend on the share right. Infinite for a perfect proxy.
    """
    passes, fails = _spreads(sensitivity, specificity)
    return 1 / (passes + fails) ** 2 if passes + fails else math.inf


def audit_share(sensitivity: float, specificity: float) -> float | None:
    """Compute the share of labels for the fails under Neyman's allocation; None for a perfect proxy: any share will do."""
    passes, fails = _spreads(sensitivity, specificity)
    return fails / (passes + fails) if passes + fails else None


def _spreads(sensitivity: float, specificity: float) -> tuple[float, float]:
    _check_shares(sensitivity, specificity)
    return math.sqrt(sensitivity * (1 - specificity)), math.sqrt((1 - sensitivity) * specificity)


def clean_labels(error_rate: float, confidence: float = CONFIDENCE) -> int:
    """Compute the least n with (1 - error_rate)^n <= 1 - confidence.

    n labels without an error prove that the rate is no higher.

    One-sided: 59 prove 5 %, 299 prove 1 %.
    """
    if not 0 < error_rate < 1 or not 0 < confidence < 1:
        raise ValueError(f"error rate {error_rate}, confidence {confidence}: give shares between 0 and 1")
    return math.ceil(math.log1p(-confidence) / math.log1p(-error_rate) - 1e-9)


def stratified_labels(
    sizes: ArrayLike,
    shares: ArrayLike,
    half_width: float,
    *,
    least: int = 5,
    is_window: bool = True,
    confidence: float = CONFIDENCE,
) -> int | None:
    """Compute the fewest labels whose defensive plan gives at most this half width; None if all items are too few.

    By bisection on Wilson's width at the effective n = p (1 - p) / V, normal quantile, V the design's variance with `shares`
    right; at least `least` labels a stratum. `is_window` speaks of these items alone: labelling all of them always suffices.
    """
    size, p = np.asarray(sizes, dtype=np.float64), np.asarray(shares, dtype=np.float64)
    s, low = spread(p), np.minimum(size, least)
    if not half_width > 0:
        raise ValueError(f"half width {half_width}: give one above 0")
    mean = float(size @ p) / float(size.sum())

    def is_enough(labels: int) -> bool:
        drawn = clipped(defensive(size, s, labels), labels, low, size)
        variance = design_variance(size, s, drawn, is_window=is_window)
        left = 1 - labels / float(size.sum()) if is_window else 1.0
        bounds = wilson(mean, _worth(mean, variance, labels, left), confidence=confidence)
        return bounds.high - bounds.low <= 2 * half_width

    below, enough = max(1, int(low.sum())) - 1, int(size.sum())
    if not is_enough(enough):
        return None
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if is_enough(middle) else (middle, enough)
    return enough


def _worth(p: float, variance: float, labels: float, left: float) -> float:
    """Compute the n of a simple random sample of this variance.

    Without any spread the labels count as one, `left` the share unseen.
    """
    if variance > 0:
        return p * (1 - p) / variance
    return labels / left if left > 0 else math.inf


def most_power(
    correlation: float,
    budget: float,
    *,
    label_cost: float,
    score_cost: float,
    item_cost: float = 0,
    most_items: int | None = None,
) -> PowerPlan:
    """Plan the n labels and N further scores worth most for a budget: effective n = n (n + N) / (n + (1 - rho^2) N).

    With g = (score_cost + item_cost) / label_cost one effective label costs label_cost (1 - rho^2 + g rho^2 +
    2 sqrt(g rho^2 (1 - rho^2))). Labels alone where those are cheaper. Broska, Howes and van Loon (2024), Mixed Subjects Design.
    """
    costs = _Costs(correlation=correlation, label=label_cost, score=score_cost, item=item_cost)
    if not budget > 0:
        raise ValueError(f"budget {budget}: give one above 0")
    plan = costs.plan(budget / costs.effective_label, budget / costs.label_alone)
    if most_items is None or plan.labels + plan.unlabelled <= most_items:
        return plan
    if most_items * costs.label_alone <= budget:
        return costs.at(most_items, 0)
    labels = min(most_items, max(0, round(budget / label_cost - most_items * costs.ratio)))
    return costs.at(labels, most_items - labels)


def least_cost(
    correlation: float,
    effective: float,
    *,
    label_cost: float,
    score_cost: float,
    item_cost: float = 0,
    most_items: int | None = None,
) -> PowerPlan:
    """Plan the cheapest n and N that are worth `effective` labels; ValueError if that takes more than `most_items` items."""
    costs = _Costs(correlation=correlation, label=label_cost, score=score_cost, item=item_cost)
    if not effective > 0:
        raise ValueError(f"{effective} effective labels: give a number above 0")
    plan = costs.plan(effective, effective)
    if most_items is None or plan.labels + plan.unlabelled <= most_items:
        return plan
    if effective > most_items:
        raise ValueError(f"{most_items} items cannot be worth {effective:g} labels: ask for fewer, or bring more items")
    r2 = correlation**2
    labels = round(effective * most_items * (1 - r2) / (most_items - r2 * effective))
    return costs.at(labels, most_items - labels)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Costs:
    """The costs of a label, a score and an item, and of their best mixture at this correlation."""

    correlation: float
    label: float
    score: float
    item: float

    def __post_init__(self) -> None:
        """Check the costs: scores that cost nothing would ask for infinitely many."""
        if not -1 < self.correlation < 1 or not self.label > 0 or self.score < 0 or self.item < 0:
            raise ValueError("give a correlation between -1 and 1, a label cost above 0 and no negative cost")
        if not self.score + self.item > 0:
            raise ValueError(
                "scores and items that cost nothing: plan with powered_labels(labels, correlation**2) instead"
            )

    @property
    def r2(self) -> float:
        """The squared correlation of score and label."""
        return self.correlation**2

    @property
    def ratio(self) -> float:
        """The cost of an item with its score in labels."""
        return (self.score + self.item) / self.label

    @property
    def mix(self) -> float:
        """The term sqrt(g rho^2 (1 - rho^2))."""
        return math.sqrt(self.ratio * self.r2 * (1 - self.r2))

    @property
    def effective_label(self) -> float:
        """The cost of one effective label at the best mixture."""
        return self.label * (1 - self.r2 + self.ratio * self.r2 + 2 * self.mix)

    @property
    def label_alone(self) -> float:
        """The cost of a label with its item but no score."""
        return self.label + self.item

    def plan(self, effective: float, alone: float) -> PowerPlan:
        """Plan the best n and N that are worth `effective`; `alone` labels and no scores where those cost less."""
        labels = effective * (1 - self.r2 + self.mix)
        useful = labels - (1 - self.r2) * effective
        if self.label_alone < self.effective_label or labels > effective or not useful:
            return self.at(round(alone), 0)
        return self.at(round(labels), round(labels * (effective - labels) / useful))

    def at(self, labels: int, unlabelled: int) -> PowerPlan:
        """Compute this plan's worth and cost; without further items no score is paid for."""
        if not unlabelled:
            return PowerPlan(labels, 0, labels, labels * self.label_alone)
        worth = labels * (labels + unlabelled) / (labels + (1 - self.r2) * unlabelled)
        cost = labels * self.label + (labels + unlabelled) * (self.score + self.item)
        return PowerPlan(labels, unlabelled, round(worth), cost)


def _check_shares(*shares: float) -> None:
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"{shares}: give shares in [0, 1]")
