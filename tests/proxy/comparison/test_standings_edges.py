"""Rankings where there is little to go by: no label, one kind of label, everything labelled, ties, unsure ones, lots for two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from proxy.comparison.corrected_rates import SampledAnswers, corrected_rates, moved_to
from proxy.comparison.expected import GUESS, Answers, expected, features
from proxy.comparison.ranking import standings
from proxy.stats.intervals import wilson
from proxy.stats.sampling.survey import Draws

Numbers = NDArray[np.float64]


def answers(systems: int, questions: int, value: float = 0.5) -> Answers:
    """Each system on each question, all with one value."""
    return Answers(
        system=np.repeat(np.arange(systems), questions),
        question=np.tile(np.arange(questions), systems),
        value=np.full(systems * questions, value),
    )


def labelled(rows: list[int], right: list[int], chance: float) -> SampledAnswers:
    """Labels of these rows, all drawn at one chance, each by its own lot."""
    n = len(rows)
    ones = np.ones(n)
    return SampledAnswers(
        np.array(rows, dtype=np.intp),
        Draws(
            right=np.array(right, dtype=np.float64),
            judged=ones,
            weight=ones / chance,
            step=ones / chance,
            missed=ones * (1 - chance),
            drawing=np.zeros(n, dtype=np.intp),
            returned=n * ones,
            is_fixed=ones < 0,
            cluster=np.arange(n),
            score=0 * ones,
        ),
    )


def test_without_labels_nothing_is_measured() -> None:
    """Every system says how many of its answers to label, and there is no pair and no leader."""
    ranking = standings(answers(3, 20), labelled([], [], 0.5), 3)
    assert [system.correctness.reason for system in ranking.systems] == ["not measurable: label 10 of its answers"] * 3
    assert not ranking.measured
    assert not ranking.pairs
    assert not ranking.leaders


def test_systems_with_the_same_share_differ_by_nothing() -> None:
    """All labels right: sums of floats that end at 0.9999999999999999 make no difference of 1e-16."""
    sampled = labelled([*range(7), *range(20, 31)], [1] * 18, 0.3)
    rates = corrected_rates(answers(2, 20), sampled, 2).rates
    short = replace(rates[1], rate=np.nextafter(1, 0))
    assert (short.shown, short.interval(10).high) == (1.0, 1.0)

    (pair,) = standings(answers(2, 20), sampled, 2).pairs
    assert pair.difference.estimate == 0


def test_one_label_is_too_few() -> None:
    """A system with one label is not measured; it comes last, and the others are ranked among themselves."""
    rows, right = [*range(8), 20, *range(40, 48)], [1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1]
    ranking = standings(answers(3, 20), labelled(rows, right, 0.4), 3)
    assert [system.number for system in ranking.systems] == [0, 2, 1]
    assert (ranking.systems[-1].best, ranking.systems[-1].labels) == (None, 1)
    assert {system.worst for system in ranking.measured} == {2}


def test_when_all_labels_agree_intervals_keep_a_width() -> None:
    """Eight right labels of each leave room below 1, and nobody is clearly better."""
    ranking = standings(answers(2, 40), labelled([*range(8), *range(40, 48)], [1] * 16, 0.2), 2)
    for system in ranking.systems:
        assert system.correctness.estimate == pytest.approx(1.0)
        assert system.correctness.low is not None
        assert 0.5 < system.correctness.low < 0.95
        assert (system.best, system.worst) == (1, 2)


def test_a_value_that_tells_nothing_leaves_the_plain_share() -> None:
    """With one value for all the rate is the share of the labels, and its interval near Wilson's with the finite correction."""
    rng = np.random.default_rng(1)
    right = (rng.random(60) < 0.7).astype(int).tolist()
    ranking = standings(answers(2, 100), labelled([*range(30), *range(100, 130)], right, 0.3), 2)
    for system in ranking.systems:
        share = np.mean(right[30 * system.number : 30 * system.number + 30])
        low, high = wilson(float(share), 30 / 0.7)
        assert system.correctness.estimate == pytest.approx(share)
        assert system.correctness.low == pytest.approx(low, abs=0.03)
        assert system.correctness.high == pytest.approx(high, abs=0.03)


def test_everything_labelled_is_exact_here_and_not_for_further_questions() -> None:
    """11 of 20 against 9 of 20: clearly different on these answers, without any width, but not in the long run."""
    right = [1] * 11 + [0] * 9 + [1] * 9 + [0] * 11
    ranking = standings(answers(2, 20), labelled(list(range(40)), right, 1.0), 2)
    first, second = ranking.systems
    assert (first.correctness.low, first.correctness.high) == (0.55, 0.55)
    assert (first.best, first.worst, second.best, second.worst) == (1, 1, 2, 2)
    assert ranking.pairs[0].is_clear
    assert not ranking.pairs[0].is_lasting
    assert first.long_run.low is not None
    assert first.long_run.low < 0.5


def test_everything_labelled_and_equal_is_a_tie() -> None:
    """Three systems with 10 of 20 right share the ranks 1 to 3."""
    ranking = standings(answers(3, 20), labelled(list(range(60)), ([1] * 10 + [0] * 10) * 3, 1.0), 3)
    assert {(system.best, system.worst) for system in ranking.systems} == {(1, 3)}
    assert not ranking.clear


