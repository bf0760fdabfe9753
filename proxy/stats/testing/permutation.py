"""Test whether a group has a larger share of errors than the rest, from weighted 0/1 errors.

Weighted labels, and labels that belong together, count as the simple random sample that would tell as much: Fisher's mid-p of
the 2 x 2 table at effective sizes. Shuffles of the errors tell how small the p-values of many groups come out by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.effective import kish_n
from proxy.stats.intervals import CONFIDENCE, Interval, wilson
from proxy.stats.sampling.clusters import Indices, Ways, kish_clusters
from proxy.stats.testing.multiplicity import Tables, benjamini_hochberg, mid_p_tables

SHUFFLES = 2_000
BLOCK = 2_000_000

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


class LabelledErrors(NamedTuple):
    """The labels among which groups are compared, as arrays of one length: 1 for an error, weights; and how they cluster."""

    error: Numbers
    weight: Numbers
    ways: Ways


class Group(NamedTuple):
    """A group of labels: count, errors, the weighted share of errors, and the effective number of labels."""

    n: int
    errors: int
    share: float
    effective_n: float

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Compute Wilson's interval at the effective n."""
        return wilson(self.share, self.effective_n, confidence=confidence)


class GroupComparison(NamedTuple):
    """A group, the rest, and the one-sided p that the group's share is not larger."""

    here: Group
    elsewhere: Group
    p: float


class Excess(NamedTuple):
    """The comparison of each group, and the p of each group (rows) in each shuffle (columns)."""

    compared: Sequence[GroupComparison]
    shuffled: Numbers


def compared(labels: LabelledErrors, mask: Mask) -> GroupComparison:
    """Compare the group in this mask with the rest; both hold labels."""
    return _compared(labels, mask, _alike(labels))


def together(labels: LabelledErrors) -> Group:
    """Group all labels."""
    return _group(labels, np.ones(len(labels.error), dtype=np.bool_), _alike(labels))


def excess(labels: LabelledErrors, masks: Mask, rng: np.random.Generator) -> Excess:
    """Compare every group, a row of `masks`, with its rest, and again with the errors shuffled over the labels.

    A shuffle keeps the weights and breaks the clusters, so its tables are at the sizes of the weights alone.
    """
    rho = _alike(labels)
    comparisons = [_compared(labels, mask, rho) for mask in masks]
    tables = [_Curve.of(labels, mask) for mask in masks]
    inside = masks * labels.weight
    total = inside.sum(axis=1, keepdims=True)
    whole = labels.weight.sum()
    n = len(labels.error)
    block = max(1, BLOCK // max(1, n))
    blocks = []
    for start in range(0, SHUFFLES, block):
        shuffled = rng.permuted(np.tile(labels.error, (min(block, SHUFFLES - start), 1)), axis=1).T
        sums, all_sums = inside @ shuffled, labels.weight @ shuffled
        here = sums / total
        difference = here - (all_sums - sums) / (whole - total)
        blocks.append(np.array([curve.at(row) for curve, row in zip(tables, difference, strict=True)]))
    return Excess(comparisons, np.concatenate(blocks, axis=1))


def smallest_by_chance(p_values: Numbers, shuffled: Numbers) -> Numbers:
    """Compute (1 + shuffles whose smallest p is no larger) / (1 + shuffles), for each p: its chance to be seen anywhere.

    Westfall and Young (1993), Resampling-Based Multiple Testing, 2.3; ties within 1e-6 count.
    """
    least = np.sort(shuffled.min(axis=0))
    return np.asarray((1 + np.searchsorted(least, p_values * (1 + 1e-6), side="right")) / (1 + len(least)))


def adjusted_for_search(p_values: Numbers, shuffled: Numbers) -> Numbers:
    """Take the smaller of Benjamini-Hochberg's and `smallest_by_chance`.

    It is at least the share of shuffles whose least is as small.
    """
    adjusted = np.minimum(benjamini_hochberg(np.minimum(1.0, p_values)), smallest_by_chance(p_values, shuffled))
    rank = np.arange(1, len(shuffled) + 1)[:, None]
    least = (np.sort(shuffled, axis=0) * len(shuffled) / rank).min(axis=0)
    least = np.minimum(least, smallest_by_chance(shuffled.min(axis=0), shuffled))
    return np.asarray(np.maximum(adjusted, smallest_by_chance(adjusted, least[None, :]).min()))


class Alike(NamedTuple):
    """The correlations of errors among labels that share a group, a question, or both."""

    group: float
    question: float
    pair: float


def _alike(labels: LabelledErrors) -> Alike:
    return Alike(*(alike(labels.error, cluster) for cluster in labels.ways))


def alike(error: Numbers, cluster: Indices) -> float:
    """Compute the correlation of errors within clusters, in [0, 1].

    It is the mean product of residuals over pairs by p (1 - p).

    One standard error, 1 over the root of the number of pairs, is added: few pairs cannot tell that there is none.
    """
    size = np.bincount(cluster)
    pairs = float((size * (size - 1)).sum()) / 2
    p = float(error.mean())
    if not pairs or not 0 < p < 1:
        return 1.0
    residual = error - p
    products = (float((np.bincount(cluster, residual) ** 2).sum()) - float((residual**2).sum())) / 2
    return min(1.0, max(0.0, products / pairs / (p * (1 - p))) + 1 / math.sqrt(pairs))


class _Curve(NamedTuple):
    """The mid-p of a group by the difference of its share from the rest's, at this many errors in all."""

    tables: Tables
    n: float
    others: float
    errors: float

    @classmethod
    def of(cls, labels: LabelledErrors, mask: Mask) -> _Curve:
        """Build the curve at the sizes that the weights alone leave."""
        n, others = (kish_n(labels.weight[rows]) for rows in (mask, ~mask))
        share = float(np.average(labels.error, weights=labels.weight))
        return cls(mid_p_tables(n, others, share * (n + others)), n, others, share * (n + others))

    def at(self, difference: Numbers) -> Numbers:
        """Compute the p of these differences."""
        return self.tables.at(self.n * (self.errors + self.others * difference) / (self.n + self.others))


def _compared(labels: LabelledErrors, mask: Mask, rho: Alike) -> GroupComparison:
    here, elsewhere = _group(labels, mask, rho), _group(labels, ~mask, rho)
    errors = here.share * here.effective_n
    tables = mid_p_tables(here.effective_n, elsewhere.effective_n, errors + elsewhere.share * elsewhere.effective_n)
    return GroupComparison(here, elsewhere, float(tables.at(errors)))


def _group(labels: LabelledErrors, rows: Mask, rho: Alike) -> Group:
    """Build the group at its effective n, 1 / n = (1 - rho) / Kish's n + rho / the n of labels whose clusters are one.

    That is the variance of a mean at equal rho.

    By group, by question, and by both as in `clusters.clustered`: the smallest n.
    """
    weight, error = labels.weight[rows], labels.error[rows]
    apart = kish_n(weight)
    group, question, pair = (
        (1 - correlation) / apart + correlation / kish_clusters(cluster[rows], weight)
        for correlation, cluster in zip(rho, labels.ways, strict=True)
    )
    share = min(1.0, float(np.sum(weight * error)) / float(np.sum(weight)))
    return Group(len(error), int(error.sum()), share, 1 / max(group, question, group + question - pair))
