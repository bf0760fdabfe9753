"""Measure what labels say of each stratum by itself."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from proxy.evaluation.discrimination import Valued, valued
from proxy.evaluation.domains import UNLABELLED, Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.score_agreement import share_of_part


def shares_wrong(evidence: Evidence, strata: Iterable[str]) -> list[Estimate]:
    """Estimate the share of wrong answers in each of these strata, among those that annotators can judge.

    The stratum is a domain of the whole sample: p = sum w y / sum w over its right and wrong labels, whose variance is that of
    the influences w (y - p) / sum w by the design. Saerndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, 5.8.
    """
    [labels] = valued(evidence, [0.0] * len(evidence.sample))
    wrong = Valued(draws=labels.draws, values=1.0 - labels.right)
    names = np.array([item.stratum for item in evidence.sample if item.judgement in DECIDED], dtype=object)
    parts = [names == stratum for stratum in strata]
    return [share_of_part(wrong, rows) if rows.any() else Estimate(estimate=None, reason=UNLABELLED) for rows in parts]
