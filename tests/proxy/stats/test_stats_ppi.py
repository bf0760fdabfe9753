"""Prediction-powered means: the published numbers, our own form written out, edges, strata and coverage."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from proxy.stats.intervals import Interval, wilson
from proxy.stats.sampling.prediction_powered import (
    Moments,
    PoweredMean,
    ScoredStratum,
    moments,
    powered_proportion,
    powered_stratified,
    ppi_mean,
)

SEED = 20261121
# The example whose numbers the package ppi_py 0.2.3 gives.
Y = [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]
F = [0.9, 0.8, 0.95, 0.3, 0.7, 0.85, 0.6, 0.9, 0.4, 0.2]
U = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.9, 0.92, 0.88, 0.15, 0.78, 0.81]
WEIGHTS = [1, 1, 2, 1, 1, 1, 3, 1, 1, 1]
Numbers = np.ndarray


def sample(rng: np.random.Generator, n: int, m: int) -> tuple[Numbers, Numbers, Numbers]:
    """Labels and scores of n, and m more scores, from a judge that knows something."""
    right = (rng.random(n + m) < rng.uniform(0.3, 0.9)).astype(float)
    scores = np.clip(0.3 + 0.4 * right + rng.normal(0, 0.25, n + m), 0, 1)
    return right[:n], scores[:n], scores[n:]


def ppi_by_hand(y: Numbers, f: Numbers, u: Numbers, w: Numbers, lam: float) -> tuple[float, float]:
    """Estimate and standard error, rows and all."""
    w = w / w.mean()
    se = math.sqrt(np.var(lam * u) / len(u) + np.var(w * (y - lam * f)) / len(y))
    return lam * u.mean() + np.mean(w * (y - lam * f)), se


def lambda_by_hand(y: Numbers, f: Numbers, u: Numbers, w: Numbers) -> float:
    """Gradients at lam = 1, the pooled variance from all rows."""
    w = w / w.mean()
    theta = u.mean() + np.mean(w * (y - f))
    g, labelled, others = w * (y - theta), w * (f - theta), u - theta
    below = (1 + len(y) / len(u)) * np.var(np.concatenate([labelled, others]), ddof=1)
    return float(np.clip(np.cov(g, labelled, ddof=0)[0, 1] / below, 0, 1))


@pytest.mark.parametrize(
    ("lam", "weights", "used", "estimate", "low", "high"),
    [
        (1.0, None, 1.0, 0.6995, 0.478351804, 0.920648196),
        (None, None, 0.9859963025, 0.6995070018, 0.4784721662, 0.9205418375),
        (0.0, None, 0.0, 0.7, 0.4159742349, 0.9840257651),
        (0.5, None, 0.5, 0.69975, 0.4634722212, 0.9360277788),
        (None, WEIGHTS, 0.9396219604, 0.6026274403, 0.2985737936, 0.9066810870),
        (1.0, WEIGHTS, 1.0, 0.6018076923, 0.2890765069, 0.9145388777),
        (0.0, WEIGHTS, 0.0, 0.6153846154, 0.3293253697, 0.9014438611),
    ],
)
def test_the_published_form_gives_the_numbers_of_ppi_py(
    lam: float | None, weights: list[int] | None, used: float, estimate: float, low: float, high: float
) -> None:
    """Ten labels, twenty more scores; the package's answers to ten digits."""
    found = ppi_mean(Y, F, moments(U), lam=lam, weights=weights)

    assert (found.lam, found.estimate) == pytest.approx((used, estimate), abs=1e-9)
    assert found.wald() == pytest.approx((low, high), abs=1e-9)


def test_the_published_form_gives_the_90_percent_interval_and_the_p_value() -> None:
    """At a null of .5: .07688 tuned, .07704 at lam = 1, .16755 without scores."""
    assert ppi_mean(Y, F, moments(U)).wald(0.9) == pytest.approx((0.5140087202, 0.8850052835), abs=1e-9)
    for lam, expected in ((None, 0.0768818603), (1.0, 0.0770436663), (0.0, 0.1675462775)):
        assert ppi_mean(Y, F, moments(U), lam=lam).p_value(0.5) == pytest.approx(expected, abs=1e-9)


