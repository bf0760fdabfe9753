"""Do the intervals hold the truth as often as they say? Seeded simulations, on made-up traffic and on real labels.

With R repetitions a coverage c passes when c >= .95 - 3 sqrt(.05 x .95 / R), and their mean when it is at least .94.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from annotate import intake, judging
from annotate.sampling import FrameRow, Stratum, count_strata, draw, plan, stratum_of
from annotate.store import Store
from proxy.agreement import AgreementReport, measure
from proxy.cells import SampledItem, Total, without_thin_paths
from proxy.records import Judgement, Verdict

QUANTITIES = ("correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc")
NOW = "2026-11-21T00:00:00.000Z"


class Population(NamedTuple):
    """A window of traffic whose every label is known."""

    verdicts: Sequence[Verdict]
    strata: Sequence[Stratum]
    judgements: Sequence[Judgement]

    def totals(self) -> list[Total]:
        counts = Counter(zip(map(str, self.strata), self.verdicts, strict=True))
        return [Total(stratum, verdict, size) for (stratum, verdict), size in counts.items()]

    def sampled(self, items: Sequence[int]) -> list[SampledItem]:
        return [SampledItem(str(self.strata[i]), self.verdicts[i], self.judgements[i], str(i)) for i in items]

    def truth(self) -> AgreementReport:
        return measure(self.totals(), self.sampled(range(len(self.verdicts))))


def report(population: Population, seed: int, labels: int, waves: int = 1, audit: float = 0.25) -> AgreementReport:
    """What one drawing of `labels` labels in `waves` equal waves would report."""
    drawn: list[int] = []
    for wave in range(waves):
        taken = set(drawn)
        frame = [FrameRow(i, f"item-{i}", s, i not in taken) for i, s in enumerate(population.strata)]
        plans = plan(count_strata(frame), labels // waves, audit)
        drawn += [one.item for one in draw(frame, plans, f"{seed}-{wave}")]
    return measure(population.totals(), population.sampled(drawn))


def coverage(population: Population, seeds: int, labels: int, waves: int = 1) -> Mapping[str, float]:
    """The share of seeds whose interval holds the truth, for each quantity that can be measured."""
    truth, hits = population.truth(), {name: list[bool]() for name in QUANTITIES}
    for seed in range(seeds):
        found = report(population, seed, labels, waves)
        for name in QUANTITIES:
            one, true = getattr(found, name), getattr(truth, name).estimate
            if one.estimate is not None:
                hits[name].append(one.low - 1e-9 <= true <= one.high + 1e-9)
    assert all(len(held) == seeds for held in hits.values()), "every quantity is measurable with this design"
    return {name: float(np.mean(held)) for name, held in hits.items()}


def assert_covers(covered: Mapping[str, float], seeds: int) -> None:
    floor = 0.95 - 3 * math.sqrt(0.05 * 0.95 / seeds)
    assert min(covered.values()) >= floor, covered
    assert np.mean(list(covered.values())) >= 0.94, covered


def population(
    right_share: float, sensitivity: float, specificity: float, size: int, *, down: float = 0, unscored: float = 0
) -> Population:
    """Made-up traffic in which wrong answers get a thumb down ten times as often as right ones."""
    rng = np.random.default_rng(11)
    right = rng.random(size) < right_share
    passes = np.where(right, rng.random(size) < sensitivity, rng.random(size) > specificity)
    thumbs = rng.random(size) < np.where(right, down / 10, down)
    blank = rng.random(size) < unscored
    verdicts = [
        Verdict.UNSCORED if gone else Verdict.PASS if one else Verdict.FAIL
        for one, gone in zip(passes, blank, strict=True)
    ]
    strata = [stratum_of(v, is_thumbed_down=bool(t)) for v, t in zip(verdicts, thumbs, strict=True)]
    return Population(verdicts, strata, [Judgement.RIGHT if one else Judgement.WRONG for one in right])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right_share", "sensitivity", "specificity", "size"),
    [(0.75, 0.9, 0.6, 400), (0.55, 0.8, 0.7, 500), (0.93, 0.9, 0.5, 400), (0.6, 0.9, 0.9, 3000)],
)
def test_intervals_hold_the_truth_of_a_window(
    right_share: float, sensitivity: float, specificity: float, size: int
) -> None:
    """With 100 labels drawn by the default design each interval covers, and their mean is nominal."""
    seeds = 300

    assert_covers(coverage(population(right_share, sensitivity, specificity, size), seeds, 100), seeds)


@pytest.mark.slow
def test_intervals_hold_with_thumbs_down_unscored_items_and_two_waves() -> None:
    """Strata that mix passes and fails, a stratum without verdicts, and labels from two waves are all weighted right."""
    traffic = population(0.75, 0.85, 0.65, 900, down=0.2, unscored=0.04)
    seeds = 300

    for waves in (1, 2):
        covered = coverage(traffic, seeds, 160, waves)
        assert min(covered.values()) >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / seeds), covered


@pytest.mark.slow
def test_intervals_hold_when_traffic_grows_and_the_rule_changes() -> None:
    """Three waves on growing traffic, the cut moved before the last: paths of every kind, measured under the last rule."""
    rng, seeds = np.random.default_rng(5), 300
    right = rng.random(2400) < 0.72
    score = np.clip(rng.normal(np.where(right, 0.62, 0.42), 0.16), 0, 1)
    cuts, ends = (0.5, 0.5, 0.56), (1000, 1700, 2400)
    verdicts = [[Verdict.PASS if one > cut else Verdict.FAIL for one in score] for cut in cuts]
    judgements = [Judgement.RIGHT if one else Judgement.WRONG for one in right]
    truth = Population(verdicts[-1], [Stratum.PASSED] * 2400, judgements).truth()
    hits: dict[str, list[bool]] = {name: [] for name in QUANTITIES}
    for seed in range(seeds):
        path, drawn, reachable = [""] * 2400, set[int](), set[str]()
        for wave, end in enumerate(ends):
            strata = [stratum_of(verdict, is_thumbed_down=False) for verdict in verdicts[wave][:end]]
            frame = [FrameRow(i, f"item-{i}", stratum, i not in drawn) for i, stratum in enumerate(strata)]
            drawn |= {one.item for one in draw(frame, plan(count_strata(frame), 60, 0.25), f"grow-{seed}-{wave}")}
            for i, stratum in enumerate(strata):
                path[i] += f", {wave} {stratum}" if path[i] else f"{wave} {stratum}"
        reachable = set(path)
        sizes = Counter(zip(path, verdicts[-1], strict=True))
        totals = [Total(one, verdict, size) for (one, verdict), size in sizes.items()]
        sample = [SampledItem(path[i], verdicts[-1][i], judgements[i], str(i)) for i in sorted(drawn)]
        found = measure(*without_thin_paths(totals, sample, reachable))
        for name in QUANTITIES:
            one, true = getattr(found, name), getattr(truth, name).estimate
            assert one.estimate is not None, one.reason
            hits[name].append(one.low - 1e-9 <= true <= one.high + 1e-9)

    assert_covers({name: float(np.mean(held)) for name, held in hits.items()}, seeds)


def test_unweighted_labels_would_miss_the_truth() -> None:
    """The oracle of the simulation: labels of passed items alone, taken as a random sample, almost never cover."""
    from statsmodels.stats.proportion import proportion_confint

    traffic = population(0.6, 0.9, 0.6, 3000)
    truth = traffic.truth().correctness.estimate
    rng, hits = np.random.default_rng(3), 0
    passed = [i for i, verdict in enumerate(traffic.verdicts) if verdict is Verdict.PASS]
    for _ in range(100):
        chosen = rng.choice(passed, 200, replace=False)
        right = sum(traffic.judgements[i] is Judgement.RIGHT for i in chosen)
        low, high = proportion_confint(right, 200, method="wilson")
        hits += low <= truth <= high

    assert hits <= 10


@pytest.mark.slow
@pytest.mark.parametrize(("name", "label"), [("clapnq_rag", "human_faithful"), ("qafeedback", "human_correct")])
def test_intervals_hold_on_real_labels(name: str, label: str, tmp_path: Path) -> None:
    """Real traffic through the real judges: 100 labels, 200 seeds, against the truth of all its human labels."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        pytest.skip("set ASSAY_DATA to the folder with the human-labelled data")
    path = Path(folder) / f"{name}.jsonl"
    human = {row["id"]: row[label] for row in map(json.loads, path.open())}
    store = Store(tmp_path / "assay.db")
    intake.ingest(store, intake.Source(str(path)), now=NOW)
    judging.judge(store, list(judging.built_in().values()), now=NOW)
    key, _ = judging.rule_in_force(store, now=NOW)
    frame = store.waves.frame(key)
    verdicts = store.rules.verdicts(key)
    traffic = Population(
        [verdicts.get(row.key, Verdict.UNSCORED) for row in frame],
        [row.stratum for row in frame],
        [Judgement.RIGHT if human[row.item_id] == 1 else Judgement.WRONG for row in frame],
    )
    store.close()

    assert_covers(coverage(traffic, 200, 100), 200)
