"""Coverage of the precision and recall of thumbs: how rare they are, whether they tell anything, two waves, groups, late ones.

The truth of this window is counted on every answer; a recall that is null because no label speaks for some answers counts in
nothing, and bounds must hold it, too. For the long run the answers are drawn anew each time from rates that are known.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, draw_waves, evidence_of
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.feedback import FeedbackQuality, feedback_quality
from support.simulation import assert_held, at_least

pytestmark = pytest.mark.slow

ITEMS, LABELS, RIGHT = 1_600, 200, 0.8
QUANTITIES = ("down_precision", "down_recall", "up_precision", "up_recall")
BETA_DRAWS = 512


class Rates(NamedTuple):
    """The chance of a thumb down and up by whether the answer is wrong, and the four quantities that follow."""

    down_if_wrong: float
    down_if_right: float
    up_if_wrong: float
    up_if_right: float

    @property
    def truth(self) -> dict[str, float]:
        wrong = 1 - RIGHT
        down = wrong * self.down_if_wrong + RIGHT * self.down_if_right
        up = wrong * self.up_if_wrong + RIGHT * self.up_if_right
        values = (
            wrong * self.down_if_wrong / down,
            self.down_if_wrong,
            RIGHT * self.up_if_right / up,
            self.up_if_right,
        )
        return dict(zip(QUANTITIES, values, strict=True))


def rates(share: float, *, is_informative: bool) -> Rates:
    """`share` of all answers have a thumb down, and as many one up; ten times as often where they tell something."""
    if not is_informative:
        return Rates(share, share, share, share)
    base = share / ((1 - RIGHT) * 10 + RIGHT)
    up = share / ((1 - RIGHT) + RIGHT * 4)
    return Rates(10 * base, base, up, 4 * up)


def traffic(rng: np.random.Generator, of: Rates, group: int, late: float) -> tuple[SyntheticTraffic, NDArray[np.int8]]:
    """Answers in groups that are alike, with what users pressed in the end: -1, 1 or 0; the share `late` after the draw."""
    wrong = rng.random(ITEMS // group) if group == 1 else rng.beta(0.8, 3.2, ITEMS // group)
    chance = np.repeat(np.full(ITEMS, 1 - RIGHT)[: ITEMS // group] if group == 1 else wrong, group)
    is_wrong = rng.random(ITEMS) < chance
    pressed = rng.random(ITEMS)
    down = pressed < np.where(is_wrong, of.down_if_wrong, of.down_if_right)
    up = ~down & (pressed > 1 - np.where(is_wrong, of.up_if_wrong, of.up_if_right))
    value = np.clip(rng.normal(np.where(is_wrong, 0.45, 0.65), 0.15), 0.01, 0.99)
    made = SyntheticTraffic(
        verdicts=np.where(value > 0.5, "pass", "fail"),
        values=value,
        is_thumbed_down=down & (rng.random(ITEMS) >= late),
        is_disputed=np.zeros(ITEMS, dtype=np.bool_),
        right=(~is_wrong).astype(float),
        groups=[str(row // group) for row in range(ITEMS)],
        questions=[str(row) for row in range(ITEMS)],
    )
    return made, np.where(down, -1, up.astype(int)).astype(np.int8)


def measured(
    made: SyntheticTraffic, thumbs: NDArray[np.int8], seed: int, waves: int, group: int
) -> tuple[FeedbackQuality, dict[str, float]]:
    """The thumbs on the labels of these waves, and what labels on every answer would say."""
    down, up, right = thumbs < 0, thumbs > 0, made.right > 0
    requests = [ProposalRequest(labels=LABELS // waves, seed=0) for _ in range(waves)]
    by_thumb = [np.where(down, "fail", "pass"), np.where(up, "pass", "fail")]
    drawn = draw_waves(made, requests, np.random.default_rng(seed))
    evidence = [evidence_of(made, drawn, words) for words in by_thumb]
    for wave_evidence in evidence:
        object.__setattr__(wave_evidence, "grouping", float(group))
    values = (right[down] == 0, down[~right], right[up], up[right])
    truth = {name: float(np.mean(part)) for name, part in zip(QUANTITIES, values, strict=True) if len(part)}
    return feedback_quality(*evidence, draws=BETA_DRAWS), truth


CASES = {
    "rare, random": (0.005, False, 1, 1, 0.0),
    "rare, informative": (0.005, True, 1, 1, 0.0),
    "usual, random": (0.04, False, 1, 1, 0.0),
    "usual, informative": (0.04, True, 1, 1, 0.0),
    "many, random": (0.15, False, 1, 1, 0.0),
    "many, informative": (0.15, True, 1, 1, 0.0),
    "two waves": (0.04, True, 2, 1, 0.0),
    "groups": (0.15, True, 1, 4, 0.0),
    "half of them late": (0.04, True, 2, 1, 0.5),
}


Held = dict[str, list[bool]]


def note(held: Held, quality: FeedbackQuality, window: dict[str, float], behind: dict[str, float]) -> None:
    """Note for every interval that there is whether it holds the truth."""
    for name in window:
        estimate = getattr(quality, name)
        if estimate.low is not None:
            held[f"window {name}"].append(estimate.low - 1e-9 <= window[name] <= estimate.high + 1e-9)
        if estimate.long_run is not None:
            held[f"long run {name}"].append(estimate.long_run.low <= behind[name] <= estimate.long_run.high)


def held_in(case: str, repetitions: int, stream: int = 0) -> Held:
    """Run a case, in which the recall of a thumb down is known or bounded in nine of ten runs."""
    share, is_informative, waves, group, late = CASES[case]
    of = rates(share, is_informative=is_informative)
    held: Held = defaultdict(list)
    known = 0
    for seed in range(repetitions):
        made, thumbs = traffic(np.random.default_rng([4 + 100 * stream, seed]), of, group, late)
        quality, truth = measured(made, thumbs, seed + 10_000 * stream, waves, group)
        known += quality.down_recall.low is not None
        note(held, quality, truth, of.truth)
    assert known >= 0.9 * repetitions
    assert set(held) == {f"{kind} {name}" for name in QUANTITIES for kind in ("window", "long run")}
    return held


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth(case: str) -> None:
    """Every quantity of the window and of the long run, each against the number of runs in which it was known, however few.

    A thumb that is rare is measured only in runs that drew two of them: what is then said must hold among those.
    """
    assert_held(lambda count, stream: held_in(case, count, stream), 400)


# Case and runs: Beta draws alone hold the recall of a rare thumb up in .87 of the third of the runs in which it is known.
SHORT = (("rare, informative", 400), ("half of them late", 60), ("usual, informative", 40))


def test_intervals_hold_the_truth_in_few_runs() -> None:
    """As above, on the cases in which intervals most easily become too narrow."""
    for case, repetitions in SHORT:
        held = held_in(case, repetitions)
        covered = {name: (float(np.mean(times)), len(times)) for name, times in held.items()}

        assert all(share >= at_least(0.95, n) for share, n in covered.values()), (case, covered)
