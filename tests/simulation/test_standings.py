"""Rankings of simulated systems: intervals hold, also for a system that the judge favours, and no order is claimed that is not so."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import kendalltau

from annotate.domain.sampling import designs
from annotate.domain.sampling.pairs import Pool, proposal
from proxy.comparison.corrected_rates import SampledAnswers
from proxy.comparison.expected import Answers, expected
from proxy.comparison.ranking import Standings, standings
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame
from proxy.stats.intervals import wilson
from proxy.stats.sampling.survey import Draws
from proxy.stats.testing.multiplicity import holm
from support.simulation import at_least, at_most, repeated

pytestmark = pytest.mark.slow

SYSTEMS, QUESTIONS, LABELS = 16, 80, 150
Numbers = NDArray[np.float64]


class World(NamedTuple):
    """The rates behind, and a row a system and a column a question: right or wrong, and the judge's value."""

    rates: Numbers
    right: Numbers
    values: Numbers


def world(rng: np.random.Generator, rates: Numbers, favour: float = 0.0, questions: int = QUESTIONS) -> World:
    """Hard questions are hard for all; a judge of sensitivity .9 and specificity .6 at its threshold, which may favour system 2.

    Normal values 1.535 apart with the threshold at .253 of the wrong ones' scale give these two.
    """
    difficulty = rng.normal(size=questions)
    chance = ndtr(ndtri(rates)[:, None] * np.sqrt(2) - difficulty)
    right = (rng.random(chance.shape) < chance).astype(np.float64)
    values = 1.535 * right + rng.normal(size=right.shape)
    values[2] += favour
    return World(rates, right, ndtr(values - 0.253))


def spread_rates(rng: np.random.Generator) -> Numbers:
    """16 rates from .5 to .9; the system that may be favoured is among the worst."""
    rates = rng.permutation(np.linspace(0.5, 0.9, SYSTEMS))
    low = int(np.argsort(rates)[2])
    rates[[2, low]] = rates[[low, 2]]
    return rates


def drawn(simulated: World, labels: int, salt: str) -> tuple[Answers, SampledAnswers]:
    """A wave as `assay compare … --draw` draws it, and all of it labelled."""
    systems, questions = simulated.right.shape
    values, count = simulated.values.ravel(), simulated.right.size
    frame = SamplingFrame(
        keys=np.arange(count),
        kinds=Coded.of(np.where(values > 0.5, "passed", "failed")),
        values=values,
        right=np.full(count, np.nan),
        is_eligible=np.ones(count, dtype=np.bool_),
    )
    system, question = np.repeat(np.arange(systems), questions), np.tile(np.arange(questions), systems)
    pool = Pool(frame=frame, system=system, question=question, keys=tuple(map(str, range(questions))))
    numbers = designs.drawing_numbers([str(n) for n in range(count)], salt)
    proposed = proposal(pool, labels, salt, numbers)
    rows = proposed.rows
    return Answers(system=system, question=question, value=values), sampled(simulated, rows, proposed.chances[rows])


def sampled(simulated: World, rows: NDArray[np.intp], chances: Numbers) -> SampledAnswers:
    """Labelled draws of one wave in which each answer had a chance of its own."""
    n = len(rows)
    draws = Draws(
        right=simulated.right.ravel()[rows],
        judged=np.ones(n),
        weight=1 / chances,
        step=1 / chances,
        missed=1 - chances,
        drawing=np.zeros(n, dtype=np.intp),
        returned=np.full(n, float(n)),
        is_fixed=np.zeros(n, dtype=np.bool_),
        cluster=rows % simulated.right.shape[1],
        score=np.zeros(n),
    )
    return SampledAnswers(rows, draws)


def intervals(ranking: Standings) -> tuple[Numbers, Numbers, Numbers]:
    """Estimate, low and high of each system, in the order of their numbers."""
    order = sorted(ranking.systems, key=lambda system: system.number)
    columns = [[getattr(standing.correctness, name) for standing in order] for name in ("estimate", "low", "high")]
    estimate, low, high = (np.array(column, dtype=np.float64) for column in columns)
    return estimate, low, high


