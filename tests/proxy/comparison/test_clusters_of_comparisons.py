"""Paired differences, means of grades and rankings where groups hold several questions: coverage, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from proxy.comparison.comparison import (
    BONETT_PRICE,
    CLUSTERED,
    AnsweredQuestion,
    ComparisonStanding,
    QuestionPair,
    SharedQuestions,
    _mid_p,
    paired,
)
from proxy.comparison.corrected_rates import SampledAnswers
from proxy.comparison.expected import Answers
from proxy.comparison.ranking import standings
from proxy.records import Verdict
from proxy.stats.intervals import quantile
from proxy.stats.sampling.clusters import Members, Ways
from proxy.stats.testing.paired import Pairs, mcnemar_mid_p
from proxy.stats.testing.paired_power import mean_of, paired_difference, welch
from support.draws import one_drawing

Numbers = NDArray[np.float64]
REPEATED = 600
FLOOR = 0.95 - 3 * np.sqrt(0.95 * 0.05 / REPEATED)


def conversations(rng: np.random.Generator, groups: int, each: int, shared: float) -> list[tuple[int, ...]]:
    """The groups of each question; a share of the questions lies in two conversations."""
    members = []
    for group in np.repeat(np.arange(groups), each):
        second_group = int(rng.integers(groups))
        members.append((int(group), second_group) if rng.random() < shared and second_group != group else (int(group),))
    return members


def effects(rng: np.random.Generator, members: list[tuple[int, ...]], groups: int) -> Numbers:
    """An effect of the groups on each question; where it lies in two, their mean, as its answers are averaged."""
    of_group = rng.normal(size=groups)
    return np.array([np.mean(of_group[list(member)]) for member in members])


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.3], ids=["one conversation each", "a third in two"])
def test_paired_differences_hold_the_truth_where_turns_go_together(shared: float) -> None:
    """15 conversations of 8 turns in which both systems do better or worse together; as questions alone it fails."""
    rng = np.random.default_rng(15)
    held, alone = [], []
    for _ in range(REPEATED):
        members = conversations(rng, 15, 8, shared)
        lean = effects(rng, members, 15)
        right = [(0.6 + 0.9 * sign * lean + rng.normal(size=len(lean)) > 0).astype(np.float64) for sign in (1.0, -1.0)]
        d = right[1] - right[0]
        for hits, groups in ((held, Members.of(members)), (alone, None)):
            low, high = paired_difference(
                d, np.zeros(len(d)), np.full(len(d), 0.1), (1200, 0.0), members=groups
            ).difference[1:]
            hits.append(low <= 0 <= high)
    print(shared, np.mean(held), np.mean(alone))
    assert np.mean(held) >= FLOOR
    assert np.mean(alone) < 0.9


@pytest.mark.slow
def test_means_of_grades_hold_the_truth_where_turns_go_together() -> None:
    """The same of grades in [0, 1], paired and Welch's."""
    rng = np.random.default_rng(16)
    held: list[list[bool]] = [[], []]
    for _ in range(REPEATED):
        members = conversations(rng, 12, 6, 0.0)
        clusters = Members.of(members)
        values = effects(rng, members, 12) + rng.normal(size=72)
        others = effects(rng, members, 12) + rng.normal(size=72)
        for place, mean in enumerate((mean_of(values, clusters), welch(values, others, (clusters, clusters)))):
            held[place].append(mean.low is not None and mean.high is not None and mean.low <= 0 <= mean.high)
    assert min(np.mean(hits) for hits in held) >= FLOOR


def ranking(right: Numbers, group: Numbers, rows: NDArray[np.intp]) -> tuple[Answers, SampledAnswers]:
    """Systems (rows of `right`) that answered each question once; these questions are labelled for all."""
    systems, questions = right.shape
    row = np.concatenate([rows + number * questions for number in range(systems)])
    n, weight = len(row), questions / len(rows)
    question = np.tile(np.arange(questions), systems)
    answers = Answers(
        system=np.repeat(np.arange(systems), questions), question=question, value=np.full(systems * questions, 0.5)
    )
    draws = replace(
        one_drawing(right.ravel()[row], np.full(n, weight)),
        cluster=np.tile(group, systems)[row],
        question=question[row],
    )
    return answers, SampledAnswers(row, draws)


