"""Scores of judges on labels of a plain random sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.discrimination import Valued
from proxy.stats.sampling.survey import Draws

Numbers = NDArray[np.float64]


def labels(right: Numbers, *scores: Numbers) -> list[Valued]:
    """The scores of judges on a plain random sample of very many answers."""
    n = len(right)
    draws = Draws(
        right=right,
        judged=np.ones(n),
        weight=np.full(n, 1000.0),
        step=np.full(n, 1000.0),
        missed=np.full(n, 0.999),
        drawing=np.zeros(n, dtype=np.intp),
        returned=np.full(n, float(n)),
        is_fixed=np.ones(n, dtype=np.bool_),
        cluster=np.arange(n),
        score=np.zeros(n),
    )
    return [Valued(draws=draws, values=values) for values in scores]
