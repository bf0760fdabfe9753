"""The charts by hand: the recursion, limits that never look ahead, what is learnt and when, windows without labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.drift.drift import DROP, Plan, Window, quality, watch
from proxy.evaluation.estimate import Estimate
from proxy.stats.testing.cusum import HISTORIES, LOOKS, AlphaSpending, Numbers, Rate, chart, limits

SPENDING = AlphaSpending(0.05, 26)
NONE = Estimate(estimate=None, reason="none")


def window(number: int, right: Numbers, passed: Numbers | None = None) -> Window:
    """A window whose labels are a simple random sample."""
    passed = np.ones(right.size) if passed is None else passed
    return Window(
        name=f"{number:02}",
        labels=right.size,
        correctness=NONE,
        pass_precision=NONE,
        agreement=NONE,
        thumbs_down=NONE,
        rate=Rate(float(right.mean()), float(right.size)) if right.size else None,
        right=right,
        right_passed=passed[right == 1],
        wrong_passed=passed[right == 0],
    )


def bernoulli(rng: np.random.Generator, *rates: float, labels: int = 40) -> list[Numbers]:
    """Windows of labels at these rates."""
    return [(rng.random(labels) < rate).astype(np.float64) for rate in rates]


def cusum(labels: Numbers, good: float, bad: float) -> Numbers:
    """The published recursion, S = max(0, S + log P(label | bad) / P(label | good)), label by label."""
    path, height = [], 0.0
    for label in labels:
        height = max(0.0, height + (math.log(bad / good) if label else math.log((1 - bad) / (1 - good))))
        path.append(height)
    return np.array(path)


def test_at_a_known_rate_the_peaks_are_those_of_the_cusum() -> None:
    """Label by label, the highest point of each window of the published recursion over all of them."""
    windows = bernoulli(np.random.default_rng(1), *[0.8] * 5, *[0.6] * 5)
    path = cusum(np.concatenate(windows), 0.8, 0.68)
    charted = chart(windows, Rate(0.8), -0.12, SPENDING)
    # a window begins where the one before it ended
    expected = [max(path[max(0, 40 * n - 1) : 40 * (n + 1)]) for n in range(10)]

    assert charted.peaks == pytest.approx(expected, abs=1e-9)
    assert charted.alarm == next(n for n in range(10) if expected[n] > charted.limits[n])


def test_a_learnt_rate_lags_behind_by_so_many_windows() -> None:
    """Window by window in plain arithmetic: (x + 1/2) / (n + 1) of the baseline and of all windows but the last two."""
    windows = bernoulli(np.random.default_rng(2), *[0.75] * 8, labels=30)
    charted = chart(windows, Rate(0.8, 50), -0.12, SPENDING, lag=2)
    height, peaks = 0.0, []
    for number, labels in enumerate(windows):
        known = [*windows[: max(0, number - 2)]]
        rate = (40 + sum(labels.sum() for labels in known) + 0.5) / (50 + 30 * len(known) + 1)
        peak = height
        for label in labels:
            step = math.log((rate - 0.12) / rate) if label else math.log((1 - rate + 0.12) / (1 - rate))
            height = max(0.0, height + step)
            peak = max(peak, height)
        peaks.append(peak)

    assert charted.peaks == pytest.approx(peaks, abs=1e-9)


@pytest.mark.slow
def test_what_was_said_of_earlier_windows_never_changes() -> None:
    """Limits, peaks and alarm after five windows are the same when nineteen, larger and worse, have followed."""
    rng = np.random.default_rng(3)
    early, late = bernoulli(rng, *[0.8] * 9), bernoulli(rng, *[0.5] * 17, labels=90)
    for plan in (Plan(), Plan(good=0.8)):
        before, after = (
            watch([window(n, labels) for n, labels in enumerate(part)], plan, 0.04) for part in (early, early + late)
        )
        for earlier, later in zip((before.quality, *before.judge), (after.quality, *after.judge), strict=True):
            if earlier.cusum is None or later.cusum is None:
                assert earlier.reason == later.reason
                continue
            count = len(earlier.windows)
            assert earlier.cusum.limits.tolist() == later.cusum.limits[:count].tolist()
            assert earlier.cusum.peaks.tolist() == later.cusum.peaks[:count].tolist()
        assert before.quality.sequence is not None
        assert after.quality.sequence is not None
        assert before.quality.sequence.high == pytest.approx(after.quality.sequence.high[: len(before.quality.windows)])
        assert (before.quality.alarm, after.quality.alarm is None) == (None, False)


@pytest.mark.slow
def test_a_window_without_labels_has_no_limit_and_keeps_its_part() -> None:
    """Nothing can pass it; what it might have spent is spent later, and the share of histories is kept."""
    bounds = limits((40, 0, 40, 0, 0, 40), Rate(0.8), -0.12, SPENDING)
    rng, heights = np.random.default_rng(4), []
    for _ in range(500):
        charted = chart(bernoulli(rng, 0.8, 0.8, 0.8), Rate(0.8), -0.12, AlphaSpending(1e-4, 26))
        heights.append(charted.peaks)
    passes = np.array(heights) > bounds[[0, 2, 5]]

    assert np.isinf(bounds[[1, 3, 4]]).all()
    assert passes.any(axis=1).mean() <= 0.05 * 6 / 26 + 3 * math.sqrt(0.0115 / 500)


def test_many_labels_are_looked_at_in_groups() -> None:
    """At most LOOKS points a window; sums of labels, so that the path at its end is the same."""
    labels = bernoulli(np.random.default_rng(5), 0.6, labels=1000)
    charted = chart(labels, Rate(0.8), -0.12, SPENDING)

    assert LOOKS < 1000 < HISTORIES
    assert charted.peaks[0] == pytest.approx(cusum(labels[0], 0.8, 0.68).max(), rel=0.05)


def test_impossible_rates_are_refused() -> None:
    """A given rate of 0 or 1, an estimate of no labels, a chance that is none."""
    for before in (Rate(1.0), Rate(0.0), Rate(0.5, 0.0), Rate(1.2, 10.0)):
        with pytest.raises(ValueError, match="share between 0 and 1"):
            limits((10,), before, -0.1, SPENDING)
    with pytest.raises(ValueError, match="chance between 0 and 1"):
        limits((10,), Rate(0.8), -0.1, AlphaSpending(0.0, 26))


def test_a_rate_of_one_can_be_learnt_and_lost() -> None:
    """Four weeks without a wrong label, then half of them wrong: an alarm, and no division by nothing."""
    windows = [
        window(n, labels)
        for n, labels in enumerate([np.ones(40)] * 4 + bernoulli(np.random.default_rng(6), *[0.5] * 6))
    ]
    watched = quality(windows, Plan())

    assert watched.alarm is not None
    assert watched.before.estimate == 1.0
    assert watched.alarm.window in {"04", "05"}
    assert quality([window(n, np.zeros(40)) for n in range(8)], Plan()).alarm is None


def test_the_bad_rate_is_twelve_points_below_unless_it_is_given() -> None:
    """Never below half of the good one."""
    assert Plan().drop(0.8) == pytest.approx(DROP * -1)
    assert Plan(good=0.8, bad=0.75).drop(0.8) == pytest.approx(-0.05)
    assert Plan().drop(0.1) == pytest.approx(-0.05)
