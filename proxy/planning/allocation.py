"""Allocate a budget of labels to strata by their sizes and by what earlier waves found.

80 % of the labels go where they narrow the estimate most (Neyman: size times spread, as earlier waves found it), 20 % in
proportion to size, so that no stratum is starved by a wrong guess. Failed items get at least the audit share. Thumbs-down
and disputed items are looked at first: taken whole where an eighth of the labels holds them, else that part or their share.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from proxy.errors import UsageError
from proxy.planning.strata import Known, Stratum, kind
from proxy.stats.sampling.allocation import clipped, defensive, guessed_spread, rounded

FEWEST = 5
MOST_AUDIT = 0.25
AUDIT_COST = 0.03
UNKNOWN = Known(0, 0)
Sizes = Mapping[str, int]
# What annotators look at first, in this order: all of it where this part of the labels holds it. A larger part would cost what
# all other items need: with a quarter for 4 % of the traffic, and more so with a half, all of it wrong, estimates from 60 labels
# are worse than those of a plain random sample.
FIRST = (Stratum.THUMBS_DOWN, Stratum.DISPUTED)
PART_LOOKED_AT_FIRST = 8


class NothingToDraw(UsageError):
    """Every item has had its chance, or none was ingested."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumPlan:
    """Number of a stratum's items to draw; `is_fixed` where that number was planned, not left to chance."""

    stratum: str
    size: int
    drawn: int
    is_fixed: bool = True

    @property
    def inclusion_probability(self) -> float:
        """Drawn / size."""
        return self.drawn / self.size

    @property
    def kind(self) -> Stratum:
        """Kind that its items are sampled as."""
        return kind(self.stratum)


def usual_audit(sizes: Sizes) -> float:
    """Return the least share of the labels for failed items where nobody chose one: the largest that costs correctness little.

    Were the proxy to tell nothing, a share a of the labels for a share w of the items would make the variance of correctness
    (1 - w)^2 / (1 - a) + w^2 / a = 1 + (a - w)^2 / (a (1 - a)) times that of a plain random sample; a is the larger root at
    1 + AUDIT_COST, and at most MOST_AUDIT.
    """
    w = sum(size for stratum, size in sizes.items() if kind(stratum) is Stratum.FAILED) / max(1, sum(sizes.values()))
    middle = 2 * w + AUDIT_COST
    return min(MOST_AUDIT, (middle + math.sqrt(middle**2 - 4 * (1 + AUDIT_COST) * w**2)) / (2 * (1 + AUDIT_COST)))


def plan(
    sizes: Sizes, known: Mapping[str, Known], labels: int, audit: float, *, all_passed: bool = False
) -> tuple[StratumPlan, ...]:
    """Divide `labels` draws among the strata.

    Thumbs-down is taken whole if it fits an eighth of the budget, else that eighth goes to it, or its share of the traffic where
    that is more; disputed items likewise, less where the audit needs it. At least the share `audit` of all labels goes to failed
    items (0 draws none of them), to each stratum its part up to five, and at least one; none to what no judge scored once a label
    of it is there. `all_passed` takes the passed ones whole, the disputed among them. UsageError if the budget cannot hold that.
    """
    sizes = {stratum: size for stratum, size in sorted(sizes.items()) if size}
    if not sizes:
        raise NothingToDraw("there is nothing to draw from: every item has been drawn already, or none was ingested")
    failed = {stratum for stratum in sizes if kind(stratum) is Stratum.FAILED}
    if audit == 0 and set(sizes) == failed:
        raise UsageError(
            "only failed items are left to draw, and an audit of 0 draws none of them: give a larger audit"
        )
    left_out = failed if audit == 0 else set[str]()
    drawable = {stratum: size for stratum, size in sizes.items() if stratum not in left_out}
    drawn = _divide(drawable, known, labels, audit, all_passed=all_passed)
    return tuple(StratumPlan(stratum=s, size=n, drawn=drawn.get(s, 0)) for s, n in sizes.items())


