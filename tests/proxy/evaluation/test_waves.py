"""Labels of several waves: one weight each from all its chances. That weights are 1 on average: store/test_ledger."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from annotate.analysis.planning.synthetic_waves import simulate_waves, window
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import measure
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, Total, draws_of, weight_of
from proxy.evaluation.levels import SHARES
from proxy.stats.intervals import wilson
from support.agreement import FAIL, PASS, RIGHT, WRONG, labelled, long_width, width


def test_a_label_of_one_wave_stands_for_one_over_its_chance() -> None:
    """Both its weight and the part of it that chance decided."""
    assert weight_of((0.125,), 0) == (8, 8)


def test_a_label_of_two_waves_stands_for_one_over_its_chance_in_any() -> None:
    """Chances .2 and .3: .44 in any. Waves weigh .25 / (.25 + 30 / 56) and the rest, 1 / q - 1 / (q before).

    Drawn first: .318... / .2 + .681... = 1 / .44, of which the first part was left to chance; drawn second: .681... / .3.
    """
    first = (1 / 0.8 - 1) / (1 / 0.56 - 1)
    assert weight_of((0.2, 0.3), 0) == pytest.approx((first / 0.2 + 1 - first, first / 0.2))
    assert weight_of((0.2, 0.3), 1) == pytest.approx(((1 - first) / 0.3, (1 - first) / 0.3))
    assert weight_of((0.2, 0.3), 0)[0] == pytest.approx(1 / 0.44)


def test_a_wave_that_takes_everything_leaves_nothing_to_chance() -> None:
    """The first wave's draws are known by then, and so is all the rest."""
    assert weight_of((0.2, 1.0), 0) == (1, 0)
    assert weight_of((0.2, 1.0), 1) == (1, 1)


def test_waves_weigh_as_their_precision() -> None:
    """100 of 271, then 100 of the 171 left: the variance is the least that fixed weights can have, that of 200 of 271."""
    c1, c2 = 100 / 271, 100 / 171
    steps = [weight_of((c1, c2), own)[1] for own in (0, 1)]
    variance = sum(100 * step**2 * (1 - chance) for step, chance in zip(steps, (c1, c2), strict=True))

    assert variance == pytest.approx(271 * 71 / 200, rel=1e-12)


def simple(rows: Sequence[int], n: int) -> Iterator[tuple[float, set[int]]]:
    """Every simple random sample of n, with its probability."""
    chosen = list(itertools.combinations(rows, n))
    return ((1 / len(chosen), set(sample)) for sample in chosen)


def two_waves(first: tuple[int, int], second: tuple[int, int], size: int) -> Evidence:
    """One stratum of passed items, (right, wrong) labels in each of two waves."""
    sizes = (size, size - sum(first))
    chances = (sum(first) / sizes[0], sum(second) / sizes[1])
    drawings = [Drawing(n + 1, "passed", sizes[n], *[sum(wave)] * 3) for n, wave in enumerate((first, second))]
    sample = [
        item._replace(group=f"{n}-{item.group}", drawing=n, chances=chances, own=n)
        for n, said in enumerate((first, second))
        for item in labelled("passed", PASS, *said)
    ]
    return Evidence(totals=[Total("passed", PASS, size)], sample=sample, drawings=drawings)


def test_two_waves_of_one_stratum_by_hand() -> None:
    """30 of 40 right, then 45 of 60, of 400: each item was drawn in one of both with the same chance, 100 of 400."""
    report = measure(two_waves((30, 10), (45, 15), 400))
    uneven = measure(two_waves((30, 10), (15, 45), 400))
    c1, c2 = 40 / 400, 60 / 360

    assert report.correctness.estimate == pytest.approx(0.75, abs=1e-12)
    assert uneven.correctness.estimate == pytest.approx(45 / 100, abs=1e-12)
    assert 1 - (1 - c1) * (1 - c2) == pytest.approx(100 / 400)


def test_waves_that_contradict_each_other_are_no_certainty() -> None:
    """All 5 of the first wave right, all 5 of the second wrong: each agrees with itself, and nothing is sure."""
    correctness = measure(two_waves((5, 0), (0, 5), 100)).correctness

    assert width(correctness) > 0.3
    assert long_width(correctness) >= width(correctness)


@pytest.mark.parametrize("first", [(8, 2), (80, 20), (160, 40), (240, 60)])
def test_the_long_run_does_not_gain_from_being_asked_in_two_waves(first: tuple[int, int]) -> None:
    """400 items of which 80 % are right, all labelled: about the p (1 - p) / 399 of one wave, however they were divided."""
    second = (320 - first[0], 80 - first[1])
    correctness = measure(two_waves(first, second, 400)).correctness
    plain = wilson(0.8, 399, df=399)

    assert (correctness.low, correctness.high) == (0.8, 0.8)
    assert correctness.long_run == pytest.approx(plain, abs=0.004)


def test_draws_as_arrays_keep_every_chance() -> None:
    """Weights, steps, 1 - pi of the drawing's own wave; Poisson draws of all strata count as one drawing."""
    drawings = [Drawing(1, "a", 20, 4, 4, 4), Drawing(2, "b", 9, 2, 2, 2, False), Drawing(2, "c", 9, 1, 1, 1, False)]
    items = [
        SampledItem("a", PASS, RIGHT, "g", 0, (0.2, 0.5), 0, 3),
        SampledItem("b", PASS, None, "h", 1, (0.2, 0.5), 1, 3),
        SampledItem("c", FAIL, WRONG, "g", 2, (0.25,), 0, 7),
    ]
    draws = draws_of(items, drawings)

    assert draws.weight == pytest.approx([1 / 0.6, 1 / 0.6, 4])
    assert draws.step == pytest.approx([0.5 / 0.6, 1 / 0.6, 4])
    assert draws.missed == pytest.approx([0.8, 0.5, 0.75])
    assert list(draws.drawing) == [0, 3, 3]
    assert list(draws.returned) == [4, 2, 2]
    assert (list(draws.cluster), list(draws.score)) == ([0, 1, 0], [SHARES[3], SHARES[3], SHARES[7]])
    assert (list(draws.right), list(draws.judged)) == ([1, 0, 0], [1, 0, 1])


@pytest.mark.parametrize("requests", [(40, 40), (60, 20, 20)])
def test_simulated_waves_add_up_to_the_frame(requests: tuple[int, ...]) -> None:
    """Chances of every wave, also of a stratum that was drawn empty; the totals are all items, and all are reachable."""
    rng = np.random.default_rng(8)
    values = np.concatenate([rng.random(300), [0.99] * 3])
    traffic = window(np.where(values > 0.5, "pass", "fail"), values, (rng.random(303) < values).astype(float))
    asked = [
        ProposalRequest(labels=n, seed=1, design=WaveDesign.ACTIVE if k == 1 else WaveDesign.STRATIFIED)
        for k, n in enumerate(requests)
    ]
    evidence = simulate_waves(traffic, asked, rng)

    assert sum(total.size for total in evidence.totals) == 303
    assert all(total.is_reachable for total in evidence.totals)
    assert all(0 < chance <= 1 for sampled in evidence.sample for chance in sampled.chances)
    assert sum(weight_of(sampled.chances, sampled.own)[0] for sampled in evidence.sample) == pytest.approx(
        303, rel=0.35
    )
