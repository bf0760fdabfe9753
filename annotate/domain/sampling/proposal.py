"""Propose a wave for a request for labels before it is written: each item's stratum and chance, and the rows drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from proxy.errors import UsageError
from proxy.planning import strata
from proxy.planning.allocation import FIRST, StratumPlan, plan, usual_audit
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalRequest:
    """Request for a wave. `rate` and `rate_failed` are for a stream, which has no number of labels; no `audit`: the usual one.

    `part` names the slice that it is drawn of, and `members` are the rows of its items; None for all traffic.
    """

    labels: int = 0
    audit: float | None = None
    all_passed: bool = False
    seed: int
    design: WaveDesign = WaveDesign.STRATIFIED
    rate: float = 0.0
    rate_failed: float = 0.0
    part: str | None = None
    members: NDArray[np.int64] | None = None


class Proposal(NamedTuple):
    """A wave before it is written: the stratum of each item of the frame, the plan, the rows drawn, its audit.

    `own` has each item's own chance, nan where the plan of its stratum tells it; it is None where that holds for all.
    """

    strata: Coded
    own: NDArray[np.float64] | None
    plans: tuple[StratumPlan, ...]
    rows: NDArray[np.intp]
    audit: float = 0.0

    @property
    def chances(self) -> NDArray[np.float64]:
        """The chance of each item."""
        return self.chances_of(slice(None))

    def chances_of(self, rows: NDArray[np.intp] | slice) -> NDArray[np.float64]:
        """Return the chance of the items in these rows."""
        planned = designs.batch_chances(self.strata[rows], [part for part in self.plans if part.is_fixed])
        return planned if self.own is None else np.where(np.isnan(self.own[rows]), planned, self.own[rows])


def drawing(frame: SamplingFrame, request: ProposalRequest, numbers: NDArray[np.float64]) -> Proposal:
    """Decide a wave: which rows of the frame are drawn, given a number in [0, 1) for each that is eligible, above 1 else."""
    return DESIGNS[request.design](frame, request, numbers)


def _stratified(frame: SamplingFrame, request: ProposalRequest, numbers: NDArray[np.float64]) -> Proposal:
    """Draw simple random samples of the strata."""
    names = strata.stratify(frame, request.labels)
    known = strata.known(frame, names)
    sizes = strata.count(frame, names)
    audit = _audit(request, sizes)
    plans = plan(sizes, known, request.labels, audit, all_passed=request.all_passed)
    return Proposal(names, None, plans, designs.batch(names, plans, numbers), audit)


def _audit(request: ProposalRequest, sizes: Mapping[str, int]) -> float:
    """Return the least share of failed items that was asked for, else the usual one."""
    return usual_audit(sizes) if request.audit is None else request.audit


def _active(frame: SamplingFrame, request: ProposalRequest, numbers: NDArray[np.float64]) -> Proposal:
    """Draw systematically with chances by how unsure earlier labels leave us of each item; first looks by their own strata."""
    if np.isnan(frame.right).all():
        raise UsageError("no earlier label says what is unsure: draw a first wave without --active")
    sizes = strata.count(frame, frame.kinds)
    audit = _audit(request, sizes)
    whole = plan(sizes, {}, request.labels, audit)
    fixed = tuple(part for part in whole if part.kind in FIRST)
    labels = request.labels - sum(part.drawn for part in fixed)
    own = designs.active_chances(frame, labels, audit * request.labels / max(labels, 1))
    # The numbers' sum is a start that depends on no single item.
    start = float(numbers[frame.is_eligible].sum() % 1)
    drawable = np.where(frame.is_eligible, np.nan_to_num(own), 0.0)
    chosen = np.sort(designs.spread(drawable, np.argsort(numbers, kind="stable"), start))
    rows = np.concatenate([designs.batch(frame.kinds, fixed, numbers), chosen])
    return Proposal(frame.kinds, own, fixed + by_chance(sizes, frame.kinds[rows], without=fixed), rows, audit)


def _stream(frame: SamplingFrame, request: ProposalRequest, numbers: NDArray[np.float64]) -> Proposal:
    """Draw from the items that no wave has framed, at a rate fixed beforehand."""
    chances = designs.stream_chances(frame, request.rate, request.rate_failed)
    rows = designs.poisson(chances, numbers)
    return Proposal(
        frame.kinds, chances, by_chance(strata.count(frame, frame.kinds), frame.kinds[rows], without=()), rows
    )


def by_chance(sizes: dict[str, int], drawn: Coded, *, without: Sequence[StratumPlan]) -> tuple[StratumPlan, ...]:
    """Return what chance drew of each stratum."""
    planned, counts = {part.stratum for part in without}, drawn.count()
    return tuple(
        StratumPlan(stratum=name, size=size, drawn=counts.get(name, 0), is_fixed=False)
        for name, size in sorted(sizes.items())
        if name not in planned
    )


DESIGNS = {WaveDesign.STRATIFIED: _stratified, WaveDesign.ACTIVE: _active, WaveDesign.STREAM: _stream}
