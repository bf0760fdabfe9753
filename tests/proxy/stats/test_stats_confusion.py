"""The 2x2 table and what is computed from it: against scikit-learn with weights, and where it is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from proxy.stats.agreement import confusion

# Two strata of 15,500 passed and 4,500 failed items, of which 172 of 200 and 22 of 50 are right.
RIGHT = np.repeat([1, 0, 1, 0], [172, 28, 22, 28])
PASSED = np.repeat([1, 1, 0, 0], [172, 28, 22, 28])
WEIGHTS = np.where(PASSED == 1, 15_500 / 200, 4_500 / 50)
WEIGHTED = confusion.cells(172 / 200, 22 / 50, 0.775)


def test_weighted_metrics_are_those_of_scikit_learn() -> None:
    """The closed form on three shares equals scikit-learn on 250 labels with their design weights."""
    expected = {
        confusion.sensitivity: metrics.recall_score(RIGHT, PASSED, sample_weight=WEIGHTS),
        confusion.specificity: metrics.recall_score(RIGHT, PASSED, pos_label=0, sample_weight=WEIGHTS),
        confusion.accuracy: metrics.accuracy_score(RIGHT, PASSED, sample_weight=WEIGHTS),
        confusion.f1: metrics.f1_score(RIGHT, PASSED, sample_weight=WEIGHTS),
        confusion.kappa: metrics.cohen_kappa_score(RIGHT, PASSED, sample_weight=WEIGHTS),
        confusion.mcc: metrics.matthews_corrcoef(RIGHT, PASSED, sample_weight=WEIGHTS),
    }

    for function, value in expected.items():
        assert function(WEIGHTED) == pytest.approx(value, rel=1e-12), function.__name__


@pytest.mark.parametrize(
    ("shares", "undefined"),
    [
        ((1.0, 1.0, 1.0), {"specificity", "kappa", "mcc"}),  # all pass, all right
        ((0.0, 0.0, 0.0), {"sensitivity", "f1", "kappa", "mcc"}),  # all fail, all wrong
        ((0.5, 0.0, 1.0), {"mcc"}),  # all pass, some right
        ((1.0, 1.0, 0.5), {"specificity", "mcc"}),  # some pass, all right
        ((0.0, 0.0, 0.5), {"sensitivity", "mcc"}),  # some pass, none right
    ],
)
def test_undefined_is_nan_and_never_a_number(shares: tuple[float, float, float], undefined: set[str]) -> None:
    """0 / 0 is not 0; what is defined beside it stays defined."""
    table = confusion.cells(*shares)
    names = ("sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc")

    assert {name for name in names if np.isnan(getattr(confusion, name)(table))} == undefined


def test_arrays_give_what_their_elements_give() -> None:
    """Each function is elementwise, so that draws can be computed at once."""
    rng = np.random.default_rng(5)
    p1, p0, w = rng.random((3, 200))
    together = confusion.cells(p1, p0, w)

    assert np.sum(np.stack(together), axis=0) == pytest.approx(np.ones(200))
    for name in ("sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc"):
        function = getattr(confusion, name)
        alone = [float(function(confusion.cells(*element))) for element in zip(p1, p0, w, strict=True)]
        assert function(together) == pytest.approx(alone, nan_ok=True)
