"""What intervals of recall and precision show, and where scores are parted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.diagnosis import StageContrast
from proxy.diagnosis.retrieval_metrics import (
    Finding,
    RetrievalAdvice,
    RetrievalMetrics,
    RetrievalThresholds,
    halving,
)
from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval


def contrast(low: float | None, high: float | None) -> StageContrast:
    value = None if low is None or high is None else (low + high) / 2
    return StageContrast(difference=Estimate(estimate=value, low=low, high=high, n=80))


def share(low: float, high: float) -> Estimate:
    return Estimate(estimate=(low + high) / 2, low=low, high=high, n=40, long_run=Interval(low, high))


METRICS = RetrievalMetrics(
    thresholds=RetrievalThresholds(0.0, 0.5),
    answers=100,
    recall=contrast(0.1, 0.5),
    precision=contrast(-0.1, 0.3),
    well_retrieved=share(0.4, 0.6),
)


@pytest.mark.parametrize(
    ("low", "high", "finding"),
    [
        (0.01, 0.1, Finding.SHOWN),
        (0.0, 0.4, Finding.OPEN),
        (-0.2, 0.19, Finding.RULED_OUT),
        (-0.2, 0.2, Finding.OPEN),
        (None, None, Finding.OPEN),
    ],
)
def test_a_contrast_is_read_from_its_ends(low: float | None, high: float | None, finding: Finding) -> None:
    """Above 0 it is shown, below what matters it is ruled out, and where neither holds it is open."""
    assert METRICS.of_contrast(contrast(low, high)) is finding


@pytest.mark.parametrize(
    ("low", "high", "finding"), [(0.51, 0.9, "shown"), (0.5, 0.9, "open"), (0.1, 0.49, "ruled_out")]
)
def test_another_model_is_read_from_the_long_run(low: float, high: float, finding: str) -> None:
    """More than half of the wrong answers, by the whole interval; a census of this window shows nothing."""
    assert replace(METRICS, well_retrieved=share(low, high)).of_model == finding
    assert replace(METRICS, well_retrieved=replace(share(low, high), long_run=None)).of_model is Finding.OPEN


def test_another_model_is_ruled_out_only_where_low_values_are_shown_to_matter() -> None:
    """Few wrong answers were well retrieved: with no contrast shown that may hold of right answers too."""
    few, not_shown = share(0.1, 0.4), contrast(-0.1, 0.3)
    by_recall = replace(METRICS, well_retrieved=few)
    by_precision = replace(by_recall, recall=not_shown, precision=contrast(0.05, 0.5))
    by_neither = replace(by_recall, recall=not_shown, precision=not_shown)

    assert [metrics.of_model for metrics in (by_recall, by_precision, by_neither)] == ["ruled_out", "ruled_out", "open"]
    assert by_neither.of_most is Finding.RULED_OUT
    assert replace(by_neither, well_retrieved=share(0.6, 0.9)).of_model is Finding.SHOWN


def test_advice_is_what_is_shown_and_none_against_an_objection() -> None:
    """In the order of the pipeline."""
    everything = replace(METRICS, precision=contrast(0.1, 0.2), well_retrieved=share(0.6, 0.7))

    assert METRICS.advice == (RetrievalAdvice.FIND_MORE,)
    assert everything.advice == tuple(RetrievalAdvice)
    assert replace(everything, objections=("annotators agree no better than chance",)).advice == ()


@pytest.mark.parametrize(
    ("counts", "threshold"),
    [
        ({0.0: 30, 1.0: 70}, 0.0),
        ({0.0: 5, 0.5: 40, 1.0: 55}, 0.5),
        ({0.2: 90, 0.5: 5, 1.0: 5}, 0.2),
        ({1.0: 9}, None),
        ({}, None),
    ],
)
def test_scores_are_parted_most_evenly(counts: dict[float, int], threshold: float | None) -> None:
    """The value itself lies on the low side, and both sides have answers."""
    assert halving(counts) == threshold