def _divide(
    sizes: Sizes, known: Mapping[str, Known], labels: int, audit: float, *, all_passed: bool
) -> Mapping[str, int]:
    if labels >= sum(sizes.values()):
        return sizes
    low = _least(sizes, known, labels)
    if all_passed:
        low |= {s: n for s, n in sizes.items() if kind(s) in {Stratum.PASSED, Stratum.DISPUTED}}
    if sum(low.values()) > labels:
        raise UsageError(f"{labels} labels are too few for these strata: at least {sum(low.values())} are needed")
    high = dict(sizes)
    failed = [s for s in sizes if kind(s) is Stratum.FAILED]
    for stratum in FIRST:
        if stratum in sizes:
            # The audit of failed items comes after thumbs-down, which users pressed, and before what judges alone dispute.
            is_after_audit = stratum is not Stratum.THUMBS_DOWN
            reserved = _audited(high, low, failed, labels, audit) - sum(low[s] for s in failed) if is_after_audit else 0
            low[stratum] = high[stratum] = _first(stratum, sizes, low, high, labels, max(0, reserved))
    targets = _wanted(sizes, known, labels)
    drawn = _share(targets, low, high, labels)
    audited = _audited(sizes, low, failed, labels, audit)
    if sum(drawn[s] for s in failed) < audited:
        others = [s for s in sizes if s not in failed]
        drawn = _share(_of(targets, failed), low, high, audited) | _share(
            _of(targets, others), low, high, labels - audited
        )
    return drawn


def _least(sizes: Sizes, known: Mapping[str, Known], labels: int) -> dict[str, int]:
    """Return the least number of labels of each stratum: its part of them up to FEWEST, and one where there are too few for that.

    What no judge scored needs no further label once an earlier wave has looked at it.
    """
    items = sum(sizes.values())
    single = {s: int(not (kind(s) is Stratum.UNSCORED and known.get(s, UNKNOWN).n)) for s in sizes}
    parts = {s: single[s] and min(n, FEWEST, max(1, labels * n // items)) for s, n in sizes.items()}
    return parts if sum(parts.values()) <= labels else single


def _audited(sizes: Sizes, low: Sizes, failed: Collection[str], labels: int, audit: float) -> int:
    """Return the least number of labels on failed items; less where the other strata need theirs."""
    spare = labels - sum(low[s] for s in sizes if s not in failed)
    return min(math.ceil(audit * labels - 1e-9), sum(sizes[s] for s in failed), spare)


def _wanted(sizes: Sizes, known: Mapping[str, Known], labels: int) -> dict[str, float]:
    """Return the defensive mixture: no item stands for more than N / (.2 n) of them."""
    knowns = [known.get(stratum, UNKNOWN) for stratum in sizes]
    spreads = guessed_spread([stratum.right for stratum in knowns], [stratum.n for stratum in knowns])
    return dict(zip(sizes, defensive(list(sizes.values()), spreads, labels).tolist(), strict=True))


def _first(stratum: Stratum, sizes: Sizes, low: Sizes, high: Sizes, labels: int, reserved: int) -> int:
    """Return all of them or their part of the labels; less where the others need theirs, more where they cannot use them."""
    size, least = high[stratum], low[stratum]
    most_for_others, least_for_others = sum(high.values()) - size, sum(low.values()) - least + reserved
    in_proportion = labels * size // sum(sizes.values())
    part = max(labels // PART_LOOKED_AT_FIRST, in_proportion, labels - most_for_others, least)
    return min(size, part, labels - least_for_others)


def _of(targets: Mapping[str, float], strata: Collection[str]) -> dict[str, float]:
    return {stratum: targets[stratum] for stratum in strata}


def _share(targets: Mapping[str, float], low: Sizes, high: Sizes, labels: int) -> dict[str, int]:
    """Return whole numbers in proportion to the targets, within the bounds; they sum to `labels`."""
    least, most = [low[s] for s in targets], [high[s] for s in targets]
    drawn = rounded(clipped(list(targets.values()), labels, least, most), labels, most)
    return dict(zip(targets, drawn.tolist(), strict=True))
