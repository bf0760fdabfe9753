"""Search for the fewest labels whose interval is as narrow as wanted, with an assurance.

The wave is the one that draws and the measuring is the report's, simulated on answers made up. Where to begin is told by the
expected width.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.errors import UsageError
from proxy.planning import allocation, expected_width, strata
from proxy.planning.allocation import StratumPlan
from proxy.planning.assurance import BATCH, SIMULATIONS, Assured, assured
from proxy.planning.expected_width import ItemGroups
from proxy.planning.plain_sample import Belief, plain_labels
from proxy.planning.simulation import NextWave, WaveSimulation
from proxy.planning.strata import Known

SEED = 20_260_101  # a plan is the same each time it is asked for


class PlanStatus(StrEnum):
    """The state between the present and the wanted width."""

    MET = "met"
    OPEN = "label the open draws"
    MORE = "draw more"
    ALL = "draw everything that is left"
    NEVER = "not measurable"
    DOUBT = "adjudicate the labels first"


class Fewest(NamedTuple):
    """The fewest labels that do, the width to expect of them, and their plan."""

    labels: int
    width: float
    strata: tuple[StratumPlan, ...]


class LabelsNeeded(NamedTuple):
    """What is still to be drawn: nothing where the labels that are there, or on their way, will do.

    `width` is the median of the simulations, `error` the standard error of the number of labels that comes from their number.
    `plain` is how many labels a plain random sample of all traffic would take in all, with `plain_error`; None where nothing is
    to be labelled. It `is_short` where all that is left does not reach the width as often as asked, and `is_plain_short` where a
    plain random sample of everything does not.
    """

    status: PlanStatus
    labels: int = 0
    width: float | None = None
    strata: tuple[StratumPlan, ...] = ()
    error: float = 0.0
    plain: int | None = None
    plain_error: float = 0.0
    is_short: bool = False
    is_plain_short: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The width that is wanted of a quantity's 95 % interval, in what share of cases, with what least audit."""

    quantity: str
    width: float
    assurance: float
    audit: float | None


def needed(stage: WaveSimulation, now: float | None, waiting: int, wanted: Wanted) -> LabelsNeeded:
    """Simulate waves on this traffic for what is still to be drawn.

    `now` is the width that the labels give now, `waiting` the number of open draws.
    """
    if now is not None and now <= wanted.width:
        return LabelsNeeded(PlanStatus.MET, width=now)
    rng = np.random.default_rng(SEED)
    plain = _plain(stage, wanted, rng)
    beside = LabelsNeeded(PlanStatus.OPEN, plain=plain.labels, plain_error=plain.error, is_plain_short=plain.is_capped)
    if waiting:
        of_open = stage.of_wave(stage.next_wave(0, wanted.audit), SIMULATIONS, rng)
        if float((of_open <= wanted.width).mean()) >= wanted.assurance:
            return beside._replace(width=float(np.median(of_open)))
    start = fewest(stage, wanted)
    if start is None:
        return LabelsNeeded(PlanStatus.NEVER)
    eligible = int(stage.outlook.frame.is_eligible.sum())

    def simulate(labels: int, repetitions: int) -> NDArray[np.float64]:
        # As it would be drawn: a number that is too small to be divided must not look as if it measured nothing.
        return stage.of_wave(_drawable(stage, labels, eligible, wanted)[1], repetitions, rng)

    size, there = len(stage.outlook.frame.keys), len(stage.past.sample)
    result = assured(simulate, size, there, max(1, start.labels), eligible, wanted.width, wanted.assurance)
    labels, wave = _drawable(stage, result.labels, eligible, wanted)
    status = PlanStatus.ALL if labels >= eligible else PlanStatus.MORE
    width = float(np.median(stage.of_wave(wave, BATCH, rng))) if status is PlanStatus.ALL else result.width
    return beside._replace(
        status=status,
        labels=labels,
        width=width,
        strata=wave.plans,
        error=result.error,
        is_short=status is PlanStatus.ALL and result.is_capped,
    )


