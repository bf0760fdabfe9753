"""Measure how far several annotators agree on the same items, each coefficient with its n or a reason why there is none.

Ratings are numbers, one row an item and one column a rater, nan where a rater gave none. Coefficients over all raters need
only the `Tally`, how many raters chose each value on each item, so raters may differ from item to item. Chance-corrected
agreement is undefined (None) where all ratings are one value: nothing can then tell agreement from habit. Where one value
makes up most ratings kappa falls towards 0 whatever the raters do: show observed agreement, AC1 and the prevalence with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proxy.stats.intervals import CONFIDENCE, Interval, quantile

Numbers = NDArray[np.float64]
NO_PAIR = "no item has two ratings: let two annotators label the same items"
ONE_VALUE = "all ratings are one value: agreement beyond chance is undefined"


class Coefficient(NamedTuple):
    """An agreement coefficient over n items with two ratings or more; None with the reason where it is undefined."""

    estimate: float | None
    n: int
    reason: str | None = None


class Tally(NamedTuple):
    """Counts of ratings: `counts[i, k]` raters chose `values[k]`, on `items[i]` items. Ascending values, no empty row."""

    values: Numbers
    counts: Numbers
    items: Numbers

    @property
    def raters(self) -> Numbers:
        """The number of ratings of an item of each row."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def paired(self) -> Numbers:
        """The number of items of each row, 0 where they have fewer than two ratings."""
        return np.where(self.raters >= 2, self.items, 0.0)


class Prevalence(NamedTuple):
    """The share of each value, averaged over the items: an item counts once however many rated it."""

    values: Numbers
    shares: Numbers


class CohenKappa(NamedTuple):
    """Cohen's kappa of two raters over n items; se and interval are None where the table has no spread to estimate them."""

    estimate: float | None
    se: float | None
    interval: Interval | None
    n: float
    reason: str | None = None


def ratings_matrix(ratings: ArrayLike) -> Numbers:
    """Return items x raters with nan for no rating; ValueError if it is anything else."""
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2 or np.isinf(matrix).any():
        raise ValueError(f"ratings of shape {matrix.shape}: give finite numbers, items x raters, nan for no rating")
    return matrix


def tally(ratings: ArrayLike, values: ArrayLike | None = None) -> Tally:
    """Count the ratings of each item; `values` lists what may occur (default: what does). Items without ratings drop out."""
    matrix = ratings_matrix(ratings)
    seen = np.unique(matrix[~np.isnan(matrix)])
    known = seen if values is None else np.unique(np.asarray(values, dtype=np.float64))
    if not np.isin(seen, known).all():
        raise ValueError(f"ratings {seen[~np.isin(seen, known)].tolist()} are not among the values: add or recode them")
    by_value = [(matrix == value).sum(axis=1) for value in known]
    counts = np.stack(by_value, axis=1) if by_value else np.zeros((len(matrix), 0))
    rows, items = np.unique(counts[counts.sum(axis=1) > 0], axis=0, return_counts=True)
    return Tally(known, rows.astype(np.float64), items.astype(np.float64))


def prevalence(counts: Tally) -> Prevalence:
    """Compute pi_k = mean over items of (raters who chose k) / (raters of the item); nan where there are no ratings."""
    total = counts.items.sum()
    if not total:
        return Prevalence(counts.values, np.full(counts.values.shape, np.nan))
    return Prevalence(counts.values, counts.items @ (counts.counts / counts.raters[:, None]) / total)


def observed_agreement(counts: Tally) -> Coefficient:
    """Compute the share of agreeing pairs.

    It is the mean over items with r >= 2 ratings of sum_k r_k (r_k - 1) / (r (r - 1)).
    """
    raters, paired = counts.raters, counts.paired
    n = paired.sum()
    if not n:
        return Coefficient(None, 0, NO_PAIR)
    pairs = np.maximum(raters * (raters - 1), 1)
    share = (counts.counts * (counts.counts - 1)).sum(axis=1) / pairs
    return Coefficient(float(paired @ share / n), int(n))


def ac1(counts: Tally) -> Coefficient:
    """Compute (pa - pe) / (1 - pe) with pe = sum_k pi_k (1 - pi_k) / (q - 1), q values.

    Gwet (2008), British J. Math. Stat. Psych. 61:29.

    Defined also where all ratings are one value (it is 1): q counts the values that may occur, at least two.
    """
    shares = prevalence(counts).shares
    return _beyond_chance(observed_agreement(counts), float(shares @ (1 - shares)) / (max(2, len(shares)) - 1))


def _beyond_chance(observed: Coefficient, expected: float) -> Coefficient:
    if observed.estimate is None:
        return observed
    if expected >= 1 - 1e-12:
        return Coefficient(None, observed.n, ONE_VALUE)
    return observed._replace(estimate=(observed.estimate - expected) / (1 - expected))


def cohen_kappa(table: ArrayLike, confidence: float = CONFIDENCE) -> CohenKappa:
    """Compute (pa - pe) / (1 - pe), pe = sum_k p_k. p_.k, of a q x q table of counts.

    Cohen (1960), Educ. Psych. Measurement 20:37.

    se: Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72:323; the interval is kappa +- z se, cut to [-1, 1].
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not (counts >= 0).all() or np.isinf(counts).any():
        raise ValueError(f"a table of shape {counts.shape}: give the square table of two raters' counts, none negative")
    n = float(counts.sum())
    if not n:
        return CohenKappa(None, None, None, 0, NO_PAIR)
    p = counts / n
    row, column = p.sum(axis=1), p.sum(axis=0)
    expected = float(row @ column)
    if expected >= 1 - 1e-12:
        return CohenKappa(None, None, None, n, ONE_VALUE)
    kappa = (float(np.trace(p)) - expected) / (1 - expected)
    diagonal = np.diag(p) @ (1 - (row + column) * (1 - kappa)) ** 2
    beside = p * (column[:, None] + row[None, :]) ** 2
    spread = diagonal + (1 - kappa) ** 2 * (beside.sum() - np.trace(beside)) - (kappa - expected * (1 - kappa)) ** 2
    variance = float(spread) / (1 - expected) ** 2 / n
    if variance <= 1e-14:
        return CohenKappa(kappa, None, None, n, "a table without spread has no standard error: label more items twice")
    half = quantile(confidence=confidence) * variance**0.5
    return CohenKappa(kappa, variance**0.5, Interval(max(-1.0, kappa - half), min(1.0, kappa + half)), n)
