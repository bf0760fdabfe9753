"""The effect of neighbours by hand, and its interval against Wilson and MOVER written out with scipy."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from proxy.evaluation.neighbours import FEWEST, neighbour_effect, share_apart, share_next


def test_shares_of_verdicts_that_differ() -> None:
    """Of right, right, wrong, unsure two of three neighbours differ, and five of six pairs."""
    verdicts = ["right", "right", "wrong", "unsure"]

    assert share_next(verdicts) == 2 / 3
    assert share_apart(verdicts) == 5 / 6
    assert (share_next(["right", "right"]), share_apart(["right", "right"])) == (0, 0)
    assert (share_next(["right", "wrong"]), share_apart(["wrong", "right"])) == (1, 1)


def test_too_few_questions_tell_nothing() -> None:
    """The reason names both arms."""
    effect = neighbour_effect([0.0] * 40, [1.0] * (FEWEST - 1))

    assert (effect.estimate, effect.low, effect.n) == (None, None, 40 + FEWEST - 1)
    assert effect.reason is not None
    assert f"{FEWEST - 1} apart" in effect.reason


def wilson_by_hand(ones: int, n: int) -> tuple[float, float, float]:
    """For zeros and ones the variance of the mean is that of n - 1 labels: Wilson's interval there, with t."""
    p, m, t = ones / n, n - 1, stats.t.ppf(0.975, n - 1)
    centre = (p + t**2 / (2 * m)) / (1 + t**2 / m)
    half = t / (1 + t**2 / m) * math.sqrt(p * (1 - p) / m + t**2 / (4 * m**2))
    return p, centre - half, centre + half


def test_the_interval_is_mover_on_two_wilson_intervals() -> None:
    """Thirty of ninety questions differ in blocks, three of ten apart."""
    effect = neighbour_effect([1.0] * 30 + [0.0] * 60, [1.0] * 3 + [0.0] * 7)
    (p, p_low, p_high), (q, q_low, q_high) = wilson_by_hand(30, 90), wilson_by_hand(3, 10)

    assert effect.estimate == pytest.approx(p - q)
    assert effect.low == pytest.approx(p - q - math.hypot(p - p_low, q_high - q))
    assert effect.high == pytest.approx(p - q + math.hypot(p_high - p, q - q_low))
    assert effect.n == 100


def test_verdicts_that_never_differ_leave_a_width() -> None:
    """All alike in both arms is no proof."""
    effect = neighbour_effect([0.0] * 50, [0.0] * 10)

    assert effect.estimate == 0
    assert effect.low is not None
    assert effect.high is not None
    assert effect.low < 0 < effect.high