def reached(stage: WaveSimulation, labels: int, audit: float | None) -> float | None:
    """Return the median width of simulated waves of so many further labels; None where that is not measurable or not drawable."""
    eligible = int(stage.outlook.frame.is_eligible.sum())
    try:
        wave = stage.next_wave(min(labels, eligible), audit)
    except UsageError:  # too few to be divided
        return None
    width = float(np.median(stage.of_wave(wave, SIMULATIONS, np.random.default_rng(SEED))))
    return width if np.isfinite(width) else None


def _drawable(stage: WaveSimulation, labels: int, most: int, wanted: Wanted) -> tuple[int, NextWave]:
    """Return the wave of so many labels, or of the few more that its strata need at least."""
    for count in range(labels, most):
        try:
            return count, stage.next_wave(count, wanted.audit)
        except UsageError:  # too few to be divided
            continue
    return most, stage.next_wave(most, wanted.audit)


def _plain(stage: WaveSimulation, wanted: Wanted, rng: np.random.Generator) -> Assured:
    """Return how many labels a plain random sample takes, with its error: summed exactly for a share of all traffic."""
    size = len(stage.outlook.frame.keys)
    belief = Belief.of(stage.shares(SIMULATIONS, rng))
    exact = plain_labels(size, wanted.width, wanted.assurance, belief)
    if wanted.quantity == "correctness":
        return Assured(exact, 0.0, wanted.width)
    return assured(
        lambda labels, count: stage.of_plain_sample(labels, count, rng),
        size,
        0,
        exact,
        size,
        wanted.width,
        wanted.assurance,
    )


def fewest(stage: WaveSimulation, wanted: Wanted) -> Fewest | None:
    """Return the fewest further labels whose expected width is at most the wanted one; None if no number makes it measurable.

    The width falls with the labels as long as the strata stay the same, so each range of labels with one stratification is
    searched for itself: doubling, then bisection.
    """
    for design in _designs(stage, wanted.audit):
        result = design.fewest(wanted.quantity, wanted.width)
        if result:
            return result
    return None


def _designs(stage: WaveSimulation, audit: float | None) -> Iterator[_Design]:
    """Yield the ranges of labels within which `strata.stratify` cuts the same strata."""
    eligible = int(stage.outlook.frame.is_eligible.sum())
    turns = {strata.LABELS_A_BIN[side] * bins for side, most in strata.MOST_BINS.items() for bins in range(2, most + 1)}
    starts = sorted({1, *(turn for turn in turns if turn <= eligible)})
    for low, after in zip(starts, [*starts[1:], eligible + 1], strict=True):
        cut = stage.stratification(low)
        groups = expected_width.group(stage.outlook, cut.items)
        yield _Design(
            low=low,
            high=after - 1,
            audit=allocation.usual_audit(groups.sizes) if audit is None else audit,
            groups=groups,
            sizes=groups.sizes,
            known=cut.known,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Design:
    """The stratification for `low` to `high` labels."""

    low: int
    high: int
    audit: float
    groups: ItemGroups
    sizes: allocation.Sizes
    known: Mapping[str, Known]

    def at(self, labels: int, quantity: str) -> Fewest:
        """Predict the width of so many labels; infinite where they cannot be divided or tell nothing."""
        try:
            parts = allocation.plan(self.sizes, self.known, labels, self.audit)
        except UsageError:
            return Fewest(labels, math.inf, ())
        width = expected_width.width(self.groups, {part.stratum: part.drawn for part in parts}, quantity)
        return Fewest(labels, math.inf if width is None else width, parts)

    def fewest(self, quantity: str, wanted: float) -> Fewest | None:
        """Return the fewest labels of this range that do, or None."""
        result = self.at(self.high, quantity) if self.high >= self.low else None
        if result is None or result.width > wanted:
            return None
        below, step = self.low - 1, 1
        while below + step < result.labels:
            tried = self.at(below + step, quantity)
            if tried.width <= wanted:
                result = tried
                break
            below, step = below + step, 2 * step
        while result.labels - below > 1:
            tried = self.at((below + result.labels) // 2, quantity)
            below, result = (below, tried) if tried.width <= wanted else (tried.labels, result)
        return result
