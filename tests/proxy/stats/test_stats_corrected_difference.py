"""A paired difference freed of a judge's errors: by hand, against its limits, and by how often its interval holds the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.stats.agreement.rogan_gladen import Count
from proxy.stats.intervals import quantile
from proxy.stats.testing.corrected_difference import MIN_YOUDEN, corrected_difference
from proxy.stats.testing.paired import Pairs

NONE = Pairs(0, 0, 0, 0)


def test_the_interval_is_the_delta_method_with_one_more_of_each_kind_that_differs() -> None:
    """By hand: d is .8/.7 - 1, -.2/.7 - 1, .8/.7, -.2/.7 on 20, 6, 11, 15 items; t = .5714, J = .7."""
    values = [0.8 / 0.7 - 1] * 20 + [-0.2 / 0.7 - 1] * 6 + [0.8 / 0.7] * 11 + [-0.2 / 0.7] * 15
    share = 0.4 / 0.7
    judge = (share**2 * 0.9 * 0.1 / 20 + (1 - share) ** 2 * 0.8 * 0.2 / 20) / 0.7**2
    half = quantile() * math.sqrt(float(np.var(values)) / 52 + judge)

    interval = corrected_difference(Pairs(20, 5, 10, 15), NONE, Count(x=18, n=20), Count(x=16, n=20))

    assert interval is not None
    assert interval.estimate == pytest.approx(share - 0.5)
    assert interval.low == pytest.approx(share - 0.5 - half)
    assert interval.high == pytest.approx(share - 0.5 + half)


def test_what_annotators_said_of_the_new_answer_is_taken_as_it_is() -> None:
    """Four known items, one broke and none mended, and no judged one: -.25 whatever the judge is like."""
    interval = corrected_difference(NONE, Pairs(2, 1, 0, 1), Count(x=15, n=20), Count(x=15, n=20))

    assert interval is not None
    assert interval.estimate == -0.25


def test_a_judge_that_hardly_tells_right_from_wrong_gives_no_number() -> None:
    """J = .6 + .6 - 1 = .2 is below the least that is allowed."""
    assert pytest.approx(0.25) == MIN_YOUDEN
    assert corrected_difference(Pairs(9, 9, 9, 9), NONE, Count(x=12, n=20), Count(x=12, n=20)) is None


def test_the_interval_stays_within_what_a_difference_can_be() -> None:
    """Few items and a weak judge: the ends are cut to [-1, 1] and hold the estimate."""
    for pairs in (Pairs(0, 1, 0, 0), Pairs(0, 0, 1, 0), Pairs(1, 0, 0, 0)):
        interval = corrected_difference(pairs, NONE, Count(x=14, n=20), Count(x=12, n=20))
        assert interval is not None
        assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
