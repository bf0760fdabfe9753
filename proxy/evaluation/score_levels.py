"""Group the rule's values into levels, and estimate P(right) at each level.

A level is a band of the rule's value; how many items lie in each is known for all traffic. The share right over the levels
is a logistic curve on normal scores, so that no monotone change of the judge's scale changes anything. The curve only has to
be useful: whatever it is, the estimates stay valid, because its mean over all traffic is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.ledger import DECIDED, SampledItem, Total
from proxy.records import Judgement
from proxy.stats.calibration import logistic

UNSCORED = -1
LEVELS = 32
Numbers = NDArray[np.float64]


def shares(totals: Sequence[Total], items: Sequence[SampledItem]) -> Mapping[int, float]:
    """Estimate P(right) by level from the labels; one half for all where they cannot tell."""
    sizes = Counter[int]()
    for total in totals:
        sizes[total.level] += total.size
    scores = normal_scores(sizes)
    pairs = [(scores[item.level], item.judgement is Judgement.RIGHT) for item in items if item.judgement in DECIDED]
    if not pairs or len(scores) < 2:
        return dict.fromkeys(sizes, 0.5)
    values, right = np.array(pairs, dtype=np.float64).T
    curve = logistic.fit(values, right)
    levels = list(scores)
    fitted = curve.share(np.array([scores[level] for level in levels]))
    return {level: float(share) for level, share in zip(levels, fitted, strict=True)}


def normal_scores(sizes: Mapping[int, int]) -> Mapping[int, float]:
    """Compute the normal quantile of each level's mid-rank; 0, the middle, for what has no value."""
    scored = sorted(level for level, size in sizes.items() if level != UNSCORED and size)
    counts = np.array([sizes[level] for level in scored], dtype=np.float64)
    scores = logistic.normal_scores(counts) if scored else counts
    return {level: float(score) for level, score in zip(scored, scores, strict=True)} | (
        {UNSCORED: 0.0} if sizes.get(UNSCORED) else {}
    )


def edges_of(values: Numbers) -> Numbers:
    """Compute the edges of LEVELS about equal bands: each the lowest value of its band."""
    known = values[~np.isnan(values)]
    edges = np.quantile(known, np.arange(1, LEVELS) / LEVELS, method="higher") if len(known) else known
    return np.asarray(np.unique(edges), dtype=np.float64)


def levels_of(values: Numbers, edges: Sequence[float] | Numbers) -> NDArray[np.intp]:
    """Number the band of each value, from 0; UNSCORED for nan."""
    bands = np.searchsorted(np.asarray(edges), values, side="right")
    return np.asarray(np.where(np.isnan(values), UNSCORED, bands), dtype=np.intp)
