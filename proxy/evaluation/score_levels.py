"""What the proxy's value says of an item, as a number that every item has: levels of the value in, P(right) by level out.

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
    """P(right) by level as the labels have it; one half for all where they cannot tell."""
    sizes = Counter[int]()
    for one in totals:
        sizes[one.level] += one.size
    scores = normal_scores(sizes)
    pairs = [(scores[one.level], one.judgement is Judgement.RIGHT) for one in items if one.judgement in DECIDED]
    if not pairs or len(scores) < 2:
        return dict.fromkeys(sizes, 0.5)
    values, right = np.array(pairs, dtype=np.float64).T
    curve = logistic.fit(values, right)
    levels = list(scores)
    found = curve.share(np.array([scores[level] for level in levels]))
    return {level: float(share) for level, share in zip(levels, found, strict=True)}


def normal_scores(sizes: Mapping[int, int]) -> Mapping[int, float]:
    """The normal quantile of each level's mid-rank; 0, the middle, for what has no value."""
    scored = sorted(level for level, size in sizes.items() if level != UNSCORED and size)
    counts = np.array([sizes[level] for level in scored], dtype=np.float64)
    found = logistic.normal_scores(counts) if scored else counts
    return {level: float(score) for level, score in zip(scored, found, strict=True)} | (
        {UNSCORED: 0.0} if sizes.get(UNSCORED) else {}
    )


def edges_of(values: Numbers) -> Numbers:
    """The cuts of LEVELS about equal bands: each the lowest value of its band."""
    known = values[~np.isnan(values)]
    cuts = np.quantile(known, np.arange(1, LEVELS) / LEVELS, method="higher") if len(known) else known
    return np.asarray(np.unique(cuts), dtype=np.float64)


def levels_of(values: Numbers, edges: Sequence[float] | Numbers) -> NDArray[np.intp]:
    """The band of each value, from 0; UNSCORED for nan."""
    bands = np.searchsorted(np.asarray(edges), values, side="right")
    return np.asarray(np.where(np.isnan(values), UNSCORED, bands), dtype=np.intp)
