"""Pairs and rates in, a Comparison out: the reference's numbers, chances of pairs, and which evidence is reported."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from proxy.comparison.comparison import (
    MOVER,
    POWERED,
    WEIGHTED,
    AnsweredQuestion,
    ComparisonStanding,
    QuestionPair,
    SharedQuestions,
    chosen,
    from_rates,
    paired,
    unknown,
)
from proxy.evaluation.estimate import Estimate
from proxy.records import Verdict
from proxy.stats.intervals import wilson
from proxy.stats.testing.paired import Pairs, bonett_price

NUMBERS = count()


def pair(first: float, second: float, chance: float = 1.0, expected: float = 0.0, joint: float = 0.0) -> QuestionPair:
    """A labelled pair; `chance` is that of either answer."""
    question, answer = (
        AnsweredQuestion(items=(0,), right=right, chance=chance, verdict=Verdict.PASS) for right in (first, second)
    )
    return QuestionPair(
        question="q", groups=(f"g{next(NUMBERS)}",), first=question, second=answer, expected=expected, joint=joint
    )


def labelled(both: int, only_first: int, only_second: int, neither: int) -> list[QuestionPair]:
    """Pairs by these counts."""
    kinds = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
    return [
        pair(*kind)
        for kind, count in zip(kinds, (both, only_first, only_second, neither), strict=True)
        for _ in range(count)
    ]


def all_of(pairs: list[QuestionPair], others: int = 0) -> SharedQuestions:
    """These pairs, and so many questions without labels."""
    return SharedQuestions(
        pairs=pairs, expected=np.array([question_pair.expected for question_pair in pairs] + [0.0] * others)
    )


def rate(x: int, n: int) -> Estimate:
    """A plain share with Wilson's interval."""
    low, high = wilson(x / n, n)
    return Estimate(estimate=x / n, low=low, high=high, n=n)


@pytest.mark.parametrize(
    ("counts", "mid_p", "low", "high"),
    [
        ((60, 5, 15, 20), 0.0266036987, 0.0099423974, 0.1861360340),
        ((90, 0, 6, 4), 0.015625, 0.0056867615, 0.1119602973),
    ],
)
def test_the_references_pairs(counts: tuple[int, int, int, int], mid_p: float, low: float, high: float) -> None:
    """T14: mid-p and Bonett-Price's interval of [[60,5],[15,20]] and [[90,0],[6,4]]; the estimate is the plain difference."""
    comparison = paired(all_of(labelled(*counts)))

    assert comparison.counts == Pairs(*counts)
    assert comparison.mid_p == pytest.approx(mid_p, abs=1e-9)
    assert (comparison.difference.low, comparison.difference.high) == pytest.approx((low, high), abs=1e-9)
    assert comparison.difference.estimate == pytest.approx((counts[2] - counts[1]) / 100)
    assert comparison.exact == pytest.approx((counts[2] - counts[1]) / 100)
    assert comparison.standing is ComparisonStanding.BETTER


def test_the_references_independent_rates() -> None:
    """T14: 170 of 200 against 150 of 200 by Newcombe, which is MOVER from two Wilson intervals."""
    comparison = from_rates(rate(150, 200), rate(170, 200), ("A", "B"))

    assert comparison.difference.method == MOVER
    assert (comparison.difference.low, comparison.difference.high) == pytest.approx(
        (0.0215253304, 0.1773116429), abs=1e-9
    )


def test_the_other_way_round_everything_is_mirrored() -> None:
    """B - A is -(A - B), and better becomes worse."""
    forward, mirrored = (paired(all_of(labelled(*counts))) for counts in ((60, 5, 15, 20), (60, 15, 5, 20)))

    assert mirrored.difference.low == pytest.approx(-(forward.difference.high or 0))
    assert (forward.standing, mirrored.standing) == (ComparisonStanding.BETTER, ComparisonStanding.WORSE)


def test_a_few_pairs_that_differ_one_way_only_look_better() -> None:
    """4 of 4: Bonett-Price's interval lies above 0, but 4 coins fall alike with mid-p 2 / 16 - 1 / 16 = .0625."""
    comparison = paired(all_of(labelled(0, 0, 4, 0)))

    assert comparison.difference.low is not None
    assert comparison.difference.low > 0
    assert comparison.mid_p == pytest.approx(0.0625)
    assert comparison.standing is ComparisonStanding.LOOKS_BETTER


@pytest.mark.parametrize("counts", [(20, 0, 0, 0), (0, 0, 0, 20), (7, 0, 0, 7), (1, 0, 0, 0)])
def test_pairs_that_all_agree_show_no_difference_and_have_a_width(counts: tuple[int, int, int, int]) -> None:
    """No pair differs: 0, mid-p 1, and an interval around 0 that more pairs narrow."""
    comparison = paired(all_of(labelled(*counts)))

    assert comparison.difference.estimate == 0
    assert comparison.mid_p == 1
    assert comparison.standing is ComparisonStanding.NO_DIFFERENCE
    assert (comparison.difference.high or 0) - (comparison.difference.low or 0) > 0.1
    assert comparison.more