@pytest.mark.slow
def test_the_long_run_of_a_ranking_counts_conversations() -> None:
    """20 conversations of 10 turns, half of the turns labelled: long-run rates are covered, and equal systems seldom parted."""
    rng = np.random.default_rng(17)
    held, parted, narrower = [], [], []
    group = np.repeat(np.arange(20), 10)
    for _ in range(300):
        lean = rng.normal(size=(2, 20))[:, group]
        right = (0.8 + 1.0 * lean + rng.normal(size=(2, 200)) > 0).astype(np.float64)
        rows = np.sort(rng.choice(200, 100, replace=False))
        standing_list = standings(*ranking(right, group, rows), 2)
        apart = standings(*ranking(right, np.arange(200), rows), 2)
        truth = 0.7142  # P(0.8 + N(0, 2) > 0)
        for system, without in zip(standing_list.systems, apart.systems, strict=True):
            low, high = system.long_run.low or 0.0, system.long_run.high or 0.0
            held.append(low <= truth <= high)
            narrower.append((without.long_run.high or 0.0) - (without.long_run.low or 0.0) <= high - low + 1e-9)
            assert system.correctness.low == without.correctness.low
        parted.append(standing_list.pairs[0].p_long_run <= 0.05)
    print(np.mean(held), np.mean(parted))
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 300)
    assert np.mean(parted) <= 0.05 + 3 * np.sqrt(0.95 * 0.05 / 300)
    assert np.mean(narrower) == 1


def pairs(groups: list[tuple[str, ...]]) -> list[QuestionPair]:
    """Pairs of these groups; every third differs, to the second's favour but for every ninth."""
    question_pairs = []
    for number, group in enumerate(groups):
        first, second = (1.0, 0.0) if number % 9 == 0 else (0.0, 1.0) if number % 3 == 0 else (1.0, 1.0)
        question, answer = (
            AnsweredQuestion(items=(0,), right=right, chance=1.0, verdict=Verdict.PASS) for right in (first, second)
        )
        question_pairs.append(
            QuestionPair(question=str(number), groups=group, first=question, second=answer, expected=0.0)
        )
    return question_pairs


def test_groups_of_one_question_change_nothing() -> None:
    """Also where the two systems name their sessions each for itself."""
    plain = paired(SharedQuestions(pairs=pairs([(str(n),) for n in range(30)]), expected=np.zeros(40)))
    apart = paired(SharedQuestions(pairs=pairs([(f"a{n}", f"b{n}") for n in range(30)]), expected=np.zeros(40)))
    assert plain == apart
    assert plain.difference.method == BONETT_PRICE


def test_turns_of_one_conversation_cannot_be_compared_for_the_long_run() -> None:
    """Two conversations can, and are wider than by question; one cannot, and its counts stay."""
    two_clusters = paired(SharedQuestions(pairs=pairs([(str(n < 15),) for n in range(30)]), expected=np.zeros(40)))
    plain = paired(SharedQuestions(pairs=pairs([(str(n),) for n in range(30)]), expected=np.zeros(40)))
    comparison = paired(SharedQuestions(pairs=pairs([("g",)] * 30), expected=np.zeros(40)))

    assert two_clusters.difference.method == BONETT_PRICE + CLUSTERED or two_clusters.difference.method == BONETT_PRICE
    assert (two_clusters.difference.low or 0) <= (plain.difference.low or 0)
    assert comparison.standing is ComparisonStanding.UNKNOWN
    assert comparison.counts == plain.counts
    assert "independent conversations" in (comparison.difference.reason or "")


def test_any_two_units_that_share_a_group_go_together() -> None:
    """By hand: the products of the first two and of the middle two, twice each, 3 / 2 times for three groups."""
    members = Members.of([("a",), ("a", "b"), ("b",), ("c",)])
    u = np.array([1.0, 2.0, 0.5, -3.5])
    alone = 4 / 3 * float((u**2).sum())

    assert members.ways.crosses
    assert members.inflation(u, np.ones(4)) == pytest.approx(1 + 3 / 2 * 2 * (1 * 2 + 2 * 0.5) / alone)
    assert members.inflation(u * [1, -1, 1, 1], np.ones(4)) == 1
    assert members.effective(np.ones(4)).df == pytest.approx(16 / (1.5**2 + 1.5**2 + 1) - 1)


def test_means_without_groups_are_the_t_interval() -> None:
    """Groups of one value each are as none."""
    values = np.array([0.2, 0.4, 0.9, 0.5])
    plain, grouped = mean_of(values), mean_of(values, Members.of([(n,) for n in range(4)]))
    assert plain == grouped
    half = quantile(3) * float(values.std(ddof=1)) / 2
    assert (plain.low, plain.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert mean_of(values, Members.of([("g",)] * 4)).low is None


def test_ways_of_nothing_are_empty() -> None:
    """No labels: no clusters, and nothing fails."""
    nothing = np.zeros(0, dtype=np.intp)
    assert not Ways.of(nothing, nothing).is_together


def test_groups_never_make_the_p_value_of_pairs_smaller() -> None:
    """11 to 4 has mid-p .077; a design effect of 1.35 leaves 8 to 2, of which the mid-p alone would be .065."""
    counts = Pairs(12, 4, 11, 3)

    assert _mid_p(counts, 1.0) == pytest.approx(0.0768, abs=5e-4)
    assert mcnemar_mid_p(Pairs(12, 2, 8, 3)) == pytest.approx(0.0654, abs=5e-4)
    assert _mid_p(counts, 1.35) == _mid_p(counts, 1.0)
    assert _mid_p(counts, 4.0) == mcnemar_mid_p(Pairs(12, 1, 2, 3)) > 0.5
