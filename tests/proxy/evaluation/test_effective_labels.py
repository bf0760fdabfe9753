"""How many labels of a plain random sample tell as much: by definition, by simulation, and judge by judge."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.domains import Evidence
from proxy.evaluation.effective_labels import EffectiveLabels, effective_labels_of
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import SampledItem, Total
from proxy.evaluation.levels import SHARES
from proxy.evaluation.predictor import PredictorScores, fit, fold_of
from proxy.records import Verdict
from support.agreement import PASS, RIGHT, WRONG, one_wave
from support.simulation import at_most, repeated

N = 4_000


def plain(right: int, wrong: int) -> Evidence:
    """A plain random sample of one stratum, without a score."""
    labels = [RIGHT] * right + [WRONG] * wrong
    sample = [SampledItem("all", PASS, word, f"g{row}") for row, word in enumerate(labels)]
    return one_wave([Total("all", PASS, N)], sample)


def test_a_plain_random_sample_is_worth_itself() -> None:
    """Wilson's interval at n (1 - n / N): 60 of 80 are worth 80 less what t has over z, and nothing about it is unsure."""
    effective_labels = effective_labels_of(plain(60, 20))

    assert effective_labels.n == 80
    assert effective_labels.estimate == pytest.approx(78, abs=2)
    assert (effective_labels.low, effective_labels.high) == pytest.approx(
        (effective_labels.estimate, effective_labels.estimate), rel=0.01
    )
    assert effective_labels.scores is None


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (plain(96, 4), "it takes 5 wrong answers among the labels"),
        (plain(4, 96), "it takes 5 right answers among the labels"),
        (one_wave([Total("all", PASS, N)], []), "correctness is not measurable yet"),
        (
            one_wave(
                [Total("all", PASS, N)], [SampledItem("all", PASS, word, "same") for word in [RIGHT] * 9 + [WRONG] * 9]
            ),
            "all labels are of one question or group",
        ),
    ],
)
def test_what_labels_cannot_show_is_said(evidence: Evidence, reason: str) -> None:
    effective_labels = effective_labels_of(evidence)

    assert (effective_labels.estimate, effective_labels.low, effective_labels.high, str(effective_labels.reason)) == (
        None,
        None,
        None,
        reason,
    )


def within(quantity: Estimate) -> bool:
    """Whether an estimate lies in its own interval."""
    assert quantity.estimate is not None
    assert quantity.low is not None
    assert quantity.high is not None
    return quantity.low <= quantity.estimate <= quantity.high


def traffic(rng: np.random.Generator, strength: float, columns: int = 1) -> SyntheticTraffic:
    """Three of four are right; the first score tells by `strength`, any further one nothing."""
    right = (rng.random(N) < 0.75).astype(float)
    score = expit(strength * (right - 0.5) + rng.normal(size=N))
    scores = np.column_stack([score, *(rng.random(N) for _ in range(columns - 1))])
    return SyntheticTraffic(
        verdicts=np.where(score > 0.5, Verdict.PASS.value, Verdict.FAIL.value),
        values=score,
        is_thumbed_down=np.zeros(N, dtype=np.bool_),
        is_disputed=np.zeros(N, dtype=np.bool_),
        right=right,
        groups=[str(row) for row in range(N)],
        scores=scores,
    )


def measured(strength: float, seed: int, columns: int = 1) -> tuple[EffectiveLabels, float]:
    """200 labels of a first wave, with each score left out in turn, and the error of the estimate."""
    rng = np.random.default_rng([seed, columns])
    now = traffic(rng, strength, columns)
    evidence = simulate_waves(now, [ProposalRequest(labels=200, seed=0)], rng)
    return effective_labels_of(evidence, without(now, evidence)), (correctness_of(evidence).estimate or 0) - float(
        now.right.mean()
    )