def test_a_pair_stands_for_as_many_as_its_chance_says() -> None:
    """60 pairs of which half had an answer's chance of .5: 3 gains there count 4 times those of the others."""
    rare = [pair(float(n >= 3), 1.0, chance=0.5) for n in range(20)]
    comparison = paired(all_of([*rare, *labelled(20, 0, 0, 0)]))

    assert comparison.difference.estimate == pytest.approx(3 * 4 / (20 * 4 + 20))
    assert comparison.difference.method == WEIGHTED


def test_the_chance_of_both() -> None:
    """Independent draws: .5 x .5; together with a lot of .2 for the pair: 1 - .75 x .8."""
    assert pair(1, 1, chance=0.5).chance == pytest.approx(0.25)
    assert pair(1, 1, chance=0.5, joint=0.2).chance == pytest.approx(0.4)
    assert pair(1, 1, chance=0.0, joint=0.2).chance == pytest.approx(0.2)


def test_with_fifty_pairs_a_good_proxy_sharpens_the_estimate() -> None:
    """60 of 240 pairs labelled and a proxy that sees most of it: its mean over all 240 enters, and the interval is narrower."""
    rng = np.random.default_rng(3)
    kinds = rng.choice(3, 240, p=[0.1, 0.7, 0.2]) - 1.0
    pairs = [pair(float(kind < 0), float(kind > 0), chance=0.5, expected=0.8 * kind) for kind in kinds[:60]]
    shared = SharedQuestions(pairs=pairs, expected=0.8 * kinds)

    comparison, plain = paired(shared), bonett_price(Pairs(42, 6, 12, 0))

    assert comparison.difference.method == POWERED
    assert comparison.difference.estimate == pytest.approx(kinds.mean(), abs=0.03)
    assert (comparison.difference.high or 0) - (comparison.difference.low or 0) < 0.75 * (plain.high - plain.low)


def test_averaged_answers_enter_as_they_are() -> None:
    """A question answered twice, right once: the difference is half a point more, and no kind of the four is claimed for it."""
    comparison = paired(all_of([pair(0.5, 1.0 if n < 10 else 0.5) for n in range(20)]))

    assert comparison.difference.estimate == pytest.approx(0.25)
    assert comparison.counts == Pairs(10, 0, 10, 0)


def test_without_labels_it_says_what_to_label() -> None:
    """No pair, and rates that nobody knows: no number, and the reason of the rate."""
    silent = Estimate(estimate=None, reason="not measurable: label 30 more drawn items")
    comparison = chosen(paired(all_of([], 10)), from_rates(silent, silent, ("A", "B")), 0, 1.0)

    assert comparison.standing is ComparisonStanding.UNKNOWN
    assert comparison.difference.estimate is None
    assert "label 30 more drawn items" in (comparison.difference.reason or "")


def test_what_is_reported_is_chosen_by_how_much_there_is() -> None:
    """Pairs where six of ten labels of the smaller side are in pairs; rates where few are, where questions differ, and each for want of the other."""
    pairs, rates = paired(all_of(labelled(10, 2, 6, 2), 200)), from_rates(rate(60, 100), rate(80, 100), ("A", "B"))
    none = unknown("not measurable")

    assert chosen(pairs, rates, 33, 1.0).is_paired
    assert not chosen(pairs, rates, 40, 1.0).is_paired
    assert not chosen(pairs, rates, 100, 1.0).is_paired
    assert not chosen(pairs, rates, 40, 0.1).is_paired
    assert not chosen(paired(all_of(labelled(1, 0, 2, 1), 200)), rates, 4, 1.0).is_paired
    assert chosen(pairs, none, 100, 0.1).is_paired
    assert chosen(none, rates, 100, 1.0).difference.method == MOVER


def test_pairs_that_are_all_labelled_count_only_where_the_questions_are_the_same() -> None:
    """Three of three pairs are everything on the same questions, and next to nothing beside hundreds of others."""
    pairs, rates = paired(all_of(labelled(1, 0, 1, 1))), from_rates(rate(60, 100), rate(80, 100), ("A", "B"))

    assert pairs.exact is not None
    assert chosen(pairs, rates, 100, 1.0).is_paired
    assert not chosen(pairs, rates, 100, 0.01).is_paired


def test_how_many_more_would_tell_five_points() -> None:
    """The half width goes with 1 / sqrt(n): n (half / .05)^2 - n more pairs, here from .0880968183 at n = 100 to 211 more."""
    comparison = paired(all_of(labelled(60, 5, 15, 20)))

    assert comparison.more == int(np.ceil(100 * ((0.1861360340 - 0.0099423974) / 2 / 0.05) ** 2 - 100))
