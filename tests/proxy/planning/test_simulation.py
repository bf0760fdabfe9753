"""Plans by simulation: the number is that of exact sums where these are known, and waves reach the width as often as promised."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from proxy.evaluation.ledger import Drawing, SampledItem
from proxy.evaluation.predictor import FOLDS, PredictorScores
from proxy.planning import allocation, strata
from proxy.planning.assurance import assured
from proxy.planning.coded import Coded
from proxy.planning.expected_width import Outlook
from proxy.planning.labels_needed import PlanStatus, Wanted, needed
from proxy.planning.plain_sample import Belief, plain_labels
from proxy.planning.priors import Tabled, from_labels
from proxy.planning.simulation import PastWaves, WaveSimulation, pool_of
from proxy.planning.strata import SamplingFrame
from proxy.records import Judgement, Verdict

NOTHING = PastWaves((), np.zeros(0, dtype=np.intp), ())


class Made(NamedTuple):
    """Traffic with its past, and the true answers."""

    stage: WaveSimulation
    truth: np.ndarray


def traffic(count: int, labelled: int, *, auroc_like: float = 1.5, seed: int = 1) -> Made:
    """Answers of which three of four are right, with a score `auroc_like` standard deviations higher for the right ones.

    A plain random sample of them was labelled.
    """
    rng = np.random.default_rng(seed)
    truth = (rng.random(count) < 0.75).astype(float)
    values = 1 / (1 + np.exp(-(auroc_like * (truth - 0.5) + rng.normal(size=count))))
    rows = np.sort(rng.choice(count, labelled, replace=False))
    right = np.full(count, np.nan)
    right[rows] = truth[rows]
    is_drawn, passed = ~np.isnan(right), values > 0.4
    known = PredictorScores(values[:, None], np.arange(count) % FOLDS)
    frame = SamplingFrame(
        keys=np.arange(count),
        kinds=Coded.of(np.where(passed, "passed", "failed")),
        values=values,
        right=right,
        is_eligible=~is_drawn,
    ).foreseen(known)
    verdicts = np.where(passed, "pass", "fail")
    chance = np.full(count, labelled / count)
    outlook = Outlook(
        frame=frame,
        verdicts=Coded.of(verdicts),
        right=from_labels(frame, Coded.of(verdicts)).right,
        chance=chance,
        missed=1 - chance[is_drawn],
    )
    sample = [
        SampledItem(
            "all",
            Verdict(str(verdicts[row])),
            Judgement.RIGHT if truth[row] else Judgement.WRONG,
            str(row),
            chances=(labelled / count,),
        )
        for row in rows
    ]
    past = PastWaves(sample, rows, [Drawing(1, "all", count, labelled, labelled, labelled)]) if labelled else NOTHING
    pool = pool_of(outlook, rng)
    scores = PredictorScores(known.table[pool], known.fold[pool])
    return Made(WaveSimulation(outlook=outlook, past=past, pool=pool, scores=scores, quantity="correctness"), truth)


def known_share(count: int, share: float) -> WaveSimulation:
    """Unscored answers of which each is right with a known chance: a wave is a plain random sample of them."""
    nothing = np.zeros(count)
    frame = SamplingFrame(
        keys=np.arange(count),
        kinds=Coded.of(np.full(count, "unscored")),
        values=np.full(count, np.nan),
        right=np.full(count, np.nan),
        is_eligible=np.ones(count, dtype=np.bool_),
    )
    outlook = Outlook(
        frame=frame,
        verdicts=Coded.of(np.full(count, "unscored")),
        right=Tabled.of_each(np.full(count, share)),
        chance=nothing,
        missed=nothing[:0],
    )
    pool = pool_of(outlook, np.random.default_rng(0))
    scores = PredictorScores(np.zeros((len(pool), 0)), np.arange(len(pool)) % FOLDS)
    return WaveSimulation(outlook=outlook, past=NOTHING, pool=pool, scores=scores, quantity="correctness")


@pytest.mark.parametrize(("share", "start"), [(0.8, 245), (0.9, 300), (0.95, 40)])
def test_the_search_finds_what_exact_sums_say(share: float, start: int) -> None:
    """Widths drawn from the exact distribution: the number is that of `plain_labels`, within three of its own errors and one."""
    from proxy.planning.plain_sample import widths

    rng = np.random.default_rng(3)

    def simulate(labels: int, repetitions: int) -> np.ndarray:
        return widths(labels, 20_000)[rng.binomial(labels, share, repetitions)]

    least = assured(simulate, 20_000, 0, start, 20_000, 0.1, 0.8)
    exact = plain_labels(20_000, 0.1, 0.8, Belief(share, math.inf))

    assert abs(least.labels - exact) <= 3 * least.error + 1
    assert 0 < least.error <= 0.05 * exact
    assert least.width < 0.1


def test_a_search_that_reaches_nothing_takes_all() -> None:
    """Where no simulation measures anything the most is returned, with no width, and said not to do."""
    least = assured(lambda _, count: np.full(count, np.inf), 500, 0, 20, 400, 0.1, 0.8)

    assert (least.labels, least.width, least.is_capped) == (400, math.inf, True)


@pytest.mark.parametrize(("most", "is_capped"), [(90, True), (100, False), (200, False)])
def test_a_search_that_ends_short_says_so(most: int, is_capped: bool) -> None:
    """Widths of exactly 2 / sqrt(t / (1 - t / N)): N = 10,000 and .201 take 1 / (.0101 + .0001) = 98.02 labels, so 99."""

    def simulate(labels: int, count: int) -> np.ndarray:
        return np.full(count, 2 / math.sqrt(labels / (1 - labels / 10_000)))

    least = assured(simulate, 10_000, 0, 50, most, 0.201, 0.8)

    assert (least.labels, least.is_capped) == (min(most, 99), is_capped)
    assert (least.width > 0.201) is is_capped


def test_where_every_simulation_is_exact_hardly_any_label_is_needed() -> None:
    """Widths of 0 are reached by any number: the search ends at the fewest, not at the most."""
    least = assured(lambda _, count: np.zeros(count), 500, 0, 20, 400, 0.1, 0.8)

    assert (least.labels, least.is_capped) == (1, False)


def test_what_cannot_be_measured_is_no_quantity_to_simulate() -> None:
    with pytest.raises(ValueError, match="speed: give one of correctness, pass_precision"):
        replace(traffic(500, 60).stage, quantity="speed")


def test_what_is_known_and_wanted_decides_the_status() -> None:
    """An interval that is narrow enough needs nothing."""
    wanted = Wanted(quantity="correctness", width=0.2, assurance=0.8, audit=None)

    assert needed(traffic(500, 60).stage, 0.19, 0, wanted).status is PlanStatus.MET


@pytest.mark.slow
def test_simulated_waves_reach_the_width_as_often_as_exact_sums_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known share of .8 and 263 labels of 20,000: .819217 of waves, within four errors of 500; 245 do in .538."""
    from proxy.planning import simulation
    from proxy.planning.priors import ExpectedRight

    monkeypatch.setattr(
        simulation, "from_labels", lambda frame, *_: ExpectedRight(Tabled.of_each(np.full(len(frame.kinds), 0.8)), 0)
    )
    stage, rng = known_share(20_000, 0.8), np.random.default_rng(5)
    reached = [float((stage.of_wave(stage.next_wave(labels, None), 500, rng) <= 0.1).mean()) for labels in (245, 263)]

    assert reached[0] == pytest.approx(0.538, abs=4 * (0.25 / 500) ** 0.5)
    assert reached[1] == pytest.approx(0.819217, abs=4 * (0.148 / 500) ** 0.5)


