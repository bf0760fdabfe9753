"""Coverage, width and effective labels of the estimators, on traffic made to the settings of the published comparisons.

    python benchmarks/statistics.py [--repetitions 1000] [--jobs 2] [--peers] [--seed 0]

Traffic: 20,000 items, a judge of sensitivity .9 and specificity .6 (binormal, AUROC .861), share right .6, .75 and .9, with
100, 200 and 400 labels; strata and chances are guided by as many labels of an earlier window. Each cell shows coverage / mean
width. Effective labels: (width of Wilson's interval for a simple random sample / width)^2, averaged over the nine cells.
Then: 95 % right with 30, 50 and 100 labels, and five waves of 40. Two judges: a second one of the same quality, independent of
the first given what is right. A cell that covers too little is run again, RERUN times with other draws. Exit status 1 if a bar
is missed. `--peers` installs ppi-python and judgy into an environment of their own and runs them on the same samples. The second
table is that of real_sets.py, on the folder ASSAY_DATA.
"""

from __future__ import annotations

import sys

# This file's name is also that of a standard module, which a script's own folder would hide.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import argparse
import json
import math
import subprocess
import tempfile
import venv
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import prediction_powered
import real_sets
from kept import Row, kept
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves, window
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.estimate import Estimate
from proxy.stats.intervals import Interval, clopper_pearson, wilson

ITEMS = 20_000
SENSITIVITY, SPECIFICITY = 0.9, 0.6
SHARES, LABELS = (0.6, 0.75, 0.9), (100, 200, 400)
SHOWN = 200
RARE = ((0.95, 30), (0.95, 50), (0.95, 100))
AUDIT = 0.05
BARS = {
    "first wave, a quarter audited": real_sets.GAIN[100],  # its draws follow no labels
    "stratified": 1.60,
    "active": 1.69,
    "stratified, two judges": 2.0,
    "active, two judges": 2.0,
}
NOMINAL, LEAST_MEAN, RERUN = 0.95, 0.94, 1_500
WAVES, WAVE_LABELS, WAVE_ITEMS = 5, 40, 1500
Numbers = NDArray[np.float64]


class Cell(NamedTuple):
    """One setting's result; an interval that is `degenerate`, without an end or a width, holds nothing."""

    coverage: float
    width: float
    degenerate: int
    repetitions: int


def traffic(rng: np.random.Generator, share: float, items: int = ITEMS) -> SyntheticTraffic:
    """Right answers score higher by the distance that gives the judge its sensitivity and specificity at one threshold."""
    right = rng.random(items) < share
    score = judge(rng, right)
    return window(np.where(score > 0, "pass", "fail"), ndtr(score / 1.5), right.astype(np.float64))


def judge(rng: np.random.Generator, right: NDArray[np.bool_]) -> Numbers:
    """Return normal scores of a judge whose threshold is 0."""
    return rng.normal(size=len(right)) + np.where(right, ndtri(SENSITIVITY), -ndtri(SPECIFICITY))


def part(whole: SyntheticTraffic, rows: NDArray[np.intp]) -> SyntheticTraffic:
    """These items of a window."""
    chosen = window(whole.verdicts[rows], whole.values[rows], whole.right[rows])
    return chosen if whole.scores is None else replace(chosen, scores=whole.scores[rows])


