"""Does the share of seriously harmful answers lie in its interval, though the predictor speaks of right and wrong alone?

Every wrong answer is serious by chance, more often where the proxy passed it. Labels come from one wave, and from waves that follow
the labels; in some cells a part of the wrong labels says nothing of harm, and the bounds must hold the truth.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, draw_waves, evidence_of
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.harm import harm_share
from support.simulation import assert_held, repeated

pytestmark = pytest.mark.slow

SIZE, LABELS, OF_A_GROUP = 800, 100, 4
# The share of right answers, the share of the wrong that are serious (passed, failed), and of the labels that do not say.
CELLS = [(0.75, (0.5, 0.2), 0.0), (0.9, (0.3, 0.1), 0.0), (0.6, (0.1, 0.1), 0.0), (0.75, (0.5, 0.2), 0.2)]
ONCE = [ProposalRequest(labels=LABELS, seed=0, design=WaveDesign.STRATIFIED)]
TWICE = [
    ProposalRequest(labels=LABELS // 2, seed=0, design=WaveDesign.STRATIFIED),
    ProposalRequest(labels=LABELS // 2, seed=0, design=WaveDesign.ACTIVE),
]


def traffic(rng: np.random.Generator, right_share: float) -> SyntheticTraffic:
    """Questions in groups that are right or wrong together to a degree, and a judge of middling quality."""
    share = np.repeat(rng.beta(4 * right_share, 4 * (1 - right_share), SIZE // OF_A_GROUP), OF_A_GROUP)
    right = rng.random(SIZE) < share
    passes = np.where(right, rng.random(SIZE) < 0.85, rng.random(SIZE) < 0.35)
    return SyntheticTraffic(
        verdicts=np.where(passes, "pass", "fail"),
        values=np.clip(rng.normal(np.where(passes, 0.75, 0.25), 0.1), 0, 1),
        is_thumbed_down=np.zeros(SIZE, dtype=np.bool_),
        is_disputed=np.zeros(SIZE, dtype=np.bool_),
        right=right.astype(np.float64),
        groups=[f"g{row // OF_A_GROUP}" for row in range(SIZE)],
    )


@repeated(30, 600)
@pytest.mark.parametrize("waves", [ONCE, TWICE], ids=["one wave", "two waves"])
def test_the_interval_holds_the_share_of_serious_harm(waves: list[ProposalRequest], repetitions: int) -> None:
    """The window's interval holds the share of these answers, the long run's that of the law they come from."""

    def run(count: int, stream: int) -> dict[Hashable, list[bool]]:
        held: dict[Hashable, list[bool]] = {(cell, span): [] for cell in CELLS for span in ("window", "long run")}
        for place, cell in enumerate(CELLS):
            right_share, (of_passed, of_failed), silent = cell
            rng = np.random.default_rng([stream, place, len(waves)])
            law = (1 - right_share) * (0.35 * of_passed + 0.65 * of_failed)
            for _ in range(count):
                of_run = traffic(rng, right_share)
                chance = np.where(of_run.verdicts == "pass", of_passed, of_failed)
                is_serious = (of_run.right == 0) & (rng.random(SIZE) < chance)
                is_silent = rng.random(SIZE) < silent
                drawn = draw_waves(of_run, waves, rng)
                labelled = np.flatnonzero(drawn.own >= 0)
                harms = [None if is_silent[row] else bool(is_serious[row]) for row in labelled]
                share = harm_share(evidence_of(of_run, drawn), harms)
                assert share.low is not None
                assert share.high is not None
                assert share.long_run is not None
                held[cell, "window"].append(bool(share.low - 1e-9 <= is_serious.mean() <= share.high + 1e-9))
                held[cell, "long run"].append(bool(share.long_run.low <= law <= share.long_run.high))
        return held

    assert_held(run, repetitions)
