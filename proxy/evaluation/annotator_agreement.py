"""Measure how far annotators agree with each other, and what that allows labels to show.

Labels are the yardstick of everything else, so their own error is measured from the items that two annotators read, never
assumed away. `unsure` is no reading. Errors are taken as independent between annotators and alike for right and wrong answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import DECIDED
from proxy.reason import Reason
from proxy.records import Judgement
from proxy.stats.agreement import kappa as agreement_kappa
from proxy.stats.agreement import krippendorff
from proxy.stats.agreement.annotator_error import (
    MAX_ERROR,
    UNRELIABLE,
    Noise,
    accuracy_ceiling,
    annotator_noise,
    kappa_ceiling,
    without_noise,
)
from proxy.stats.agreement.krippendorff import Resampled
from proxy.stats.intervals import Interval, quantile, wilson

# Fixed, so that the same readings give the same interval; the number means nothing.
SEED = 20_252
# Chosen: of fewer items one disagreement moves agreement by more than 10 points.
FEWEST_ITEMS = 10
TENTATIVE = 0.667  # Krippendorff (2004), Content Analysis, 11.4
# With nine tenths alike, two raters agree on .82 by chance (.9^2 + .1^2), and alpha falls whatever they are worth:
# Feinstein and Cicchetti (1990).
SKEWED = (0.1, 0.9)
VALUES = (0.0, 1.0)
# Up to here agreement is slight: Landis and Koch (1977).
CHANCE = 0.2
ALIKE = "all readings say the same: kappa has no ceiling to be told"
NOBODY = "no item was read by two annotators independently: give some items to a second annotator"


class Reading(NamedTuple):
    """One annotator's current judgement of one item."""

    item: int
    annotator: str
    judgement: Judgement


class Reliability(StrEnum):
    """How reliable the double readings show the labels to be."""

    UNKNOWN = "unknown"
    UNRELIABLE = "unreliable"
    OPEN = "open"
    WEAK = "weak"
    GOOD = "good"


