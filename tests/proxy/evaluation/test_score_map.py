"""Maps of a score to P(right): how they are fitted and chosen, and whether the gain on other labels is what it is said to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from proxy.evaluation.alignment import compared_in
from proxy.evaluation.discrimination import Valued
from proxy.evaluation.score_map import (
    FEWEST_FOR_STEPS,
    LanguageMaps,
    ScoreMap,
    TuningScores,
    brier_gain,
    chosen_maps,
    contrast_of_map,
    fit_map,
)
from proxy.judges.taught import is_mapped, unmapped
from support.simulation import at_most, repeated
from support.valued import labels

Numbers = NDArray[np.float64]
# A score that is far too low: an answer of score s is right in sqrt(s) of cases.
TOO_LOW = ScoreMap(scores=tuple(np.linspace(0, 1, 101)), shares=tuple(np.sqrt(np.linspace(0, 1, 101))))


def drawn(rng: np.random.Generator, n: int, share: ScoreMap) -> tuple[Numbers, Numbers]:
    """Scores, and labels that are right in so many cases."""
    values = rng.random(n)
    return (rng.random(n) < share.at(values)).astype(np.float64), values


def tuning(right: Numbers, values: Numbers, languages: list[str] | None = None) -> TuningScores:
    [column] = labels(right, values)
    names = np.array(languages or ["en"] * len(right), dtype=np.str_)
    return TuningScores(labels=column, languages=names, half=np.arange(len(right)) % 2.0)


@pytest.mark.parametrize("n", [40, 4 * FEWEST_FOR_STEPS])
def test_a_map_never_falls_and_learns_what_a_score_says(n: int) -> None:
    """Of few labels a curve, of many steps: both near the truth, on average over the scores."""
    right, values = drawn(np.random.default_rng(1), n, TOO_LOW)
    fitted = fit_map(values, right, np.ones(n))
    grid = np.linspace(0, 1, 201)

    assert (np.diff(fitted.at(grid)) >= 0).all()
    assert np.abs(fitted.at(grid) - np.sqrt(grid)).mean() < 2.5 / np.sqrt(n)
    assert 0 < fitted.at([0.0])[0] < fitted.at([1.0])[0] < 1


def test_a_score_that_points_the_wrong_way_is_mapped_to_the_share_alone() -> None:
    """Nothing of its order is kept: every answer has the share of right ones, by Platt's target (n1 + 1) / (n1 + 2), 1 / (n0 + 2)."""
    right = np.array([0.0] * 5 + [1.0] * 15)
    fitted = fit_map(1 - right + np.linspace(0, 0.01, 20), right, np.ones(20))
    target = (15 * 16 / 17 + 5 * 1 / 7) / 20
    assert fitted.at([0.0, 0.5, 1.0]) == pytest.approx([target] * 3, abs=1e-5)


def test_labels_count_by_what_they_stand_for() -> None:
    """A label that stands for three answers counts like three labels."""
    right, values = np.array([1.0, 0, 1, 0, 1, 0]), np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    weights = np.array([3.0, 1, 1, 1, 1, 1])
    again = np.repeat(np.arange(6), weights.astype(int))
    weighted, repeated_labels = fit_map(values, right, weights), fit_map(values[again], right[again], np.ones(8))
    assert weighted.at(values) == pytest.approx(repeated_labels.at(values), abs=0.02)


def test_a_language_has_a_map_of_its_own_where_its_scores_say_something_else() -> None:
    """Korean scores are far too low, English ones far too high; of German there are too few labels, which take the whole's."""
    rng = np.random.default_rng(2)
    low, low_values = drawn(rng, 300, ScoreMap((0.0, 1.0), (0.6, 1.0)))
    high, high_values = drawn(rng, 300, ScoreMap((0.0, 1.0), (0.0, 0.4)))
    few, few_values = drawn(rng, 20, ScoreMap((0.0, 1.0), (0.2, 0.6)))
    right, values = np.concatenate([low, high, few]), np.concatenate([low_values, high_values, few_values])
    maps = chosen_maps(tuning(right, values, ["ko"] * 300 + ["en"] * 300 + ["de"] * 20))

    assert maps is not None
    assert set(maps.languages) == {"ko", "en"}
    mapped = maps.at(np.full(3, 0.5), np.array(["ko", "en", "de"]))
    assert mapped[:2] == pytest.approx([0.8, 0.2], abs=0.1)
    assert mapped[1] < mapped[2] < mapped[0]


def test_where_languages_say_the_same_or_are_one_there_is_one_map() -> None:
    """Two maps of one truth are fitted to fewer labels each, and do worse on the other half in most samples."""
    rng, several = np.random.default_rng(3), 0
    for _ in range(40):
        right, values = drawn(rng, 200, TOO_LOW)
        maps = chosen_maps(tuning(right, values, ["en", "en", "ko", "ko"] * 50))
        several += maps is not None and bool(maps.languages)
    assert several < 20
    right, values = drawn(rng, 800, TOO_LOW)
    alone = chosen_maps(tuning(right, values))
    assert alone is not None
    assert not alone.languages


