"""Test whether a risk is kept in the long run, where answers to one question, or of one conversation, err together.

The clusters are the units: labels count as the plain sample that would tell as much (the effective binomial of Korn and
Graubard 1998, with a pull towards "the labels of a cluster are one"). Approximate: in simulation it keeps its level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.stats.sampling.clusters import kish_clusters

Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


class ClusterTest(NamedTuple):
    """The p-value of "the risk is reached", the effective number of clusters, and the effective number of labels.

    `p_value` is None where fewer clusters than the `fewest` could not prove it even without an error.
    """

    p_value: float | None
    clusters: float
    effective: float


def long_run_test(errors: Numbers, weights: Numbers, ways: Sequence[Indices], risk: float, fewest: int) -> ClusterTest:
    """Test the labels under every way of clustering and return the worst.

    Parameters
    ----------
    errors, weights
        1 for a label that is wrong, and the number of items that it stands for.
    ways
        The cluster of each label, once for each way of clustering (by question, by group).
    risk, fewest
        The error rate to rule out, and the fewest clusters that could.
    """
    tests = [_test(errors, weights, way, risk, fewest) for way in ways]
    return max(tests, key=lambda test: (test.p_value is None, test.p_value or 0.0, -test.clusters))


def stands_alone(ways: Sequence[Indices]) -> bool:
    """Return whether no two labels share a cluster in any way: each is then a draw of its own."""
    return all(len(np.unique(way)) == len(way) for way in ways)


def _test(errors: Numbers, weights: Numbers, way: Indices, risk: float, fewest: int) -> ClusterTest:
    """Compute P = I_{1-risk}(n_e (1 - R), n_e R + 1), R the weighted share of errors and n_e = n / deff.

    deff = V n / (R (1 - R)), raised to (e deff + d0) / (e + 1) with e the clusters that hold an error and d0 = n over Kish's
    number of clusters; d0 where there is no error.
    """
    from scipy.special import betainc

    n, total = len(errors), float(weights.sum())
    _, number = np.unique(way, return_inverse=True)
    of_cluster = np.bincount(number, weights)
    clusters = kish_clusters(number, weights)
    if clusters < max(2, fewest) - 1e-9:
        return ClusterTest(None, clusters, clusters)
    rate = float(weights @ errors) / total
    deff = together = n / clusters
    if 0 < rate < 1:
        count = len(of_cluster)
        spread = np.bincount(number, weights * (errors - rate) / total)
        variance = count / (count - 1) * float((spread**2).sum())
        deff = variance * n / (rate * (1 - rate))
        failing = int((np.bincount(number, errors) > 0).sum())
        deff = max(deff, (failing * deff + together) / (failing + 1))
    effective = n / deff
    p = float(betainc(effective * (1 - rate), effective * rate + 1, 1 - risk)) if rate < 1 else 1.0
    return ClusterTest(p, clusters, effective)
