"""Measure whether verdicts on answers to one question are shifted by standing next to each other.

Chance decides which questions have their answers next to each other and which have them apart, and in which order the
answers of each stand. So without an effect two neighbours get different verdicts as often as any two answers to a question that
are read apart; a contrast effect (an answer looks worse after a better one, better after a worse one) makes neighbours differ
more often, and its opposite less often.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from proxy.evaluation.estimate import Estimate
from proxy.stats.effective import wilson_effective
from proxy.stats.intervals import Interval
from proxy.stats.testing.paired import mover_difference

# Chosen: questions that an arm needs before its interval is given.
FEWEST = 5
METHOD = "difference of two means over questions, Wilson at the effective sample size, MOVER"
TOO_FEW = (
    "not measurable: {together} questions were read in a block and {apart} apart, and {fewest} of either are needed"
)


def share_apart(verdicts: Sequence[object]) -> float:
    """Return the share of all pairs of these verdicts that differ: what is expected of two in random order.

    Parameters
    ----------
    verdicts : sequence
        One annotator's verdicts on at least two answers to a question.

    Returns
    -------
    float
        1 - sum_k n_k (n_k - 1) / (n (n - 1)), n_k of the n verdicts being k.
    """
    counts = np.unique(np.asarray(verdicts, dtype=np.str_), return_counts=True)[1]
    return 1.0 - float((counts * (counts - 1)).sum()) / (len(verdicts) * (len(verdicts) - 1))


def share_next(verdicts: Sequence[object]) -> float:
    """Return the share of neighbours in this order whose verdicts differ.

    Parameters
    ----------
    verdicts : sequence
        One annotator's verdicts on at least two answers to a question, in the order in which they stand.

    Returns
    -------
    float
    """
    return sum(first != second for first, second in pairwise(verdicts)) / (len(verdicts) - 1)


def neighbour_effect(together: ArrayLike, apart: ArrayLike) -> Estimate:
    """Estimate how much more often verdicts on two answers to a question differ where these stand next to each other.

    Each question counts once, so that answers to the same one are no evidence for each other. The two shares are means over
    independent questions; their intervals are Wilson's at the effective sample size with t, joined by MOVER (Zou and Donner 2008,
    Statistics in Medicine 27:1693).

    Parameters
    ----------
    together : array_like
        By question in a block, the share of neighbours with different verdicts (`share_next`), in [0, 1].
    apart : array_like
        By question whose answers were spread, the share of pairs with different verdicts (`share_apart`), in [0, 1].

    Returns
    -------
    Estimate
        The difference of the means, in [-1, 1], `n` questions; without an estimate where an arm has fewer than FEWEST.
    """
    arms = [np.asarray(arm, dtype=np.float64) for arm in (together, apart)]
    n = sum(arm.size for arm in arms)
    if min(arm.size for arm in arms) < FEWEST:
        reason = TOO_FEW.format(together=arms[0].size, apart=arms[1].size, fewest=FEWEST)
        return Estimate(estimate=None, n=n, reason=reason)
    (first, first_in), (second, second_in) = map(_mean, arms)
    difference = mover_difference(first, first_in, second, second_in)
    return Estimate(
        estimate=difference.estimate, low=max(-1.0, difference.low), high=min(1.0, difference.high), n=n, method=METHOD
    )


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, Interval]:
    """Compute the mean of values in [0, 1] with its interval."""
    mean = min(1.0, max(0.0, math.fsum(values) / values.size))
    return mean, wilson_effective(mean, float(values.var(ddof=1)) / values.size, values.size, values.size - 1.0)
