"""Compute variances from labels that are clustered by group, by question, or by both where they cross.

A group is what was sampled together (a conversation), a question what was asked. Where each question lies in one group, or each
group in one question, the coarser way holds all dependence; where they cross, two labels may share either. The wider of the
one-way and the two-way variance counts. Crossing clusters are never merged: the merged component soon holds nearly everything.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]
FEWEST = 2.0


class Ways(NamedTuple):
    """The group and the question of each label, numbered from 0, and the pairs of both that occur."""

    group: Indices
    question: Indices
    pair: Indices

    @classmethod
    def of(cls, group: Indices, question: Indices | None = None) -> Ways:
        """Renumber the groups and questions; without questions each group is one question."""
        groups = np.unique(group, return_inverse=True)[1]
        questions = groups if question is None else np.unique(question, return_inverse=True)[1]
        pairs = np.unique(groups * (len(groups) + 1) + questions, return_inverse=True)[1]
        return cls(groups, questions, pairs)

    @property
    def crosses(self) -> bool:
        """Whether neither way is the coarser: some question lies in several groups, some group has several questions."""
        return _count(self.pair) > max(_count(self.group), _count(self.question))

    @property
    def coarser(self) -> Indices:
        """The way with fewer clusters, which holds all dependence where the two do not cross."""
        return self.group if _count(self.group) <= _count(self.question) else self.question

    @property
    def has_larger_groups(self) -> bool:
        """Whether groups hold together what questions do not."""
        return self.crosses or _count(self.group) < _count(self.question)

    @property
    def is_together(self) -> bool:
        """Whether any two labels share a group or a question."""
        return min(_count(self.group), _count(self.question)) < len(self.group)


class Effective(NamedTuple):
    """The effective labels under clustering: the smaller effective number of clusters C*, and a variance's degrees of freedom.

    C* = (sum W)^2 / sum W^2 over the clusters' weights W (Kish). Where the ways cross, df = C* - 1; else the number of clusters
    of the coarser way, less one.
    """

    clusters: float
    df: float
    is_together: bool

    @property
    def reason(self) -> str | None:
        """The reason why the labels cannot speak of the long run; None where they can."""
        if not self.is_together or self.clusters >= FEWEST - 1e-9:
            return None
        return (
            f"not measurable in the long run: the labels count for {self.clusters:.1f} independent conversations or questions, "
            f"and {FEWEST:.0f} are needed; label answers to other questions in other conversations"
        )


class Clustered(NamedTuple):
    """The variance by group, by question, by both, and the largest of them."""

    group: float
    question: float
    both: float
    variance: float


class Members(NamedTuple):
    """Questions that are each one unit of an estimate, by the groups that their answers lie in.

    `unit` numbers the question of each row and `share` is the part of its weight that counts for the row's group.
    """

    unit: Indices
    share: Numbers
    ways: Ways

    @classmethod
    def of(cls, groups: Sequence[Sequence[Hashable]]) -> Members:
        """Build the members from the groups of each unit, at least one per unit."""
        names = [name for unit_groups in groups for name in unit_groups]
        number = {name: place for place, name in enumerate(dict.fromkeys(names))}
        size = np.array([len(unit_groups) for unit_groups in groups], dtype=np.intp)
        unit = np.repeat(np.arange(len(groups)), size)
        group = np.array([number[name] for name in names], dtype=np.intp)
        return cls(unit, 1.0 / size[unit], Ways.of(group, unit))

    @property
    def is_together(self) -> bool:
        """Whether a group holds several units."""
        return _count(self.ways.group) < len(self.unit)

    def effective(self, weight: Numbers) -> Effective:
        """Compute C* and df of units with these weights; infinite df where each stands alone."""
        if not self.is_together:
            return Effective(kish_clusters(np.arange(len(weight)), weight), math.inf, is_together=False)
        return effective(self.ways, weight[self.unit] * self.share)

    def inflation(self, influence: Numbers, weight: Numbers) -> float:
        """Compute how much larger the variance of a sum of influences is than with independent units: at least 1.

        Any two units that share a group may go together, whatever other groups either has. Where all influences are nothing, the
        units count as many as there are effective clusters.
        """
        if not self.is_together:
            return 1.0
        count = len(influence)
        alone = count / max(1, count - 1) * float(np.sum(influence**2))
        if not alone > 0:
            return max(1.0, kish_clusters(np.arange(count), weight) / self.effective(weight).clusters)
        return 1 + max(0.0, _pairs(self.ways.group, influence[self.unit])) / alone


def effective(ways: Ways, weight: Numbers) -> Effective:
    """Compute C* and df of labels with these weights."""
    clusters = min(kish_clusters(ways.group, weight), kish_clusters(ways.question, weight))
    df = clusters - 1 if ways.crosses else _count(ways.coarser) - 1.0
    return Effective(clusters, max(1.0, df), ways.is_together)


def kish_clusters(cluster: Indices, weight: Numbers) -> float:
    """Compute (sum w)^2 / sum over clusters of (sum w)^2: Kish's n if the labels of a cluster are one.

    Labels that all agree tell nothing of how alike those of a cluster are: then it is the least effective number.
    """
    sums = np.bincount(cluster, weight)
    squares = float(np.sum(sums**2))
    return float(np.sum(sums)) ** 2 / squares if squares > 0 else 0.0


def clustered(influence: Numbers, ways: Ways) -> Clustered:
    """Compute V = max(V_g, V_q, V_g + V_q - V_gq), V_c = C / (C - 1) sum over clusters of (sum of influences)^2.

    Cameron, Gelbach and Miller (2011), Journal of Business and Economic Statistics 29:238. Their two-way form may be negative;
    the larger of the one-way variances then stands in. Where the ways do not cross, V is that of the coarser.
    """
    group, question, pair = (_factor(way) * _squares(way, influence) for way in ways)
    both = group + question - pair
    alone = _factor(ways.coarser) * _squares(ways.coarser, influence)
    return Clustered(group, question, both, max(group, question, both) if ways.crosses else alone)


def shared(influence: Numbers, ways: Ways) -> float:
    """Compute what pairs of labels in one cluster add to the sum of squared influences; 0 where they would reduce it.

    As in `clustered`, C / (C - 1) times (sum over clusters of (sum)^2 - sum of squares): the largest of the three where the ways
    cross, else that of the coarser.
    """
    if not ways.crosses:
        return max(0.0, _pairs(ways.coarser, influence))
    group, question, both = (_pairs(way, influence) for way in ways)
    return max(0.0, group, question, group + question - both)


def shared_by_groups(influence: Numbers, ways: Ways) -> float:
    """Compute what pairs of labels in one group add beyond those to one question, which count elsewhere; at least 0."""
    if not ways.has_larger_groups:
        return 0.0
    group, question, both = (_pairs(way, influence) for way in ways)
    return max(0.0, max(group, group + question - both) - max(0.0, question))


def _pairs(cluster: Indices, influence: Numbers) -> float:
    """Compute C / (C - 1) times the sum of z_i z_j over all pairs of labels of one cluster, each counted twice."""
    if not 1 < _count(cluster) < len(cluster):
        return 0.0
    return _factor(cluster) * (_squares(cluster, influence) - float(np.sum(influence**2)))


def _squares(cluster: Indices, influence: Numbers) -> float:
    return float(np.sum(np.bincount(cluster, influence) ** 2))


def _factor(cluster: Indices) -> float:
    count = _count(cluster)
    return count / max(1, count - 1)


def _count(cluster: Indices) -> int:
    """Count the clusters, which are numbered from 0."""
    return int(cluster.max()) + 1 if len(cluster) else 0
