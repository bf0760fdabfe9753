"""Drawing all answers to a question with one lot: exact chances, what they cost, and intervals that know of the lot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.pair_power import power
from annotate.domain.sampling.pairs import Pool, information, proposal
from proxy.evaluation.ledger import Drawing, SampledItem, draws_of
from proxy.evaluation.levels import levels_of
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame
from proxy.records import Judgement, Verdict
from proxy.stats.sampling.survey import Draws, design_variance

RIGHT, PASS = Judgement.RIGHT, Verdict.PASS


def pool(values: NDArray[np.float64], *, eligible: NDArray[np.bool_] | None = None) -> Pool:
    """A row a system, a column a question; what lies above one half passes. None is labelled."""
    systems, questions = values.shape
    flat = values.ravel()
    return Pool(
        frame=SamplingFrame(
            keys=np.arange(flat.size),
            kinds=Coded.of(np.where(flat > 0.5, "passed", "failed")),
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
    chances = designs.information_chances(value, costs, 60)

    assert float((costs * chances).sum()) == pytest.approx(60)
    assert chances[0] == pytest.approx(chances[1] * (0.2 / 100) / (0.8 / 99 + 0.2 / 100))
    assert chances[-1] == chances[1]


def test_asking_for_more_than_there_is_takes_all() -> None:
    """Every chance is 1, also with nothing that is worth a look, or one that is worth next to nothing."""
    unequal = np.array([1e-6] * 3 + [1.0] * 900)
    assert designs.information_chances(unequal, np.full(903, 2.0), 1806).tolist() == [1.0] * 903
    assert designs.information_chances(np.zeros(5), np.full(5, 2.0), 99).tolist() == [1.0] * 5


def test_both_answers_are_drawn_or_none() -> None:
    """Without an earlier wave every drawn question has both its answers drawn, at one chance, and the labels come to 40 or so."""
    proposed = proposal(pool(np.random.default_rng(2).random((2, 100))), 40, "salt")
    drawn = np.bincount(proposed.rows % 100, minlength=100)

    assert set(drawn.tolist()) == {0, 2}
    assert abs(len(proposed.rows) - 40) <= 2
    assert proposed.chances[:100].tolist() == proposed.chances[100:].tolist()
    assert not any(plan.is_fixed for plan in proposed.plans)


@pytest.mark.slow
def test_where_much_was_drawn_before_every_lot_still_draws_and_chances_hold() -> None:
    """30 of 40 questions have both answers drawn: two labels are one question of the other ten by each of 3,000 lots.

    Each is drawn as often as its chance says, within 4 standard errors.
    """
    free = np.arange(40) >= 30
    some, lots = pool(np.random.default_rng(4).random((2, 40)), eligible=np.tile(free, 2)), 3000
    counts = np.zeros(40)
    for lot in range(lots):
        proposed = proposal(some, 2, f"salt-{lot}")
        drawn = np.unique(proposed.rows % 40)
        assert len(drawn) == 1
        counts[drawn] += 1
    chances = proposed.chances[:40]

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
        proposal(pool(values, eligible=eligible), 20, "salt") for eligible in (np.ones(100, dtype=np.bool_), before)
    )
    ratio = later.chances / fresh.chances
    assert ratio == pytest.approx(np.full(100, ratio[0]))
    assert not np.isin(later.rows, [7, 57, 8]).any()


def test_the_partner_of_what_was_drawn_is_still_drawn() -> None:
    """With all that the first system said drawn before, the wave holds answers of the second alone, at a label each."""
    proposed = proposal(pool(np.random.default_rng(4).random((2, 60)), eligible=np.arange(120) >= 60), 30, "s")
    assert len(proposed.rows) in (29, 30, 31)
    assert (proposed.rows >= 60).all()


def labelled(tells: float, *, seed: int = 6) -> Pool:
    """400 questions, of which 60 pairs had labels before; `tells` of what is predicted is true, the rest is noise."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.05, 0.95, (2, 400))
    right = (rng.random((2, 400)) < tells * share + (1 - tells) * 0.5).astype(float)
    was_drawn = np.tile(np.arange(400) < 60, 2)
    plain = pool(share, eligible=~was_drawn)
    frame = replace(plain.frame, right=np.where(was_drawn, right.ravel(), np.nan), level=levels_of(share.ravel()))
    return replace(plain, frame=frame)


def test_before_any_label_every_question_has_the_same_chance() -> None:
    """Nothing shows yet that a judge tells anything: whatever its values, the wave is a random one."""
    proposed = proposal(pool(np.random.default_rng(2).random((2, 100))), 120, "salt")

    assert np.ptp(proposed.chances) == pytest.approx(0, abs=1e-12)


