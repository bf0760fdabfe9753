"""What a value means: maps judged on questions they have not seen, intervals that hold the share, and words where nothing can be said."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from proxy.evaluation.reliability_curve import _band, crossed, reliability_curve
from proxy.stats.calibration.platt import platt
from proxy.stats.calibration.reliability import isotonic
from proxy.stats.sampling.survey import Draws
from support.draws import one_drawing


def draws(right: np.ndarray, weight: np.ndarray | None = None) -> Draws:
    """A simple random sample, each question by itself."""
    return one_drawing(right.astype(np.float64), np.full(len(right), 50.0) if weight is None else weight)


def sample(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, labels right with the chance .2 + .7 value, and folds."""
    rng = np.random.default_rng(seed)
    values = rng.random(n)
    return values, (rng.random(n) < 0.2 + 0.7 * values).astype(np.float64), np.arange(n) % 5


def test_the_maps_are_made_on_the_other_folds() -> None:
    """Fold by fold with the fits themselves; the map at an item does not move when its own label is turned."""
    values, right, folds = sample(100, 1)
    weights = np.linspace(1, 3, 100)
    curve, steps = crossed(values, right, weights, folds)
    unit = (values - values.min()) / np.ptp(values)
    for fold in range(5):
        here, elsewhere = folds == fold, folds != fold
        assert curve[here] == pytest.approx(
            platt(values[elsewhere], right[elsewhere], weights[elsewhere]).at(values[here])
        )
        assert steps[here] == pytest.approx(
            isotonic(unit[elsewhere], right[elsewhere], weights[elsewhere]).at(unit[here])
        )
    turned = right.copy()
    turned[7] = 1 - turned[7]
    again = crossed(values, turned, weights, folds)

    assert (again[0][7], again[1][7]) == (curve[7], steps[7])
    assert not np.array_equal(again[0], curve)


def test_the_table_counts_every_label_once() -> None:
    """Ten bands of 200 labels, lowest first; the shares weighted by size give the share of all."""
    values, right, folds = sample(200, 2)
    curve = reliability_curve(values, draws(right), folds)

    assert [band.right.n for band in curve.bands] == [20] * 10
    assert all(band.most < next_band.least for band, next_band in zip(curve.bands, curve.bands[1:], strict=False))
    assert sum(band.right.n * band.right.estimate for band in curve.bands) == pytest.approx(right.sum())
    assert curve.right == pytest.approx(right.mean())
    assert curve.briers is not None
    assert curve.briers.raw.estimate == pytest.approx(np.mean((values - right) ** 2))
    others = np.array([right[folds != fold].mean() for fold in folds])
    assert curve.briers.base.estimate == pytest.approx(np.mean((others - right) ** 2))
    assert curve.gap is not None


def test_heavy_labels_count_for_more() -> None:
    """Right answers of three times the weight raise every band's share."""
    values, right, folds = sample(120, 3)
    plain = reliability_curve(values, draws(right), folds)
    heavy = reliability_curve(values, draws(right, np.where(right == 1, 150.0, 50.0)), folds)

    assert plain.right is not None
    assert heavy.right == pytest.approx(3 * right.sum() / (3 * right.sum() + (1 - right).sum()))
    assert heavy.right > plain.right


@pytest.mark.slow
def test_platt_is_preferred_until_the_other_map_predicts_better() -> None:
    """A straight line suits Platt's curve; a step suits the isotonic map; 1,000 labels suit it too."""
    values, right, folds = sample(300, 4)
    line = reliability_curve(values, draws(right), folds)
    rng = np.random.default_rng(5)
    chance = np.where(np.abs(values - 0.5) < 0.25, 0.1, 0.95)
    step = reliability_curve(
        values, draws((rng.random(300) < np.where(values > 0.25, 0.95, 0.05)).astype(float)), folds
    )
    bump = reliability_curve(values, draws((rng.random(300) < chance).astype(float)), folds)
    many, labels, parts = sample(1000, 6)

    assert not line.prefers_isotonic
    assert step.prefers_isotonic
    assert step.briers is not None
    assert step.briers.isotonic.estimate < step.briers.platt.estimate
    assert bump.briers is not None
    assert bump.prefers_isotonic == (bump.briers.isotonic.estimate < bump.briers.platt.estimate)
    assert reliability_curve(many, draws(labels), parts).prefers_isotonic