def test_moments_tell_as_much_as_rows() -> None:
    """Fifty random samples, weighted and not: the same lam, estimate and variance as from all rows."""
    rng = np.random.default_rng(SEED)
    for case in range(50):
        y, f, u = sample(rng, int(rng.integers(5, 40)), int(rng.integers(5, 200)))
        w = rng.uniform(0.2, 3, y.size) if case % 2 else np.ones(y.size)
        if np.ptp(y) == 0:
            continue
        found = ppi_mean(y, f, moments(u), weights=w)
        assert found.lam == pytest.approx(lambda_by_hand(y, f, u, w), abs=1e-9)
        assert (found.estimate, found.se) == pytest.approx(ppi_by_hand(y, f, u, w, found.lam), abs=1e-9)
        assert ppi_mean(y, f, moments(u), weights=7 * w).variance == pytest.approx(found.variance, rel=1e-9)


def test_our_form_gives_its_vector() -> None:
    """Lam .8769, deff .9085667 pulled to .9314; t with 8 degrees of freedom."""
    found = powered_proportion(Y, F, moments(U))

    assert (found.lam, found.estimate) == pytest.approx((0.8769307424, 0.6995615346), abs=1e-9)
    assert found.se == pytest.approx(0.1381876231, abs=1e-9)
    assert found.n_effective == pytest.approx(10 / 0.9314000294, rel=1e-9)
    assert found.long_run() == pytest.approx((0.3614566092, 0.9054642074), abs=1e-9)
    plain = found.estimate * (1 - found.estimate) / found.variance
    assert wilson(found.estimate, plain, df=8) == pytest.approx((0.3649382418, 0.9041677564), abs=1e-9)


def test_our_form_is_a_regression_with_robust_variance() -> None:
    """Random samples: at lam = the full slope the labelled part is statsmodels' HC3 residuals, r / (1 - h)."""
    rng = np.random.default_rng(SEED)
    checked = 0
    while checked < 50:
        y, f, u = sample(rng, int(rng.integers(6, 60)), int(rng.integers(20, 300)))
        found = powered_proportion(y, f, moments(u))
        if not 0 < found.lam < 1:
            continue
        fit = sm.OLS(y, sm.add_constant(f)).fit()
        leverage = fit.get_influence().hat_matrix_diag
        lam = fit.params[1] / (1 + len(y) / len(u))
        rest = y - lam * f - np.mean(y - lam * f)
        variance = np.sum((rest / (1 - leverage)) ** 2) / len(y) ** 2 + lam**2 * np.var(u, ddof=1) / len(u)
        assert found.lam == pytest.approx(lam, rel=1e-9)
        assert (found.variance, found.df) == pytest.approx((variance, len(y) - 2), rel=1e-9)
        checked += 1


def test_a_given_lambda_was_not_tuned_and_pays_nothing() -> None:
    """V = s2(y - lam f) / n + lam^2 s2(F) / M with ddof 1, and n - 1 degrees of freedom."""
    found = powered_proportion(Y, F, moments(U), lam=0.6)
    rest = np.array(Y) - 0.6 * np.array(F)

    assert found.variance == pytest.approx(rest.var(ddof=1) / 10 + 0.36 * np.var(U, ddof=1) / 20, rel=1e-12)
    assert (found.df, found.estimate) == pytest.approx((9, 0.6 * np.mean(U) + rest.mean()), rel=1e-12)


def test_flipped_labels_and_scores_give_the_mirror_image() -> None:
    """With 1 - y and 1 - f the share is 1 - theta, the intervals mirror; the order of the labels does not matter."""
    rng = np.random.default_rng(SEED)
    for form in (ppi_mean, powered_proportion):
        y, f, u = sample(rng, 30, 100)
        one, other = form(y, f, moments(u)), form(1 - y, 1 - f, moments(1 - u))
        order = rng.permutation(30)
        assert other.estimate == pytest.approx(1 - one.estimate, abs=1e-12)
        assert other.long_run() == pytest.approx((1 - one.long_run().high, 1 - one.long_run().low), abs=1e-9)
        assert other.window() == pytest.approx((1 - one.window().high, 1 - one.window().low), abs=1e-9)
        assert form(y[order], f[order], moments(u)).variance == pytest.approx(one.variance, rel=1e-9)


