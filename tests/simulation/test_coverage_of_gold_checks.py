"""Does a check against the gold set hold the truth as often as it says, with a judge that errs? Seeded simulations."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product

import numpy as np
import pytest

from annotate.domain.gate_limits import GoldCheckLimits
from annotate.domain.gold.matching import GoldQuestion
from annotate.domain.gold.regression import Check, Comparison, JudgeAgainstAnnotators, Said, SaidBy, check
from annotate.present.gold.check import gate
from proxy.records import Judgement, Label
from proxy.stats.agreement.rogan_gladen import Count
from support.simulation import assert_covers, at_most, deviation, repeated

pytestmark = pytest.mark.slow

WAS_RIGHT, BROKE, MENDED = 0.6, 0.1, 0.4
TRUTH = (1 - WAS_RIGHT) * MENDED - WAS_RIGHT * BROKE


def simulated(rng: np.random.Generator, n: int, sensitivity: float, specificity: float) -> Check:
    """A check of `n` questions by a judge that was checked on 40 right and 40 wrong answers.

    The reference of an entry that was right is its own answer, which the judge passes for sure.
    """
    old = rng.random(n) < WAS_RIGHT
    new = np.where(old, rng.random(n) >= BROKE, rng.random(n) < MENDED)
    passes = np.where(new, rng.random(n) < sensitivity, rng.random(n) >= specificity)
    old_passes = np.where(old, True, rng.random(n) >= specificity)
    comparisons = [
        Comparison(
            entry=GoldQuestion(gold_id=f"g{k}", item=k, question=str(k), reference="R"),
            label=Label(item_id=str(k), judgement=Judgement.RIGHT if old[k] else Judgement.WRONG),
            verdict=Said(bool(passes[k]), SaidBy.JUDGE),
            old_passes=bool(old_passes[k]),
        )
        for k in range(n)
    ]
    known = JudgeAgainstAnnotators(
        Count(x=int(rng.binomial(40, sensitivity)), n=40), Count(x=int(rng.binomial(40, specificity)), n=40)
    )
    return check(comparisons, known)


@repeated(80, 400)
def test_the_difference_freed_of_the_judges_errors_holds_the_truth(repetitions: int) -> None:
    """The true difference, +.10, by judges of three kinds on few and on many questions."""
    covered: dict[Hashable, float] = {}
    for n, (sensitivity, specificity) in product((40, 150), ((0.95, 0.95), (0.75, 0.9), (0.9, 0.7))):
        rng = np.random.default_rng([n, int(100 * sensitivity)])
        estimates = [simulated(rng, n, sensitivity, specificity).corrected for _ in range(repetitions)]
        given = [estimate for estimate in estimates if estimate is not None]
        assert len(given) > 0.95 * repetitions
        covered[n, sensitivity] = float(np.mean([estimate.low <= TRUTH <= estimate.high for estimate in given]))

    assert_covers(covered, repetitions)


@repeated(80, 400)
def test_the_difference_as_the_judge_sees_it_does_not(repetitions: int) -> None:
    """A judge that fails a quarter of right answers makes a better system look worse: that is why its errors are said."""
    rng = np.random.default_rng(5)
    seen = [simulated(rng, 150, 0.75, 0.9) for _ in range(repetitions)]

    held = np.mean(
        [
            gold_check.difference.low <= TRUTH <= gold_check.difference.high
            for gold_check in seen
            if gold_check.difference
        ]
    )
    alarms = np.mean([gold_check.is_worse for gold_check in seen])

    assert held < 0.8
    assert alarms <= at_most(0.025, repetitions)


def read_by_annotators(rng: np.random.Generator, n: int, shared: int) -> Check:
    """A check of `n` questions, each with so many entries, whose new answers annotators have read."""
    old = rng.random(n) < WAS_RIGHT
    new = np.where(old, rng.random(n) >= BROKE, rng.random(n) < MENDED)
    comparisons = [
        Comparison(
            entry=GoldQuestion(gold_id=f"g{k}-{copy}", item=k, question=str(k), reference="R"),
            label=Label(item_id=str(k), judgement=Judgement.RIGHT if old[k] else Judgement.WRONG),
            verdict=Said(bool(new[k]), SaidBy.ANNOTATOR),
        )
        for k in range(n)
        for copy in range(shared)
    ]
    return check(comparisons, JudgeAgainstAnnotators(Count(x=0, n=0), Count(x=0, n=0)))


@repeated(80, 400)
def test_where_people_read_the_new_answers_the_plain_difference_holds_the_truth(repetitions: int) -> None:
    """Also with three entries to a question: each question counts once, so the interval is as wide as it must be."""
    covered: dict[Hashable, float] = {}
    for n, shared in product((10, 30, 100), (1, 3)):
        rng = np.random.default_rng([n, shared])
        differences = [read_by_annotators(rng, n, shared).difference for _ in range(repetitions)]
        covered[n, shared] = float(np.mean([estimate.low <= TRUTH <= estimate.high for estimate in differences]))

    assert_covers(covered, repetitions)


@repeated(80, 400)
@pytest.mark.parametrize(("labels", "most"), [(0, 0.0), (40, 0.05)])
def test_a_system_that_did_not_change_is_rarely_held_back(labels: int, most: float, repetitions: int) -> None:
    """Right and wrong as before, in other words, by a judge that fails a fifth of right answers; `labels` of each kind check it.

    Unchecked, it decides nothing; checked, worse or a broken answer too many is said in 5 % of checks at most, plus 2 standard
    errors.
    """
    rng, failed = np.random.default_rng(labels), list[bool]()
    for _ in range(repetitions):
        was = rng.random(100) < WAS_RIGHT
        passes = [rng.random(100) < np.where(was, 0.8, 0.1) for _ in range(2)]
        comparisons = [
            Comparison(
                entry=GoldQuestion(gold_id=f"g{k}", item=k, question=str(k), reference="R"),
                label=Label(item_id=str(k), judgement=Judgement.RIGHT if was[k] else Judgement.WRONG),
                verdict=Said(bool(passes[0][k]), SaidBy.JUDGE),
                old_passes=bool(passes[1][k]),
            )
            for k in range(100)
        ]
        known = JudgeAgainstAnnotators(
            Count(x=int(rng.binomial(labels, 0.8)), n=labels), Count(x=int(rng.binomial(labels, 0.9)), n=labels)
        )
        reasons = gate(check(comparisons, known), GoldCheckLimits(allow_broken=0)).reasons
        failed.append(bool(reasons))

    assert np.mean(failed) <= most + 2 * deviation(most, repetitions), np.mean(failed)
