"""The memory of planning and drawing, by the item: ten million of them are to fit, so nothing keeps a text an item."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest, drawing
from annotate.store import Store
from annotate.store.sampling import waves
from annotate.workflow.judging import rules
from annotate.workflow.sampling.draw import numbers
from proxy.evaluation.predictor import FOLDS, PredictorScores
from proxy.planning import coded, priors, strata
from proxy.planning.coded import Coded
from proxy.planning.expected_width import Outlook
from proxy.planning.labels_needed import Wanted, fewest
from proxy.planning.simulation import PastWaves, WaveSimulation, pool_of
from proxy.planning.strata import SamplingFrame
from support.sampling import FAILED, PASSED, UNSCORED, frame
from support.scored import scored
from support.store import NOW, Assay, traffic_row

FEW, MANY = 20_000, 120_000
BLOCK = 100


def peak(run: Callable[[], object]) -> int:
    """The most bytes in use at once while it runs."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def an_item(run: Callable[[int], Callable[[], object]]) -> float:
    """The bytes that the peak grows by with each further item; what is prepared is not counted."""
    run(FEW)()  # modules are loaded, tables are filled
    return (peak(run(MANY)) - peak(run(FEW))) / (MANY - FEW)


def traffic(count: int) -> SamplingFrame:
    """Nine of ten passed or failed, and values that all differ."""
    return frame({PASSED: count * 6 // 10, FAILED: count * 3 // 10, UNSCORED: count // 10})


def labelled(count: int) -> SamplingFrame:
    """The same after 200 labels, with what they let expect of every item."""
    rows = traffic(count)
    rng = np.random.default_rng(1)
    drawn = rng.choice(count, 200, replace=False)
    right, is_eligible = np.full(count, np.nan, dtype=np.float16), np.ones(count, dtype=np.bool_)
    right[drawn], is_eligible[drawn] = rng.random(200) < 0.7, False
    scores = PredictorScores(np.nan_to_num(rows.values)[:, None], np.arange(count) % FOLDS)
    return replace(rows, right=right, is_eligible=is_eligible).foreseen(scores)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are few items even of the smaller traffic, so that they add nothing by the item."""
    for module in (coded, waves):
        monkeypatch.setattr(module, "BLOCK", BLOCK)


@pytest.mark.parametrize("make", [traffic, labelled])
def test_a_stratified_wave_takes_few_bytes_an_item(make: Callable[[int], SamplingFrame]) -> None:
    """Beside the frame and the numbers: the strata, a mask or two, and one sorted copy of the values of a kind."""

    def run(count: int) -> Callable[[], object]:
        rows, lots = make(count), np.random.default_rng(2).random(count)
        lots[~rows.is_eligible] = 2.0
        return lambda: drawing(rows, ProposalRequest(labels=300, seed=1), lots)

    assert an_item(run) < 12


@pytest.mark.parametrize("make", [traffic, labelled])
def test_a_plan_takes_few_bytes_an_item(make: Callable[[int], SamplingFrame]) -> None:
    """Beside the frame: verdicts, what is expected of each item, and the strata of the numbers of bins."""

    def run(count: int) -> Callable[[], object]:
        rows = make(count)
        is_drawn, chance = ~rows.is_eligible, np.full(count, 200 / count)

        def plan() -> object:
            verdicts = Coded(("pass", "fail", "unscored"), rows.kinds.codes)
            ahead = Outlook(
                frame=rows,
                verdicts=verdicts,
                right=priors.from_labels(rows, verdicts).right,
                chance=chance,
                missed=1 - chance[is_drawn],
            )
            pool = pool_of(ahead, np.random.default_rng(3))
            scores = PredictorScores(np.zeros((len(pool), 0)), np.zeros(len(pool), dtype=np.intp))
            past = PastWaves((), pool[:0], ())
            stage = WaveSimulation(outlook=ahead, past=past, pool=pool, scores=scores, quantity="correctness")
            return fewest(stage, Wanted(quantity="correctness", width=0.1, assurance=0.8, audit=None))

        return plan

    assert an_item(run) < 14


def test_names_are_counted_and_looked_up_without_a_number_an_item() -> None:
    """A mask or a code at most, where numpy's index would take eight bytes."""

    def run(count: int) -> Callable[[], object]:
        names = strata.stratify(traffic(count), 500)
        return lambda: (names.in_order(), names.count(), names.among(PASSED))

    assert an_item(run) < 5


def test_the_frame_of_a_store_takes_few_bytes_an_item(assay: Assay) -> None:
    """Read with its numbers: a key, a value and a number of eight bytes, five more, and the long ids of a block alone."""
    count = 4_000
    scored(assay, [traffic_row(f"t{n:05}" + "x" * 200) for n in range(count)], [n % 97 / 97 for n in range(count)])
    with closing(Store(assay.db)) as store:
        rule = rules.follow_scores(store, now=NOW)[0]

        def read() -> None:
            numbers(store, store.sampling.waves.frame(rule), WaveDesign.STRATIFIED, "salt")

        read()
        assert peak(read) < 40 * count + 1_500 * BLOCK
