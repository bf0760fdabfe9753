"""Say whether one rule agrees better with annotators than another, at any number of looks.

Kappa minus kappa on the labels of items that both rules give a verdict, linearised, with clusters as units. The bound `lowest`
holds at all looks together: a report that is read every night offers a rule that is no better in 5 % of its lives at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from proxy.evaluation.estimate import Estimate
from proxy.evaluation.rule_comparison import PairedLabels
from proxy.stats.intervals import quantile
from proxy.stats.sampling.clusters import FEWEST as FEWEST_CLUSTERS
from proxy.stats.testing.paired_rules import PairedDifference, difference_of_rules
from proxy.stats.testing.sequential import ALPHA, confidence_of_a_look

METHOD = "kappa of two rules on the same labels, clustered"
UNDEFINED = "not measurable: there are no labels of both kinds that both rules score"
FEW_CLUSTERS = "not measurable: the labels lie in fewer than two questions or groups"
NEVER_DIFFER = "the rules have the same verdict on every label"
# Labels that score the rule; chosen, see design/028.
TIGHTEST_AT = 100.0
# The usual one.
POWER = 0.8
# Chosen: below 50 a comparison rests on a handful of differing verdicts; above 1,000 the labels cost more than a rule is worth.
LEAST_DRAWS, MOST_DRAWS = 50, 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleContrast:
    """Kappa of one rule minus that of another.

    Attributes
    ----------
    estimate
        The difference with its 95 % interval for the long run, as for a single look.
    lowest
        The bound below which it does not lie, at 95 % for all looks together; None where there is none.
    differ
        The number of labels on which the rules differ.
    deviation
        The standard deviation that one label contributes.
    """

    estimate: Estimate
    lowest: float | None = None
    differ: int = 0
    deviation: float = 0.0

    @property
    def is_better(self) -> bool:
        """Whether the first rule is shown to be better, valid at any number of interim looks (a confidence sequence)."""
        return self.lowest is not None and self.lowest > 0

    @property
    def draws(self) -> int | None:
        """About how many fresh labels would show this difference, in tens; None where it is nothing, or takes too many."""
        value = self.estimate.estimate
        if value is None or value <= 0 or not self.deviation:
            return None
        z = quantile(confidence=confidence_of_a_look(TIGHTEST_AT, TIGHTEST_AT)) + quantile(confidence=2 * POWER - 1)
        wanted = 10 * math.ceil((z * self.deviation / value) ** 2 / 10)
        return None if wanted > MOST_DRAWS else max(LEAST_DRAWS, wanted)


def contrast(labels: PairedLabels, compared: int = 1) -> RuleContrast:
    """Compare two rules on these labels.

    Parameters
    ----------
    labels : PairedLabels
        Labels that chose neither rule.
    compared : int
        How many rules are compared with the other one: `lowest` holds for all of them (Bonferroni).
    """
    n = len(labels.right)
    if not n:
        return RuleContrast(estimate=Estimate(estimate=None, n=0, reason=UNDEFINED))
    paired = difference_of_rules(
        "kappa", labels.right, labels.passed, labels.passed_by_other, labels.weight, labels.ways
    )
    if math.isnan(paired.difference) or paired.clusters < FEWEST_CLUSTERS - 1e-9:
        reason = UNDEFINED if math.isnan(paired.difference) else FEW_CLUSTERS
        return RuleContrast(estimate=Estimate(estimate=None, n=n, reason=reason), differ=labels.differ)
    around = paired.interval()
    return RuleContrast(
        estimate=Estimate(
            estimate=paired.difference,
            low=around.low if around else None,
            high=around.high if around else None,
            n=n,
            method=METHOD,
            long_run=around,
            reason=None if around else NEVER_DIFFER,
        ),
        lowest=_lowest(paired, n, compared),
        differ=labels.differ,
        deviation=math.sqrt(n * max(0.0, paired.variance)),
    )


def _lowest(paired: PairedDifference, n: int, compared: int) -> float | None:
    around = paired.interval(confidence_of_a_look(n, TIGHTEST_AT, ALPHA / compared))
    return around.low if around else None