def test_a_value_beyond_one_has_maps_and_no_brier_of_its_own() -> None:
    """The sum of two judges: the table stands, the value itself is no probability."""
    values, right, folds = sample(100, 7)
    curve = reliability_curve(values * 2 - 0.5, draws(right), folds)

    assert curve.reason is None
    assert curve.gap is None
    assert curve.briers is not None
    assert curve.briers.raw is None
    assert curve.briers.platt.estimate == pytest.approx(
        reliability_curve(values, draws(right), folds).briers.platt.estimate, abs=1e-6
    )  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": 19}, "19 labels on scored items, and 20 are needed"),
        ({"count": 0}, "0 labels"),
        ({"value": 0.5}, "every labelled item has the value 0.5"),
        ({"right": 1.0}, "every label says right"),
        ({"right": 0.0}, "every label says wrong"),
        ({"fold": 0}, "one question"),
    ],
)
def test_where_nothing_can_be_said_there_are_words(change: dict[str, float], words: str) -> None:
    """Few labels, constant values, labels of one kind, one question."""
    count = int(change.get("count", 60))
    values, right, folds = sample(count, 8)
    values = np.full(count, change["value"]) if "value" in change else values
    right = np.full(count, change["right"]) if "right" in change else right
    folds = np.zeros(count, dtype=np.intp) if "fold" in change else folds
    curve = reliability_curve(values, draws(right), folds)

    assert words in str(curve.reason)
    assert not curve.bands


@pytest.mark.slow
def test_the_bands_hold_the_share_of_the_traffic() -> None:
    """Five levels, each a band whose truth is known: the 95 % intervals of 500 samples of 100 labels hold it, less 3 SE."""
    rng, held, asked = np.random.default_rng(9), 0, 0
    levels, chance = np.array([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([0.3, 0.5, 0.7, 0.85, 0.95])
    for _ in range(500):
        place = rng.integers(0, 5, 100)
        labelled = draws((rng.random(100) < chance[place]).astype(float))
        for level in np.unique(place):
            right = _band(levels[place], labelled, place == level, np.zeros(100), np.zeros(100)).right
            assert right.low is not None
            assert right.high is not None
            asked += 1
            held += right.low <= float(chance[level]) <= right.high

    assert held / asked >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / asked)


def test_a_perfect_value_has_the_gap_of_chance() -> None:
    """Labels drawn by the value itself: its calibration error is about what chance alone gives."""
    rng = np.random.default_rng(10)
    values = rng.random(2000)
    curve = reliability_curve(values, draws((rng.random(2000) < values).astype(float)), np.arange(2000) % 5)

    assert curve.gap is not None
    assert curve.gap.observed < 2 * curve.gap.if_perfect
    assert replace(curve, n=1).n == 1


@pytest.mark.slow
def test_a_map_must_beat_the_mean_of_all_answers() -> None:
    """Labels that the value says nothing of: where neither map beats the mean of the other folds, none `tells`; a real slope does."""
    told = []
    for seed in range(20, 40):
        values, _, folds = sample(100, seed)
        curve = reliability_curve(
            values, draws((np.random.default_rng(seed + 1000).random(100) < 0.9).astype(float)), folds
        )
        assert curve.briers is not None
        assert curve.tells == (
            min(curve.briers.platt.estimate, curve.briers.isotonic.estimate) < curve.briers.base.estimate
        )
        told.append(curve.tells)
    values, right, folds = sample(300, 4)

    assert told.count(False) > len(told) / 2
    assert reliability_curve(values, draws(right), folds).tells