@pytest.mark.slow
def test_a_telling_predictor_needs_fewer_labels_than_a_plain_sample_and_a_silent_one_says_so() -> None:
    """After 80 labels: far fewer in all where the score tells, and no fewer, nor many more, where it does not."""
    wanted = Wanted(quantity="correctness", width=0.09, assurance=0.8, audit=None)
    telling = needed(traffic(4_000, 80, auroc_like=3.0).stage, None, 0, wanted)
    silent = needed(traffic(4_000, 80, auroc_like=0.0).stage, None, 0, wanted)

    assert telling.plain is not None
    assert silent.plain is not None
    assert 80 + telling.labels < 0.8 * telling.plain
    assert 0.93 * silent.plain < 80 + silent.labels < 1.1 * silent.plain


@pytest.mark.slow
def test_open_draws_that_will_do_ask_for_no_more() -> None:
    """200 draws without a label yet: simulated labels of them reach 20 points, and not 8."""
    stage = traffic(2_000, 200).stage
    sample = [item._replace(judgement=None) for item in stage.past.sample]
    waiting = replace(stage, past=stage.past._replace(sample=sample))
    needs = [
        needed(waiting, None, 200, Wanted(quantity="correctness", width=width, assurance=0.8, audit=None)).status
        for width in (0.2, 0.08)
    ]

    assert needs == [PlanStatus.OPEN, PlanStatus.MORE]


