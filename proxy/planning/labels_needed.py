"""Search for the fewest labels whose expected interval is as narrow as wanted.

The allocation is the one that draws and the formulas are the ones that measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proxy.errors import UsageError
from proxy.planning import allocation, expected_width, strata
from proxy.planning.allocation import StratumPlan
from proxy.planning.expected_width import ItemGroups, Outlook
from proxy.planning.strata import Known


class Status(StrEnum):
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


def needed(
    outlook: Outlook, now: float | None, waiting: int, quantity: str, wanted: float, audit: float | None
) -> tuple[Status, Fewest | None]:
    """Return what is still to be drawn: nothing where the labels that are there, or on their way, will do.

    `now` is the width that the labels give now, `waiting` the number of open draws.
    """
    if now is not None and now <= wanted:
        return Status.MET, Fewest(0, now, ())
    if waiting:
        groups = expected_width.group(outlook, strata.stratify(outlook.frame, 0))
        then = expected_width.width(groups, {}, quantity)
        if then is not None and then <= wanted:
            return Status.OPEN, Fewest(0, then, ())
    design = fewest(outlook, quantity, wanted, audit)
    if design is None:
        return Status.NEVER, None
    return Status.ALL if design.labels >= outlook.frame.is_eligible.sum() else Status.MORE, design


def fewest(outlook: Outlook, quantity: str, wanted: float, audit: float | None) -> Fewest | None:
    """Return the fewest further labels whose expected width is at most the wanted one; None if no number makes it measurable.

    The width falls with the labels as long as the strata stay the same, so each range of labels with one stratification is
    searched for itself: doubling, then bisection.
    """
    for design in _designs(outlook, audit):
        result = design.fewest(quantity, wanted)
        if result:
            return result
    return None


def _designs(outlook: Outlook, audit: float | None) -> Iterator[_Design]:
    """Yield the ranges of labels within which `strata.stratify` cuts the same strata."""
    eligible = int(outlook.frame.is_eligible.sum())
    turns = {strata.LABELS_A_BIN[side] * bins for side, most in strata.MOST_BINS.items() for bins in range(2, most + 1)}
    starts = sorted({1, *(turn for turn in turns if turn <= eligible)})
    for low, after in zip(starts, [*starts[1:], eligible + 1], strict=True):
        names = strata.stratify(outlook.frame, low)
        groups = expected_width.group(outlook, names)
        yield _Design(
            low=low,
            high=after - 1,
            audit=allocation.usual_audit(groups.sizes) if audit is None else audit,
            groups=groups,
            sizes=groups.sizes,
            known=strata.known(outlook.frame, names),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Design:
    """The stratification for `low` to `high` labels."""

    low: int
    high: int
    audit: float
    groups: ItemGroups
    sizes: allocation.Sizes
    known: dict[str, Known]

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
