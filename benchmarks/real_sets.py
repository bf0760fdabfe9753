"""Coverage of correctness and effective labels on real answers with human labels, and on settings made from them.

    ASSAY_DATA=FOLDER python benchmarks/real_sets.py [--repetitions 1000] [--jobs 2] [--seed 0] [--only WORDS] [--kept FILE]

The product's own waves and estimates against a plain random sample in the same form for the same window, PPI++ on the rule's
value, and the estimate that leans on the rule's value alone. Each cell shows coverage / effective labels for each label of the
plain sample: (its mean width / mean width)^2. A cell that covers too little is run again, RERUN times with other draws. Exit
status 1 if a bar is missed; without the folder ASSAY_DATA there is no table.
"""

from __future__ import annotations

import sys

# Another file of this folder has the name of a standard module.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import argparse
import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import prediction_powered
from kept import Row, kept
from numpy.typing import NDArray
from real_traffic import Setting, settings
from scipy.special import gammaln

from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.agreement import correctness_of
from proxy.stats.effective import effective_n
from proxy.stats.intervals import Interval, wilson

LABELS = (30, 60, 100, 200)
NOT_WORSE = {30: 0.95, 60: 0.95, 100: 0.97, 200: 0.97}
GOOD_JUDGE, GAIN = 0.9, {100: 1.3, 200: 1.45}
NOMINAL, LEAST_MEAN, RERUN = 0.95, 0.94, 1_500
PLAIN = "plain random sample"
Numbers = NDArray[np.float64]
Method = Callable[[SyntheticTraffic, int, np.random.Generator], Interval]


class Cell(NamedTuple):
    """One method with so many labels: the share of intervals that hold the truth, and the mean and error of their widths."""

    coverage: float
    width: float
    error: float
    repetitions: int

    @property
    def least(self) -> float:
        """The coverage below which chance alone is no explanation."""
        return NOMINAL - 3 * math.sqrt(NOMINAL * (1 - NOMINAL) / self.repetitions)

    def against(self, plain: Cell) -> tuple[float, float]:
        """Effective labels for each of the plain sample, and their Monte-Carlo error."""
        gain = (plain.width / self.width) ** 2
        return gain, 2 * gain * self.error / self.width


def same_form(right: int, labels: int, items: int) -> Interval:
    """The interval of a plain random sample as the product forms its own: t, and the part of the window that was seen."""
    p, left = right / labels, 1 - labels / items
    variance = left * p * (1 - p) / (labels - 1)
    return wilson(p, effective_n(p, variance, labels, labels / left, pull=left * (2 - left)), df=labels - 1)


def plain(right: Numbers, labels: int) -> Cell:
    """The plain random sample itself, exactly: the sum over how many right answers it may hold (hypergeometric)."""
    items, rights = len(right), int(right.sum())
    counts = np.arange(max(0, labels - items + rights), min(labels, rights) + 1)

    def log_ways(whole: int, some: NDArray[np.int64]) -> Numbers:
        return np.asarray(gammaln(whole + 1) - gammaln(some + 1) - gammaln(whole - some + 1), dtype=np.float64)

    log_chance = log_ways(rights, counts) + log_ways(items - rights, labels - counts)
    chance = np.exp(log_chance - log_chance.max())
    chance /= chance.sum()
    intervals = [same_form(int(count), labels, items) for count in counts]
    covered = np.array([low <= right.mean() <= high for low, high in intervals])
    widths = np.array([high - low for low, high in intervals])
    return Cell(float(chance @ covered), float(chance @ widths), 0.0, 0)


