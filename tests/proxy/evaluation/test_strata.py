"""The share of wrong answers by stratum: by hand, by the textbook's formula, and what its intervals hold."""

from __future__ import annotations

import numpy as np
import pytest

from proxy.evaluation.strata import shares_wrong
from proxy.records import Verdict
from proxy.stats.intervals import wilson
from support.agreement import wave
from support.simulation import assert_covers, repeated

PASS, FAIL = Verdict.PASS, Verdict.FAIL


def test_each_stratum_speaks_for_itself() -> None:
    """A stratum that is labelled whole is exact for this window, one without a label is not measurable, others do not matter."""
    evidence = wave(("whole", PASS, 20, 15, 5), ("some", PASS, 400, 30, 10), ("none", FAIL, 300, 0, 0))
    whole, some, none = shares_wrong(evidence, ["whole", "some", "none"])
    [alone] = shares_wrong(wave(("some", PASS, 400, 30, 10)), ["some"])

    assert (whole.estimate, whole.low, whole.high, whole.n) == pytest.approx((0.25, 0.25, 0.25, 20))
    assert whole.long_run is not None
    assert whole.long_run.low < 0.25 < whole.long_run.high
    assert some.estimate == pytest.approx(0.25)
    assert (some.low, some.high) == pytest.approx((alone.low, alone.high))
    assert (none.estimate, none.n) == (None, 0)
    assert none.reason


def test_the_interval_is_wilsons_at_the_variance_of_a_plain_sample() -> None:
    """V = (1 - n/N) p (1 - p) / (n - 1), and its effective n is p (1 - p) / V."""
    [share] = shares_wrong(wave(("some", PASS, 400, 30, 10), ("other", FAIL, 100, 3, 9)), ["some"])
    variance = (1 - 40 / 400) * 0.25 * 0.75 / 39
    low, high = wilson(0.25, 0.25 * 0.75 / variance, df=39)

    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.slow
@repeated(400, 4000)
def test_both_intervals_hold_the_truth(repetitions: int) -> None:
    """New strata each time; each sample of a stratum is hypergeometric, so its counts are all that the design leaves to chance."""
    rng, sizes, drawn = np.random.default_rng(7), {"a": 300, "b": 120}, {"a": 40, "b": 60}
    chance = {"a": 0.12, "b": 0.5}
    covered = {(name, of): 0 for name in sizes for of in ("window", "long run")}
    for _ in range(repetitions):
        wrong = {name: int(rng.binomial(size, chance[name])) for name, size in sizes.items()}
        seen = {name: int(rng.hypergeometric(wrong[name], sizes[name] - wrong[name], drawn[name])) for name in sizes}
        rows = [(name, PASS, sizes[name], drawn[name] - seen[name], seen[name]) for name in sizes]
        for name, share in zip(sizes, shares_wrong(wave(*rows), sizes), strict=True):
            assert share.low is not None
            assert share.high is not None
            assert share.long_run is not None
            covered[name, "window"] += share.low <= wrong[name] / sizes[name] <= share.high
            covered[name, "long run"] += share.long_run.low <= chance[name] <= share.long_run.high

    assert_covers({key: count / repetitions for key, count in covered.items()}, repetitions)
