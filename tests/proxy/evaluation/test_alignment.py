"""Which questions tune a judge, which version is taken, and which gain labels could show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from proxy.evaluation.alignment import GuidanceKind, compared_in, first_round, fold_of, ranked, smallest_gain, tunes
from proxy.evaluation.judge_contrast import contrast
from proxy.evaluation.learned_rule import is_training_unit
from support.simulation import at_most, repeated
from support.valued import labels

QUESTIONS = [f"question-{n:016x}" for n in range(4_000)]


def test_a_question_that_tunes_judges_may_teach_rules_and_never_scores_them() -> None:
    """About three in ten tune, all of them among those that teach; the folds part them about in half."""
    tuning = [question for question in QUESTIONS if tunes(question, 0.3)]

    assert len(tuning) == pytest.approx(1_200, abs=4 * math.sqrt(4_000 * 0.21))
    assert all(map(is_training_unit, tuning))
    assert sum(map(fold_of, tuning)) == pytest.approx(len(tuning) / 2, abs=4 * math.sqrt(len(tuning) / 4))


def test_the_first_round_has_half_of_the_questions_the_same_every_time() -> None:
    """Whatever order they come in, and each once."""
    first = first_round(QUESTIONS[:101])

    assert len(first) == 51
    assert first == first_round([*reversed(QUESTIONS[:101]), *QUESTIONS[:7]])


def test_of_equal_versions_the_simplest_is_taken() -> None:
    """Examples alone before both; a version that could not be measured is none."""
    aurocs = {
        GuidanceKind.BOTH: 0.8,
        GuidanceKind.EXAMPLES: 0.8,
        GuidanceKind.NOTHING: 0.7,
        GuidanceKind.GUIDELINES: None,
    }

    assert ranked(aurocs) == [GuidanceKind.EXAMPLES, GuidanceKind.BOTH, GuidanceKind.NOTHING]


def test_all_attempts_together_have_one_error() -> None:
    """1/2 + 1/6 + 1/12 + ... adds up to 1 and no more."""
    assert [compared_in(attempt) for attempt in (1, 2, 3)] == [2, 6, 12]
    assert sum(1 / compared_in(attempt) for attempt in range(1, 10_000)) == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
@repeated(60, 600)
def test_of_many_versions_that_are_no_better_seldom_any_is_taken(repetitions: int) -> None:
    """Five versions measured in turn on the same 150 labels, each as good as the judge in force: 5 % of the stores at most."""
    rng, taken = np.random.default_rng(5), 0
    for _ in range(repetitions):
        right = (rng.random(150) < 0.6).astype(np.float64)
        base, *versions = labels(right, *(right + rng.normal(size=150) for _ in range(6)))
        taken += any(
            contrast(version, base, compared_in(attempt)).is_better for attempt, version in enumerate(versions, start=1)
        )
    assert taken / repetitions <= at_most(0.05, repetitions)


@pytest.mark.slow
@repeated(100, 600)
def test_the_gain_that_is_promised_to_show_shows_in_four_of_five(repetitions: int) -> None:
    """Two rankings whose errors are correlated by a half, one better by the gain: shown in about 80 % of samples of 300 labels."""
    rng, shown, base_auroc = np.random.default_rng(6), 0, 0.7
    right = (rng.random(300) < 0.6).astype(np.float64)
    gains = []
    for _ in range(20):
        [base] = labels(right, distance(base_auroc) * right + rng.normal(size=300))
        gains.append(smallest_gain(base) or math.nan)
    gain = float(np.mean(gains))
    for _ in range(repetitions):
        common = rng.normal(size=300)
        errors = [(common + rng.normal(size=300)) / math.sqrt(2) for _ in range(2)]
        base, better = labels(
            right, distance(base_auroc) * right + errors[0], distance(base_auroc + gain) * right + errors[1]
        )
        shown += contrast(better, base, compared_in(1)).is_better
    assert 0.65 < shown / repetitions < 0.95


def distance(auroc: float) -> float:
    """How many standard deviations right answers lie above wrong ones: AUROC = Phi(d / sqrt 2)."""
    return float(ndtri(auroc)) * math.sqrt(2)