@repeated(30, 150)
@pytest.mark.parametrize("favour", [0.0, 1.5])
def test_intervals_hold_and_no_clear_order_is_wrong(favour: float, repetitions: int) -> None:
    """150 labels, 16 systems: each interval holds in 95 %, that of a favoured system too, and 5 % of rankings err at most.

    A correction that all systems share would miss the favoured one: its mean P(right) by the values is far above the truth.
    """
    rng = np.random.default_rng(20 + int(favour))
    held, favoured, wrong, uncorrected = [], [], 0, []
    for repetition in range(repetitions):
        simulated = world(rng, spread_rates(rng), favour)
        answers, labelled = drawn(simulated, LABELS, f"{favour}-{repetition}")
        ranking, truth = standings(answers, labelled, SYSTEMS), simulated.right.mean(axis=1)
        _, low, high = intervals(ranking)
        inside = (low <= truth) & (truth <= high)
        held.append(inside.mean())
        favoured.append(inside[2])
        wrong += any(truth[pair.better] < truth[pair.worse] for pair in ranking.clear)
        share = expected(answers, labelled.row, labelled.draws.right).share
        uncorrected.append(share[answers.system == 2].mean() - truth[2])

    assert np.mean(held) >= at_least(0.95, repetitions * SYSTEMS)
    assert np.mean(favoured) >= at_least(0.95, repetitions)
    assert wrong / repetitions <= 0.05
    assert not favour or np.mean(uncorrected) > 0.08


@repeated(30, 150)
def test_among_equals_none_is_called_better(repetitions: int) -> None:
    """16 systems of one rate: in the long run any clear pair is an error, and 5 % of rankings + 3 SE have one at most."""
    rng, wrong = np.random.default_rng(22), 0
    for repetition in range(repetitions):
        simulated = world(rng, np.full(SYSTEMS, 0.7))
        ranking = standings(*drawn(simulated, LABELS, f"equal-{repetition}"), SYSTEMS)
        wrong += any(pair.is_lasting for pair in ranking.pairs)
    assert wrong / repetitions <= at_most(0.05, repetitions)


@pytest.mark.parametrize(("systems", "low"), [pytest.param(16, 0.5, marks=pytest.mark.long), (8, 0.3), (4, 0.5)])
def test_150_drawn_labels_tell_what_300_random_ones_do(systems: int, low: float) -> None:
    """Against Wilson's intervals and unpaired score tests, Holm too, from 300 labels at random: intervals no wider, no fewer pairs.

    The order of the estimates is about as good: Kendall's tau within .05.
    """
    rng, ours, theirs = np.random.default_rng(23), [], []
    for repetition in range(60):
        simulated = world(rng, rng.permutation(np.linspace(low, 0.9, systems)))
        ranking = standings(*drawn(simulated, LABELS, f"{systems}-{repetition}"), systems)
        estimate, lows, highs = intervals(ranking)
        ours.append((float((highs - lows).mean()), len(ranking.clear), kendalltau(estimate, simulated.rates)[0]))
        theirs.append(plain(simulated, 2 * LABELS, rng))
    width, pairs, tau = np.mean(ours, axis=0)
    plain_width, plain_pairs, plain_tau = np.mean(theirs, axis=0)

    assert width <= plain_width
    assert pairs >= plain_pairs
    assert tau >= plain_tau - 0.05


@repeated(30, 300)
@pytest.mark.parametrize(("systems", "low", "labels"), [(16, 0.5, 150), (8, 0.3, 100)])
def test_a_ranking_orders_better_than_as_many_random_labels(
    systems: int, low: float, labels: int, repetitions: int
) -> None:
    """Prediction-powered rates against the shares right among as many labels drawn at random, as ARES compares them.

    Kendall's tau with the true rates is higher by more than two standard errors, and the intervals hold.
    """
    rng, gains, held = np.random.default_rng(24), [], []
    for repetition in range(repetitions):
        simulated = world(rng, rng.permutation(np.linspace(low, 0.9, systems)))
        estimate, lows, highs = intervals(standings(*drawn(simulated, labels, f"tau-{repetition}"), systems))
        truth = simulated.right.mean(axis=1)
        held.append(np.mean((lows <= truth) & (truth <= highs)))
        gains.append(kendalltau(estimate, simulated.rates)[0] - plain(simulated, labels, rng)[2])

    assert np.mean(held) >= at_least(0.95, repetitions * systems)
    assert np.mean(gains) > 2 * np.std(gains) / np.sqrt(repetitions)


def plain(simulated: World, labels: int, rng: np.random.Generator) -> tuple[float, int, float]:
    """Mean width, pairs told apart and tau from labels drawn at random, by the counts alone."""
    systems, questions = simulated.right.shape
    rows = rng.choice(simulated.right.size, min(labels, simulated.right.size), replace=False)
    n = np.bincount(rows // questions, minlength=systems)
    x = np.bincount(rows // questions, simulated.right.ravel()[rows], systems)
    widths = [high - low for low, high in (wilson(a / b, b) for a, b in zip(x, n, strict=True))]
    i, j = np.triu_indices(systems, 1)
    both = (x[i] + x[j]) / (n[i] + n[j])
    z = np.abs(x[i] / n[i] - x[j] / n[j]) / np.sqrt(np.maximum(both * (1 - both), 1e-9) * (1 / n[i] + 1 / n[j]))
    return float(np.mean(widths)), int((holm(2 * ndtr(-z)) <= 0.05).sum()), float(kendalltau(x / n, simulated.rates)[0])
