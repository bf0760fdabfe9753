"""The guarantee by simulation: a threshold may keep less than it promises in at most one case of ten, whatever design drew the labels.

The labels are drawn by the functions of `assay sample`, parted by lot and tested by those of `assay calibrate`. ASSAY_DATA names
a folder with real answers; made-up ones are always tested.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, draw_waves, evidence_of
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.choosers import NumberedDraw, choosing
from proxy.evaluation.threshold import Choosers, ScoredTraffic, choose
from proxy.judges.offline.faithfulness import OfflineFaithfulness
from proxy.records import Context, Item, Score
from proxy.stats.calibration.threshold import grid
from proxy.stats.calibration.threshold_tests import Claim
from support.simulation import at_most, repeated

CURVES = {
    "rising": lambda s: 0.55 + 0.45 * s,
    "steep": lambda s: 1 / (1 + np.exp(-8 * (s - 0.35))),
    "step": lambda s: np.where(s > 0.75, 0.985, np.where(s > 0.5, 0.8, 0.5)),
    "flat": lambda s: np.full_like(s, 0.89),
}
DESIGNS = {
    "one wave": [ProposalRequest(labels=300, seed=0)],
    "two waves": [ProposalRequest(labels=150, seed=0), ProposalRequest(labels=150, seed=0)],
    "active": [ProposalRequest(labels=150, seed=0), ProposalRequest(labels=150, seed=0, design=WaveDesign.ACTIVE)],
}


class Tally(NamedTuple):
    """How often a threshold was found, how often it kept too little, and the same for the naive choice."""

    chosen: int
    broken: int
    naive_chosen: int
    naive_broken: int


def made_up(
    curve: str, levels: int, rng: np.random.Generator, *, thumbs: bool, count: int = 2500, alike: int = 1
) -> SyntheticTraffic:
    """Traffic whose P(right) follows a curve over the value; with `levels` the values are as few. `alike` share a question."""
    values = rng.beta(2, 1.5, count)
    if levels:
        values = (np.floor(values * levels) + 0.5) / levels
    right = (rng.random(count) < CURVES[curve](values)).astype(np.float64)
    return window(values, right, [str(n // alike) for n in range(count)], rng if thumbs else None)


def window(
    values: NDArray[np.float64],
    right: NDArray[np.float64],
    groups: Sequence[str],
    rng: np.random.Generator | None = None,
) -> SyntheticTraffic:
    """Traffic sampled by the threshold .5; with a generator users press their thumbs down, twice as often on wrong answers."""
    pressed = rng.random(len(values)) < 0.04 * (2 - right) if rng else np.zeros(len(values), dtype=np.bool_)
    return SyntheticTraffic(
        verdicts=np.where(np.isnan(values), "unscored", np.where(np.nan_to_num(values) > 0.5, "pass", "fail")),
        values=values,
        is_thumbed_down=pressed,
        is_disputed=np.zeros(len(values), dtype=np.bool_),
        right=right,
        groups=groups,
    )


def labels_of(
    traffic: SyntheticTraffic, requests: Sequence[ProposalRequest], share: float, rng: np.random.Generator
) -> tuple[Choosers, ScoredTraffic]:
    """The labels that choose, and all scored traffic, as the command would read them from the store."""
    waves = draw_waves(traffic, requests, rng)
    evidence, place = evidence_of(traffic, waves), np.flatnonzero(waves.own >= 0)
    drawn = [
        NumberedDraw(str(row), sampled.drawing, evidence.drawings[sampled.drawing].stratum)
        for row, sampled in zip(place, evidence.sample, strict=True)
    ]
    asked = choosing(drawn, share, int(rng.integers(2**40)))
    chose = np.array([draw.item in asked for draw in drawn]) & ~np.isnan(traffic.values[place])
    chances = 1 - np.prod(1 - np.nan_to_num(np.array([wave.chances for wave in waves.waves])), axis=0)
    scored = ~np.isnan(traffic.values)
    everywhere = np.ones(int(scored.sum()), dtype=np.bool_)
    return (
        Choosers(
            values=traffic.values[place][chose],
            right=traffic.right[place][chose],
            weights=evidence.arrays.weight[chose],
            lots=rng.random(int(chose.sum())),
            chances=chances[place][chose],
            ways=(evidence.arrays.cluster[chose],),
            share=share,
        ),
        ScoredTraffic(
            values=traffic.values[scored], chances=chances[scored], is_framed=everywhere, is_reachable=everywhere
        ),
    )


def naive(labels: Choosers, thresholds: NDArray[np.float64], precision: float) -> float | None:
    """The lowest threshold whose observed precision, weighted by design, reaches the target."""
    threshold = None
    for t in thresholds:
        above = labels.values >= t
        if above.any() and np.average(labels.right[above], weights=labels.weights[above]) >= precision:
            threshold = float(t)
    return threshold


def tally(
    traffic: SyntheticTraffic,
    requests: Sequence[ProposalRequest],
    share: float,
    precision: float,
    rng: np.random.Generator,
) -> tuple[int, int, int, int]:
    """One repetition."""
    labels, scored = labels_of(traffic, requests, share, rng)
    threshold = choose(labels, scored, precision=precision, confidence=0.9, asked=Claim.WINDOW).certified.threshold
    plain = naive(labels, grid(scored.values), precision)

    def breaks(t: float | None) -> bool:
        return t is not None and float(traffic.right[traffic.values >= t].mean()) < precision

    return threshold is not None, breaks(threshold), plain is not None, breaks(plain)


def repeat(tallies: Sequence[tuple[int, int, int, int]]) -> Tally:
    """The sums."""
    return Tally(*(int(count) for count in np.array(tallies, dtype=int).sum(axis=0)))


@pytest.mark.slow
@repeated(5, 15)
@pytest.mark.parametrize("design", list(DESIGNS))
def test_a_cut_keeps_its_promise_and_the_naive_choice_does_not(design: str, repetitions: int) -> None:
    """Four curves, fine values and five levels, with and without thumbs: broken in at most 10 % + 3 SE of each and of all.

    The lowest threshold whose observed precision reaches the target breaks it about four times in ten.
    """
    rng, every = np.random.default_rng(11), list[tuple[int, int, int, int]]()
    for curve in CURVES:
        for levels, thumbs in ((0, False), (5, False), (0, True)):
            tallies = [
                tally(made_up(curve, levels, rng, thumbs=thumbs), DESIGNS[design], 1.0, 0.9, rng)
                for _ in range(repetitions)
            ]
            assert repeat(tallies).broken / repetitions <= at_most(0.1, repetitions), (curve, levels, thumbs)
            every += tallies
    total = repeat(every)

    assert total.broken / len(every) <= at_most(0.1, len(every))
    assert total.chosen / len(every) > 0.15
    assert total.naive_broken / len(every) > 0.3


def real(name: str, folder: str) -> SyntheticTraffic:
    """Real answers with the value of the offline faithfulness judge and the verdict of people; their questions are the groups."""
    values, right, groups = list[float](), list[float](), list[str]()
    for line in (Path(folder) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["human_correct"] is None:
            continue
        item = Item(
            id=row["id"],
            question=row["question"],
            answer=row["answer"],
            contexts=tuple(Context(text=text) for text in row["contexts"]),
        )
        score = OfflineFaithfulness().judge(item)
        values.append(score.value if isinstance(score, Score) else math.nan)
        right.append(float(row["human_correct"]))
        groups.append(row.get("group") or row["question"])
    return window(np.array(values), np.array(right), groups)


@pytest.mark.slow
@repeated(20, 60)
@pytest.mark.parametrize(("name", "precision"), [("clapnq_rag", 0.95), ("qafeedback", 0.7)])
def test_a_cut_keeps_its_promise_on_real_scores(name: str, precision: float, repetitions: int) -> None:
    """The file is the traffic, 240 of its 400 or 500 answers are labelled, all choose or half of them do."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        pytest.skip("set ASSAY_DATA to the folder with clapnq_rag.jsonl and qafeedback.jsonl")
    traffic, rng = real(name, folder), np.random.default_rng(15)
    for share in (1.0, 0.5):
        wave = [ProposalRequest(labels=240, seed=0)]
        counts = repeat([tally(traffic, wave, share, precision, rng) for _ in range(repetitions)])
        assert counts.broken / repetitions <= at_most(0.1, repetitions)
        assert counts.naive_broken > counts.broken
