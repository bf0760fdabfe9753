"""People's noise: the error rate behind agreement, the ceilings it sets, and a rate freed of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.metrics import cohen_kappa_score

from proxy.stats.agreement.annotator_error import (
    Noise,
    accuracy_ceiling,
    annotator_noise,
    error_from_agreement,
    kappa_ceiling,
    ratio,
    without_noise,
)
from proxy.stats.intervals import Interval, wilson


def test_the_error_rate_solves_the_model() -> None:
    """Both right or both wrong: (1 - e)^2 + e^2; e = .1 gives .82, and every e comes back."""
    assert error_from_agreement(0.82) == pytest.approx(0.1)
    for e in np.linspace(0, 0.5, 51):
        assert error_from_agreement((1 - e) ** 2 + e**2) == pytest.approx(e, abs=1e-9)


def test_agreement_below_one_half_is_that_of_coins() -> None:
    """No error rate explains it; the nearest is 1/2."""
    assert error_from_agreement(0.3) == 0.5
    with pytest.raises(ValueError, match="in \\[0, 1\\]"):
        error_from_agreement(1.2)


def test_the_interval_is_wilsons_carried_through() -> None:
    """82 of 100 agree: each end, put into the model, is an end of Wilson's interval for .82."""
    noise = annotator_noise(82, 100)
    low, high = wilson(0.82, 100)

    assert noise.error == pytest.approx(0.1)
    assert noise.interval == pytest.approx(
        [brentq(lambda e, a=a: (1 - e) ** 2 + e**2 - a, 0, 0.5) for a in (high, low)], abs=1e-9
    )
    assert noise.variance == pytest.approx(0.82 * 0.18 / 100 / (4 * 0.8**2))
    assert (noise.agreement, noise.n, noise.reason) == (0.82, 100, None)


def test_perfect_agreement_proves_no_perfect_annotator() -> None:
    """30 of 30 agree: e = 0, but its interval and variance stay open."""
    noise = annotator_noise(30, 30)

    assert noise.error == 0
    assert noise.interval is not None
    assert (noise.interval.low, noise.interval.high) == (
        0,
        pytest.approx(error_from_agreement(30 / (30 + 1.959964**2))),
    )
    assert noise.variance > 0


@pytest.mark.parametrize(("agreed", "reason"), [(50, "unreliable"), (30, "unreliable"), (0, "unreliable")])
def test_agreement_no_better_than_chance_is_refused(agreed: int, reason: str) -> None:
    """The labels are called unreliable, and no rate is corrected with them."""
    noise = annotator_noise(agreed, 100)

    assert reason in str(noise.reason)
    assert noise.error == pytest.approx(0.5)
    assert without_noise(0.8, 0.001, wilson(0.8, 160), noise)[:3] == (None, None, None)
    assert reason in str(without_noise(0.8, 0.001, wilson(0.8, 160), noise).reason)


def test_the_refusal_begins_at_45_percent() -> None:
    """E = .45 agrees in .505 of the pairs: 506 of 1000 are enough to go on, 505 are not."""
    assert annotator_noise(505, 1000).reason is not None
    assert annotator_noise(506, 1000).reason is None


def test_without_pairs_nothing_is_known() -> None:
    """No second reading: no error rate, and no correction."""
    noise = annotator_noise(0, 0)

    assert (noise.error, noise.interval, noise.n) == (None, None, 0)
    assert "two readings" in str(without_noise(0.8, 0.001, wilson(0.8, 160), noise).reason)
    with pytest.raises(ValueError, match="a part and its whole"):
        annotator_noise(11, 10)


@pytest.mark.slow
def test_ceilings_are_those_of_the_truth_itself() -> None:
    """A proxy that is always right, against simulated annotators: share of agreement and kappa, by scikit-learn."""
    rng = np.random.default_rng(1)
    for error, prevalence in ((0.05, 0.8), (0.1, 0.5), (0.2, 0.95), (0.0, 0.3)):
        truth = rng.random(400_000) < prevalence
        annotator = truth ^ (rng.random(truth.size) < error)
        assert accuracy_ceiling(error) == pytest.approx(np.mean(truth == annotator), abs=0.003)
        assert kappa_ceiling(error, prevalence) == pytest.approx(cohen_kappa_score(truth, annotator), abs=0.01)


def test_the_kappa_ceiling_at_its_edges() -> None:
    """Even classes: 1 - 2e. One class: 0 with noise, undefined without. Flipped labels: the same."""
    assert kappa_ceiling(0.1, 0.5) == pytest.approx(0.8)
    assert kappa_ceiling(0.1, 1.0) == pytest.approx(0.0)
    assert kappa_ceiling(0.0, 1.0) is None
    assert kappa_ceiling(0.1, 0.8) == pytest.approx(kappa_ceiling(0.1, 0.2))
    for error, prevalence in ((0.6, 0.5), (-0.1, 0.5), (0.1, 1.5)):
        with pytest.raises(ValueError, match="give the"):
            kappa_ceiling(error, prevalence)


def test_the_corrected_rate_inverts_the_annotators() -> None:
    """Truth .9 read with e = .1 shows as .9 x .9 + .1 x .1 = .82; the variance is the gradient's, taken numerically."""
    noise = annotator_noise(820, 1000)
    denoised = without_noise(0.82, 0.0004, wilson(0.82, 369), noise)

    def theta(q: float, e: float) -> float:
        return (q - e) / (1 - 2 * e)

    by_q = (theta(0.8201, 0.1) - theta(0.8199, 0.1)) / 0.0002
    by_e = (theta(0.82, 0.1001) - theta(0.82, 0.0999)) / 0.0002
    assert denoised.estimate == pytest.approx(0.9)
    assert denoised.se == pytest.approx(math.sqrt(by_q**2 * 0.0004 + by_e**2 * 0.82 * 0.18 / 1000 / 2.56), rel=1e-6)


