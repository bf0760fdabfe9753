"""Drawing all answers to a question with one lot: exact chances, what they cost, and intervals that know of the lot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import Design
from annotate.workflow.sampling.paired_waves import Pool, proposal, worth
from proxy.evaluation.domains import Evidence, part
from proxy.evaluation.ledger import Drawing, SampledItem, Total, draws_of
from proxy.planning.strata import Frame
from proxy.records import Judgement, Verdict
from proxy.stats.sampling.survey import Draws, Proportion, design_variance

RIGHT, WRONG, _ = Judgement
PASS, FAIL, _UNSCORED = Verdict


def pool(values: NDArray[np.float64], *, eligible: NDArray[np.bool_] | None = None) -> Pool:
    """A row a system, a column a question; what lies above one half passes. None is labelled."""
    systems, questions = values.shape
    flat = values.ravel()
    return Pool(
        frame=Frame(
            keys=np.arange(flat.size),
            ids=[f"item-{n}" for n in range(flat.size)],
            kinds=np.where(flat > 0.5, "passed", "failed").astype("U16"),
            values=flat,
            right=np.full(flat.size, np.nan),
            is_eligible=np.ones(flat.size, dtype=np.bool_) if eligible is None else eligible,
        ),
        system=np.repeat(np.arange(systems), questions),
        question=np.tile(np.arange(questions), systems),
        keys=tuple(f"question-{n}" for n in range(questions)),
    )


def test_systematic_sampling_keeps_every_chance() -> None:
    """Drawn shares over 4,000 starts spread evenly over [0, 1) are the chances: the start alone is left to luck."""
    rng = np.random.default_rng(1)
    chances = np.append(rng.random(30), [1.0, 0.0])
    counts = np.zeros(len(chances))
    for start in (np.arange(4000) + 0.5) / 4000:
        order = np.arange(len(chances))
        drawn = designs.spread(chances, order, float(start))
        counts[drawn] += 1
        assert abs(len(drawn) - chances.sum()) < 1
    assert counts / 4000 == pytest.approx(chances, abs=1 / 2000)


def test_chances_cost_what_was_asked_and_leave_no_one_out() -> None:
    """Expected cost 60; the floor gives what seems to be worth nothing a fifth of an even share, and what is free a chance, too."""
    value = np.array([0.0, *([1.0] * 99)])
    costs = np.array([2.0] * 50 + [1.0] * 49 + [0.0])
    chances = designs.worth_chances(value, costs, 60)

    assert float((costs * chances).sum()) == pytest.approx(60)
    assert chances[0] == pytest.approx(chances[1] * (0.2 / 100) / (0.8 / 99 + 0.2 / 100))
    assert chances[-1] == chances[1]


def test_asking_for_more_than_there_is_takes_all() -> None:
    """Every chance is 1, also with nothing that is worth a look, or one that is worth next to nothing."""
    unequal = np.array([1e-6] * 3 + [1.0] * 900)
    assert designs.worth_chances(unequal, np.full(903, 2.0), 1806).tolist() == [1.0] * 903
    assert designs.worth_chances(np.zeros(5), np.full(5, 2.0), 99).tolist() == [1.0] * 5


def test_both_answers_are_drawn_or_none() -> None:
    """Without an earlier wave every drawn question has both its answers drawn, at one chance, and the labels come to 40 or so."""
    found = proposal(pool(np.random.default_rng(2).random((2, 100))), Design.PAIRS, 40, "salt")
    drawn = np.bincount(found.rows % 100, minlength=100)

    assert set(drawn.tolist()) == {0, 2}
    assert abs(len(found.rows) - 40) <= 2
    assert found.chances[:100].tolist() == found.chances[100:].tolist()
    assert not any(plan.is_fixed for plan in found.plans)


@pytest.mark.slow
def test_where_much_was_drawn_before_every_lot_still_draws_and_chances_hold() -> None:
    """30 of 40 questions have both answers drawn: two labels are one question of the other ten by each of 3,000 lots.

    Each is drawn as often as its chance says, within 4 standard errors.
    """
    free = np.arange(40) >= 30
    some, lots = pool(np.random.default_rng(4).random((2, 40)), eligible=np.tile(free, 2)), 3000
    counts = np.zeros(40)
    for lot in range(lots):
        found = proposal(some, Design.PAIRS, 2, f"salt-{lot}")
        drawn = np.unique(found.rows % 40)
        assert len(drawn) == 1
        counts[drawn] += 1
    chances = found.chances[:40]

    assert float(chances[free].sum()) == pytest.approx(1)
    assert not counts[~free].any()
    assert (np.abs(counts / lots - chances)[free] < 4 * np.sqrt(chances * (1 - chances) / lots)[free]).all()


def test_what_was_drawn_before_changes_no_chance_of_its_own_question_relative_to_others() -> None:
    """An answer's own fate must not move its chance: then its weights would no longer add up to 1 on average.

    The scale common to all questions follows from what is left to draw, so ratios are compared.
    """
    values = np.random.default_rng(3).random((2, 50))
    before = np.ones(100, dtype=np.bool_)
    before[[7, 57, 8]] = False
    fresh, later = (
        proposal(pool(values, eligible=one), Design.PAIRS, 20, "salt") for one in (np.ones(100, dtype=np.bool_), before)
    )
    ratio = later.chances / fresh.chances
    assert ratio == pytest.approx(np.full(100, ratio[0]))
    assert not np.isin(later.rows, [7, 57, 8]).any()


def test_the_partner_of_what_was_drawn_is_still_drawn() -> None:
    """With all that the first system said drawn before, the wave holds answers of the second alone, at a label each."""
    found = proposal(
        pool(np.random.default_rng(4).random((2, 60)), eligible=np.arange(120) >= 60), Design.PAIRS, 30, "s"
    )
    assert len(found.rows) in (29, 30, 31)
    assert (found.rows >= 60).all()


def test_questions_on_which_the_verdicts_differ_are_worth_more() -> None:
    """Two answers that the judge sees alike are taken to err alike: half of their variance is gone."""
    differ, agree = worth(pool(np.array([[0.9, 0.9], [0.1, 0.9]])))
    assert differ > agree


def test_each_system_of_many_gets_its_share() -> None:
    """Systematic within each system: as many as its chances add up to, give or take one."""
    found = proposal(pool(np.random.default_rng(5).random((5, 40))), Design.ANSWERS, 50, "salt")
    expected = found.chances.reshape(5, 40).sum(axis=1)
    assert np.abs(np.bincount(found.rows // 40, minlength=5) - expected).max() < 1
    assert len(found.rows) in (49, 50, 51)


def test_what_one_lot_draws_adds_up_before_it_is_squared() -> None:
    """Two draws of one lot with terms a and b add (a + b)^2 (1 - pi), so opposite errors cancel; n / (n - 1) counts lots."""
    items = [SampledItem("s", PASS, RIGHT, f"g{n // 2}", chances=(0.5,)) for n in range(4)]
    joint = draws_of(items, [Drawing(1, "s", 8, 4, 4, 4, is_fixed=False, is_joint=True)], {0: 0.0})
    alone = draws_of(items, [Drawing(1, "s", 8, 4, 4, 4, is_fixed=False)], {0: 0.0})
    influence = np.array([1.0, 1.0, 2.0, -2.0])

    assert alone.together is None
    assert design_variance(joint, influence)[0] == pytest.approx(2 / 1 * 0.5 * (4 + 0))
    assert design_variance(alone, influence)[0] == pytest.approx(4 / 3 * 0.5 * (1 + 1 + 4 + 4))


@pytest.mark.slow
def test_the_window_interval_covers_after_a_wave_of_pairs() -> None:
    """400 repetitions: a stratified wave of 40, then pairs of 120, of answers that are nearly always right or wrong together.

    Counting the two answers as drawn apart covers less than .95 - 3 SE: their errors go together.
    """
    rng, repetitions = np.random.default_rng(6), 400
    knows, ignores = 0, 0
    for repetition in range(repetitions):
        values, right = _alike(rng, 150)
        items, drawings, totals = _two_waves(values, right, rng, f"salt-{repetition}")
        for is_joint in (True, False):
            told = [one._replace(is_joint=one.is_joint and is_joint) for one in drawings]
            found = part(Evidence(totals=totals, sample=items, drawings=told), (PASS, FAIL), powered=True)
            assert isinstance(found, Proportion)
            low, high = found.window()
            held = low <= right.mean() <= high
            knows, ignores = knows + (held and is_joint), ignores + (held and not is_joint)

    limit = 0.95 - 3 * np.sqrt(0.05 * 0.95 / repetitions)
    assert knows / repetitions >= limit
    assert ignores / repetitions < limit


def _alike(rng: np.random.Generator, questions: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values that tell little, and answers of two systems that differ on one question of twenty."""
    right = np.tile(rng.random(questions) < 0.6, (2, 1)).astype(np.float64)
    flips = rng.random(questions) < 0.05
    right[1, flips] = 1 - right[1, flips]
    return np.clip(0.5 + 0.1 * (right - 0.5) + 0.2 * rng.normal(size=(2, questions)), 0, 1), right