def test_questions_whose_difference_is_unsure_are_worth_more_where_labels_prove_it() -> None:
    """The information of a question rises with v = p (1 - p) of its answers; of a predictor that tells nothing it is the same for all."""
    telling, silent = labelled(1.0), labelled(0.0)
    share = telling.expected.reshape(2, 400)
    unsure = (share * (1 - share)).sum(axis=0)
    informations = information(telling, 200)

    assert telling.proven > 0.8
    assert informations[unsure > 0.4].min() > informations[unsure < 0.15].max()
    assert silent.proven < 0.2
    assert np.ptp(information(silent, 200)) < 0.25 * np.ptp(informations)


def test_few_pairs_are_drawn_at_random_however_good_the_predictor() -> None:
    """49 pairs in all have an interval that makes nothing of scores, and takes unequal chances as a loss; 50 have another."""
    telling = labelled(1.0)
    alone = telling.only(np.tile(np.arange(400) >= 30, 2))

    assert alone.complete == 30
    assert np.ptp(information(alone, 38)) == pytest.approx(0, abs=1e-12)
    assert np.ptp(information(alone, 40)) > 0.1


def test_an_answers_chance_comes_from_what_others_predict_of_it() -> None:
    """Its own label moves no part of the information of its question but what is common to all: how far labels prove anything."""
    some = labelled(1.0)
    right = some.frame.right.copy()
    right[0] = 1 - right[0]
    changed = replace(some, frame=replace(some.frame, right=right))
    first, second = information(some, 200), information(changed, 200)

    assert first - first.mean() == pytest.approx((second - second.mean()) * some.proven / changed.proven)


def test_each_system_of_many_gets_its_share() -> None:
    """Systematic within each system: as many as its chances add up to, give or take one."""
    proposed = proposal(
        pool(np.random.default_rng(5).random((5, 40))), 50, "salt", np.random.default_rng(6).random(200)
    )
    expected = proposed.chances.reshape(5, 40).sum(axis=1)
    assert np.abs(np.bincount(proposed.rows // 40, minlength=5) - expected).max() < 1
    assert len(proposed.rows) in (49, 50, 51)


def test_what_one_lot_draws_adds_up_before_it_is_squared() -> None:
    """Two draws of one lot with terms a and b add (a + b)^2 (1 - pi), so opposite errors cancel; n / (n - 1) counts lots."""
    items = [SampledItem("s", PASS, RIGHT, f"g{n // 2}", chances=(0.5,)) for n in range(4)]
    joint = draws_of(items, [Drawing(1, "s", 8, 4, 4, 4, is_fixed=False, is_joint=True)])
    alone = draws_of(items, [Drawing(1, "s", 8, 4, 4, 4, is_fixed=False)])
    influence = np.array([1.0, 1.0, 2.0, -2.0])

    assert alone.together is None
    assert design_variance(joint, influence)[0] == pytest.approx(2 / 1 * 0.5 * (4 + 0))
    assert design_variance(alone, influence)[0] == pytest.approx(4 / 3 * 0.5 * (1 + 1 + 4 + 4))


def test_a_part_of_the_draws_keeps_its_lots() -> None:
    """`only` takes the lots along, or their absence."""
    items = [SampledItem("s", PASS, RIGHT, f"g{n // 2}", chances=(0.5,)) for n in range(4)]
    joint = draws_of(items, [Drawing(1, "s", 8, 4, 4, 4, is_fixed=False, is_joint=True)])
    kept: Draws = joint.only(np.array([True, True, False, True]))
    assert kept.together.tolist() == [0, 0, 1]


def test_power_says_whether_it_rests_on_pairs_on_single_labels_or_on_an_assumption() -> None:
    """Alone, one answer of a question and both: 60 labelled answers of one system make no labelled pair, yet nothing is assumed.

    Before any label V = 2 v - 2 v / 2 = v with v = .75 x .25, and 50 pairs of equal chances are 50:
    (z_.975 sqrt(50 V + 2) + z_.8 sqrt(50 V)) / 50 = (1.960 x 3.373 + .842 x 3.062) / 50 = .184.
    """
    both = labelled(1.0)
    one_sided = replace(both, frame=replace(both.frame, right=np.where(np.arange(800) < 400, both.frame.right, np.nan)))
    powers = [
        power(some, proposal(some, 100, "salt"), WaveDesign.PAIRS, 0.05)
        for some in (pool(np.random.default_rng(2).random((2, 400))), one_sided, both)
    ]

    assert [(each.basis, each.is_assumed) for each in powers] == [(0, True), (0, False), (60, False)]
    assert powers[0].detectable == pytest.approx(0.184, abs=0.001)
    assert all(each.share < 0.8 for each in powers)
