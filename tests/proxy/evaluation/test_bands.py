"""Where a value lies among the labelled ones, and the curves over all cuts: small cases by hand, larger ones by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.bands import Weighed, holds, nearest, strip
from proxy.evaluation.curves import CurvePoint, at_threshold, average_precision, curve
from proxy.evaluation.discrimination import Valued, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import Total
from proxy.evaluation.reliability_curve import Band, ReliabilityCurve
from proxy.records import Verdict
from support.agreement import labelled, one_wave

HALF = Estimate(estimate=0.5, low=0.3, high=0.7, n=20)


def band(low: float, high: float, mean: float) -> Band:
    return Band(least=low, most=high, mean=mean, right=HALF, platt=0.5, isotonic=0.5)


def ranked(values: list[float], right: int) -> Valued:
    """Labels of one passed stratum, all drawn: the first `right` of them right."""
    sample = labelled("p", Verdict.PASS, right, len(values) - right)
    evidence: Evidence = one_wave([Total("p", Verdict.PASS, len(values))], sample)
    return valued(evidence, values)[0]


def test_the_nearest_band_holds_the_value_or_ends_next_to_it() -> None:
    """Inside, between, and beyond; without bands there is none."""
    low, high = band(0.1, 0.3, 0.2), band(0.6, 0.9, 0.8)
    reliability = ReliabilityCurve(n=40, right=0.5, bands=(low, high))

    assert [nearest(reliability, value) for value in (0.2, 0.4, 0.5, 0.6, 1.0, 0.0)] == [
        low,
        low,
        high,
        high,
        high,
        low,
    ]
    assert holds(high, 0.6)
    assert not holds(high, 0.95)
    assert nearest(ReliabilityCurve(n=0, right=None), 0.5) is None


def test_a_strip_has_each_value_in_one_stretch() -> None:
    """The lower end belongs to a stretch, the last holds the top, and what lies beyond is in the outer ones."""
    items = Weighed(np.array([-0.1, 0.0, 0.25, 0.5, 1.0, 1.2]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    labels = Weighed(np.array([0.1, 0.5, 0.9]), np.array([1.0, 0.0, 1.0]))

    stretches = strip(items, labels, 0.0, 1.0, 4)
    assert [point.items for point in stretches] == [3, 3, 4, 11]
    assert [(point.right, point.wrong) for point in stretches] == [(1, 0), (0, 0), (0, 1), (1, 0)]
    assert strip(Weighed(np.zeros(0), np.zeros(0)), labels, 0.0, 1.0, 2)[0].items == 0


def test_the_curve_by_hand() -> None:
    """Right at .9 and .6, wrong at .6 and .2: ties step together."""
    points = curve(ranked([0.9, 0.6, 0.6, 0.2], 2))

    assert points == [
        CurvePoint(float("inf"), 0.0, 0.0, None),
        CurvePoint(0.9, 0.5, 0.0, 1.0),
        CurvePoint(0.6, 1.0, 0.5, pytest.approx(2 / 3)),
        CurvePoint(0.2, 1.0, 1.0, 0.5),
    ]
    assert at_threshold(points, 0.6) == points[1]  # a rule passes strictly above its threshold
    assert at_threshold(points, 0.59) == points[2]
    assert at_threshold(points, 0.95) == points[0]
    assert curve(ranked([0.9, 0.6], 2)) == []


def test_the_curve_is_that_of_scikit_learn() -> None:
    """Labels of equal weight, many tied: the same corners, and the same average precision."""
    from sklearn.metrics import average_precision_score, roc_curve

    rng = np.random.default_rng(4)
    values = [*(rng.beta(4, 2, 60).round(1)), *(rng.beta(2, 3, 40).round(1))]
    points = curve(ranked(values, 60))
    x, y, thresholds = roc_curve([1] * 60 + [0] * 40, values, drop_intermediate=False)

    assert [point.false_pass for point in points] == pytest.approx(list(x))
    assert [point.sensitivity for point in points] == pytest.approx(list(y))
    assert [point.threshold for point in points[1:]] == pytest.approx(list(thresholds[1:]))
    assert average_precision(points) == pytest.approx(average_precision_score([1] * 60 + [0] * 40, values))
    assert average_precision([]) is None