def _two_waves(
    values: NDArray[np.float64], right: NDArray[np.float64], rng: np.random.Generator, salt: str
) -> tuple[list[SampledItem], list[Drawing], list[Total]]:
    """A simple random sample of 20 on each side of the threshold, then pairs; every draw is labelled."""
    count = values.size
    passed = values.ravel() > 0.5
    first, own = np.zeros(count), np.full(count, -1)
    drawings = []
    for side in (False, True):
        rows = np.flatnonzero(passed == side)
        first[rows] = 20 / len(rows)
        own[rng.choice(rows, 20, replace=False)] = 0
        drawings.append(Drawing(1, "passed" if side else "failed", len(rows), 20, 20, 20))
    everything = pool(values, eligible=own < 0)
    labels = np.where(own == 0, right.ravel(), np.nan)
    found = proposal(replace(everything, frame=replace(everything.frame, right=labels)), Design.PAIRS, 120, salt)
    own[found.rows] = 1
    drawings += [
        Drawing(2, plan.stratum, plan.size, plan.drawn, plan.drawn, plan.drawn, is_fixed=False, is_joint=True)
        for plan in found.plans
    ]
    place = {(one.wave, one.stratum): n for n, one in enumerate(drawings)}
    names = np.where(passed, "passed", "failed")
    items = [
        SampledItem(
            stratum=str(names[row]),
            verdict=PASS if passed[row] else FAIL,
            judgement=RIGHT if right.ravel()[row] else WRONG,
            group=f"question-{row % values.shape[1]}",
            drawing=place[int(own[row]) + 1, str(names[row])],
            chances=(float(first[row]), float(found.chances[row])),
            own=int(own[row]),
        )
        for row in np.flatnonzero(own >= 0)
    ]
    totals = [Total("passed", PASS, int(passed.sum())), Total("failed", FAIL, int((~passed).sum()))]
    return items, drawings, totals


def test_a_part_of_the_draws_keeps_its_lots() -> None:
    """`only` takes the lots along, or their absence."""
    items = [SampledItem("s", PASS, RIGHT, f"g{n // 2}", chances=(0.5,)) for n in range(4)]
    joint = draws_of(items, [Drawing(1, "s", 8, 4, 4, 4, is_fixed=False, is_joint=True)], {0: 0.0})
    kept: Draws = joint.only(np.array([True, True, False, True]))
    assert kept.together.tolist() == [0, 0, 1]
