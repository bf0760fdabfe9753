"""Express what the labels tell of correctness as the size of a plain random sample that would tell as much.

It compares widths of intervals for the same window, and claims nothing where the labels hold too few of either kind.
"""

from __future__ import annotations

from typing import NamedTuple

from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.reason import Reason
from proxy.stats.intervals import wilson

FEWEST_ERRORS = 5
FEW_WRONG = "it takes {count} wrong answers among the labels"
FEW_RIGHT = "it takes {count} right answers among the labels"


class EffectiveLabels(NamedTuple):
    """`labels` drawn and weighted by design tell as much of correctness as `effective` of a simple random sample.

    `effective` is None where the labels cannot show it yet; `reason` says why.
    """

    labels: int
    effective: float | None
    reason: str | None = None


def width_of(estimate: Estimate) -> float | None:
    """Return the width of a window interval; None for what is not measured, also where bounds are known."""
    return (
        None
        if estimate.estimate is None or estimate.low is None or estimate.high is None
        else estimate.high - estimate.low
    )


def effective_labels_of(report: AgreementReport) -> EffectiveLabels:
    """Compute the effective labels for correctness, by the widths of the two intervals for the same window.

    A simple random sample of m of N items at the same p has Wilson's interval at m / (1 - m / N), and widths shrink with the
    root of that: m / (1 - m / N) = n / (1 - n / N) x (its width at n / ours)^2.
    """
    correctness, width = report.correctness, width_of(report.correctness)
    right, wrong = (sum(getattr(part, name) for part in report.strata) for name in ("right", "wrong"))
    size = sum(part.size for part in report.strata)
    if correctness.estimate is None or width is None:
        return EffectiveLabels(right + wrong, None, "correctness is not measurable yet")
    if min(right, wrong) < FEWEST_ERRORS:
        few = FEW_WRONG if wrong < right else FEW_RIGHT
        return EffectiveLabels(right + wrong, None, Reason(few, count=FEWEST_ERRORS))
    if width == 0:
        return EffectiveLabels(right + wrong, None, "every answer is labelled")
    return EffectiveLabels(right + wrong, effective_labels(correctness.estimate, correctness.n, size, width))


def effective_labels(p: float, n: int, size: int, width: float) -> float:
    """Compute the m of `worth_of` for n labels of `size` items with share p and an interval of this width."""
    left = n / (1 - n / size)
    low, high = wilson(p, left)
    effective = left * ((high - low) / width) ** 2
    return effective / (1 + effective / size)