def without(now: SyntheticTraffic, evidence: Evidence) -> dict[str, np.ndarray]:
    """P(right) of the labelled items by the other scores; an item's row is its group's name. The rule is the first score."""
    rows = [int(item.group) for item in evidence.returned]
    scores = now.scores
    assert scores is not None
    folds = np.array([fold_of(now.groups[row]) for row in rows])
    named = {}
    for column in range(scores.shape[1]):
        table = np.delete(scores, column, axis=1)[rows]
        known = PredictorScores(np.column_stack([now.values[rows], table]) if column else table, folds)
        named[f"score {column}"] = SHARES[fit((), known, now.right[rows]).levels(known)]
    return named


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strength", "repetitions"),
    [(1.0, 100), (2.5, 100), *(pytest.param(strength, 600, marks=pytest.mark.long) for strength in (0.0, 1.0, 2.5))],
)
def test_the_interval_holds_what_the_errors_of_many_waves_show(strength: float, repetitions: int) -> None:
    """By simulation: m / (1 - m / N) = p (1 - p) / MSE over first waves; 95 % less Monte-Carlo error and the small sample.

    Over 600 the two leave .15 of the worth and .05 of the coverage; the error over fewer is as much larger as their root is smaller.
    Where the score says nothing the interval is so narrow that only many waves know the truth as well.
    """
    estimates, errors = zip(*(measured(strength, seed) for seed in range(repetitions)), strict=True)
    room = (600 / repetitions) ** 0.5
    left = 0.75 * 0.25 / np.mean(np.square(errors))
    true = left / (1 + left / N)
    held = [
        estimate.low <= true <= estimate.high
        for estimate in estimates
        if estimate.low is not None and estimate.high is not None
    ]

    assert len(held) > 0.98 * repetitions
    assert np.median([estimate.estimate for estimate in estimates]) == pytest.approx(true, rel=0.15 * room)
    assert np.mean(held) > 0.95 - 0.05 * room


@pytest.mark.slow
@repeated(60, 300)
def test_a_judge_that_says_nothing_is_hardly_ever_shown_to_add(repetitions: int) -> None:
    """Of waves with a telling and a silent score: the first is shown in nearly all, the second in at most 5 %.

    A silent score costs a few labels, because it is fitted. In a few waves two ways to leave scores out differ, and none is shown.
    """
    every = [measured(2.5, seed, columns=2)[0].judges for seed in range(repetitions)]
    judge_shareses = [judges for judges in every if judges]

    assert len(judge_shareses) >= 0.9 * repetitions
    assert np.mean([judges[0].is_shown for judges in judge_shareses]) > 0.9
    assert np.mean([judges[1].is_shown for judges in judge_shareses]) <= at_most(0.02, repetitions)
    assert -15 < np.mean([judges[1].added.estimate for judges in judge_shareses]) < 0
    assert all(within(judge.added) for judges in judge_shareses for judge in judges)


@pytest.mark.slow
@pytest.mark.parametrize("strength", [2.5, 5.0, 8.0])
def test_without_their_scores_labels_are_still_worth_about_themselves(strength: float) -> None:
    """What is said to be left without the scores is near the number of labels; where the ratio of spreads says else, nothing is.

    Scores that part right from wrong almost wholly leave so little that the interval, which allows for errors not seen yet, is
    far wider than their ratio tells: 200 labels would then be said to be worth 20 without them.
    """
    results = [measured(strength, seed)[0] for seed in range(30)]
    added = [result.scores.added for result in results]
    left = [
        result.estimate - share.estimate
        for result, share in zip(results, added, strict=True)
        if share.estimate is not None
    ]

    assert all(0.5 <= labels / results[0].n <= 2 for labels in left)
    assert len(left) >= 25 or strength > 2.5
    assert all(share.reason for share in added if share.estimate is None)


@pytest.mark.slow
@repeated(60, 300)
def test_scores_that_say_nothing_are_not_said_to_add(repetitions: int) -> None:
    """One silent score: all scores together are shown to add in at most 5 % of waves."""
    judge_shares = [measured(0.0, seed)[0].scores for seed in range(repetitions)]

    assert np.mean([share is not None and share.is_shown for share in judge_shares]) <= at_most(0.02, repetitions)
