"""Simulations: no yes beyond its error while answers are missing, and advice on labels that ends."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from proxy.evaluation.evidence_ledger import Clusters
from proxy.evaluation.ledger import SampledItem, Total
from proxy.evaluation.trust import Case, Trust, judge_trust
from proxy.stats.sampling.design_effect import alikeness, design_effect, labels_for
from support.agreement import FAIL, PASS, RIGHT, WRONG, one_wave
from support.evidence import ledger, ledger_of

REPETITIONS = 200


@cache
def verdict(right: int, wrong: int, missing: int) -> Trust:
    """The verdict on 200 passed and 100 failed draws: these counts are all that it depends on, and they repeat."""
    rows = (("passed", PASS, 50_000, right, wrong, missing, 0), ("failed", FAIL, 50_000, 10, 90))
    evidence = ledger(*rows)
    return judge_trust(evidence.among, 0.8, evidence=evidence).status


def simulated(rng: np.random.Generator, share: float, *, informative: bool, truth: float) -> Trust:
    """200 passed draws, so many of them unsure, the wrong ones first or any."""
    wrong = rng.random(200) > truth
    order = rng.random(200) - (wrong if informative else 0)
    missing = np.zeros(200, dtype=np.bool_)
    missing[np.argsort(order)[: round(share * 200)]] = True
    return verdict(int((~wrong & ~missing).sum()), int((wrong & ~missing).sum()), int(missing.sum()))


@pytest.mark.slow
@pytest.mark.parametrize("informative", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.3, 0.5])
def test_a_yes_is_wrong_in_no_more_than_its_error(share: float, *, informative: bool) -> None:
    """The truth lies just below the limit of .8: yes in at most .025 and two standard errors of them."""
    rng = np.random.default_rng(round(1000 * share) + informative)
    said = [simulated(rng, share, informative=informative, truth=0.799) for _ in range(REPETITIONS)]

    assert np.mean([trust is Trust.YES for trust in said]) <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / REPETITIONS)


@pytest.mark.slow
@pytest.mark.parametrize("informative", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.3])
def test_a_no_is_wrong_in_no_more_than_its_error(share: float, *, informative: bool) -> None:
    """The truth lies at the limit."""
    rng = np.random.default_rng(round(1000 * share) + informative + 7)
    said = [simulated(rng, share, informative=informative, truth=0.8) for _ in range(REPETITIONS)]

    assert np.mean([trust is Trust.NO for trust in said]) <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / REPETITIONS)


@pytest.mark.slow
def test_few_missing_answers_still_allow_a_yes() -> None:
    """97 % right of 200 with 2 % missing: the worst case is above .8 and so is its low end."""
    rng = np.random.default_rng(3)
    said = [simulated(rng, 0.02, informative=False, truth=0.97) for _ in range(10)]

    assert said == [Trust.YES] * 10


def test_labels_for_an_effective_number_by_hand() -> None:
    """40 clusters and a correlation of .3 are worth at most 133: 100 take 280, 130 take 3,640, 140 cannot be had."""
    assert labels_for(100, 40, 0.3) == pytest.approx(280)
    assert labels_for(130, 40, 0.3) == pytest.approx(3_640)
    assert labels_for(140, 40, 0.3) == np.inf
    assert 280 / design_effect(280, 40, 0.3) == pytest.approx(100)
    assert (labels_for(30, 40, 0.3), design_effect(30, 40, 0.3)) == (30, 1.0)


def test_the_correlation_within_clusters() -> None:
    """By the double sum over pairs; nothing where labels agree or stand alone, all where clusters are of one kind."""
    right = np.array([1, 1, 1, 0, 0, 0, 1, 0], dtype=np.float64)
    cluster = np.array([0, 0, 0, 1, 1, 1, 2, 2], dtype=np.intp)
    p = right.mean()
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j and cluster[i] == cluster[j]]
    wanted = sum((right[i] - p) * (right[j] - p) for i, j in pairs) / ((len(pairs) + 10) * p * (1 - p))

    assert alikeness(right, cluster) == pytest.approx(wanted)
    assert alikeness(np.ones(8), cluster) == 0
    assert alikeness(right, np.arange(8)) == 0
    assert alikeness(np.repeat([0.0, 1.0], 500), np.repeat([0, 1], 500)) > 0.99


class Traffic:
    """Passed answers in groups that err alike, and failed ones, labelled in a random order."""

    def __init__(self, seed: int, groups: int, size: int, base: float, spread: float) -> None:
        rng = np.random.default_rng(seed)
        chance = 1 / (1 + np.exp(-(base + spread * rng.standard_normal(groups))))
        self.right = rng.random((groups, size)) < chance[:, None]
        self.order = rng.permutation(groups * size)
        self.groups, self.size = groups, size

    def told(self, labels: int, limit: float) -> tuple[Trust, int | None, bool]:
        """The verdict after so many labels on passed answers, the number it asks for, and whether it asks for questions."""
        rows = self.order[:labels]
        sample = [
            SampledItem("passed", PASS, RIGHT if self.right.flat[row] else WRONG, f"g{row // self.size}")
            for row in rows
        ]
        failed = [SampledItem("failed", FAIL, WRONG if k % 10 else RIGHT, f"f{k}") for k in range(100)]
        total = self.groups * self.size
        evidence = one_wave([Total("failed", FAIL, 5_000), Total("passed", PASS, total)], [*failed, *sample])
        right = np.array([sampled.judgement is RIGHT for sampled in sample], dtype=np.float64)
        alike = alikeness(right, np.array([row // self.size for row in rows], dtype=np.intp))
        clusters = Clusters(
            groups=self.groups,
            questions=self.groups,
            effective=float(self.groups),
            there=float(self.groups),
            alike=alike,
        )
        account = ledger_of(evidence, clusters=clusters)
        trust = judge_trust(account.among, limit, evidence=account, left=total - labels)
        needed = trust.needed
        return trust.status, needed.more if needed else None, bool(needed and needed.few_questions)


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "size", "spread"), [(30, 40, 1.0), (100, 20, 1.0), (1_500, 1, 0.0), (12, 100, 1.5)])
def test_advice_that_is_followed_comes_to_an_end(groups: int, size: int, spread: float) -> None:
    """Label as many as was advised and ask again: a verdict, "more questions", or everything labelled, within six rounds."""
    ends = []
    for seed in range(12):
        traffic, labels, asked = Traffic(seed, groups, size, 2.6, spread), 60, 0
        for _ in range(8):
            status, more, few = traffic.told(labels, 0.85)
            if status is not Trust.OPEN or few or more is None or labels >= groups * size:
                break
            labels, asked = min(groups * size, labels + more), asked + 1
        ends.append((asked, labels, few))

    assert max(asked for asked, _, _ in ends) <= 6
    assert np.mean([asked for asked, _, _ in ends]) <= 3
    if groups == 12:
        assert any(few for _, _, few in ends)


def test_answers_that_are_all_alike_within_few_groups_ask_for_questions() -> None:
    """Everything is labelled in 20 groups that are worth 50 answers: no label there would tell."""
    clusters = Clusters(groups=20, questions=20, effective=20.0, there=20.0, alike=0.4)
    account = ledger(("passed", PASS, 5_000, 93, 7), ("failed", FAIL, 5_000, 10, 90), clusters=clusters)
    trust = judge_trust(account.among, 0.9, evidence=account)

    assert trust.case is Case.LIMIT_OPEN
    assert trust.needed.few_questions
    loose = ledger(("passed", PASS, 5_000, 93, 7), ("failed", FAIL, 5_000, 10, 90))
    assert not judge_trust(loose.among, 0.9, evidence=loose).needed.few_questions


def test_labels_that_all_agree_are_not_said_to_be_alike_within_groups() -> None:
    """Three right labels of three groups show nothing of how alike a group is: what is left there is to be labelled."""
    clusters = Clusters(groups=3, questions=3, effective=3.0, there=8.0, alike=0.0)
    account = ledger(("passed", PASS, 12, 3, 0), ("failed", FAIL, 8, 1, 1), clusters=clusters)
    trust = judge_trust(account.among, 0.9, evidence=account, left=9)

    assert trust.case is Case.LIMIT_OPEN
    assert not trust.needed.few_questions
    assert trust.needed.left == 9