WARNINGS = {
    Reliability.UNRELIABLE: (
        "the labels are unreliable: two annotators agree no better than chance (alpha {alpha}; {n} items read twice); clear up "
        "the guide, then have items read again"
    ),
    Reliability.OPEN: (
        "it is open whether annotators agree better than chance (alpha {alpha}; {n} items read twice): have more items read twice"
    ),
    Reliability.WEAK: (
        f"annotators agree too little to draw firm conclusions (alpha {{alpha}}; {{n}} items read twice; {TENTATIVE} is the "
        "usual floor): talk about the items on which they disagree"
    ),
}
NEARLY_ALL_RIGHT = (
    "nearly all annotations say right, so alpha says little ({alpha}; {n} items read twice): read AC1 beside it ({ac1})"
)
NEARLY_ALL_WRONG = (
    "nearly all annotations say wrong, so alpha says little ({alpha}; {n} items read twice): read AC1 beside it ({ac1})"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnnotatorPair:
    """Two annotators on the items that both read; `prevalence` is the share of right among both their readings."""

    first: str
    second: str
    n: int
    agreement: float
    kappa: float | None
    ac1: float | None
    prevalence: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AnnotatorAgreement:
    """Agreement between annotators on the items that two or more of them read.

    `prevalence` is the share of right among these readings, counted; `error` how often one annotator is wrong, `ceiling` and
    `kappa_ceiling` what even a perfect proxy could reach against one annotator, the latter at this prevalence. `warning` says
    when labels are no yardstick.
    """

    n: int
    agreement: Estimate
    alpha: Estimate
    ac1: Estimate
    prevalence: float | None
    error: Estimate
    ceiling: Estimate
    kappa_ceiling: Estimate
    pairs: tuple[AnnotatorPair, ...]
    noise: Noise
    reliability: Reliability
    warning: str | None


def agreement_between(readings: Iterable[Reading]) -> AnnotatorAgreement:
    """Measure agreement from the readings; each annotator counts once per item."""
    annotators, table = _table([reading for reading in readings if reading.judgement in DECIDED])
    tally = agreement_kappa.tally(table, VALUES)
    observed = agreement_kappa.observed_agreement(tally)
    if observed.estimate is None:
        return _nobody()
    rng = np.random.default_rng(SEED)
    alpha = _estimate(krippendorff.resampled(tally, krippendorff.alpha, rng), "Krippendorff, items resampled")
    ac1 = _estimate(krippendorff.resampled(tally, agreement_kappa.ac1, rng), "Gwet, items resampled")
    n, share = observed.n, float(agreement_kappa.prevalence(tally).shares[1])
    # Pairs within an item are not independent: an item counts as one pair, agreed as far as its pairs are.
    noise = annotator_noise(observed.estimate * n, n)
    low, high = wilson(observed.estimate, n)
    error, reliability = _error(noise), _reliability(alpha, ac1, share, n)
    return AnnotatorAgreement(
        n=n,
        agreement=Estimate(estimate=observed.estimate, low=low, high=high, n=n, method="pairs of readings, Wilson"),
        alpha=alpha,
        ac1=ac1,
        prevalence=share,
        error=error,
        ceiling=_falling(error, accuracy_ceiling),
        kappa_ceiling=_falling(error, partial(_kappa_ceiling, share)),
        pairs=_pairs(annotators, table),
        noise=noise,
        reliability=reliability,
        warning=_warning(reliability, alpha, ac1, share),
    )


def freed_of_noise(rate: Estimate, noise: Noise) -> Estimate:
    """Correct a share of right answers for the errors of single annotators; the interval includes their uncertainty."""
    if rate.estimate is None or rate.low is None or rate.high is None:
        return rate
    variance = ((rate.high - rate.low) / (2 * quantile())) ** 2
    corrected = without_noise(rate.estimate, variance, Interval(rate.low, rate.high), noise)
    if corrected.estimate is None or corrected.interval is None:
        return Estimate(estimate=None, n=rate.n, reason=corrected.reason)
    return Estimate(
        estimate=corrected.estimate,
        low=corrected.interval.low,
        high=corrected.interval.high,
        n=rate.n,
        method=f"{rate.method}; freed of annotator error (Rogan and Gladen)",
    )


def _table(readings: Sequence[Reading]) -> tuple[list[str], NDArray[np.float64]]:
    """Return the annotators, and a table of the items that two or more read: 1 for right, 0 for wrong, nan for no reading.

    An annotator's last reading of an item counts.
    """
    items = {item: row for row, item in enumerate(dict.fromkeys(reading.item for reading in readings))}
    names = {name: column for column, name in enumerate(sorted({reading.annotator for reading in readings}))}
    table = np.full((len(items), len(names)), np.nan)
    for reading in readings:
        table[items[reading.item], names[reading.annotator]] = reading.judgement is Judgement.RIGHT
    return list(names), table[(~np.isnan(table)).sum(axis=1) > 1]


def _nobody() -> AnnotatorAgreement:
    """Build the report for when no item was read twice."""
    unknown = Estimate(estimate=None, reason=NOBODY)
    return AnnotatorAgreement(
        n=0,
        agreement=unknown,
        alpha=unknown,
        ac1=unknown,
        prevalence=None,
        error=unknown,
        ceiling=unknown,
        kappa_ceiling=unknown,
        pairs=(),
        noise=annotator_noise(0, 0),
        reliability=Reliability.UNKNOWN,
        warning=None,
    )


def _estimate(resampled: Resampled, method: str) -> Estimate:
    """Turn a coefficient over resampled items into an Estimate."""
    value, interval = resampled.coefficient.estimate, resampled.interval
    if value is None:
        return Estimate(estimate=None, n=resampled.coefficient.n, reason=resampled.coefficient.reason)
    return Estimate(
        estimate=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=resampled.coefficient.n,
        method=method,
        reason=resampled.reason,
    )


def _falling(error: Estimate, ceiling: Callable[[float], float | None]) -> Estimate:
    """Carry the error of one annotator, with both ends, through a ceiling that falls with it."""
    if error.estimate is None or error.low is None or error.high is None:
        return error
    value = ceiling(error.estimate)
    if value is None:
        return Estimate(estimate=None, n=error.n, reason=UNRELIABLE if error.estimate >= MAX_ERROR else ALIKE)
    low, high = ceiling(error.high), ceiling(error.low)
    ends = Interval(
        0.0 if low is None else low,  # no better than coins
        1.0 if high is None else high,  # no errors, on answers that are all alike
    )
    return replace(error, estimate=value, low=ends.low, high=ends.high, long_run=ends)


def _kappa_ceiling(seen: float, error: float) -> float | None:
    """Compute the kappa ceiling at the true share right, (q - e) / (1 - 2e); None where annotators hardly beat coins.

    q is the share right that annotators report, e the error of one annotator. At a given q it falls with e.
    """
    if error >= MAX_ERROR:
        return None
    true = (seen - error) / (1 - 2 * error)
    return kappa_ceiling(error, min(1.0, max(0.0, true)))


def _error(noise: Noise) -> Estimate:
    """Estimate how often one annotator is wrong."""
    if noise.error is None or noise.interval is None:
        return Estimate(estimate=None, reason=noise.reason)
    return Estimate(
        estimate=noise.error,
        low=noise.interval.low,
        high=noise.interval.high,
        long_run=noise.interval,
        n=int(noise.n),
        method="from agreement, independent and symmetric errors",
    )


def _pairs(annotators: Sequence[str], table: NDArray[np.float64]) -> tuple[AnnotatorPair, ...]:
    """Compare every two annotators who read items in common."""
    pairs = []
    for first, second in combinations(range(len(annotators)), 2):
        readings = table[:, [first, second]]
        readings = readings[~np.isnan(readings).any(axis=1)]
        if len(readings):
            tally = agreement_kappa.tally(readings, VALUES)
            counts = np.zeros((2, 2))
            np.add.at(counts, (readings[:, 0].astype(int), readings[:, 1].astype(int)), 1)
            pairs.append(
                AnnotatorPair(
                    first=annotators[first],
                    second=annotators[second],
                    n=len(readings),
                    agreement=float((readings[:, 0] == readings[:, 1]).mean()),
                    kappa=agreement_kappa.cohen_kappa(counts).estimate,
                    ac1=agreement_kappa.ac1(tally).estimate,
                    prevalence=float(readings.mean()),
                )
            )
    return tuple(pairs)


def _reliability(alpha: Estimate, ac1: Estimate, prevalence: float, n: int) -> Reliability:
    """Classify alpha; where nearly all readings are alike (the kappa paradox), AC1 tells whether they are good."""
    if alpha.estimate is None or n < FEWEST_ITEMS:
        return Reliability.UNKNOWN
    low, high = (end if end is not None else alpha.estimate for end in (alpha.low, alpha.high))
    if ac1.estimate is not None and ac1.estimate >= TENTATIVE and not SKEWED[0] <= prevalence <= SKEWED[1]:
        return Reliability.GOOD
    if low <= 0 and (alpha.estimate <= CHANCE or high < TENTATIVE):
        return Reliability.UNRELIABLE
    if low <= 0:
        return Reliability.OPEN
    return Reliability.WEAK if alpha.estimate < TENTATIVE else Reliability.GOOD


def _warning(reliability: Reliability, alpha: Estimate, ac1: Estimate, prevalence: float) -> str | None:
    """Say what limits the use of the labels; None where nothing does."""
    if alpha.estimate is None:
        return None
    span = f", {alpha.low:.2f} to {alpha.high:.2f}" if alpha.low is not None and alpha.high is not None else ""
    shown: dict[str, str | int | None] = {"alpha": f"{alpha.estimate:.2f}{span}", "n": alpha.n}
    if reliability in WARNINGS:
        return Reason(WARNINGS[reliability], **shown)
    if reliability is Reliability.GOOD and alpha.estimate < TENTATIVE and ac1.estimate is not None:
        template = NEARLY_ALL_RIGHT if prevalence > SKEWED[1] else NEARLY_ALL_WRONG
        return Reason(template, **shown, ac1=f"{ac1.estimate:.2f}")
    return None
