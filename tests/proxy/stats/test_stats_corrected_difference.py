"""A paired difference freed of a judge's errors: by hand, against its limits, and by how often its interval holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.stats.agreement.rogan_gladen import Count, rogan_gladen
from proxy.stats.intervals import quantile
from proxy.stats.testing.corrected_difference import MIN_YOUDEN, corrected_difference
from proxy.stats.testing.paired import Pairs, bonett_price

NONE = Pairs(0, 0, 0, 0)


def test_the_estimate_is_the_corrected_share_minus_what_people_said_before() -> None:
    """30 of 50 pass, se .9, sp .8: (.6 + .8 - 1) / .7 = .5714 are right now, 25 of 50 were: +.0714."""
    found = corrected_difference(Pairs(20, 5, 10, 15), NONE, Count(x=18, n=20), Count(x=16, n=20))
    share = rogan_gladen(Count(x=30, n=50), Count(x=18, n=20), Count(x=16, n=20)).estimate

    assert found is not None
    assert share is not None
    assert found.estimate == pytest.approx(0.4 / 0.7 - 0.5)
    assert found.estimate == pytest.approx(share - 0.5)


def test_the_interval_is_the_delta_method_with_one_more_of_each_kind_that_differs() -> None:
    """By hand: d is .8/.7 - 1, -.2/.7 - 1, .8/.7, -.2/.7 on 20, 6, 11, 15 items; t = .5714, J = .7."""
    values = [0.8 / 0.7 - 1] * 20 + [-0.2 / 0.7 - 1] * 6 + [0.8 / 0.7] * 11 + [-0.2 / 0.7] * 15
    share = 0.4 / 0.7
    judge = (share**2 * 0.9 * 0.1 / 20 + (1 - share) ** 2 * 0.8 * 0.2 / 20) / 0.7**2
    half = quantile() * math.sqrt(float(np.var(values)) / 52 + judge)

    found = corrected_difference(Pairs(20, 5, 10, 15), NONE, Count(x=18, n=20), Count(x=16, n=20))

    assert found is not None
    assert found.low == pytest.approx(share - 0.5 - half)
    assert found.high == pytest.approx(share - 0.5 + half)


def test_a_judge_that_never_errs_and_was_checked_for_ever_leaves_the_paired_difference() -> None:
    """With se = sp = 1 of a million labels the interval is as wide as Bonett and Price's, around the difference itself."""
    pairs, sure = Pairs(60, 5, 15, 20), Count(x=10**6, n=10**6)

    found, plain = corrected_difference(pairs, NONE, sure, sure), bonett_price(pairs)

    assert found is not None
    assert found.estimate == pytest.approx(0.1)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, abs=1e-4)


def test_what_people_said_of_the_new_answer_is_taken_as_it_is() -> None:
    """Four known items, one broke and none mended, and no judged one: -.25 whatever the judge is like."""
    found = corrected_difference(NONE, Pairs(2, 1, 0, 1), Count(x=15, n=20), Count(x=15, n=20))

    assert found is not None
    assert found.estimate == -0.25


def test_a_judge_that_hardly_tells_right_from_wrong_gives_no_number() -> None:
    """J = .6 + .6 - 1 = .2 is below the least that is allowed."""
    assert pytest.approx(0.25) == MIN_YOUDEN
    assert corrected_difference(Pairs(9, 9, 9, 9), NONE, Count(x=12, n=20), Count(x=12, n=20)) is None


def test_the_interval_stays_within_what_a_difference_can_be() -> None:
    """Few items and a weak judge: the ends are cut to [-1, 1] and hold the estimate."""
    for pairs in (Pairs(0, 1, 0, 0), Pairs(0, 0, 1, 0), Pairs(1, 0, 0, 0)):
        found = corrected_difference(pairs, NONE, Count(x=14, n=20), Count(x=12, n=20))
        assert found is not None
        assert -1 <= found.low <= found.estimate <= found.high <= 1


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 60, 150])
@pytest.mark.parametrize(("known", "checked"), [(0, 20), (10, 20), (0, 40)])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.95), (0.75, 0.95), (0.95, 0.7), (0.75, 0.7)])
def test_the_interval_holds_the_truth(n: int, known: int, checked: int, sensitivity: float, specificity: float) -> None:
    """Of 1,000 made-up checks at least .95 - 3 sqrt(.05 x .95 / 1000) = .929 hold the true difference: 60 % were right, of them
    10 % broke, and 40 % of the others were mended.
    """
    rng, held, seen = np.random.default_rng([n, known, checked]), 0, 0
    for _ in range(1000):
        old = rng.random(n) < 0.6
        new = np.where(old, rng.random(n) >= 0.1, rng.random(n) < 0.4)
        passes = np.where(new, rng.random(n) < sensitivity, rng.random(n) >= specificity)
        by_people = np.arange(n) < known
        right = Count(x=int(rng.binomial(checked, sensitivity)), n=checked)
        wrong = Count(x=int(rng.binomial(checked, specificity)), n=checked)
        judged = counts(old[~by_people], passes[~by_people])
        found = corrected_difference(judged, counts(old[by_people], new[by_people]), right, wrong)
        if found is not None:
            seen, held = seen + 1, held + (found.low <= 0.4 * 0.4 - 0.6 * 0.1 <= found.high)

    assert seen > 800
    assert held / seen >= 0.929


def counts(first: np.ndarray, second: np.ndarray) -> Pairs:
    """Items by who was right on them."""
    return Pairs(
        *(int((a & b).sum()) for a, b in ((first, second), (first, ~second), (~first, second), (~first, ~second)))
    )