def test_a_pair_needs_all_pairs_to_be_adjusted() -> None:
    """The more systems there are, the larger the p-value of the same two: Holm's factor."""
    rows, right = [*range(15), *range(100, 115)], [1] * 14 + [0] + [1] * 5 + [0] * 10
    of_two = standings(answers(2, 100), labelled(rows, right, 0.15), 2)
    more = [*range(200, 215), *range(300, 315)]
    four = standings(answers(4, 100), labelled([*rows, *more], right + ([1] * 10 + [0] * 5) * 2, 0.15), 4)
    alone = next(pair for pair in of_two.pairs if {pair.better, pair.worse} == {0, 1})
    among = next(pair for pair in four.pairs if {pair.better, pair.worse} == {0, 1})
    assert alone.is_clear
    assert 2 * alone.p_value < among.p_value < 12 * alone.p_value


def test_unsure_labels_are_left_out_of_the_rate() -> None:
    """With ten unsure draws beside ten decided ones the rate is the share of the decided."""
    base = labelled(list(range(20)), [1, 0] * 10, 0.5)
    judged = np.array([1.0] * 10 + [0.0] * 10)
    unsure = SampledAnswers(base.row, replace(base.draws, judged=judged, right=base.draws.right * judged))
    ranking = standings(answers(1, 40), unsure, 1)
    assert ranking.systems[0].labels == 10
    assert ranking.systems[0].correctness.estimate == pytest.approx(0.5)


def test_errors_that_one_lot_shares_cancel_in_a_difference() -> None:
    """The same answers right or wrong in both systems: drawn together their difference is told far better than drawn apart."""
    rng = np.random.default_rng(2)
    right = (rng.random(40) < 0.5).astype(int)
    rows, both = [*range(40), *range(100, 140)], [*right.tolist(), *right.tolist()]
    apart = labelled(rows, both, 0.4)
    together = SampledAnswers(apart.row, replace(apart.draws, together=apart.row % 100))
    widths = []
    for sampled_answers in (apart, together):
        (pair,) = standings(answers(2, 100), sampled_answers, 2).pairs
        assert pair.difference.low is not None
        assert pair.difference.high is not None
        widths.append(pair.difference.high - pair.difference.low)
    assert widths[1] < 0.75 * widths[0]


def test_expectations_before_any_label_follow_the_value() -> None:
    """The guess rises with the value; what has no value lies in the middle of its system."""
    sampled_answers = Answers(
        system=np.zeros(4, dtype=np.intp), question=np.arange(4), value=np.array([0.1, 0.5, 0.9, np.nan])
    )
    share = expected(sampled_answers, np.zeros(0, dtype=np.intp), np.zeros(0)).share
    assert share[0] < share[1] < share[2]
    assert share[3] == pytest.approx(share[1])
    assert share[1] == pytest.approx(1 / (1 + np.exp(-GUESS[0])))


def test_features_do_not_change_with_the_judges_scale() -> None:
    """Any monotone change of the values leaves them; a question that nobody else answered says nothing."""
    rng = np.random.default_rng(3)
    sampled_answers = replace(answers(3, 10), value=rng.random(30))
    assert features(sampled_answers) == pytest.approx(
        features(replace(sampled_answers, value=sampled_answers.value**3))
    )
    alone = replace(sampled_answers, question=np.arange(30))
    assert (features(alone)[:, 2] == 0).all()


def test_shares_can_be_moved_to_any_mean() -> None:
    """One number on the log odds: the order stays."""
    share = np.array([0.2, 0.5, 0.9])
    for mean in (0.05, 0.5, 0.97):
        moved = moved_to(share, mean)
        assert moved.mean() == pytest.approx(mean)
        assert (np.diff(moved) > 0).all()


def test_the_correction_is_the_systems_own() -> None:
    """A judge that praises system 1 for nothing: its rate is what its labels say, not what the others' values would."""
    sampled_answers = replace(answers(2, 50), value=np.concatenate([np.linspace(0, 1, 50), np.linspace(0.8, 1, 50)]))
    right = [int(n >= 25) for n in range(0, 50, 2)] + [0, 1, 0, 0, 1] * 5
    rates = corrected_rates(sampled_answers, labelled([*range(0, 50, 2), *range(50, 100, 2)], right, 0.5), 2).rates
    assert rates[0].rate == pytest.approx(0.5, abs=0.05)
    assert rates[1].rate == pytest.approx(0.4, abs=0.05)


def test_missing_answers_widen_and_open_what_they_could_turn() -> None:
    """.9 against .5 of 40 labels each: clear when nothing is missing; with 40 % missing on each side it is open, by the bias of .56."""
    right = [1] * 36 + [0] * 4 + [1] * 20 + [0] * 20
    rows = [*range(40), *range(100, 140)]
    (clear,) = standings(answers(2, 100), labelled(rows, right, 0.4), 2).pairs
    ranking = standings(answers(2, 100), labelled(rows, right, 0.4), 2, [0.4, 0.4])
    (open_,) = ranking.pairs

    assert (clear.is_clear, open_.is_clear, open_.is_open) == (True, False, True)
    assert open_.difference.low is not None
    assert open_.difference.low < 0 < (clear.difference.low or 0.0)
    assert {system.best for system in ranking.systems} == {1}
    # .9 (1 - .4) = .54 at the least, .5 (1 - .4) + .4 = .7 at the most
    best = ranking.systems[0].correctness
    assert best.low is not None
    assert best.low < 0.9 * 0.6


def test_labels_that_are_no_yardstick_tell_nothing_apart() -> None:
    """Whatever they say."""
    right = [1] * 36 + [0] * 4 + [1] * 10 + [0] * 30
    rows = [*range(40), *range(100, 140)]
    (pair,) = standings(answers(2, 100), labelled(rows, right, 0.4), 2, is_doubted=True).pairs

    assert not pair.is_clear
    assert not pair.is_lasting
