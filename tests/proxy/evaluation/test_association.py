"""Two scores as Estimates: the words for a kappa, and what a perfect match can tell."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation import score_agreement
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import associations, badge
from proxy.stats.intervals import Interval
from proxy.stats.sampling.clusters import Ways


@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-0.1, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.6, "moderate"),
        (0.61, "substantial"),
        (0.81, "almost perfect"),
    ],
)
def test_the_words_of_landis_and_koch(kappa: float, word: str) -> None:
    """Below 0 poor, to .20 slight, .40 fair, .60 moderate, .80 substantial, above almost perfect; the ends have words, too."""
    wording = badge(Estimate(estimate=kappa, low=kappa, high=kappa, long_run=Interval(-0.2, 0.9)))

    assert wording == (word, "poor", "almost perfect")
    assert badge(Estimate(estimate=None)) is None


def test_a_perfect_match_has_no_interval_but_a_reason() -> None:
    """One score twice in a sample: r is 1, and how far it would be elsewhere is not told."""
    x = np.linspace(0, 1, 40)
    measures = associations(score_agreement.of_judges(x, x, Ways.of(np.arange(40)), 400))

    assert (measures.pearson.estimate, measures.pearson.low, measures.pearson.reason) == (
        1.0,
        None,
        score_agreement.NO_SPREAD,
    )
    assert measures.mae.estimate == 0
    assert measures.mae.high > 0
