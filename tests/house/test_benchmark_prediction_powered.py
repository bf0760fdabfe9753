"""The prediction-powered share that benchmarks compare ours with: the form written out, and its edges."""

from __future__ import annotations

import math
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest
import statsmodels.api as sm

from proxy.stats.intervals import Interval, wilson
from support.store import ROOT

# A file of that folder has the name of a standard module, so the folder is on no path.
SPEC = spec_from_file_location("prediction_powered", ROOT / "benchmarks" / "prediction_powered.py")
assert SPEC is not None
assert SPEC.loader is not None
prediction_powered = module_from_spec(SPEC)
sys.modules[SPEC.name] = prediction_powered
SPEC.loader.exec_module(prediction_powered)
Moments, moments = prediction_powered.Moments, prediction_powered.moments
powered_proportion = prediction_powered.powered_proportion

SEED = 20261121
Y = [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]
F = [0.9, 0.8, 0.95, 0.3, 0.7, 0.85, 0.6, 0.9, 0.4, 0.2]
U = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.9, 0.92, 0.88, 0.15, 0.78, 0.81]
Numbers = np.ndarray


def sample(rng: np.random.Generator, n: int, m: int) -> tuple[Numbers, Numbers, Numbers]:
    """Labels and scores of n, and m more scores, from a judge that knows something."""
    right = (rng.random(n + m) < rng.uniform(0.3, 0.9)).astype(float)
    scores = np.clip(0.3 + 0.4 * right + rng.normal(0, 0.25, n + m), 0, 1)
    return right[:n], scores[:n], scores[n:]


def test_our_form_gives_its_vector() -> None:
    """Lam .8769, deff .9085667 pulled to .9314; t with 8 degrees of freedom."""
    mean = powered_proportion(Y, F, moments(U))

    assert (mean.lam, mean.estimate) == pytest.approx((0.8769307424, 0.6995615346), abs=1e-9)
    assert mean.se == pytest.approx(0.1381876231, abs=1e-9)
    assert mean.n_effective == pytest.approx(10 / 0.9314000294, rel=1e-9)
    assert mean.long_run() == pytest.approx((0.3614566092, 0.9054642074), abs=1e-9)
    plain = mean.estimate * (1 - mean.estimate) / mean.variance
    assert wilson(mean.estimate, plain, df=8) == pytest.approx((0.3649382418, 0.9041677564), abs=1e-9)


def test_our_form_is_a_regression_with_robust_variance() -> None:
    """Random samples: at lam = the full slope the labelled part is statsmodels' HC3 residuals, r / (1 - h)."""
    rng = np.random.default_rng(SEED)
    checked = 0
    while checked < 50:
        y, f, u = sample(rng, int(rng.integers(6, 60)), int(rng.integers(20, 300)))
        mean = powered_proportion(y, f, moments(u))
        if not 0 < mean.lam < 1:
            continue
        fit = sm.OLS(y, sm.add_constant(f)).fit()
        leverage = fit.get_influence().hat_matrix_diag
        lam = fit.params[1] / (1 + len(y) / len(u))
        rest = y - lam * f - np.mean(y - lam * f)
        variance = np.sum((rest / (1 - leverage)) ** 2) / len(y) ** 2 + lam**2 * np.var(u, ddof=1) / len(u)
        assert mean.lam == pytest.approx(lam, rel=1e-9)
        assert (mean.variance, mean.df) == pytest.approx((variance, len(y) - 2), rel=1e-9)
        checked += 1


def test_flipped_labels_and_scores_give_the_mirror_image() -> None:
    """With 1 - y and 1 - f the share is 1 - theta, the intervals mirror; the order of the labels does not matter."""
    rng = np.random.default_rng(SEED)
    y, f, u = sample(rng, 30, 100)
    mean, mirrored = powered_proportion(y, f, moments(u)), powered_proportion(1 - y, 1 - f, moments(1 - u))
    order = rng.permutation(30)

    assert mirrored.estimate == pytest.approx(1 - mean.estimate, abs=1e-12)
    assert mirrored.long_run() == pytest.approx((1 - mean.long_run().high, 1 - mean.long_run().low), abs=1e-9)
    assert mirrored.window() == pytest.approx((1 - mean.window().high, 1 - mean.window().low), abs=1e-9)
    assert powered_proportion(y[order], f[order], moments(u)).variance == pytest.approx(mean.variance, rel=1e-9)


def test_all_right_gives_one_with_a_width() -> None:
    """30 of 30: estimate 1, a lower limit of at most .8864866, no exception, whatever the scores."""
    rng = np.random.default_rng(SEED)
    for scores in (rng.random(30), np.full(30, 0.7), np.ones(30)):
        mean = powered_proportion(np.ones(30), scores, moments(rng.random(500)))
        assert (mean.estimate, mean.lam) == (1, 0)
        assert mean.long_run().low <= 0.8864866068 + 1e-9
        assert mean.long_run().high == 1
    assert powered_proportion(np.ones(30), np.ones(30), moments(U)).long_run().low == pytest.approx(
        0.8776301478, abs=1e-9
    )


def test_constant_scores_are_the_labels_alone() -> None:
    """Lam = 0: Wilson at n with t_{n-1}."""
    mean = powered_proportion(Y, [0.7] * 10, moments([0.7] * 20))

    assert mean.lam == 0
    assert mean.long_run() == wilson(0.7, 10, df=9)
    assert mean.window() == wilson(0.7, 10 / (1 - 10 / 30), df=9)


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_labels_are_no_slope(n: int) -> None:
    """The plain share, with an interval that says how little that is."""
    mean = powered_proportion([1, 0][:n], [0.9, 0.1][:n], moments(U))

    assert mean.lam == 0
    assert mean.long_run().high - mean.long_run().low > 0.8


def test_a_slope_that_one_label_makes_is_not_used() -> None:
    """29 scores of 1 and one of 0: that label's leverage is 1, its residual unknown."""
    mean = powered_proportion([1] * 28 + [0, 0], [1.0] * 29 + [0.0], moments(U))

    assert (mean.lam, mean.n_effective) == (0, 30)


def test_scores_that_are_always_right_do_not_end_the_doubt() -> None:
    """Y = f on 30 labels: no residual at all, yet the window's n is bounded and the interval has a width."""
    y = np.array([1.0] * 20 + [0.0] * 10)
    mean = powered_proportion(y, y, Moments(400, 0.65, 0.65 * 0.35))

    assert mean.n_window < 30 * 12
    assert mean.window().high - mean.window().low > 0.05


def test_a_census_has_no_width_for_the_window_and_one_for_the_long_run() -> None:
    """No unlabelled items: the share is known, the rate behind it is not."""
    mean = powered_proportion(Y, F, moments([]))

    assert mean.window() == Interval(0.7, 0.7)
    assert mean.long_run() == wilson(0.7, 10, df=9)


def test_what_cannot_be_computed_says_what_to_give() -> None:
    """No labels, lengths that differ, nan."""
    for labels, scores in (([], []), ([1, 0], [0.5]), ([1, 0], [0.5, math.nan])):
        with pytest.raises(ValueError, match="one finite score for each label"):
            powered_proportion(labels, scores, moments(U))
