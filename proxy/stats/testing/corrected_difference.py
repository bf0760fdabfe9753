"""Estimate the difference of two shares on the same items, where annotators know the first and a judge that errs the second.

It needs the judge's sensitivity and specificity from answers that annotators have labelled too, and it holds as far as the
judge errs alike on both. Rogan and Gladen (1978), American Journal of Epidemiology 107:71, for each item.
"""

from __future__ import annotations

import math

from proxy.stats.agreement.rogan_gladen import Count
from proxy.stats.intervals import CONFIDENCE, quantile
from proxy.stats.testing.paired import DifferenceInterval, Pairs

MIN_YOUDEN = 0.25  # below it the interval misses the truth too often (see the tests of its coverage)


def corrected_difference(
    judged: Pairs, known: Pairs, right_passes: Count, wrong_fails: Count, confidence: float = CONFIDENCE
) -> DifferenceInterval | None:
    """Compute the mean of d; None where J is too small.

    d = (pass + sp - 1) / J - first of a judged item, second - first of a `known` one.

    V = s^2(d) / n + (m / n)^2 [t^2 se (1 - se) / n1 + (1 - t)^2 sp (1 - sp) / n0] / J^2, m judged of n items, t the corrected
    share of those, J = se + sp - 1; `right_passes` gives se and n1, `wrong_fails` sp and n0. As with Bonett and Price, s^2 takes
    one item more of each kind that differs, and a share seen as 0 or 1 takes one success and one failure more.
    """
    youden = right_passes.p + wrong_fails.p - 1
    if youden < MIN_YOUDEN:
        return None
    m, n = sum(judged), sum(judged) + sum(known)
    # What an item of each kind adds: both right, only the first, only the second, neither.
    passes, fails = wrong_fails.p / youden, (wrong_fails.p - 1) / youden
    of_judged, of_known = (passes - 1, fails - 1, passes, fails), (0.0, -1.0, 1.0, 0.0)
    mean = _mean((*judged, *known), (*of_judged, *of_known))
    more = judged._replace(only_first=judged.only_first + 1, only_second=judged.only_second + 1)
    spread = _variance((*more, *known), (*of_judged, *of_known)) / (n + 2)
    share = ((judged.both + judged.only_second) / m + wrong_fails.p - 1) / youden if m else 0.0
    ends = share**2 * right_passes.cautious_variance() + (1 - share) ** 2 * wrong_fails.cautious_variance()
    half = quantile(confidence=confidence) * math.sqrt(spread + (m / n) ** 2 * ends / youden**2)
    estimate = max(-1.0, min(1.0, mean))
    return DifferenceInterval(estimate, max(-1.0, min(1.0, mean - half)), min(1.0, max(-1.0, mean + half)))


def _mean(counts: tuple[int, ...], values: tuple[float, ...]) -> float:
    return sum(count * value for count, value in zip(counts, values, strict=True)) / sum(counts)


def _variance(counts: tuple[int, ...], values: tuple[float, ...]) -> float:
    """Compute the variance of one item."""
    mean = _mean(counts, values)
    return sum(count * (value - mean) ** 2 for count, value in zip(counts, values, strict=True)) / sum(counts)
