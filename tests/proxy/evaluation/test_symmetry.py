"""What must not matter does not: the order and the names of strata, which label is called right, the scale of the weights."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from proxy.evaluation.agreement import AgreementReport, measure
from proxy.evaluation.confusion_rates import DRAWS, even_draws
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import SampledItem, Total, cells_of
from proxy.evaluation.levels import LEVELS, SAME
from proxy.records import Judgement
from proxy.stats.sampling.survey import proportion
from support.agreement import FAIL, PASS, RIGHT, UNSCORED, WRONG, estimates_of, long_width, one_wave, width

OPPOSITE = {RIGHT: WRONG, WRONG: RIGHT}
OTHER_SIDE = {PASS: FAIL, FAIL: PASS, UNSCORED: UNSCORED}
Window = tuple[list[Total], list[SampledItem]]


def window(seed: int) -> Window:
    """A random wave: three strata of both verdicts, four levels each, 7 to 25 labels a stratum and verdict."""
    rng = random.Random(seed)
    totals, sample = [], []
    for stratum in "abc":
        for verdict in (PASS, FAIL, UNSCORED):
            levels = [SAME] if verdict is UNSCORED else [10 * (verdict is PASS) + k for k in range(4)]
            share = rng.uniform(0.1, 0.9)
            totals += [Total(stratum, verdict, rng.randint(50, 400), level) for level in levels]
            for k in range(rng.randint(7, 25)):
                word = RIGHT if rng.random() < share else rng.choice([WRONG, WRONG, WRONG, Judgement.UNSURE, None])
                group = f"{stratum}-{verdict}-{k // 2}"
                sample.append(SampledItem(stratum, verdict, word, group, level=rng.choice(levels)))
    return totals, sample


def numbers(estimate: Estimate) -> list[float]:
    """Estimate, window and long run."""
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.long_run is not None
    return [estimate.estimate or 0, estimate.low, estimate.high, *estimate.long_run]


def mirrored(estimate: Estimate) -> list[float]:
    p, low, high, long_low, long_high = numbers(estimate)
    return [1 - p, 1 - high, 1 - low, 1 - long_high, 1 - long_low]


def relabelled(given: Window) -> AgreementReport:
    """Right is called wrong, and what was predicted right is predicted wrong."""
    totals, sample = given
    turned = [
        draw._replace(judgement=OPPOSITE.get(draw.judgement, draw.judgement), level=LEVELS - 1 - draw.level)  # type: ignore[arg-type]
        for draw in sample
    ]
    return measure(one_wave([total._replace(level=LEVELS - 1 - total.level) for total in totals], turned))


@pytest.mark.parametrize("seed", range(6))
def test_calling_right_wrong_mirrors_correctness(seed: int) -> None:
    """P becomes 1 - p, and its interval is the mirror image, predicted levels included."""
    given = window(seed)
    report, turned = measure(one_wave(*given)), relabelled(given)

    assert numbers(turned.correctness) == pytest.approx(mirrored(report.correctness), abs=1e-9)
    assert numbers(turned.pass_precision) == pytest.approx(mirrored(report.pass_precision), abs=1e-9)
    assert numbers(turned.npv) == pytest.approx(mirrored(report.npv), abs=1e-9)
    assert turned.accuracy.estimate == pytest.approx(1 - (report.accuracy.estimate or 0), abs=1e-9)
    assert turned.mcc.estimate == pytest.approx(-(report.mcc.estimate or 0), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_turning_labels_and_verdicts_exchanges_the_two_sides(seed: int) -> None:
    """Sensitivity and specificity, precision and negative predictive value change places; accuracy, kappa and MCC stay."""
    totals, sample = given = window(seed)
    report = measure(one_wave(*given))

    turned = relabelled(
        (
            [total._replace(verdict=OTHER_SIDE[total.verdict]) for total in totals],
            [draw._replace(verdict=OTHER_SIDE[draw.verdict]) for draw in sample],
        )
    )
    for name, mirror in (("sensitivity", "specificity"), ("pass_precision", "npv"), ("accuracy", "accuracy")):
        straight, exchanged = getattr(report, name), getattr(turned, mirror)
        assert exchanged.estimate == pytest.approx(straight.estimate, abs=1e-9), name
        assert numbers(exchanged) == pytest.approx(numbers(straight), abs=0.004), name
    for name in ("kappa", "mcc", "ac1"):
        assert getattr(turned, name).estimate == pytest.approx(getattr(report, name).estimate, abs=1e-9), name


@pytest.mark.parametrize("seed", range(4))
def test_the_order_and_the_names_of_strata_do_not_matter(seed: int) -> None:
    """Rows in another order, strata called something else: the same report, as no cell is thin."""
    totals, sample = given = window(seed)
    names = {"a": "z", "b": "k", "c": "a"}
    rng = random.Random(seed)
    shuffled = (
        [total._replace(stratum=names[total.stratum]) for total in rng.sample(totals, len(totals))],
        [sampled._replace(stratum=names[sampled.stratum]) for sampled in rng.sample(sample, len(sample))],
    )
    report, turned = (measure(one_wave(*each)) for each in (given, shuffled))

    for name, estimate in estimates_of(report).items():
        assert numbers(getattr(turned, name)) == pytest.approx(numbers(estimate), abs=1e-9), name


@pytest.mark.parametrize("seed", range(4))
def test_the_scale_of_the_chances_does_not_move_the_estimate(seed: int) -> None:
    """All chances halved: the same estimates, because sizes are known; the window saw half as much, so nothing is narrower."""
    totals, sample = window(seed)
    evidence = one_wave(totals, sample)
    halved = Evidence(
        totals=totals,
        sample=[sampled._replace(chances=(sampled.chances[0] / 2,)) for sampled in evidence.sample],
        drawings=evidence.drawings,
    )
    report, halved_report = measure(evidence), measure(halved)

    for name, estimate in estimates_of(report).items():
        halved_estimate = getattr(halved_report, name)
        assert halved_estimate.estimate == pytest.approx(estimate.estimate, abs=1e-12), name
        assert width(halved_estimate) >= width(estimate) - 1e-12, name
        assert long_width(halved_estimate) >= long_width(estimate) - 1e-12, name


@pytest.mark.parametrize("seed", range(4))
def test_the_scale_of_the_weights_does_not_move_the_window(seed: int) -> None:
    """Weights three times as large over the same sizes change nothing; over sizes three times as large, only the long run.

    The window knows shares of a whole, not how large it is; as a sample of the traffic behind it, thrice as many items tell more.
    """
    totals, sample = window(seed)
    evidence = one_wave(totals, sample)
    draws, cells = evidence.arrays, cells_of(totals, evidence.placed)
    heavy = replace(draws, weight=3 * draws.weight, step=3 * draws.step)
    share, same = proportion(draws, cells), proportion(heavy, cells)
    large = proportion(heavy, replace(cells, size=3 * cells.size))

    assert (same.p, large.p) == pytest.approx((share.p, share.p), abs=1e-12)
    assert (*same.window(), *large.window()) == pytest.approx((*share.window(), *share.window()), abs=1e-12)
    assert same.long_run() == pytest.approx(share.long_run(), abs=1e-12)
    assert share.long_run().low < large.long_run().low < large.long_run().high < share.long_run().high
    assert large.long_run().high - large.long_run().low > share.window().high - share.window().low


@pytest.mark.parametrize("seed", range(4))
def test_open_draws_and_the_order_of_groups_do_not_matter(seed: int) -> None:
    """Groups called something else change nothing; neither does a draw that nobody has answered, given the response."""
    totals, sample = window(seed)
    evidence = one_wave(totals, sample)
    changed = Evidence(
        totals=totals,
        sample=[
            sampled._replace(group=f"x{sampled.group[::-1]}")
            for sampled in evidence.sample
            if sampled.judgement is not None
        ],
        drawings=evidence.drawings,
    )
    for name, estimate in estimates_of(measure(evidence)).items():
        assert numbers(getattr(measure(changed), name)) == pytest.approx(numbers(estimate), abs=1e-12), name


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2), (1, 3), (0, 3), (2, 3)])
def test_draws_fill_every_square_evenly(pair: tuple[int, int]) -> None:
    """4,096 points: each of 64 squares holds about 64 of them, far nearer than chance would have it (a spread of 8)."""
    points = ndtr(even_draws(4)[list(pair)])
    counts, _, _ = np.histogram2d(*points, bins=8, range=[[0, 1], [0, 1]])

    assert counts.sum() == DRAWS
    assert float(np.abs(counts - 64).max()) <= 10
    assert float(counts.std()) < 4