@pytest.mark.slow
def test_a_plan_of_fewer_labels_than_strata_takes_what_the_strata_need() -> None:
    """One further label would do, but two strata cannot be told from one draw: each gets one."""
    stage, _ = traffic(3_000, 100, auroc_like=3.0, seed=21)
    plan = needed(stage, None, 0, Wanted(quantity="correctness", width=0.1, assurance=0.8, audit=None))

    assert [part.drawn for part in plan.strata] == [1, 1]
    assert plan.labels == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_numbers_too_small_to_be_divided_do_not_make_a_plan_of_everything(seed: int) -> None:
    """100 labels nearly give the width: the search tries one further label, which two strata cannot share, and two are the plan.

    Taken as one that measures nothing, such a number sent the search to all 2,900 answers that are left.
    """
    stage, _ = traffic(3_000, 100, auroc_like=3.0, seed=seed)
    plan = needed(stage, None, 0, Wanted(quantity="correctness", width=0.1, assurance=0.8, audit=None))

    assert (plan.status, plan.labels) == (PlanStatus.MORE, 2)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("auroc_like", [0.0, 1.5, 3.0])
def test_a_planned_wave_reaches_the_width_as_often_as_promised(
    auroc_like: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 samples of 100 labels, each with its plan: a wave of the true answers reaches the width in .8, within three errors.

    With so good a score as the last the plan is the two labels that two strata need at least, and more than reaches it.
    """
    from proxy.planning import simulation
    from proxy.planning.priors import ExpectedRight

    wanted = Wanted(quantity="correctness", width=0.1, assurance=0.8, audit=None)
    reached, least, runs = 0, 0, 60
    for seed in range(runs):
        stage, truth = traffic(3_000, 100, auroc_like=auroc_like, seed=seed)
        wave = stage.next_wave(needed(stage, None, 0, wanted).labels, None)
        least += sum(part.drawn for part in wave.plans) == len(wave.plans)
        true = ExpectedRight(Tabled.of_each(truth[stage.pool]), 0)
        with monkeypatch.context() as context:
            context.setattr(simulation, "from_labels", lambda *_, true=true: true)
            width = float(stage.of_wave(wave, 1, np.random.default_rng([seed, 1]))[0])
        reached += width <= wanted.width

    error = 3 * (0.16 / runs) ** 0.5
    assert reached / runs >= 0.8 - error, reached
    assert reached / runs <= 0.8 + error or least > runs / 2, (reached, least)


@pytest.mark.parametrize("labels", [20, 39, 40, 60, 80, 400])
def test_a_wave_is_stratified_once_for_all_numbers_of_labels_with_its_bins(labels: int) -> None:
    """Its plan and each item's chance are those that the strata of this number give; the 40th label cuts anew, others do not."""
    stage = traffic(3_000, 200).stage
    frame = stage.outlook.frame
    names = strata.stratify(frame, labels)
    sizes = strata.count(frame, names)
    plans = allocation.plan(sizes, strata.known(frame, names), labels, allocation.usual_audit(sizes))
    chances = {part.stratum: part.inclusion_probability for part in plans}

    wave = stage.next_wave(labels, None)
    of_pool = [(wave.strata.names[number], float(wave.chances[number])) for number in wave.strata.of_pool]

    assert wave.plans == plans
    assert of_pool == [(name, chances[name]) for name in names[stage.pool].tolist()]
    assert (wave.strata is stage.next_wave(labels + 1, None).strata) == (labels != 39)


@pytest.mark.slow
def test_before_any_label_one_draw_of_a_wave_tells_what_fresh_draws_do() -> None:
    """Labels are then throws of a coin: with the draws fixed, widths vary as with a draw for each, within four standard errors."""
    stage, rng = traffic(600, 0).stage, np.random.default_rng(3)
    wave = stage.next_wave(100, None)
    fixed = stage.of_wave(wave, 200, rng)
    # A hair below 1 has each simulation draw, and fit the predictor, for itself.
    fresh = replace(stage, outlook=replace(stage.outlook, decided=1 - 1e-12)).of_wave(wave, 200, rng)
    error = math.hypot(fixed.std(), fresh.std()) / math.sqrt(200)
    assert len(set(fixed.tolist())) > 50
    assert abs(fixed.mean() - fresh.mean()) < 4 * error + 0.002 * fresh.mean()
