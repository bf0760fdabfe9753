"""Two judges on the same labels: the paired difference of their AUROCs, and a bound that holds at all looks together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from proxy.evaluation.judge_contrast import contrast
from proxy.stats.calibration.auroc import auroc
from support.simulation import at_most, repeated
from support.valued import labels

Numbers = NDArray[np.float64]
LOOKS = (50, 100, 200, 400)


def test_the_difference_is_that_of_both_and_the_bound_lies_below_its_interval() -> None:
    """A judge that knows against one that does not; the more judges are compared, the lower the bound."""
    rng = np.random.default_rng(1)
    right = (rng.random(200) < 0.6).astype(np.float64)
    first, second = labels(right, right + rng.normal(size=200), rng.normal(size=200))
    alone, among = contrast(first, second), contrast(first, second, compared=3)
    own, other = (auroc(each.values, right) for each in (first, second))

    assert own is not None
    assert other is not None
    assert alone.difference.estimate == pytest.approx(own.estimate - other.estimate)
    assert alone.difference.long_run is not None
    assert among.lowest is not None
    assert alone.lowest is not None
    assert among.lowest < alone.lowest < alone.difference.long_run.low
    assert alone.is_better
    assert not contrast(second, first).is_better


def test_a_judge_is_no_better_than_itself_and_few_labels_tell_nothing() -> None:
    """No difference, and no bound at all with fewer than five labels of a kind."""
    rng = np.random.default_rng(2)
    right = (rng.random(60) < 0.5).astype(np.float64)
    [same] = labels(right, rng.random(60))
    assert contrast(same, same).difference.estimate == 0
    assert not contrast(same, same).is_better
    few, other = labels(np.array([1.0] * 20 + [0.0] * 3), rng.random(23), rng.random(23))
    assert contrast(few, other).lowest is None
    assert contrast(few, other).difference.estimate is None


@pytest.mark.slow
@repeated(60, 600)
def test_however_often_one_looks_an_equal_judge_is_seldom_called_better(repetitions: int) -> None:
    """Two judges of one AUROC with errors of their own, looked at four times while labels come in: 5 % of the stores at most."""
    rng, offered = np.random.default_rng(3), 0
    for _ in range(repetitions):
        right = (rng.random(LOOKS[-1]) < 0.7).astype(np.float64)
        both = [right + rng.normal(size=len(right)) for _ in range(2)]
        offered += any(contrast(*labels(right[:n], both[0][:n], both[1][:n])).is_better for n in LOOKS)
    assert offered / repetitions <= at_most(0.05, repetitions)