def test_perfectly_known_annotators_leave_the_interval_of_the_rate() -> None:
    """Without uncertainty of e each end is mapped by itself; with e = 0 nothing changes at all."""
    bounds = wilson(0.8, 200)
    silent = Noise(0.0, Interval(0.0, 0.0), 0.0, 1.0, 1e9)
    known = Noise(0.1, Interval(0.1, 0.1), 0.0, 0.82, 1e9)

    assert without_noise(0.8, 0.0008, bounds, silent).interval == pytest.approx(bounds)
    assert without_noise(0.8, 0.0008, bounds, known).interval == pytest.approx([(q - 0.1) / 0.8 for q in bounds])


def test_fewer_pairs_widen_the_interval() -> None:
    """The same agreement from fewer pairs: wider each time, and always around the estimate."""
    rates = [without_noise(0.75, 0.0009, wilson(0.75, 208), annotator_noise(0.9 * n, n)) for n in (1000, 200, 50, 20)]
    widths = [denoised.interval.high - denoised.interval.low for denoised in rates]

    assert widths == sorted(widths)
    assert all(denoised.interval.low <= denoised.estimate <= denoised.interval.high for denoised in rates)


def test_right_and_wrong_may_swap() -> None:
    """The model is symmetric: the share wrong is corrected to one minus the share right."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        q, noise = rng.random(), annotator_noise(int(rng.integers(70, 100)), 100)
        bounds = wilson(q, 150)
        denoised = without_noise(q, 0.001, bounds, noise)
        mirrored = without_noise(1 - q, 0.001, Interval(1 - bounds.high, 1 - bounds.low), noise)
        assert denoised.estimate == pytest.approx(1 - mirrored.estimate, abs=1e-12)
        assert denoised.interval == pytest.approx((1 - mirrored.interval.high, 1 - mirrored.interval.low), abs=1e-12)
        assert 0 <= denoised.interval.low <= denoised.estimate <= denoised.interval.high <= 1


def test_a_rate_beyond_the_error_rate_is_clipped_and_says_so() -> None:
    """47 of 50 right although annotators err in 10 %: 1, not 1.05; and the interval keeps its width."""
    denoised = without_noise(0.94, 0.94 * 0.06 / 50, wilson(0.94, 50), annotator_noise(82, 100))

    assert (denoised.estimate, denoised.was_clipped) == (1.0, True)
    assert 0 < denoised.interval.low < denoised.interval.high == 1.0
    with pytest.raises(ValueError, match="inside its interval"):
        without_noise(0.9, 0.001, Interval(0.1, 0.2), annotator_noise(82, 100))


def test_a_rate_that_contradicts_the_annotators_is_refused() -> None:
    """All of 200 right although annotators err in 10 %: no share explains that, and [1, 1] would be a proof of nothing."""
    for rate, bounds in ((1.0, wilson(1.0, 200)), (0.0, wilson(0.0, 200))):
        denoised = without_noise(rate, 0.0, bounds, annotator_noise(820, 1000))
        assert denoised[:4] == (None, None, None, True)
        assert "read some of them twice" in str(denoised.reason)


def test_the_ratio_of_intervals_solves_its_equation() -> None:
    """An end R has |t - R b| = sqrt((t - t_end)^2 + R^2 (b - b_end)^2): where the interval of t - R b ends at 0."""
    for top, top_in in ((0.3, Interval(0.22, 0.37)), (-0.1, Interval(-0.2, 0.05)), (0.02, Interval(-0.1, 0.1))):
        bottom, bottom_in = 0.8, Interval(0.6, 0.9)
        low, high = ratio(top, top_in, bottom, bottom_in)
        for end, top_end in ((low, top_in.low), (high, top_in.high)):
            bottom_end = bottom_in.low if (end > 0) == (end == high) else bottom_in.high
            assert abs(top - end * bottom) == pytest.approx(
                math.hypot(top - top_end, end * (bottom - bottom_end)), abs=1e-12
            )
    assert ratio(0.3, Interval(0.2, 0.4), 0.2, Interval(0.0, 0.5)).high == math.inf
    with pytest.raises(ValueError, match="positive number"):
        ratio(0.3, Interval(0.2, 0.4), 0.0, Interval(0.0, 0.5))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "right", "labels", "pairs"),
    [
        (0.05, 0.8, 200, 60),
        (0.1, 0.9, 200, 40),
        (0.2, 0.7, 300, 100),
        (0.02, 0.95, 100, 30),
        (0.1, 0.5, 200, 50),
        (0.1, 0.98, 150, 60),
    ],
)
def test_the_corrected_interval_covers(error: float, right: float, labels: int, pairs: int) -> None:
    """Single readings of `labels` items, two readings of `pairs` others: the true share lies inside."""
    rng, repetitions = np.random.default_rng(3), 4000
    agreed = rng.binomial(pairs, (1 - error) ** 2 + error**2, repetitions)
    seen = rng.binomial(labels, right * (1 - error) + (1 - right) * error, repetitions)
    hits = 0
    for a, x in zip(agreed.tolist(), seen.tolist(), strict=True):
        q = x / labels
        denoised = without_noise(q, q * (1 - q) / labels, wilson(q, labels), annotator_noise(a, pairs))
        hits += denoised.interval is not None and denoised.interval.low <= right <= denoised.interval.high

    assert hits / repetitions >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / repetitions)