def two_judges(
    design: WaveDesign,
) -> Callable[[SyntheticTraffic, SyntheticTraffic, int, np.random.Generator], Interval]:
    """The product's own waves where a second judge scored all items, too."""

    def run(now: SyntheticTraffic, before: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
        with_second = [replace(each, scores=judge(rng, each.right == 1)[:, None]) for each in (now, before)]
        return by_design(design)(*with_second, labels, rng)

    return run


def by_design(design: WaveDesign) -> Callable[[SyntheticTraffic, SyntheticTraffic, int, np.random.Generator], Interval]:
    """The product's own waves and estimator."""

    def run(now: SyntheticTraffic, before: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
        guide = part(before, rng.choice(len(before.right), labels, replace=False))
        request = ProposalRequest(labels=labels, audit=AUDIT, seed=0, design=design)
        estimate = correctness_of(simulate_waves(now, [request], rng, guide=guide))
        return ends(estimate)

    return run


def ends(estimate: Estimate) -> Interval:
    """Return the interval, nan where an end is missing."""
    return Interval(*(math.nan if end is None else end for end in (estimate.low, estimate.high)))


def first_wave(now: SyntheticTraffic, before: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
    """The product's first wave: no earlier labels, a quarter of the labels on failed items."""
    estimate = correctness_of(simulate_waves(now, [ProposalRequest(labels=labels, seed=0)], rng))
    return ends(estimate)


def simple(interval: Callable[[float, float], Interval]) -> Callable[..., Interval]:
    """A simple random sample and no proxy."""

    def run(now: SyntheticTraffic, before: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
        right = now.right[rng.choice(len(now.right), labels, replace=False)]
        return interval(float(right.sum()), labels)

    return run


def powered(now: SyntheticTraffic, before: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
    """PPI++ on a simple random sample, HC3 variance, Wilson at the effective n."""
    drawn = np.zeros(len(now.right), dtype=bool)
    drawn[rng.choice(len(now.right), labels, replace=False)] = True
    return prediction_powered.powered_proportion(
        now.right[drawn], now.values[drawn], prediction_powered.moments(now.values[~drawn])
    ).long_run()


def passed_only(now: SyntheticTraffic, before: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
    """WRONG on purpose: labels of passed items taken as a random sample."""
    right = now.right[rng.choice(np.flatnonzero(now.verdicts == "pass"), labels, replace=False)]
    return wilson(float(right.mean()), labels)


METHODS: dict[str, Callable[[SyntheticTraffic, SyntheticTraffic, int, np.random.Generator], Interval]] = {
    "Wilson, random sample": simple(lambda x, n: wilson(x / n, n)),
    "Clopper-Pearson": simple(clopper_pearson),
    "PPI++ score, HC3, effective n": powered,
    "first wave, a quarter audited": first_wave,
    "stratified": by_design(WaveDesign.STRATIFIED),
    "active": by_design(WaveDesign.ACTIVE),
    "stratified, two judges": two_judges(WaveDesign.STRATIFIED),
    "active, two judges": two_judges(WaveDesign.ACTIVE),
    "WRONG: passed only": passed_only,
}


def cell(name: str, share: float, labels: int, repetitions: int, seed: int) -> Cell:
    """One method in one setting: every repetition has traffic of its own."""
    covered, widths, degenerate = 0, [], 0
    for number in range(repetitions):
        rng = np.random.default_rng([seed, int(1000 * share), labels, number])
        now, before = traffic(rng, share), traffic(rng, share)
        low, high = METHODS[name](now, before, labels, rng)
        is_sound = math.isfinite(low) and math.isfinite(high) and high > low
        degenerate += not is_sound
        covered += is_sound and low <= now.right.mean() <= high
        widths.append(high - low)
    return Cell(covered / repetitions, float(np.nanmean(widths)), degenerate, repetitions)


def five_waves(seed: int) -> tuple[bool, float, float]:
    """Two independent judges, f their mean; does the interval hold the truth, its width, and that of PPI++ on as many labels.

    An interval without an end holds nothing and has no width (nan).
    """
    rng = np.random.default_rng([seed, 5])
    right = rng.random(WAVE_ITEMS) < 0.8
    judges = [np.where(right, rng.random(WAVE_ITEMS) < 0.95, rng.random(WAVE_ITEMS) > 0.6) for _ in range(2)]
    value = np.mean(judges, axis=0)
    now = window(np.where(value > 0.5, "pass", "fail"), value, right.astype(np.float64))
    estimate = correctness_of(simulate_waves(now, [ProposalRequest(labels=WAVE_LABELS, seed=0)] * WAVES, rng))
    drawn = np.zeros(WAVE_ITEMS, dtype=bool)
    drawn[rng.choice(WAVE_ITEMS, estimate.n, replace=False)] = True
    plain = prediction_powered.powered_proportion(
        now.right[drawn], value[drawn], prediction_powered.moments(value[~drawn])
    ).window()
    low, high = ends(estimate)
    return bool(low <= right.mean() <= high), high - low, plain.high - plain.low


def table(repetitions: int, seed: int, jobs: int | None, file: Path | None = None) -> list[str]:
    """Print the comparison; return what misses its bar. A method that the file holds is not measured again."""
    missed: list[str] = []
    settings = [(share, labels) for share in SHARES for labels in LABELS] + list(RARE)
    heads = "".join(f"{f'{share:g}, n={SHOWN}':>14}" for share in SHARES)
    print(f"{'method':<34}{heads}{'least':>8}{'worth':>7}{'.95: n=30, 50, 100':>22}")
    wide: list[float] = []
    coverages: list[float] = []
    with ProcessPoolExecutor(jobs) as pool:
        for name in METHODS:
            rows = kept(
                file, (name, repetitions, seed), lambda name=name: _measured(pool, name, settings, repetitions, seed)
            )
            cells = [Cell(*row) for row in rows]
            nine, rare = cells[: -len(RARE)], cells[-len(RARE) :]
            wide = wide or [scenario.width for scenario in nine]
            worth = float(np.mean([(w / scenario.width) ** 2 for w, scenario in zip(wide, nine, strict=True)]))
            shown = [scenario for scenario, (_, labels) in zip(nine, settings, strict=False) if labels == SHOWN]
            least = min(scenario.coverage for scenario in nine)
            print(
                f"{name:<34}"
                + "".join(f"{f'{scenario.coverage:.3f}/{scenario.width:.3f}':>14}" for scenario in shown)
                + f"{least:>8.3f}{worth:>7.2f}   "
                + ", ".join(f"{scenario.coverage:.3f}" for scenario in rare),
                flush=True,
            )
            missed += _missed(name, cells, worth)
            coverages += [scenario.coverage for scenario in cells if name in BARS]
        missed += _five_waves(pool, repetitions, seed, file)
    print(f"mean coverage of the waves {np.mean(coverages):.4f}, least {min(coverages):.3f}")
    if np.mean(coverages) < LEAST_MEAN:
        missed.append(f"mean coverage {np.mean(coverages):.4f}")
    return missed


def _five_waves(pool: ProcessPoolExecutor, repetitions: int, seed: int, file: Path | None) -> list[str]:
    """Print the line of the five waves; run again what covers too little."""

    def run(times: int, first: int) -> Sequence[Row]:
        seeds = range(first, first + times)
        return kept(file, ("five waves", times, first), lambda: list(pool.map(five_waves, seeds, chunksize=20)))

    waves = run(repetitions, seed)
    if np.mean([held for held, *_ in waves]) < least_coverage(len(waves)):
        waves = run(RERUN, seed + repetitions)
    held, ours, plain = np.array(waves, dtype=np.float64).T
    print(
        f"five waves of {WAVE_LABELS}: coverage {held.mean():.3f}, width {np.nanmean(ours):.4f}, "
        f"{np.isnan(ours).mean():.1%} without an interval; PPI++ on a simple random sample {plain.mean():.4f}"
    )
    is_missed = held.mean() < least_coverage(len(waves)) or np.nanmean(ours) > plain.mean() or np.isnan(ours).any()
    return ["five waves"] if is_missed else []


def _measured(
    pool: ProcessPoolExecutor, name: str, settings: Sequence[tuple[float, int]], repetitions: int, seed: int
) -> list[Cell]:
    """Every setting; what covers too little is run again, RERUN times with other draws."""
    waiting = [pool.submit(cell, name, *setting, repetitions, seed) for setting in settings]
    cells = [job.result() for job in waiting]
    again = {
        place: pool.submit(cell, name, *settings[place], RERUN, seed + 1)
        for place, first in enumerate(cells)
        if name in BARS and first.coverage < least_coverage(repetitions)
    }
    return [again[place].result() if place in again else first for place, first in enumerate(cells)]


def least_coverage(repetitions: int) -> float:
    """The bar: three standard errors below nominal."""
    return NOMINAL - 3 * math.sqrt(NOMINAL * (1 - NOMINAL) / repetitions)


def _missed(name: str, cells: Sequence[Cell], worth: float) -> list[str]:
    if name not in BARS:
        return []
    missed = (
        [f"{name}: {sum(scenario.degenerate for scenario in cells)} degenerate intervals"]
        if any(scenario.degenerate for scenario in cells)
        else []
    )
    missed += [
        f"{name}: coverage {scenario.coverage:.3f} of {scenario.repetitions}"
        for scenario in cells
        if scenario.coverage < least_coverage(scenario.repetitions)
    ]
    if worth < BARS[name]:
        missed.append(f"{name}: worth {worth:.2f}")
    return missed


PEER_PACKAGES = ("ppi-python==0.2.3", "judgy==0.1.0")
PEER_CODE = """
import json, sys, warnings
from collections import Counter
import numpy as np
warnings.simplefilter("ignore")
from ppi_py import ppi_mean_ci
try:
    from judgy import estimate_success_rate
except ImportError:
    estimate_success_rate = None

def ppi(sample):
    labelled, scores, unlabelled = (np.array(sample[name]) for name in ("y", "f", "u"))
    low, high = ppi_mean_ci(labelled, scores, unlabelled, alpha=0.05)
    return float(np.ravel(low)[0]), float(np.ravel(high)[0])

def judgy(sample):
    if estimate_success_rate is None:
        return None, None
    labels, passes, others = (np.array(sample[name], dtype=int) for name in ("y", "passes", "every"))
    _, low, high = estimate_success_rate(test_labels=labels, test_preds=passes, unlabeled_preds=others,
                                         bootstrap_iterations=200)
    return float(low), float(high)

failures = Counter()
def interval(package, sample):
    # A sample that a package refuses (judgy: all labels agree, or no bootstrap sample is valid) has no interval.
    try:
        return package(sample)
    except (ArithmeticError, RuntimeError, ValueError) as error:
        failures[f"{package.__name__}: {type(error).__name__}: {error}"] += 1
        return None, None

for line in sys.stdin:
    sample = json.loads(line)
    print(json.dumps([interval(ppi, sample), interval(judgy, sample)]), flush=True)
for failure, count in failures.most_common():
    print(f"{count} without an interval: {failure}", file=sys.stderr)
"""


def peers(repetitions: int, seed: int) -> None:
    """The published packages on simple random samples of the same traffic, in an environment of their own."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        venv.create(folder, with_pip=True)
        installed = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *PEER_PACKAGES], check=False, stderr=subprocess.DEVNULL
        )
        if installed.returncode:
            print("peers: they could not be installed here")
            return
        print(f"peers on {repetitions} simple random samples of {SHOWN} labels, coverage/width")
        for share in (*SHARES, RARE[0][0]):
            samples = [_sample(share, seed, number) for number in range(repetitions)]
            lines = "\n".join(json.dumps(sample) for sample, _ in samples)
            # What the packages could not do goes to the terminal.
            done = subprocess.run(
                [python, "-c", PEER_CODE], input=lines, stdout=subprocess.PIPE, text=True, check=True
            ).stdout.splitlines()
            truths = [truth for _, truth in samples]
            for which, name in enumerate(("ppi-python, PPI++ on the score", "judgy, Rogan-Gladen")):
                estimates = [json.loads(line)[which] for line in done]
                print(f"{name:<34}{share:g}: {_shown(estimates, truths)}", flush=True)


def _sample(share: float, seed: int, number: int) -> tuple[dict[str, list[float]], float]:
    rng = np.random.default_rng([seed, int(1000 * share), 1, number])
    now = traffic(rng, share)
    drawn = np.zeros(ITEMS, dtype=bool)
    drawn[rng.choice(ITEMS, SHOWN, replace=False)] = True
    passes = (now.verdicts == "pass").astype(int)
    sample = {
        "y": now.right[drawn].tolist(),
        "f": now.values[drawn].tolist(),
        "u": now.values[~drawn].tolist(),
        "passes": passes[drawn].tolist(),
        "every": passes[~drawn].tolist(),
    }
    return sample, float(now.right.mean())


def _shown(intervals: Sequence[Sequence[float | None]], truths: Sequence[float]) -> str:
    known = [
        (low, high, truth)
        for (low, high), truth in zip(intervals, truths, strict=True)
        if low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    ]
    if not known:
        return "—"
    covered = np.mean([low <= truth <= high for low, high, truth in known])
    width = np.mean([high - low for low, high, _ in known])
    lost = len(intervals) - len(known)
    return f"{covered:.3f}/{width:.3f}" + (f", {lost} without an interval" if lost else "")


def main() -> int:
    """Print the tables; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kept", type=Path, help="a file of what was measured: goes on where it was stopped")
    parser.add_argument("--peers", action="store_true")
    asked = parser.parse_args()
    missed = table(asked.repetitions, asked.seed, asked.jobs, asked.kept)
    missed += real_sets.table(asked.repetitions, asked.seed, asked.jobs, file=asked.kept)
    if asked.peers:
        peers(min(asked.repetitions, 200), asked.seed)
    for line in missed:
        print(f"misses its bar: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
