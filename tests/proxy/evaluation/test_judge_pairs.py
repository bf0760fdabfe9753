"""Two judges on the same answers, from sums: additive, equal to what the scores themselves say, None where undefined."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.judge_agreement import NOTHING, pair_of, sums_of


def test_sums_over_blocks_are_the_sums_of_all() -> None:
    """Any cut into blocks gives the same; what lacks a score of either judge is in none."""
    rng = np.random.default_rng(5)
    x, y = rng.random(200), rng.random(200)
    x[::7], y[::9] = np.nan, np.nan
    parts = [sums_of(x[part], y[part], 0.5, 0.4) for part in (slice(0, 13), slice(13, 150), slice(150, 200))]
    total = NOTHING
    for sums in parts:
        total = total.plus(sums)

    assert total == pytest.approx(sums_of(x, y, 0.5, 0.4))
    assert total.n == np.sum(~np.isnan(x) & ~np.isnan(y))


def test_a_pair_is_what_its_scores_say() -> None:
    """Agreement and distance by definition, kappa by scikit-learn, r by numpy: independent of the sums."""
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(6)
    x = rng.random(500)
    y = np.clip(x + rng.normal(0, 0.2, 500), 0, 1)
    judge_pair = pair_of(sums_of(x, y, 0.5, 0.6))

    assert judge_pair.n == 500
    assert judge_pair.agreement == pytest.approx(np.mean((x > 0.5) == (y > 0.6)))
    assert judge_pair.kappa == pytest.approx(cohen_kappa_score(x > 0.5, y > 0.6))
    assert judge_pair.correlation == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert judge_pair.distance == pytest.approx(np.abs(x - y).mean())


def test_kappa_by_hand() -> None:
    """40 both pass, 10 and 20 one alone, 30 neither: (0.7 - 0.5) / (1 - 0.5) = 0.4, for 0.5 x 0.6 + 0.5 x 0.4 = 0.5."""
    x = np.repeat([0.9, 0.9, 0.1, 0.1], [40, 10, 20, 30])
    y = np.repeat([0.9, 0.1, 0.9, 0.1], [40, 10, 20, 30])

    assert pair_of(sums_of(x, y, 0.5, 0.5)).kappa == pytest.approx(0.4)


def test_what_is_undefined_is_none() -> None:
    """No answer in common; one verdict for all; scores that do not vary; exactly the threshold does not pass."""
    none = pair_of(sums_of(np.array([np.nan, 0.2]), np.array([0.3, np.nan]), 0.5, 0.5))
    same = pair_of(sums_of(np.array([0.7, 0.8]), np.array([0.9, 0.9]), 0.5, 0.5))
    at_threshold = pair_of(sums_of(np.array([0.5]), np.array([0.6]), 0.5, 0.5))

    assert none == (0, None, None, None, None)
    assert (same.agreement, same.kappa, same.correlation) == (1.0, None, None)
    assert at_threshold.agreement == 0.0
