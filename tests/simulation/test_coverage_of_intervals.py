"""Do the intervals hold the truth as often as they say? Seeded simulations, on made-up traffic and on real labels.

With R repetitions a coverage c passes when c >= .95 - 3 sqrt(.05 x .95 / R), and their mean when it is at least .94 from
R = 200 on, and with fewer as much further below .95 as chance then leaves it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves, window
from annotate.analysis.rule_in_force import built_in
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Source
from annotate.workflow.judging import offline, rules
from proxy.evaluation.agreement import AgreementReport, measure
from proxy.planning.strata import Stratum
from support.simulation import at_least, repeated

QUANTITIES = (
    "correctness",
    "pass_precision",
    "npv",
    "sensitivity",
    "specificity",
    "accuracy",
    "f1",
    "kappa",
    "mcc",
    "ac1",
)
NOW = "2026-11-21T00:00:00.000Z"
# Correctness alone does not rest on Beta draws, which take most of the time of a report.
BETA_DRAWS = 16


def waves(labels: int, count: int = 1, design: WaveDesign = WaveDesign.STRATIFIED) -> list[ProposalRequest]:
    """Equal waves, the first of them stratified."""
    return [
        ProposalRequest(labels=labels // count, seed=0, design=design if k else WaveDesign.STRATIFIED)
        for k in range(count)
    ]


def truth(traffic: SyntheticTraffic) -> AgreementReport:
    """What labels on every item would say."""
    return measure(
        simulate_waves(traffic, [ProposalRequest(labels=len(traffic.right), seed=0)], np.random.default_rng(0))
    )


def coverage(traffic: SyntheticTraffic, seeds: int, requests: Sequence[ProposalRequest]) -> Mapping[str, float]:
    """The share of seeds whose interval holds the truth, for each quantity; few may be undefined."""
    true, hits = truth(traffic), {name: list[bool]() for name in QUANTITIES}
    for seed in range(seeds):
        report = measure(simulate_waves(traffic, requests, np.random.default_rng(seed)))
        for name in QUANTITIES:
            estimate, known = getattr(report, name), getattr(true, name).estimate
            if estimate.estimate is not None:
                hits[name].append(estimate.low - 1e-9 <= known <= estimate.high + 1e-9)
    assert all(len(held) >= 0.98 * seeds for held in hits.values()), {name: len(held) for name, held in hits.items()}
    return {name: float(np.mean(held)) for name, held in hits.items()}


def assert_covers(covered: Mapping[str, float], seeds: int) -> None:
    assert min(covered.values()) >= at_least(0.95, seeds), covered
    assert np.mean(list(covered.values())) >= 0.95 - 0.01 * max(1, math.sqrt(200 / seeds)), covered


def made_up(
    right_share: float, sensitivity: float, specificity: float, size: int, *, down: float = 0, unscored: float = 0
) -> SyntheticTraffic:
    """Traffic with a judge of this quality, in which wrong answers get a thumb down ten times as often as right ones."""
    rng = np.random.default_rng([11, 7])
    right = rng.random(size) < right_share
    passes = np.where(right, rng.random(size) < sensitivity, rng.random(size) > specificity)
    value = np.clip(rng.normal(np.where(passes, 0.75, 0.25), 0.1) + 0.05 * right, 0, 1)
    blank = rng.random(size) < unscored
    return SyntheticTraffic(
        verdicts=np.where(blank, "unscored", np.where(passes, "pass", "fail")),
        values=np.where(blank, np.nan, value),
        is_thumbed_down=rng.random(size) < np.where(right, down / 10, down),
        is_disputed=np.zeros(size, dtype=np.bool_),
        right=right.astype(np.float64),
        groups=[str(n) for n in range(size)],
    )


@pytest.mark.slow
@repeated(30, 300)
@pytest.mark.parametrize(
    ("right_share", "sensitivity", "specificity", "size", "labels"),
    [(0.75, 0.9, 0.6, 400, 100), (0.55, 0.8, 0.7, 500, 30), (0.93, 0.9, 0.5, 600, 100), (0.6, 0.9, 0.9, 3000, 200)],
)
def test_intervals_hold_the_truth_of_a_window(
    right_share: float, sensitivity: float, specificity: float, size: int, labels: int, repetitions: int
) -> None:
    """With labels drawn by the default design each interval covers, and their mean is nominal."""
    traffic = made_up(right_share, sensitivity, specificity, size)

    assert_covers(coverage(traffic, repetitions, waves(labels)), repetitions)


@pytest.mark.slow
@repeated(30, 300)
@pytest.mark.parametrize("design", [WaveDesign.STRATIFIED, WaveDesign.ACTIVE])
def test_intervals_hold_over_waves_that_follow_the_labels(design: WaveDesign, repetitions: int) -> None:
    """Strata that mix passes and fails, unscored items, thumbs-down, and allocations that earlier labels decided."""
    traffic = made_up(0.75, 0.85, 0.65, 900, down=0.2, unscored=0.04)

    for requests in (waves(160, 2, design), waves(200, 5, design)):
        assert_covers(coverage(traffic, repetitions, requests), repetitions)


@pytest.mark.slow
@repeated(30, 300)
def test_intervals_hold_for_a_stream(repetitions: int) -> None:
    """Each item has its own chance and the number of labels is left to chance."""
    stream = ProposalRequest(seed=0, design=WaveDesign.STREAM, rate=0.15, rate_failed=0.3)

    assert_covers(coverage(made_up(0.75, 0.85, 0.65, 700), repetitions, [stream]), repetitions)


@pytest.mark.slow
@repeated(25, 200)
def test_thumbs_down_pooled_by_hand_would_be_biased_and_is_not_here(repetitions: int) -> None:
    """The flag is known for all, so it makes a stratum; the oracle is the plain share of the labels, which never covers."""
    from statsmodels.stats.proportion import proportion_confint

    traffic = made_up(0.8, 0.9, 0.6, 3000, down=0.3)
    flagged = int(traffic.is_thumbed_down.sum())
    true, hits, pooled = traffic.right.mean(), 0, 0
    for seed in range(repetitions):
        evidence = simulate_waves(traffic, waves(2 * flagged), np.random.default_rng(seed))
        correctness = measure(evidence, BETA_DRAWS).correctness
        hits += correctness.low <= true <= correctness.high
        right = sum(sampled.judgement == "right" for sampled in evidence.sample)
        low, high = proportion_confint(right, len(evidence.sample), method="wilson")
        pooled += low <= true <= high
        assert sum(sampled.stratum == Stratum.THUMBS_DOWN for sampled in evidence.sample) == flagged // 4

    assert hits / repetitions >= at_least(0.95, repetitions)
    assert pooled <= repetitions / 10


@pytest.mark.slow
@repeated(30, 300)
def test_another_rule_is_measured_on_the_same_labels(repetitions: int) -> None:
    """The rule that sampled is not the one that is measured: cells cut across the strata, weights keep it unbiased."""
    from annotate.analysis.planning import synthetic_waves

    traffic = made_up(0.7, 0.85, 0.7, 800)
    rng = np.random.default_rng(4)
    verdicts = np.where((traffic.values > 0.6) ^ (rng.random(800) < 0.15), "pass", "fail")
    theirs = replace(traffic, verdicts=verdicts)
    true, hits = truth(theirs), {name: list[bool]() for name in QUANTITIES}
    for seed in range(repetitions):
        report = measure(
            synthetic_waves.simulate_waves(traffic, waves(120, 2), np.random.default_rng(seed), measured=verdicts)
        )
        for name in QUANTITIES:
            estimate = getattr(report, name)
            hits[name].append(estimate.low - 1e-9 <= getattr(true, name).estimate <= estimate.high + 1e-9)

    assert_covers({name: float(np.mean(held)) for name, held in hits.items()}, repetitions)


@pytest.mark.slow
def test_passed_items_alone_give_bounds_and_no_estimate() -> None:
    """An audit of 0 leaves the failed items out: correctness is null with bounds that hold, specificity null."""
    traffic = made_up(0.6, 0.9, 0.6, 3000)
    for seed in range(20):
        report = measure(
            simulate_waves(traffic, [ProposalRequest(labels=200, audit=0.0, seed=0)], np.random.default_rng(seed))
        )

        assert report.correctness.estimate is None
        assert report.correctness.low <= traffic.right.mean() <= report.correctness.high
        assert report.specificity.estimate is None
        assert report.pass_precision.estimate is not None


@pytest.mark.parametrize(("right", "passes"), [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
def test_labels_that_all_agree_never_give_an_interval_without_width(right: float, passes: float) -> None:
    """30 labels that all say the same of 3,000 items leave room, whatever the proxy says."""
    verdicts = np.where(np.arange(3000) < (2990 if passes else 10), "pass", "fail")
    traffic = window(verdicts, np.where(verdicts == "pass", 0.9, 0.1), np.full(3000, right))
    correctness = measure(simulate_waves(traffic, waves(30), np.random.default_rng(0))).correctness

    assert correctness.estimate == right
    assert 0.05 < correctness.high - correctness.low < 0.4


def real(name: str, label: str, path: Path) -> SyntheticTraffic:
    """Real traffic with its human labels, through the offline judges."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        pytest.skip("set ASSAY_DATA to the folder with the human-labelled data")
    source = Path(folder) / f"{name}.jsonl"
    human = {row["id"]: row[label] for row in map(json.loads, source.open())}
    store = Store(path)
    ingest.ingest(store, Source(str(source)), now=NOW)
    offline.judge(store, list(built_in().values()), now=NOW)
    key, _ = rules.follow_scores(store, now=NOW)
    frame = store.sampling.waves.frame(key)
    ids = store.sampling.waves.ids(frame.keys.tolist())
    store.close()
    verdicts = np.array([{"passed": "pass", "failed": "fail"}.get(kind, "unscored") for kind in frame.kinds.tolist()])
    return window(verdicts, frame.values, np.array([human[item_id] == 1 for item_id in ids], dtype=np.float64))


@pytest.mark.slow
@repeated(40, 200)
@pytest.mark.parametrize(("name", "label"), [("clapnq_rag", "human_faithful"), ("qafeedback", "human_correct")])
def test_intervals_hold_on_real_labels(name: str, label: str, tmp_path: Path, repetitions: int) -> None:
    """Real traffic through the real judges: 30 to 200 labels, against the truth of all its human labels."""
    traffic = real(name, label, tmp_path / "assay.db")

    for labels in (30, 100, 200):
        assert_covers(coverage(traffic, repetitions, waves(labels)), repetitions)
