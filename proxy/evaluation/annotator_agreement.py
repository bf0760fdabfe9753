"""How far people agree with each other: several readings of the same items in, reliability and what it allows out.

Labels are the yardstick of everything else, so their own error is measured from the items that two people read, never
assumed away. `unsure` is no reading. Errors are taken as independent between readers and alike for right and wrong answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import DECIDED
from proxy.records import Judgement
from proxy.stats.agreement import kappa as agreement_kappa
from proxy.stats.agreement import krippendorff
from proxy.stats.agreement.annotator_error import Noise, accuracy_ceiling, kappa_ceiling, reader_noise, without_noise
from proxy.stats.agreement.krippendorff import Resampled
from proxy.stats.intervals import Interval, quantile, wilson

SEED = 20_252
FEWEST_ITEMS = 10
TENTATIVE = 0.667  # Krippendorff (2004), Content Analysis, 11.4
SKEWED = (0.1, 0.9)
VALUES = (0.0, 1.0)
CHANCE = 0.2
NOBODY = "no item was read by two people independently: give some items to a second reader"


class Reading(NamedTuple):
    """What one annotator says of one item now."""

    item: int
    annotator: str
    judgement: Judgement


class Reliability(StrEnum):
    """What the double readings say of the labels as a yardstick."""

    UNKNOWN = "unknown"
    UNRELIABLE = "unreliable"
    OPEN = "open"
    WEAK = "weak"
    GOOD = "good"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """Two annotators on the items that both read; `prevalence` is the share of right among both their readings."""

    first: str
    second: str
    n: int
    agreement: float
    kappa: float | None
    ac1: float | None
    prevalence: float


@dataclass(frozen=True, kw_only=True, slots=True)
class People:
    """Agreement between readers on the items that two or more read.

    `prevalence` is the share of right among their readings; `error` how often one reader is wrong, `ceiling` and
    `kappa_ceiling` what even a perfect proxy could reach against one reader. `warning` says when labels are no yardstick.
    """

    n: int
    agreement: Estimate
    alpha: Estimate
    ac1: Estimate
    prevalence: float | None
    error: Estimate
    ceiling: float | None
    kappa_ceiling: float | None
    pairs: tuple[Pair, ...]
    noise: Noise
    reliability: Reliability
    warning: str | None


def agreement_between(readings: Iterable[Reading]) -> People:
    """Everything from the readings; each annotator counts once an item."""
    annotators, table = _table([one for one in readings if one.judgement in DECIDED])
    tally = agreement_kappa.tally(table, VALUES)
    observed = agreement_kappa.observed_agreement(tally)
    if observed.estimate is None:
        return _nobody()
    rng = np.random.default_rng(SEED)
    alpha = _estimate(krippendorff.resampled(tally, krippendorff.alpha, rng), "Krippendorff, items resampled")
    ac1 = _estimate(krippendorff.resampled(tally, agreement_kappa.ac1, rng), "Gwet, items resampled")
    n, share = observed.n, float(agreement_kappa.prevalence(tally).shares[1])
    # Pairs within an item are not independent: an item counts as one pair, agreed as far as its pairs are.
    noise = reader_noise(observed.estimate * n, n)
    low, high = wilson(observed.estimate, n)
    error, reliability = noise.error, _reliability(alpha, ac1, share, n)
    return People(
        n=n,
        agreement=Estimate(estimate=observed.estimate, low=low, high=high, n=n, method="pairs of readings, Wilson"),
        alpha=alpha,
        ac1=ac1,
        prevalence=share,
        error=_error(noise),
        ceiling=None if error is None else accuracy_ceiling(error),
        kappa_ceiling=_kappa_ceiling(noise, share),
        pairs=_pairs(annotators, table),
        noise=noise,
        reliability=reliability,
        warning=_warning(reliability, alpha, ac1, share),
    )


def freed_of_noise(rate: Estimate, noise: Noise) -> Estimate:
    """A share of right answers as single readers see it, freed of their errors; the interval carries that these are estimates."""
    if rate.estimate is None or rate.low is None or rate.high is None:
        return rate
    variance = ((rate.high - rate.low) / (2 * quantile())) ** 2
    found = without_noise(rate.estimate, variance, Interval(rate.low, rate.high), noise)
    if found.estimate is None or found.interval is None:
        return Estimate(estimate=None, n=rate.n, reason=found.reason)
    return Estimate(
        estimate=found.estimate,
        low=found.interval.low,
        high=found.interval.high,
        n=rate.n,
        method=f"{rate.method}; freed of reader error (Rogan and Gladen)",
    )


def _table(readings: Sequence[Reading]) -> tuple[list[str], NDArray[np.float64]]:
    """The annotators, and the items that two or more read x annotators: 1 for right, 0 for wrong, nan for no reading.

    An annotator's last reading of an item counts.
    """
    items = {item: row for row, item in enumerate(dict.fromkeys(one.item for one in readings))}
    names = {name: column for column, name in enumerate(sorted({one.annotator for one in readings}))}
    table = np.full((len(items), len(names)), np.nan)
    for one in readings:
        table[items[one.item], names[one.annotator]] = one.judgement is Judgement.RIGHT
    return list(names), table[(~np.isnan(table)).sum(axis=1) > 1]


def _nobody() -> People:
    """The report while no item was read twice."""
    unknown = Estimate(estimate=None, reason=NOBODY)
    return People(
        n=0,
        agreement=unknown,
        alpha=unknown,
        ac1=unknown,
        prevalence=None,
        error=unknown,
        ceiling=None,
        kappa_ceiling=None,
        pairs=(),
        noise=reader_noise(0, 0),
        reliability=Reliability.UNKNOWN,
        warning=None,
    )


def _estimate(found: Resampled, method: str) -> Estimate:
    """A coefficient over resampled items as an Estimate."""
    value, interval = found.coefficient.estimate, found.interval
    if value is None:
        return Estimate(estimate=None, n=found.coefficient.n, reason=found.coefficient.reason)
    return Estimate(
        estimate=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=found.coefficient.n,
        method=method,
        reason=found.reason,
    )


def _kappa_ceiling(noise: Noise, seen: float) -> float | None:
    """The ceiling at the true share right, (q - e) / (1 - 2e) of the share q that readers see; None where they see nothing."""
    if noise.error is None or noise.reason is not None:
        return None
    true = (seen - noise.error) / (1 - 2 * noise.error)
    return kappa_ceiling(noise.error, min(1.0, max(0.0, true)))


def _error(noise: Noise) -> Estimate:
    """How often one reader is wrong."""
    if noise.error is None or noise.interval is None:
        return Estimate(estimate=None, reason=noise.reason)
    return Estimate(
        estimate=noise.error,
        low=noise.interval.low,
        high=noise.interval.high,
        n=int(noise.n),
        method="from agreement, independent and symmetric errors",
    )


def _pairs(annotators: Sequence[str], table: NDArray[np.float64]) -> tuple[Pair, ...]:
    """Each two annotators who read items in common."""
    found = []
    for one, other in combinations(range(len(annotators)), 2):
        both = table[:, [one, other]]
        both = both[~np.isnan(both).any(axis=1)]
        if len(both):
            tally = agreement_kappa.tally(both, VALUES)
            counts = np.zeros((2, 2))
            np.add.at(counts, (both[:, 0].astype(int), both[:, 1].astype(int)), 1)
            found.append(
                Pair(
                    first=annotators[one],
                    second=annotators[other],
                    n=len(both),
                    agreement=float((both[:, 0] == both[:, 1]).mean()),
                    kappa=agreement_kappa.cohen_kappa(counts).estimate,
                    ac1=agreement_kappa.ac1(tally).estimate,
                    prevalence=float(both.mean()),
                )
            )
    return tuple(found)


def _reliability(alpha: Estimate, ac1: Estimate, prevalence: float, n: int) -> Reliability:
    """Read alpha; where nearly all readings are alike (the kappa paradox) AC1 tells whether they are good."""
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
    """What a reader of the numbers must know of the labels."""
    if alpha.estimate is None:
        return None
    span = f", {alpha.low:.2f} to {alpha.high:.2f}" if alpha.low is not None and alpha.high is not None else ""
    shown = f"alpha {alpha.estimate:.2f}{span}; {alpha.n} items read twice"
    match reliability:
        case Reliability.UNRELIABLE:
            return (
                f"the labels are unreliable: two readers agree no better than chance ({shown}); "
                "clear up the guide, then have items read again"
            )
        case Reliability.OPEN:
            return f"it is open whether readers agree better than chance ({shown}): have more items read twice"
        case Reliability.WEAK:
            return (
                f"readers agree too little to draw firm conclusions ({shown}; {TENTATIVE} is the usual floor): "
                "talk about the items they differ on"
            )
        case Reliability.GOOD if alpha.estimate < TENTATIVE and ac1.estimate is not None:
            return (
                f"nearly all readings say {'right' if prevalence > SKEWED[1] else 'wrong'}, so alpha says little "
                f"({shown}): read AC1 beside it ({ac1.estimate:.2f})"
            )
    return None
