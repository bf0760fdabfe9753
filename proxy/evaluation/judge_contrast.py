"""Say whether one judge orders right above wrong better than another, by the labels of answers that both have scored.

The difference of their AUROCs is paired: the influences of each label on both subtract. The bound `lowest` holds at all looks
together, so a judge that is no better is called better in 5 % of the stores at most, however often one looks.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.evaluation.discrimination import Valued, auroc_difference, auroc_of
from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import quantile
from proxy.stats.testing.sequential import ALPHA, confidence_of_a_look

# Labels at which the bound is tightest; chosen, as for learned rules (design/028).
TIGHTEST_AT = 100.0


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeContrast:
    """The AUROC of a judge and of another on the same labels, and the first minus the second.

    Attributes
    ----------
    first, second
        The AUROC of each.
    difference
        With its 95 % interval, as for a single look.
    lowest
        The bound below which the long-run difference does not lie, at 95 % for all looks and all `compared` judges together.
    """

    first: Estimate
    second: Estimate
    difference: Estimate
    lowest: float | None = None

    @property
    def is_better(self) -> bool:
        """Whether the first judge is shown to be better, however often one looks."""
        return self.lowest is not None and self.lowest > 0


def contrast(first: Valued, second: Valued, compared: int = 1) -> JudgeContrast:
    """Compare two judges on these labels.

    Parameters
    ----------
    first, second : Valued
        The scores of both on the same labels, which taught neither.
    compared : int
        How many judges are compared at once: `lowest` holds for all of them (Bonferroni).
    """
    difference = auroc_difference(first, second)
    return JudgeContrast(
        first=auroc_of(first),
        second=auroc_of(second),
        difference=difference,
        lowest=lowest_at_all_looks(difference, compared),
    )


def lowest_at_all_looks(difference: Estimate, compared: int) -> float | None:
    """Return the lower bound of a difference that holds at all looks and for all `compared` ones.

    The half width of the long-run interval times the ratio of the two quantiles of the normal.
    """
    if difference.estimate is None or difference.long_run is None or not difference.n:
        return None
    below = difference.estimate - difference.long_run.low
    return difference.estimate - below * (
        quantile(confidence=confidence_of_a_look(difference.n, TIGHTEST_AT, ALPHA / compared)) / quantile()
    )
