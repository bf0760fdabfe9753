"""How many labels each stratum gets: sizes, what earlier waves found, and a budget in, a plan out.

80 % of the labels go where they narrow the estimate most (Neyman: size times spread, as earlier waves found it), 20 % in
proportion to size, so that no stratum is starved by a wrong guess. Failed items get at least the audit share.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from annotate.strata import Known, Stratum, kind
from proxy.errors import UsageError

FEWEST = 5
NEYMAN_SHARE = 0.8
UNKNOWN = Known(0, 0)
Sizes = Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumPlan:
    """How many of a stratum's items are drawn; `is_fixed` where that number was planned, not left to chance."""

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
        """What its items are sampled as."""
        return kind(self.stratum)


def plan(
    sizes: Sizes, known: Mapping[str, Known], labels: int, audit: float, *, all_passed: bool = False
) -> tuple[StratumPlan, ...]:
    """Divide `labels` draws among the strata.

    Thumbs-down is taken whole if it fits half the budget, else half the budget goes to it. At least the share `audit` of all
    labels goes to failed items (0 draws none of them), at least five to each stratum, and strata smaller than five are taken
    whole. UsageError if the budget cannot hold that.
    """
    sizes = {stratum: size for stratum, size in sorted(sizes.items()) if size}
    if not sizes:
        raise UsageError("there is nothing to draw from: every item has been drawn already, or none was ingested")
    failed = {stratum for stratum in sizes if kind(stratum) is Stratum.FAILED}
    if audit == 0 and set(sizes) == failed:
        raise UsageError("only failed items are left to draw, and --audit 0 draws none of them: give a larger audit")
    left_out = failed if audit == 0 else set[str]()
    asked = {stratum: size for stratum, size in sizes.items() if stratum not in left_out}
    drawn = _divide(asked, known, labels, audit, all_passed=all_passed)
    return tuple(StratumPlan(stratum=s, size=n, drawn=drawn.get(s, 0)) for s, n in sizes.items())


def _divide(
    sizes: Sizes, known: Mapping[str, Known], labels: int, audit: float, *, all_passed: bool
) -> Mapping[str, int]:
    if labels >= sum(sizes.values()):
        return sizes
    low = {s: min(FEWEST, n) for s, n in sizes.items()}
    if all_passed:
        low |= {s: n for s, n in sizes.items() if kind(s) is Stratum.PASSED}
    if sum(low.values()) > labels:
        raise UsageError(f"--labels {labels} is too few for these strata: at least {sum(low.values())} are needed")
    high = dict(sizes)
    thumbs_down = Stratum.THUMBS_DOWN.value
    if thumbs_down in sizes:
        low[thumbs_down] = high[thumbs_down] = _thumbs_down(sizes, low, labels)
    failed = [s for s in sizes if kind(s) is Stratum.FAILED]
    wanted = _wanted(sizes, known, labels)
    drawn = share(wanted, low, high, labels)
    audited = _audited(sizes, low, failed, labels, audit)
    if sum(drawn[s] for s in failed) < audited:
        rest = [s for s in sizes if s not in failed]
        drawn = share(_of(wanted, failed), low, high, audited) | share(_of(wanted, rest), low, high, labels - audited)
    return drawn


def _audited(sizes: Sizes, low: Sizes, failed: Collection[str], labels: int, audit: float) -> int:
    """The least number of labels on failed items; less where the other strata need theirs."""
    spare = labels - sum(low[s] for s in sizes if s not in failed)
    return min(math.ceil(audit * labels - 1e-9), sum(sizes[s] for s in failed), spare)


def _wanted(sizes: Sizes, known: Mapping[str, Known], labels: int) -> dict[str, float]:
    """a_h = .8 n N_h S_h / sum(N S) + .2 n N_h / N: no item stands for more than N / (.2 n) of them."""
    total = sum(sizes.values())
    spreads = {s: n * known.get(s, UNKNOWN).spread for s, n in sizes.items()}
    whole = sum(spreads.values())
    return {s: labels * (NEYMAN_SHARE * spreads[s] / whole + (1 - NEYMAN_SHARE) * n / total) for s, n in sizes.items()}


def _thumbs_down(sizes: Sizes, low: Sizes, labels: int) -> int:
    """All of them or half the labels; less where the others need theirs, more where the others cannot use theirs."""
    size, least = sizes[Stratum.THUMBS_DOWN.value], low[Stratum.THUMBS_DOWN.value]
    most_for_others, least_for_others = sum(sizes.values()) - size, sum(low.values()) - least
    half = max(labels // 2, labels - most_for_others, least)
    return min(size, half, labels - least_for_others)


def _of(wanted: Mapping[str, float], strata: Collection[str]) -> dict[str, float]:
    return {stratum: wanted[stratum] for stratum in strata}


def share(wanted: Mapping[str, float], low: Sizes, high: Sizes, labels: int) -> dict[str, int]:
    """n_h = clip(rate x a_h, low_h, high_h), the rate such that they sum to `labels`, by largest remainder."""

    def at(rate: float) -> dict[str, float]:
        return {s: min(max(rate * n, low[s]), high[s]) for s, n in wanted.items()}

    below, above = 0.0, 1.0
    while sum(at(above).values()) < min(labels, sum(high[s] for s in wanted)) - 1e-9 and above < 1e12:
        above *= 2
    for _ in range(80):
        middle = (below + above) / 2
        below, above = (middle, above) if sum(at(middle).values()) < labels else (below, middle)
    exact = at(above)
    drawn = {s: math.floor(part + 1e-9) for s, part in exact.items()}
    by_remainder = sorted(exact, key=lambda s: (drawn[s] - exact[s], s))
    for stratum in [s for s in by_remainder if drawn[s] < high[s]][: labels - sum(drawn.values())]:
        drawn[stratum] += 1
    return drawn
