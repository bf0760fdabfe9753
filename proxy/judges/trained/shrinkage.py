"""Choose how far a trained judge is shrunk towards the offline one: by faults of a kind that did not teach.

Real faults are of kinds that no pair shows. So each kind of negative is left out in turn: models of the other kinds are fitted
in folds of units, and their AUROC of the kind that was left out against the positives is compared with the offline judge's.
Taken is the shrinkage with the greatest mean gain among those that are worse on no kind. Without a mean gain that is shown to
be above 0 it is infinite, and the trained judge ranks as the offline one does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.judges.trained.fitting import Table, fit
from proxy.judges.trained.pairs import PairKind
from proxy.stats.calibration.auroc import auroc
from proxy.stats.intervals import quantile
from proxy.stats.sampling.clusters import Ways, clustered
from proxy.stats.sampling.permanent_random import permanent_random_number

# Written down in design/037 before any of it was measured.
SHRINKAGES = (1.0, 0.1, 0.01, 0.001)
FOLDS = 5
FEWEST_OF_A_KIND, FEWEST_KINDS = 10, 2
CONFIDENCE = 0.95


class TeachingRows(NamedTuple):
    """Pairs that teach: their standardised features, whether the criterion is met, their kinds and units."""

    table: Table
    labels: NDArray[np.bool_]
    kinds: Sequence[PairKind]
    units: NDArray[np.intp]

    def only(self, rows: NDArray[np.bool_]) -> TeachingRows:
        """Return some of the rows."""
        kinds = [kind for kind, is_chosen in zip(self.kinds, rows, strict=True) if is_chosen]
        return TeachingRows(self.table[rows], self.labels[rows], kinds, self.units[rows])


class _Gain(NamedTuple):
    """What a model gains on a kind that did not teach it, and what each row adds to that."""

    gain: float
    influence: NDArray[np.float64]


def chosen_shrinkage(rows: TeachingRows, signs: Sequence[int]) -> float:
    """Choose the shrinkage; infinite where too few pairs can tell, or no gain is shown."""
    counts = Counter(kind for kind, is_met in zip(rows.kinds, rows.labels, strict=True) if not is_met)
    kinds = sorted(kind for kind, count in counts.items() if count >= FEWEST_OF_A_KIND)
    if len(kinds) < FEWEST_KINDS:
        return math.inf
    best, most = math.inf, 0.0
    for shrinkage in SHRINKAGES:
        gains = [_gain(rows, kind, signs, shrinkage) for kind in kinds]
        if any(gain is None or gain.gain < 0 for gain in gains):
            continue
        known = [gain for gain in gains if gain is not None]
        mean = math.fsum(gain.gain for gain in known) / len(known)
        if mean > most and mean > _half(known, rows.units):
            best, most = shrinkage, mean
    return best


def _half(gains: Sequence[_Gain], units: NDArray[np.intp]) -> float:
    """Return how far the mean gain lies above the one-sided lower end of its interval, clustered by unit."""
    ways = Ways.of(np.unique(units, return_inverse=True)[1])
    mean = np.mean([gain.influence for gain in gains], axis=0)
    return quantile(len(np.unique(units)) - 1, 1 - 2 * (1 - CONFIDENCE)) * math.sqrt(clustered(mean, ways).variance)


def _gain(rows: TeachingRows, kind: PairKind, signs: Sequence[int], shrinkage: float) -> _Gain | None:
    """Measure models that were taught without a kind on it; None where a fold has no pair of one class."""
    is_kind = np.array([row_kind is kind for row_kind in rows.kinds])
    scored = np.full(len(rows.labels), np.nan)
    for is_in in _folds(rows.units):
        taught, tested = rows.only(~is_in & ~is_kind), is_in & (rows.labels | is_kind)
        if taught.labels.all() or not taught.labels.any():
            return None
        scored[tested] = fit(taught.table, taught.labels, signs, shrinkage).log_odds(rows.table[tested])
    known = ~np.isnan(scored)
    first, second = (auroc(values[known], rows.labels[known]) for values in (scored, rows.table[:, 0]))
    if first is None or second is None:
        return None
    influence = np.zeros(len(known))
    influence[known] = first.influence - second.influence
    return _Gain(first.estimate - second.estimate, influence)


def _folds(units: NDArray[np.intp]) -> Iterator[NDArray[np.bool_]]:
    """Yield which rows are in each fold; a unit is in one fold."""
    fold = np.array([int(FOLDS * permanent_random_number(str(unit), "folds of shrinkage")) for unit in units])
    for number in range(FOLDS):
        if (fold == number).any():
            yield fold == number
