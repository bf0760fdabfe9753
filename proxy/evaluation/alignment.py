"""Choose among versions of a judge on tuning labels, and say which gain the measuring labels could show.

One version is chosen before a measuring label is read, so that its difference from the judge in force is a single comparison.
Labels that measure several choices, one after the other, share out the error: the k-th has alpha / (k (k + 1)), which add up to
alpha at most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from proxy.evaluation.discrimination import Valued, auroc_of
from proxy.evaluation.judge_contrast import TIGHTEST_AT
from proxy.stats.intervals import quantile
from proxy.stats.sampling.permanent_random import permanent_random_number
from proxy.stats.testing.sequential import ALPHA, confidence_of_a_look

# The same numbers as for learned rules, so that a question that tunes a judge never scores a rule that labels taught.
SALT = "learned rule"
SHARE, MOST_SHARE = 0.3, 0.5
# Labels of each kind below which nothing is chosen, or measured: an AUROC of fewer has no interval worth its name.
FEWEST_TUNING, FEWEST_MEASURING = 8, 10
# A version that fails where the judge in force does not could look better by what it leaves out.
LEAST_SCORED = 0.95
POWER = 0.8


class GuidanceKind(StrEnum):
    """What a version of a judge is given, the simplest first."""

    NOTHING = "nothing"
    GUIDELINES = "guidelines"
    EXAMPLES = "examples"
    BOTH = "both"


def tunes(question: str, share: float) -> bool:
    """Return whether a question tunes judges, for ever: its permanent random number lies below the share."""
    return permanent_random_number(question, SALT) < share


def fold_of(question: str) -> int:
    """Return which half of the tuning questions this one is in, 0 or 1, by a number of its own."""
    return int(permanent_random_number(question, "alignment fold") < 0.5)


def ranked(aurocs: Mapping[GuidanceKind, float | None]) -> list[GuidanceKind]:
    """Return the versions that could be measured, the best first; of equal ones the simplest."""
    order = list(GuidanceKind)
    measured = [(-value, order.index(kind), kind) for kind, value in aurocs.items() if value is not None]
    return [kind for *_, kind in sorted(measured)]


def first_round(questions: Sequence[str]) -> set[str]:
    """Return the questions of the first round: half of all, at random, the same every time."""
    numbered = sorted(set(questions), key=lambda question: permanent_random_number(question, "alignment round"))
    return set(numbered[: math.ceil(len(numbered) / 2)])


def compared_in(attempt: int) -> int:
    """Return by how many the error is divided in the attempt with this number, from 1."""
    return attempt * (attempt + 1)


def smallest_gain(base: Valued, attempt: int = 1, more: float = 0.0) -> float | None:
    """Return the smallest gain in AUROC that these labels would show with a power of 0.8; None where that cannot be said.

    (z + 0.84) se, z the quantile of the bound that holds however often one looks, se the standard error of the AUROC of the judge
    in force: that of a difference, too, where the two rankings are correlated by one half, which is assumed. With `more` labels
    like these, se is expected to shrink by the root of their number.
    """
    measured = auroc_of(base)
    if measured.long_run is None:
        return None
    se = (measured.long_run.high - measured.long_run.low) / 2 / quantile() * shrunk(measured.n, more)
    confidence = confidence_of_a_look(measured.n + more, TIGHTEST_AT, ALPHA / compared_in(attempt))
    return (quantile(confidence=confidence) + quantile(confidence=2 * POWER - 1)) * se


def shrunk(labels: int, more: float) -> float:
    """Return the factor by which an interval is expected to shrink with so many more labels like those that there are."""
    return math.sqrt(labels / (labels + more))