@pytest.mark.parametrize("form", [ppi_mean, powered_proportion])
def test_all_right_gives_one_with_a_width(form: Callable[..., PoweredMean]) -> None:
    """30 of 30: estimate 1, a lower limit of at most .8864866, no exception, whatever the scores."""
    rng = np.random.default_rng(SEED)
    for scores in (rng.random(30), np.full(30, 0.7), np.ones(30)):
        found = form(np.ones(30), scores, moments(rng.random(500)))
        assert (found.estimate, found.lam) == (1, 0)
        assert found.long_run().low <= 0.8864866068 + 1e-9
        assert found.long_run().high == 1
    assert powered_proportion(np.ones(30), np.ones(30), moments(U)).long_run().low == pytest.approx(
        0.8776301478, abs=1e-9
    )


def test_constant_scores_are_the_labels_alone() -> None:
    """Lam = 0; published: the z interval of the labels, ours: Wilson at n with t_{n-1}."""
    published, ours = (form(Y, [0.7] * 10, moments([0.7] * 20)) for form in (ppi_mean, powered_proportion))

    assert published.lam == ours.lam == 0
    assert published.wald() == pytest.approx((0.4159742349, 0.9840257651), abs=1e-9)
    assert ours.long_run() == wilson(0.7, 10, df=9)
    assert ours.window() == wilson(0.7, 10 / (1 - 10 / 30), df=9)


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_labels_are_no_slope(n: int) -> None:
    """The plain share, with an interval that says how little that is."""
    found = powered_proportion([1, 0][:n], [0.9, 0.1][:n], moments(U))

    assert found.lam == 0
    assert found.long_run().high - found.long_run().low > 0.8


def test_a_slope_that_one_label_makes_is_not_used() -> None:
    """29 scores of 1 and one of 0: that label's leverage is 1, its residual unknown."""
    found = powered_proportion([1] * 28 + [0, 0], [1.0] * 29 + [0.0], moments(U))

    assert (found.lam, found.n_effective) == (0, 30)


def test_scores_that_are_always_right_do_not_end_the_doubt() -> None:
    """Y = f on 30 labels: no residual at all, yet the window's n is bounded and the interval has a width."""
    y = np.array([1.0] * 20 + [0.0] * 10)
    found = powered_proportion(y, y, Moments(400, 0.65, 0.65 * 0.35))

    assert found.n_window < 30 * 12
    assert found.window().high - found.window().low > 0.05


def test_a_census_has_no_width_for_the_window_and_one_for_the_long_run() -> None:
    """No unlabelled items: the share is known, the rate behind it is not."""
    found = powered_proportion(Y, F, moments([]))

    assert found.window() == Interval(0.7, 0.7)
    assert found.long_run() == wilson(0.7, 10, df=9)


def test_a_mean_that_is_no_share_has_its_t_interval() -> None:
    """Constant scores: scipy's t interval and t test of the labels, here differences between -1 and 1."""
    change = [1, 0, 0, -1, 1, 1, 0, 0, 1, 0, 0, 1]
    found = powered_proportion(change, [0.0] * 12, moments([0.0] * 50))
    test = stats.ttest_1samp(change, 0)

    assert found.wald(0.9) == pytest.approx(tuple(test.confidence_interval(0.9)), rel=1e-9)
    assert found.p_value(0) == pytest.approx(test.pvalue, rel=1e-9)
    assert ppi_mean([1, 1], [0.5, 0.5], moments(U)).wald() is None
    assert ppi_mean([1, 1], [0.5, 0.5], moments(U)).p_value(0.5) is None


