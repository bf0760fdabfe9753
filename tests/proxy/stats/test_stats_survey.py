"""A proportion from draws of known chance: estimates and variances by textbook formulas, by vectors and by enumeration."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats

from proxy.stats.effective import effective_n
from proxy.stats.intervals import Interval, wilson
from proxy.stats.sampling.clusters import Ways, effective
from proxy.stats.sampling.survey import (
    PSEUDO_LABELS,
    Draws,
    PostStrata,
    Proportion,
    beyond,
    proportion,
    shrunk_slopes,
)

Stratum = tuple[int, ...]
# The worked example: two strata of 15,500 and 4,500 items, 172 right and 28 wrong, 22 right and 28 wrong.
EXAMPLE = ((15_500, 172, 28), (4_500, 22, 28))


def survey(right: list[float], weight: list[float], drawing: list[int], **others: object) -> Draws:
    """Draws of one wave, simple random samples by drawing, each item a cluster of its own, none scored."""
    w = np.array(weight, dtype=np.float64)
    of = np.array(drawing, dtype=np.intp)
    given = {
        **{"right": np.array(right, dtype=np.float64), "judged": np.ones(len(w)), "weight": w, "step": w},
        **{"missed": 1 - 1 / w, "drawing": of, "returned": np.bincount(of)[of].astype(np.float64)},
        **{"is_fixed": np.ones(len(w), dtype=np.bool_), "cluster": np.arange(len(w)), "score": np.full(len(w), 0.5)},
    }
    return Draws(**(given | others))  # type: ignore[arg-type]


def stratified(*strata: Stratum, **others: object) -> Proportion:
    """Simple random samples of strata given as (size, right, wrong), or with the unsure after them: cells are strata."""
    right, judged, weight, drawing = [], [], [], []
    for number, (size, *said) in enumerate(strata):
        for value, times in zip((1.0, 0.0, -1.0), said, strict=False):
            right += [max(value, 0.0)] * times
            judged += [float(value >= 0)] * times
            weight += [size / sum(said)] * times
            drawing += [number] * times
    draws = survey(right, weight, drawing, judged=np.array(judged), **others)
    sizes = np.array([size for size, *_ in strata], dtype=np.float64)
    return proportion(draws, PostStrata(size=sizes, score=np.full(len(sizes), 0.5), of_draw=draws.drawing))


def textbook(*strata: Stratum) -> tuple[float, float, float, float]:
    """(p, V of the window, V without 1 - f, Satterthwaite's df of the window): Cochran (1977), Sampling Techniques, ch. 5.

    For df alone a stratum with e < 5 errors has e parts of its own variance and one of the common one, half a label of each kind
    added.
    """
    total, labels = sum(size for size, *_ in strata), sum(right + wrong for _, right, wrong in strata)
    p = sum(size / total * right / (right + wrong) for size, right, wrong in strata)
    common = (labels * p + 0.5) / (labels + 1)
    window = whole = top = low = 0.0
    for size, right, wrong in strata:
        n, share, errors = right + wrong, size / total, min(right, wrong)
        s2 = n / (n - 1) * (right / n) * (wrong / n)
        whole += share**2 * s2 / n
        part = share**2 * (1 - n / size) / n
        window += part * s2
        steady = s2 if errors >= 5 else (errors * s2 + common * (1 - common)) / (errors + 1)
        top, low = top + part * steady, low + (part * steady) ** 2 / (n - 1)
    return p, window, whole, top**2 / low


def behind(p: float, size: float) -> float:
    """What N items add as a sample of the traffic behind them, their strata's sizes included: sum (y - p)^2 / N^2, y^2 = y."""
    return p * (1 - p) / size


def width(interval: Interval) -> float:
    return interval.high - interval.low


def window_n(p: float, n: int, window: float, whole: float, unequal: float | None = None) -> float:
    """N / deff, pulled by one of e + 1 errors: below l (2 - l) up to it, above l n / Kish's n down to that or the former.

    l is the part that 1 - f leaves of V, `unequal` is 1 / Kish's n, 1 / n where the weights are equal.
    """
    left, errors, deff = window / whole, n * min(p, 1 - p), window * n / (p * (1 - p))
    pull = left * (2 - left)
    nearest = min(max(deff, pull), max(pull, left * n * (1 / n if unequal is None else unequal)))
    return n * (errors + 1) / (errors * deff + nearest)


def test_the_example_has_its_interval() -> None:
    """The vector [.7134151238, .8106314701] pulls deff .85016 towards 1, ours towards l (2 - l) = .99985."""
    share = stratified(*EXAMPLE)

    assert share.window() == pytest.approx((0.7134151238, 0.8106314701), abs=1e-6)
    assert width(share.window()) < width(share.long_run())
    assert share.p != pytest.approx(194 / 250, abs=1e-3), "the unweighted share is the mistake that weighting is for"


@pytest.mark.slow
def test_any_strata_have_the_textbook_variance() -> None:
    """Random strata whose labels differ: estimate, effective sizes and df from Cochran's formulas and p (1 - p) / N."""
    rng = random.Random(5)
    for _ in range(200):
        strata = []
        for _ in range(rng.randint(1, 5)):
            right, wrong = rng.randint(1, 30), rng.randint(1, 30)
            strata.append((right + wrong + rng.randint(1, 500), right, wrong))
        share, (p, window, whole, df) = stratified(*strata), textbook(*strata)
        n, size = sum(right + wrong for _, right, wrong in strata), sum(size for size, *_ in strata)
        unequal = sum((part / size) ** 2 / (right + wrong) for part, right, wrong in strata)
        long_run = window + behind(p, size)
        long_df = long_run**2 / (window / df**0.5 + behind(p, size) / (n - 1) ** 0.5) ** 2

        assert share.rest is not None, strata
        assert share.p == pytest.approx(p, rel=1e-12), strata
        assert share.rest.n_window == pytest.approx(window_n(p, n, window, whole, unequal), rel=1e-9), strata
        assert share.rest.df_window == pytest.approx(df, rel=1e-9), strata
        assert share.whole.n_long_run == pytest.approx(effective_n(p, long_run, n), rel=1e-9), strata
        assert share.whole.df_long_run == pytest.approx(long_df, rel=1e-9), strata


def test_the_degrees_of_freedom_of_one_sample_are_not_counted_twice() -> None:
    """Both variances of a simple random sample are multiples of one s^2, so their sum has its n - 1, not up to 2 (n - 1)."""
    assert stratified((8, 2, 2)).whole.df_long_run == pytest.approx(3, rel=1e-12)


def test_the_long_run_holds_the_window() -> None:
    """Random strata of few labels, some of which agree: what is open of these items is open of what lies behind them."""
    rng = random.Random(6)
    for _ in range(500):
        strata = []
        for _ in range(rng.randint(1, 4)):
            right, wrong = rng.randint(0, 6), rng.randint(2, 6)
            strata.append((right + wrong + rng.randint(0, 100), right, wrong))
        share = stratified(*strata)
        window, long_run = share.window(), share.long_run()

        assert long_run is not None, strata
        assert long_run.low <= window.low <= window.high <= long_run.high, strata


def test_thirty_right_of_thirty_leave_a_doubt() -> None:
    """The lower limit of the long run is .8776301478, Wilson's of n = 30 with t of 29 degrees."""
    share = stratified((10**9, 30, 0))

    assert share.p == 1
    assert share.long_run() == pytest.approx((0.8776301478, 1), abs=1e-10)


def test_all_right_in_every_stratum_uses_the_size_after_weighting() -> None:
    """Kish's n = 1 / sum(W_h^2 / n_h) = 1 / (.81 / 10 + .01 / 90) = 12.33 of 100 labels, so no false comfort."""
    share = stratified((90_000, 10, 0), (10_000, 90, 0))

    assert share.whole.n_long_run == pytest.approx(1 / (0.81 / 10 + 0.01 / 90), rel=1e-12)
    assert share.long_run().low < 0.77 < wilson(1, 100, df=98).low


def test_a_stratum_whose_labels_agree_still_has_a_variance() -> None:
    """.3 pseudo-labels at the common share c: W^2 q (1 - q) / n, q = (n + .3 c) / (n + .3), beside the other's s^2 / n.

    c has half a label of each kind added. Times 1 - 20/1,000, as it is the window's; the pseudo-labels are no part of what
    lies behind.
    """
    estimate = stratified((1_000, 20, 0), (1_000, 10, 10))
    share = (20 + PSEUDO_LABELS * (30 + 0.5) / 41) / (20 + PSEUDO_LABELS)
    long_run = 0.98 * (0.25 * share * (1 - share) / 20 + 0.25 * 0.25 / 19) + behind(0.75, 2_000)

    assert PSEUDO_LABELS == 0.3
    assert estimate.whole.n_long_run == pytest.approx(effective_n(0.75, long_run, 40), rel=1e-10)


def test_a_stratum_seen_whole_is_exact_and_the_rest_alone_is_uncertain() -> None:
    """Window = (150 of 560, and 19,440 x [interval of 134 of 160]) / 20,000; estimate .82155, se .0283199301."""
    share, alone = stratified((560, 150, 410), (19_440, 134, 26)), stratified((19_440, 134, 26))
    low, high = alone.window()

    assert share.p == pytest.approx(0.82155, abs=1e-12)
    assert 0.972 * math.sqrt(textbook((19_440, 134, 26))[1]) == pytest.approx(0.0283199301, abs=1e-10)
    assert share.window() == pytest.approx(((150 + 19_440 * low) / 20_000, (150 + 19_440 * high) / 20_000), rel=1e-12)
    assert width(share.long_run()) > 0
    assert share.p != pytest.approx(284 / 720, abs=0.3), "pooling the labels unweighted is the failing answer"


def test_everything_labelled_is_the_truth_without_width() -> None:
    """A census of every stratum: the window is exact, the long run is what 38 draws tell, p (1 - p) / 38 with 37 degrees."""
    share = stratified((7, 7, 0), (30, 11, 19), (1, 0, 1))

    assert share.rest is None
    assert share.window() == Interval(18 / 38, 18 / 38)
    assert share.long_run() == pytest.approx(wilson(18 / 38, 38, df=37), abs=1e-12)


def test_unsure_labels_are_left_out_of_the_ratio() -> None:
    """30 right, 10 wrong, 10 unsure of 500: p = 3/4 of 400 items, V = n / (n - 1) p (1 - p) / 40, n = 50 draws.

    With 1 - f = .9 and p (1 - p) / 400 behind, V 40 / p (1 - p) is .9 x 50/49 + .1.
    """
    share = stratified((500, 30, 10, 10))

    assert (share.p, share.n) == (0.75, 40)
    assert share.size == pytest.approx(400)
    assert share.whole.n_long_run == pytest.approx(40 / (0.9 * 50 / 49 + 0.1), rel=1e-10)
    assert share.whole.n_window == pytest.approx(
        window_n(0.75, 40, 0.9 * 50 / 49 * 0.1875 / 40, 50 / 49 * 0.1875 / 40), rel=1e-10
    )


def test_six_draws_of_unequal_chance_are_hajeks() -> None:
    """The vector: p = .96, V = .0010763377778 without n / (n - 1), so 6/5 of it; behind them are 100 items, so .96 x .04 / 100.

    For the window's pull V is taken without 1 - pi.
    """
    right, pi = np.array([1.0, 0, 1, 1, 1, 0]), np.array([0.5, 0.5, 0.1, 0.1, 0.02, 1])
    draws = survey(list(right), list(1 / pi), [0] * 6, is_fixed=np.zeros(6, dtype=np.bool_))
    share = proportion(draws, PostStrata(size=np.array([100.0]), score=np.array([0.5]), of_draw=draws.drawing))
    window, whole = 1.2 * 0.0010763377778, 1.2 * float(np.sum(((right - 0.96) / pi) ** 2)) / 75**2

    assert share.p == pytest.approx(0.96, abs=1e-12)
    assert share.whole.n_window == pytest.approx(window_n(0.96, 6, window, whole, 1 / 2.0764119601), rel=1e-9)
    assert share.whole.n_long_run == pytest.approx(effective_n(0.96, window + behind(0.96, 100), 6), rel=1e-9)


def test_a_score_that_all_items_have_moves_the_estimate_by_its_slope() -> None:
    """The regression estimator of one stratum with numpy: y-bar + b (S - s-bar), each residual by the slope of the others.

    b is shrunk by its squared standard error over b, that of the others too, about the means of all.

    The score narrows the window only: behind it (y - p)^2 is left whole, y-bar (1 - y-bar) + (y-bar - p)^2 on average.
    """
    rng = np.random.default_rng(3)
    score = rng.random(80)
    right = (rng.random(80) < 0.3 + 0.5 * score).astype(float)
    draws = survey(list(right), [10.0] * 80, [0] * 80, score=score)
    share = proportion(draws, PostStrata(size=np.array([800.0]), score=np.array([0.55]), of_draw=draws.drawing))
    x, y = score - score.mean(), right - right.mean()
    errors = (x * (y - float(x @ y / (x @ x)) * x)) ** 2

    def shrunk(keep: np.ndarray) -> float:
        b, square = float(x[keep] @ y[keep] / (x[keep] @ x[keep])), float(x[keep] @ x[keep]) ** 2
        return b - float(errors[keep].sum()) / square / b

    slope = shrunk(np.arange(80) >= 0)
    residual = y - np.array([shrunk(np.arange(80) != left_out) for left_out in range(80)]) * x
    p = right.mean() + slope * (0.55 - score.mean())
    whole = float(np.var(residual, ddof=1)) / 80
    behind_it = (right.mean() * (1 - right.mean()) + (right.mean() - p) ** 2) / 800

    assert 0.1 < slope < 0.9
    assert share.p == pytest.approx(p, abs=1e-12)
    assert share.whole.n_window == pytest.approx(window_n(p, 80, 0.9 * whole, whole), rel=1e-9)
    assert share.whole.n_long_run == pytest.approx(effective_n(p, 0.9 * whole + behind_it, 80), rel=1e-9)


def test_labels_of_a_cluster_count_as_far_as_they_agree() -> None:
    """Sum z^2 / w, and the products z_i z_j over all pairs of a cluster, m / (m - 1) times, by two loops."""
    rng = np.random.default_rng(4)
    cluster, weight = rng.integers(0, 7, 30), rng.uniform(1, 20, 30)
    influence = rng.normal(size=7)[cluster] + rng.normal(size=30)
    alone = sum(z * z / w for z, w in zip(influence, weight, strict=True))
    pairs = 2 * sum(influence[i] * influence[j] for i in range(30) for j in range(i) if cluster[i] == cluster[j])

    assert (pairs > 0, len(set(cluster))) == (True, 7)
    ways = Ways.of(cluster)
    assert beyond(ways, influence, weight, effective(ways, weight)) == pytest.approx((alone + 7 / 6 * pairs, 6))


def test_clusters_that_tell_nothing_are_ignored() -> None:
    """Each draw for itself, all draws in one cluster, or clusters that disagree: Sum z^2 / w alone."""
    influence, weight = np.array([1.0, -1.0, 2.0, -2.0, 0.5, -0.5]), np.array([1.0, 2.0, 4.0, 1.0, 5.0, 1.0])
    alone = 1 + 1 / 2 + 4 / 4 + 4 + 0.25 / 5 + 0.25

    for cluster, df in (([0, 1, 2, 3, 4, 5], 5), ([0, 0, 0, 0, 0, 0], 1), ([0, 0, 1, 1, 2, 2], 2)):
        ways = Ways.of(np.array(cluster))
        assert beyond(ways, influence, weight, effective(ways, weight)) == pytest.approx((alone, df)), cluster


def test_pairs_that_agree_are_worth_half_of_a_census() -> None:
    """40 right and 20 wrong, all seen, in 30 pairs of one kind: p (1 - p) (1/60 + 30/29 x 1/60) with 29 degrees."""
    share = stratified((60, 40, 20), cluster=np.arange(60) // 2)

    assert share.window() == Interval(2 / 3, 2 / 3)
    assert share.long_run() == pytest.approx(wilson(2 / 3, 60 / (1 + 30 / 29), df=29), abs=1e-12)


def test_the_window_interval_covers_every_small_population() -> None:
    """Exact enumeration of a hypergeometric draw of 12 from 40: the average coverage over all truths is nominal."""
    intervals = [stratified((40, x, 12 - x)).window() for x in range(13)]
    covered = [
        sum(
            float(stats.hypergeom.pmf(x, 40, right, 12))
            for x, (low, high) in enumerate(intervals)
            if low - 1e-12 <= right / 40 <= high + 1e-12
        )
        for right in range(41)
    ]

    assert sum(covered) / len(covered) >= 0.95
    assert min(covered) >= 0.85


def test_the_slope_is_shrunk_as_far_as_it_is_unproved() -> None:
    """Ten labels by hand: 1.097046 with a standard error of .740249 becomes .597551; one that points down, 0."""
    y = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 0], dtype=float)
    f = np.array([0.9, 0.8, 0.6, 0.5, 0.7, 0.85, 0.6, 0.9, 0.4, 0.5])
    slope, others = shrunk_slopes(y - y.mean(), f - f.mean(), np.ones(10))

    assert slope == pytest.approx(0.597551, abs=1e-6)
    assert ((others >= 0) & (others <= 1)).all()
    assert others.min() < 0.2, "without the right answer of the highest scores hardly anything is proved"
    assert shrunk_slopes(y.mean() - y, f - f.mean(), np.ones(10))[0] == 0.0
    assert shrunk_slopes(y, np.zeros(10), np.ones(10)) == (0.0, pytest.approx(np.zeros(10)))


def test_judged_answers_that_no_chance_decided_leave_no_variance() -> None:
    """A second wave takes all that was left, and annotators can judge none of it: 3 of 4 judged of the first are right, exactly."""
    share = proportion(
        survey(
            [1, 1, 1, 0, 0, 0],
            [1, 1, 1, 1, 1, 1],
            [0, 0, 0, 0, 1, 1],
            judged=np.array([1.0, 1, 1, 1, 0, 0]),
            step=np.array([0.0, 0, 0, 0, 1, 1]),
        ),
        PostStrata(size=np.array([7.0]), score=np.array([0.5]), of_draw=np.zeros(6, dtype=np.intp)),
    )

    assert share.p == 0.75
    assert share.window() == (0.75, 0.75)