def test_the_gain_is_the_mean_of_the_paired_differences() -> None:
    """Compare with the mean and t times its standard error, computed by hand for labels of equal weight."""
    right, values = drawn(np.random.default_rng(4), 120, TOO_LOW)
    before, after = labels(right, values, TOO_LOW.at(values))
    gain = brier_gain(before, after)
    fell = (values - right) ** 2 - (np.sqrt(values) - right) ** 2
    rarer = min(right.sum(), 120 - right.sum())

    assert gain.estimate == pytest.approx(fell.mean(), abs=1e-4)
    assert gain.long_run is not None
    half = t.ppf(0.975, rarer - 1) * fell.std(ddof=1) / np.sqrt(120)
    assert (gain.long_run.high - gain.long_run.low) / 2 == pytest.approx(half, rel=0.01)
    assert brier_gain(before, before).estimate == 0
    assert not contrast_of_map(before, before, 2).is_better


def test_without_labels_of_both_kinds_there_is_no_gain() -> None:
    """Nothing is known of what a score says of answers that nobody called wrong."""
    before, after = labels(np.ones(20), np.linspace(0, 1, 20), np.ones(20))
    contrast = contrast_of_map(before, after, 2)
    assert (contrast.gain.estimate, contrast.lowest, contrast.is_better) == (None, None, False)


@pytest.mark.slow
@repeated(200, 2_000)
def test_the_interval_of_the_gain_covers_it(repetitions: int) -> None:
    """The true gain of this map is E[(s - p)^2] - E[(q - p)^2] with p = sqrt(s) and q the map: 1/30 for q = p, over uniform s."""
    rng, missed = np.random.default_rng(5), 0
    for _ in range(repetitions):
        right, values = drawn(rng, 100, TOO_LOW)
        gain = brier_gain(*labels(right, values, TOO_LOW.at(values)))
        assert gain.long_run is not None
        missed += not gain.long_run.low <= 1 / 30 <= gain.long_run.high
    assert missed / repetitions <= at_most(0.05, repetitions)


@pytest.mark.slow
@repeated(200, 2_000)
def test_it_covers_the_gain_of_the_traffic_where_parts_are_drawn_at_rates_of_their_own(repetitions: int) -> None:
    """Of scores below .5, a quarter of the traffic, half of the labels are drawn; groups of three share a chance.

    The true gain of the map q = p = sqrt(s) is E[(s - sqrt(s))^2], over a quarter of low and three quarters of high scores.
    """
    halves = [np.linspace(0, 0.5, 10_001), np.linspace(0.5, 1, 10_001)]
    truth = float(np.average([((half - np.sqrt(half)) ** 2).mean() for half in halves], weights=[1, 3]))
    rng, missed = np.random.default_rng(8), 0
    for _ in range(repetitions):
        values = np.concatenate([rng.uniform(0, 0.5, 90), rng.uniform(0.5, 1, 90)])
        right = (np.repeat(rng.random(60), 3) < TOO_LOW.at(values)).astype(np.float64)
        [column] = labels(right, values)
        part = np.repeat(np.arange(2), 90)
        draws = replace(
            column.draws,
            weight=np.where(part == 0, 1000.0, 3000.0),
            step=np.where(part == 0, 1000.0, 3000.0),
            drawing=part,
            returned=np.full(180, 90.0),
            cluster=np.repeat(np.arange(60), 3),
        )
        gain = brier_gain(Valued(draws=draws, values=values), Valued(draws=draws, values=TOO_LOW.at(values)))
        assert gain.long_run is not None
        missed += not gain.long_run.low <= truth <= gain.long_run.high
    assert missed / repetitions <= at_most(0.05, repetitions)


@pytest.mark.slow
@repeated(100, 2_000)
def test_a_score_that_is_P_right_is_seldom_mapped(repetitions: int) -> None:  # noqa: N802 - it is written so
    """Chosen on 90 labels, measured on 210 others: no map can be nearer than the score itself, and 5 % adopt one at most."""
    rng, adopted = np.random.default_rng(6), 0
    straight = ScoreMap((0.0, 1.0), (0.0, 1.0))
    for _ in range(repetitions):
        right, values = drawn(rng, 300, straight)
        adopted += is_adopted(right, values)
    assert adopted / repetitions <= at_most(0.05, repetitions)


@pytest.mark.slow
@repeated(40, 400)
def test_a_score_that_is_far_too_low_is_mapped(repetitions: int) -> None:
    """P(right) is .6 + .4 s: the score itself is off by .36 at the mean of squares, and nearly every run finds a map."""
    rng, adopted = np.random.default_rng(7), 0
    for _ in range(repetitions):
        right, values = drawn(rng, 300, ScoreMap((0.0, 1.0), (0.6, 1.0)))
        adopted += is_adopted(right, values / 2)
    assert adopted / repetitions >= 0.95


def is_adopted(right: Numbers, values: Numbers) -> bool:
    """Choose on the first 90 labels and measure on the others, as the first map of its judge."""
    maps = chosen_maps(tuning(right[:90], values[:90]))
    if maps is None:
        return False
    mapped = maps.at(values[90:], np.full(len(values) - 90, "en"))
    return contrast_of_map(*labels(right[90:], values[90:], mapped), compared_in(1)).is_better


def test_a_mapped_score_is_known_by_its_signature() -> None:
    """What it maps stands before it; a judge that labels guided may be mapped, too."""
    guided = "overall|llm|m|aligned|0a1b"
    assert unmapped(f"{guided}|aligned|map-12ab") == guided
    assert unmapped(guided) == guided
    assert is_mapped(f"{guided}|aligned|map-12ab")
    assert not is_mapped(guided)
    assert LanguageMaps(whole=TOO_LOW, languages={}).settings["languages"] == {}