def test_what_cannot_be_computed_says_what_to_give() -> None:
    """No labels, lengths that differ, nan, a lam without unlabelled items, weights that are none, a thin stratum."""
    for labels, scores in (([], []), ([1, 0], [0.5]), ([1, 0], [0.5, math.nan])):
        with pytest.raises(ValueError, match="one finite score for each label"):
            powered_proportion(labels, scores, moments(U))
    with pytest.raises(ValueError, match="lam=0"):
        ppi_mean(Y, F, moments([]), lam=1)
    with pytest.raises(ValueError, match="give one for each of 10"):
        ppi_mean(Y, F, moments(U), weights=[-1] + [1] * 9)
    thin = ScoredStratum(name="failed, thumbs down", labels=[1], scores=[0.2], unlabelled=moments(U))
    with pytest.raises(ValueError, match="'failed, thumbs down' has 1 of 21"):
        powered_stratified([thin])


def variance_by_hand(rows: list[tuple[Numbers, Numbers, Numbers]], lam: float, *, own: bool) -> float:
    """The stratified variance at a fixed lam, with the score's variance from the labelled items or from the others."""
    total = sum(len(y) + len(u) for y, _, u in rows)
    return sum(
        ((len(y) + len(u)) / total) ** 2
        * (np.var(y - lam * f, ddof=1) / len(y) + lam**2 * np.var(f if own else u, ddof=1) / len(u))
        for y, f, u in rows
    )


@pytest.mark.slow
def test_strata_share_one_lambda_that_minimises_the_variance() -> None:
    """The formulas by loops over strata, and no other lam of a grid has a smaller variance when S_ff comes from the labels."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        rows = [sample(rng, int(rng.integers(4, 20)), int(rng.integers(10, 90))) for _ in range(3)]
        strata = [ScoredStratum(name="h", labels=y, scores=f, unlabelled=moments(u)) for y, f, u in rows]
        weight = np.array([len(y) + len(u) for y, _, u in rows]) / sum(len(y) + len(u) for y, _, u in rows)
        found = powered_stratified(strata)
        assert found.variance == pytest.approx(variance_by_hand(rows, found.lam, own=False), rel=1e-9)
        assert (
            variance_by_hand(rows, found.lam, own=True)
            <= min(variance_by_hand(rows, x, own=True) for x in np.linspace(0, 1, 101)) + 1e-12
        )
        by_hand = sum(
            w * (y.mean() + found.lam * (u.mean() - f.mean())) for w, (y, f, u) in zip(weight, rows, strict=True)
        )
        assert (found.estimate, found.df) == pytest.approx((by_hand, sum(len(y) for y, _, _ in rows) - 4), rel=1e-9)


def test_strata_without_scores_are_the_stratified_share() -> None:
    """N_h = 15,500 and 4,500, 172 of 200 and 22 of 50: .7655, SE .02485889 without and .02470723 with what was seen."""
    strata = [
        ScoredStratum(
            name=str(n), labels=[1.0] * x + [0.0] * (n - x), scores=[0.5] * n, unlabelled=Moments(size - n, 0.5, 0)
        )
        for size, n, x in ((15_500, 200, 172), (4_500, 50, 22))
    ]
    found = powered_stratified(strata)

    assert (found.estimate, found.se) == pytest.approx((0.7655, 0.024858894678803214), rel=1e-12)
    assert found.window() == pytest.approx((0.7134151238, 0.8106314701), abs=2e-4)


def test_strata_that_agree_or_were_seen_whole_keep_a_width_only_where_chance_was() -> None:
    """All right: Kish's n. Every stratum whole: the window is known. One whole, with a single item: it contributes its mean."""
    agree = [
        ScoredStratum(name="h", labels=[1] * n, scores=[0.5] * n, unlabelled=Moments(90, 0.5, 0.1)) for n in (10, 30)
    ]
    whole = [ScoredStratum(name="h", labels=Y[:n], scores=F[:n], unlabelled=moments([])) for n in (1, 10)]
    found = powered_stratified(agree)

    assert found.n_effective == pytest.approx(1 / ((100 / 220) ** 2 / 10 + (120 / 220) ** 2 / 30), rel=1e-12)
    assert powered_stratified(whole).window() == Interval(pytest.approx(8 / 11), pytest.approx(8 / 11))
    assert powered_stratified([whole[0], *agree]).estimate == pytest.approx(1, abs=1e-12)
