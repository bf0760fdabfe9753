"""A pass rate corrected by sensitivity and specificity: the worked example, the formula, what it must refuse, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.stats.agreement.rogan_gladen import MIN_YOUDEN, Corrected, Count, rogan_gladen

SEED = 20261121


def corrected(q: tuple[int, int], se: tuple[int, int], sp: tuple[int, int]) -> Corrected:
    return rogan_gladen(Count(x=q[0], n=q[1]), Count(x=se[0], n=se[1]), Count(x=sp[0], n=sp[1]))


def test_the_worked_example() -> None:
    """72/80, 12/20, 800/1000: (.8 + .6 - 1) / .5 = .8; V = (.00016 + .64 x .001125 + .04 x .012) / .25 = .00544."""
    estimate = corrected((800, 1000), (72, 80), (12, 20))

    assert (estimate.estimate, estimate.youden) == pytest.approx((0.8, 0.5), abs=1e-12)
    assert estimate.se == pytest.approx(math.sqrt(0.00544), abs=1e-12)
    assert estimate.interval == pytest.approx((0.6554401993, 0.9445598007), abs=1e-9)
    assert (estimate.was_clipped, estimate.reason) == (False, None)


def test_eight_labels_leave_everything_open() -> None:
    """The README of judgy: 5 of 8 judged right, sensitivity and specificity 3 of 4. (.625 + .75 - 1) / .5 = .75, and 0 to 1."""
    estimate = corrected((5, 8), (3, 4), (3, 4))

    assert estimate.estimate == pytest.approx(0.75, abs=1e-12)
    assert estimate.interval == (0, 1)


def test_the_variance_is_the_delta_method() -> None:
    """Sixty random tables: the gradient of (q + sp - 1) / (se + sp - 1) by central differences."""
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        shares = rng.uniform((0.2, 0.7, 0.5), (0.8, 0.95, 0.95))
        n = rng.integers(20, 900, 3)
        x = np.clip(np.round(shares * n).astype(int), 1, n - 1)
        p = x / n
        step = 1e-6 * np.eye(3)
        slope = [(_theta(p + offset) - _theta(p - offset)) / 2e-6 for offset in step]
        expected = math.sqrt(sum(g**2 * v for g, v in zip(slope, p * (1 - p) / n, strict=True)))
        estimate = corrected((int(x[0]), int(n[0])), (int(x[1]), int(n[1])), (int(x[2]), int(n[2])))
        if estimate.estimate is None:
            assert p[1] + p[2] - 1 <= MIN_YOUDEN
        else:
            assert estimate.se == pytest.approx(expected, rel=1e-6)
            assert estimate.estimate == pytest.approx(min(1, max(0, _theta(p))), abs=1e-12)


def _theta(p: np.ndarray) -> float:
    return float((p[0] + p[2] - 1) / (p[1] + p[2] - 1))


@pytest.mark.parametrize(
    ("se", "sp"), [((5, 10), (5, 10)), ((4, 10), (5, 10)), ((6, 10), (5, 10)), ((0, 10), (10, 10))]
)
def test_a_proxy_that_hardly_tells_is_refused(se: tuple[int, int], sp: tuple[int, int]) -> None:
    """J = se + sp - 1 at most .1: no estimate, and the reason says so with J."""
    estimate = corrected((500, 1000), se, sp)

    assert (estimate.estimate, estimate.se, estimate.interval) == (None, None, None)
    assert estimate.youden == pytest.approx(se[0] / 10 + sp[0] / 10 - 1)
    assert "hardly tells" in str(estimate.reason)


@pytest.mark.parametrize(
    ("q", "se", "sp", "what"),
    [((0, 0), (7, 8), (7, 8), "judged"), ((5, 9), (0, 0), (7, 8), "right"), ((5, 9), (7, 8), (0, 0), "wrong")],
)
def test_a_class_without_labels_has_no_answer(
    q: tuple[int, int], se: tuple[int, int], sp: tuple[int, int], what: str
) -> None:
    """Nothing judged, or labels of one class only: None with the reason, not an exception."""
    estimate = corrected(q, se, sp)

    assert (estimate.estimate, estimate.youden) == (None, None)
    assert f"not one {what}" in str(estimate.reason)


def test_an_answer_beyond_the_range_is_cut_and_says_so() -> None:
    """99 % pass but a sensitivity of .9: (.99 + .6 - 1) / .5 = 1.18 is cut to 1; 10 % pass at specificity .6 to 0."""
    high, low = corrected((990, 1000), (72, 80), (12, 20)), corrected((100, 1000), (72, 80), (12, 20))

    assert (high.estimate, high.was_clipped) == (1.0, True)
    assert (low.estimate, low.was_clipped) == (0.0, True)
    for estimate in (high, low):
        assert 0 <= estimate.interval.low <= estimate.estimate <= estimate.interval.high <= 1


def test_flawless_shares_keep_a_width() -> None:
    """10 of 10 on both sides: the delta method's part of them is 0, the interval takes 11 of 12."""
    estimate = corrected((50, 100), (10, 10), (10, 10))

    assert estimate.se == pytest.approx(0.05, abs=1e-12)
    half = 1.959963985 * math.sqrt(0.0025 + 2 * 0.25 * (11 / 12) * (1 / 12) / 10)
    assert estimate.interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-9)


def test_counts_that_are_none_are_refused() -> None:
    """More of a kind than there are."""
    with pytest.raises(ValueError, match="a part and its whole"):
        Count(x=5, n=4)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "se", "sp"), [(0.6, 0.9, 0.6), (0.8, 0.9, 0.8), (0.9, 0.85, 0.7), (0.8, 0.97, 0.97)])
def test_the_interval_covers(share: float, se: float, sp: float) -> None:
    """2,000 draws of 1,000 judged items, 80 right and 40 wrong labels of other traffic."""
    rng = np.random.default_rng(SEED)
    q = share * se + (1 - share) * (1 - sp)
    hits = []
    for x, a, b in zip(
        rng.binomial(1000, q, 2000), rng.binomial(80, se, 2000), rng.binomial(40, sp, 2000), strict=True
    ):
        estimate = corrected((int(x), 1000), (int(a), 80), (int(b), 40))
        hits.append(estimate.interval is not None and estimate.interval.low <= share <= estimate.interval.high)

    assert np.mean(hits) >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 2000)
