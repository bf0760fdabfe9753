"""Say what the draws of a comparison, all labelled, are expected to show of a difference of two systems."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import DifferencePower
from annotate.domain.sampling.pairs import Numbers, Pool, spread_of_difference
from annotate.domain.sampling.proposal import Proposal
from proxy.stats.intervals import CONFIDENCE
from proxy.stats.testing.detectable import detectable_difference, detectable_mean, power_of_mean, power_of_pairs
from proxy.stats.testing.paired_power import FEWEST_POWERED

PRIOR_PAIRS = 20  # what is predicted of the variance counts as much as so many labelled pairs


def power(pool: Pool, proposed: Proposal, design: WaveDesign, difference: float) -> DifferencePower | None:
    """Return what the draws, all labelled, are expected to show of a difference of two systems; None where they can show none.

    Units have the variance that the scores and earlier labels lead to expect, count as independent, and none is unsure.
    """
    drawn = ~pool.frame.is_eligible
    drawn[proposed.rows] = True
    is_assumed = pool.frame.predicted is None
    if design is WaveDesign.PAIRS:
        pairs = _by_pairs(pool, drawn, proposed.chances)
        return pairs and DifferencePower(
            difference=difference,
            share=power_of_pairs(difference, *pairs[:3]),
            detectable=detectable_difference(*pairs[:3]),
            basis=pairs.basis,
            is_assumed=is_assumed,
        )
    answers = _by_answers(pool, drawn)
    return answers and DifferencePower(
        difference=difference,
        share=power_of_mean(difference, *answers[:3]),
        detectable=detectable_mean(*answers[:3]),
        basis=answers.basis,
        is_assumed=is_assumed,
    )


class _Units(NamedTuple):
    """The variance of a unit, the effective number of units, the confidence of the interval, and the labels that tell of it."""

    variance: float
    n: float
    confidence: float
    basis: int


def _by_pairs(pool: Pool, drawn: NDArray[np.bool_], chances: Numbers) -> _Units | None:
    """Return the pairs: a unit is a question with all its answers drawn, now or before; Kish's n of their chances counts.

    The variance of D is what is predicted, as if seen in PRIOR_PAIRS, and that of the labelled pairs, less what the scores are
    proven to explain of it where enough pairs make use of them.
    """
    count = len(pool.keys)
    complete = np.bincount(pool.question, ~drawn, count) == 0
    if not complete.any():
        return None
    first, second = pool.by_question(pool.expected)
    labelled = np.bincount(pool.question, np.isnan(pool.frame.right), count) == 0
    right, other = pool.by_question(np.nan_to_num(pool.frame.right).astype(np.float64))
    seen = (other - right)[labelled]
    explained = float(np.var(second - first))
    predicted = explained + float(np.mean(spread_of_difference(first, second) ** 2))
    squares = float(np.sum((seen - seen.mean()) ** 2)) if len(seen) else 0.0
    variance = (PRIOR_PAIRS * predicted + squares) / (PRIOR_PAIRS + len(seen))
    chance = np.zeros(count)
    chance[pool.question] = chances
    weight = 1 / np.where(chance > 0, chance, 1.0)[complete]
    if complete.sum() >= FEWEST_POWERED:
        variance = max(variance / 10, variance - pool.proven * explained * (1 - float(complete.mean())))
    return _Units(variance, float(weight.sum() ** 2 / (weight**2).sum()), CONFIDENCE, len(seen))


def _by_answers(pool: Pool, drawn: NDArray[np.bool_]) -> _Units | None:
    """Return the answers: a unit is one; the level is shared by all pairs of systems, which are distinguished at once."""
    systems = int(pool.system.max()) + 1
    labels = int(np.bincount(pool.system, drawn, systems).min())
    if not labels:
        return None
    size = np.bincount(pool.system, minlength=systems)
    p = np.bincount(pool.system, pool.expected, systems) / size
    level = (1 - CONFIDENCE) / (systems * (systems - 1) / 2)
    labelled = len(pool.frame.labelled)
    return _Units(2 * float((p * (1 - p)).max()), labels, 1 - level, labelled)
