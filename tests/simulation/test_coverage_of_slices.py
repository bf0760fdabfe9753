"""The shares of slices, and their differences from the rest, hold the truth whatever the scores say of the slice.

2,000 answers of which 360 are labelled: 200 by strata, then 160 where these leave the most doubt, with the unequal weights that
follow. Truth is that of all passed answers of this window. A slice has between a twentieth and a half of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, draw_waves
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.slices import (
    DecidedLabels,
    Examined,
    Mistake,
    Parted,
    Slice,
    SliceFinding,
    Untested,
    against,
    assisted,
)
from proxy.records import Verdict
from support.parts import parted
from support.simulation import assert_covers, assert_held

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]
Key = tuple[str, float, str, bool, bool]
ITEMS, CLUSTER = 2_000, 5
WAVES = [ProposalRequest(labels=200, seed=0), ProposalRequest(labels=160, seed=0, design=WaveDesign.ACTIVE)]
SHARES = (0.05, 0.2, 0.5)
NAMED = Slice(field="language", value="ko", is_searched=False, is_subject=True)
# The AUROC of the two judges outside of the slice, and in it; below .5 a judge says the opposite of what is.
JUDGES = {
    "good everywhere": ((0.85, 0.7), (0.85, 0.7)),
    "poor everywhere": ((0.55, 0.5), (0.55, 0.5)),
    "good outside, useless inside": ((0.9, 0.8), (0.5, 0.5)),
    "good outside, reversed inside": ((0.9, 0.8), (0.2, 0.3)),
}


def made(
    rng: np.random.Generator, share: float, name: str, *, follows: bool, clustered: bool
) -> tuple[SyntheticTraffic, Mask]:
    """Traffic and the items of a slice, in which 60 % are right in place of 80 %.

    Where membership `follows` the score it does so by a correlation of about a half; where the traffic is `clustered`, the answers of
    a group lean to one side together.
    """
    groups = np.arange(ITEMS) // (CLUSTER if clustered else 1)
    lean = rng.normal(size=groups.max() + 1)[groups] if clustered else np.zeros(ITEMS)
    inside = rng.random(ITEMS) < share
    right = (
        ndtri(rng.random(ITEMS)) * np.sqrt(0.7 if clustered else 1) + lean * np.sqrt(0.3) < np.where(inside, 0.25, 0.84)
    ).astype(float)
    outside, within = JUDGES[name]
    scores = np.column_stack(
        [
            ndtr(rng.normal(size=ITEMS) + 0.4 + np.sqrt(2) * np.where(inside, ndtri(b), ndtri(a)) * (right - 0.5))
            for a, b in zip(outside, within, strict=True)
        ]
    )
    if follows:
        noise = rng.normal(size=ITEMS) + ndtri(np.clip(scores[:, 0], 1e-9, 1 - 1e-9))
        inside = noise > np.quantile(noise, 1 - share)
    value = scores[:, 0]
    return SyntheticTraffic(
        verdicts=np.where(value > 0.5, Verdict.PASS.value, Verdict.FAIL.value),
        values=value,
        is_thumbed_down=np.zeros(ITEMS, dtype=np.bool_),
        is_disputed=np.zeros(ITEMS, dtype=np.bool_),
        right=right,
        groups=[str(group) for group in groups],
        scores=scores,
    ), inside


def planted_finding(parts: Parted) -> SliceFinding | None:
    """Return the finding of one test with what the scores add; None with too few labels."""
    both = [part.arrays for part in parts]

    def joined(name: str) -> Numbers:
        return np.concatenate([getattr(draws, name) for draws in both])

    side = DecidedLabels(
        mistake=Mistake.WRONG_PASS,
        is_error=joined("right") < 1,
        weight=joined("weight"),
        cluster=joined("cluster").astype(np.intp),
    )
    alone = against(side, np.arange(len(side.is_error)) < len(both[0].right), NAMED)
    if isinstance(alone, Untested):
        return None
    # One test at its own level: the difference has 95 %.
    helped = assisted(Examined(tested=[alone], untested=(), level=0.05), lambda _: parts).tested[0]
    assert helped.here.predictor is not None
    return helped


def held_in(
    name: str, share: float, repetitions: int, stream: int, *, follows: bool, clustered: bool
) -> dict[Key, list[bool]]:
    """Note whether the intervals hold the truth, in the samples that have labels enough for a test."""
    held: dict[str, list[bool]] = {"here": [], "elsewhere": [], "difference": []}
    for number in range(repetitions):
        seed = [31 + 100 * stream, number, int(100 * share), len(name), follows, clustered]
        traffic, inside = made(np.random.default_rng(seed), share, name, follows=follows, clustered=clustered)
        waves = draw_waves(traffic, WAVES, np.random.default_rng([*seed, 1]))
        finding = planted_finding(parted(traffic, waves, inside))
        if finding is None:
            continue
        passed = traffic.verdicts == Verdict.PASS.value
        true = [1 - float(traffic.right[passed & rows].mean()) for rows in (inside, ~inside)]
        for key, group, truth in zip(held, (finding.here, finding.elsewhere), true, strict=False):
            assert group.interval.low <= group.estimate <= group.interval.high
            assert group.interval.high > group.interval.low
            held[key].append(group.interval.low <= truth <= group.interval.high)
        held["difference"].append(finding.difference.low <= true[0] - true[1] <= finding.difference.high)
    assert len(held["here"]) >= repetitions / 3
    return {(name, share, key, follows, clustered): values for key, values in held.items()}


def every(name: str, shares: Sequence[float], repetitions: int, stream: int) -> dict[Key, list[bool]]:
    """By share and estimate: the slice drawn by lot, going with the scores, and in traffic of groups."""
    held: dict[Key, list[bool]] = {}
    for share in shares:
        for follows, clustered in ((False, False), (True, False), (False, True)):
            held |= held_in(name, share, repetitions, stream, follows=follows, clustered=clustered)
    return held


@pytest.mark.slow
def test_a_judge_that_is_bad_in_the_slice_alone_does_not_make_it_look_right() -> None:
    """The dangerous case, in short: 30 samples, a slice of a fifth in which the judges say the opposite of what is."""
    held = every("good outside, reversed inside", [0.2], 30, 0)

    assert_covers({key: float(np.mean(values)) for key, values in held.items()}, 30)


@pytest.mark.long
@pytest.mark.parametrize("name", JUDGES)
def test_intervals_of_slices_hold_the_truth(name: str) -> None:
    """300 samples of every kind of judge, slices of 5 to 50 %, with and without groups; of 5 % a third at least can be tested."""
    assert_held(lambda count, stream: every(name, SHARES, count, stream), 300)