def powered(now: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
    """PPI++ on the rule's value and a plain random sample; an unscored answer counts as 0."""
    drawn = np.zeros(len(now.right), dtype=bool)
    drawn[rng.choice(len(now.right), labels, replace=False)] = True
    values = np.nan_to_num(now.values)
    return prediction_powered.powered_proportion(
        now.right[drawn], values[drawn], prediction_powered.moments(values[~drawn])
    ).window()


def in_waves(*designs: WaveDesign) -> Method:
    """The product's own waves, as large as each other."""

    def run(now: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
        requests = [ProposalRequest(labels=labels // len(designs), seed=0, design=design) for design in designs]
        estimate = correctness_of(simulate_waves(now, requests, rng))
        return Interval(*(math.nan if end is None else end for end in (estimate.low, estimate.high)))

    return run


def rule_alone(now: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Interval:
    """The first wave with the rule's value as the only score."""
    return in_waves(WaveDesign.STRATIFIED)(replace(now, scores=None), labels, rng)


METHODS: Mapping[str, Method] = {
    "PPI++ on the rule's value": powered,
    "first wave, rule's value alone": rule_alone,
    "first wave": in_waves(WaveDesign.STRATIFIED),
    "two waves": in_waves(WaveDesign.STRATIFIED, WaveDesign.STRATIFIED),
    "two waves, second active": in_waves(WaveDesign.STRATIFIED, WaveDesign.ACTIVE),
}
OURS = ("first wave", "two waves", "two waves, second active")


def cell(name: str, now: SyntheticTraffic, labels: int, repetitions: int, seed: int) -> Cell:
    """Draw, label and estimate again and again; an interval that is none covers nothing."""
    truth, covered, widths = float(now.right.mean()), 0, []
    for number in range(repetitions):
        low, high = METHODS[name](now, labels, np.random.default_rng([seed, labels, number]))
        # a rounding error is no miss
        covered += low - 1e-12 <= truth <= high + 1e-12 and high > low
        widths.append(high - low)
    return Cell(
        covered / repetitions, float(np.mean(widths)), float(np.std(widths)) / math.sqrt(repetitions), repetitions
    )


class SettingOutcome(NamedTuple):
    """The coverages of the product's own cells, and what misses its bar."""

    coverages: Sequence[float]
    missed: Sequence[str]


def measured(at: Setting, pool: ProcessPoolExecutor, repetitions: int, seed: int) -> Mapping[tuple[str, int], Cell]:
    """Every method with every number of labels; what covers too little is run again."""
    places = [(method, labels) for method in METHODS for labels in LABELS]
    jobs = {place: pool.submit(cell, place[0], at.traffic, place[1], repetitions, seed) for place in places}
    cells = {(PLAIN, labels): plain(at.traffic.right, labels) for labels in LABELS}
    cells |= {place: job.result() for place, job in jobs.items()}
    again = {
        place: pool.submit(cell, place[0], at.traffic, place[1], RERUN, seed + 1)
        for place, first in cells.items()
        if place[0] in OURS and first.coverage < first.least
    }
    return cells | {place: job.result() for place, job in again.items()}


def judged(at: Setting, cells: Mapping[tuple[str, int], Cell]) -> SettingOutcome:
    """Hold a setting's cells against the bars."""
    missed = []
    for (method, labels), own in cells.items():
        if method not in OURS:
            continue
        where = f"{at.name}, {method}, n = {labels}"
        gain, error = own.against(cells[PLAIN, labels])
        bar = GAIN.get(labels, 0.0) if round(at.auroc, 2) >= GOOD_JUDGE else 0.0
        if gain + 2 * error < max(bar, NOT_WORSE[labels]):
            missed.append(f"{where}: {gain:.3f} of a plain random sample")
        if own.coverage < own.least:
            missed.append(f"{where}: coverage {own.coverage:.3f} of {own.repetitions}")
    return SettingOutcome([own.coverage for (method, _), own in cells.items() if method in OURS], missed)


def shown(at: Setting, cells: Mapping[tuple[str, int], Cell]) -> str:
    """Write a setting's part of the table."""
    right = at.traffic.right
    lines = [f"\n{at.name}: {right.mean():.2f} of {len(right)} right; best judge's AUROC {at.auroc:.2f}"]
    for method in (PLAIN, *METHODS):
        columns = []
        for labels in LABELS:
            own = cells[method, labels]
            columns.append(f"{own.coverage:.3f}/{own.against(cells[PLAIN, labels])[0]:.2f}")
        lines.append(f"{method:<34}" + "".join(f"{column:>14}" for column in columns))
    return "\n".join(lines)


def _rows(cells: Mapping[tuple[str, int], Cell]) -> list[Row]:
    return [(*place, *own) for place, own in cells.items()]


def table(repetitions: int, seed: int, jobs: int | None, only: str = "", file: Path | None = None) -> list[str]:
    """Print the table; return what misses its bar. A setting that the file holds is not measured again."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder:
        print("no table on real sets: ASSAY_DATA names no folder with them")
        return []
    print(f"\n{'coverage / effective labels':<34}" + "".join(f"{f'n = {labels}':>14}" for labels in LABELS))
    coverages: list[float] = []
    missed: list[str] = []
    with ProcessPoolExecutor(jobs) as pool:
        for at in settings(Path(folder)):
            if only not in at.name:
                continue
            rows = kept(file, (at.name, repetitions, seed), lambda at=at: _rows(measured(at, pool, repetitions, seed)))
            cells = {(str(method), int(labels)): Cell(*numbers) for method, labels, *numbers in rows}
            print(shown(at, cells), flush=True)
            outcome = judged(at, cells)
            coverages += outcome.coverages
            missed += outcome.missed
    if not coverages:
        return [f"no setting has {only!r} in its name"]
    print(f"\nmean coverage of the waves {np.mean(coverages):.4f}, least {min(coverages):.3f}")
    if np.mean(coverages) < LEAST_MEAN:
        missed.append(f"mean coverage on real sets {np.mean(coverages):.4f}")
    return missed


def main() -> int:
    """Print the table; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only settings with this in their name")
    parser.add_argument("--kept", type=Path, help="a file of what was measured: goes on where it was stopped")
    asked = parser.parse_args()
    missed = table(asked.repetitions, asked.seed, asked.jobs, asked.only, asked.kept)
    for miss in missed:
        print(f"misses its bar: {miss}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
