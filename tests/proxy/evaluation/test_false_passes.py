"""How many of all answers are wrong and pass: the share and its intervals, by hand and against the truth of simulated traffic."""

from __future__ import annotations

import numpy as np
import pytest

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import measure
from proxy.evaluation.false_passes import false_passes
from support.agreement import FAIL, PASS, UNSCORED, wave
from support.simulation import at_least, repeated


def test_where_all_is_labelled_it_is_counted() -> None:
    """60 of 80 pass and 15 of those are wrong: 15 / 80 of the scored items, the 20 unscored left out, without a width."""
    estimate = false_passes(wave(("p", PASS, 60, 45, 15), ("f", FAIL, 20, 4, 16), ("u", UNSCORED, 20, 10, 10)))

    assert estimate.estimate == pytest.approx(15 / 80)
    assert (estimate.low, estimate.high) == (pytest.approx(15 / 80), pytest.approx(15 / 80))
    assert estimate.long_run is not None
    assert estimate.long_run.low < 15 / 80 < estimate.long_run.high


def test_it_is_the_cell_of_the_table_and_moves_with_pass_precision() -> None:
    """P(pass) is counted, so the interval is that of P(right | pass), mirrored and scaled."""
    evidence = wave(("p", PASS, 600, 45, 15), ("f", FAIL, 400, 8, 32))
    estimate, report = false_passes(evidence), measure(evidence)
    precision = report.pass_precision

    assert report.shares is not None
    assert estimate.estimate == pytest.approx(float(report.shares.wrong_pass))
    assert precision.low is not None
    assert precision.high is not None
    assert (estimate.low, estimate.high) == (
        pytest.approx(0.6 * (1 - precision.high)),
        pytest.approx(0.6 * (1 - precision.low)),
    )
    assert estimate.n == 60


def test_it_needs_no_label_among_what_fails() -> None:
    """Nobody looked below the threshold: kappa is not measurable, this is."""
    evidence = wave(("p", PASS, 600, 45, 15), ("f", FAIL, 400, 0, 0))

    assert measure(evidence).kappa.estimate is None
    assert false_passes(evidence).estimate == pytest.approx(0.6 * 0.25)


def test_what_cannot_be_known_says_so() -> None:
    """No label among the passed, nothing that passes, nothing that was scored."""
    unlabelled = false_passes(wave(("p", PASS, 600, 0, 0), ("f", FAIL, 400, 20, 20)))
    assert unlabelled.estimate is None
    assert "above the threshold" in (unlabelled.reason or "")
    none = false_passes(wave(("f", FAIL, 400, 20, 20)))
    assert (none.estimate, none.low, none.high) == (0.0, 0.0, 0.0)
    nothing = false_passes(wave(("u", UNSCORED, 40, 20, 20)))
    assert nothing.estimate is None
    assert nothing.reason


def _traffic(rng: np.random.Generator, size: int, right: float, precision: float, passed: float) -> SyntheticTraffic:
    """Items that pass with a chance, right with one that the verdict decides."""
    passes = rng.random(size) < passed
    below = (right - passed * precision) / (1 - passed)
    is_right = rng.random(size) < np.where(passes, precision, below)
    value = np.clip(rng.normal(np.where(passes, 0.75, 0.25) + 0.05 * is_right, 0.08), 0, 1)
    return SyntheticTraffic(
        verdicts=np.where(passes, "pass", "fail"),
        values=np.where(passes, np.maximum(value, 0.501), np.minimum(value, 0.5)),
        is_thumbed_down=np.zeros(size, dtype=np.bool_),
        is_disputed=np.zeros(size, dtype=np.bool_),
        right=is_right.astype(np.float64),
        groups=[str(n) for n in range(size)],
    )


@pytest.mark.slow
@repeated(60, 300)
@pytest.mark.parametrize(
    ("size", "right", "precision", "passed", "labels"),
    [(600, 0.75, 0.9, 0.7, 100), (2000, 0.6, 0.8, 0.6, 120), (500, 0.9, 0.96, 0.8, 80)],
)
def test_both_intervals_hold_the_truth(
    size: int, right: float, precision: float, passed: float, labels: int, repetitions: int
) -> None:
    """New traffic each time: the window's share as it is, and the long run's P(pass) (1 - P(right | pass))."""
    window, long_run = 0, 0
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, 23])
        traffic = _traffic(rng, size, right, precision, passed)
        estimate = false_passes(simulate_waves(traffic, [ProposalRequest(labels=labels, seed=0)], rng), 1024)
        true = float(((traffic.verdicts == "pass") & (traffic.right == 0)).mean())
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.long_run is not None
        window += estimate.low - 1e-9 <= true <= estimate.high + 1e-9
        long_run += estimate.long_run.low <= passed * (1 - precision) <= estimate.long_run.high

    assert min(window, long_run) / repetitions >= at_least(0.95, repetitions)
