"""A frame and a budget in, draws with known inclusion probabilities out.

Strata are known before anyone labels: thumbs-down, unscored, passed, failed. Within a stratum the draw is simple random
sampling without replacement, by permanent random numbers: a keyed hash of the item's id, so that the same seed on the
same frame gives the same draws whatever the order of the rows. Probabilities are fixed here and never recomputed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from proxy.errors import UsageError
from proxy.records import Verdict

TAKEN_WHOLE_BELOW = 5


class Stratum(StrEnum):
    """A group of items sampled at its own rate."""

    THUMBS_DOWN = "thumbs_down"
    UNSCORED = "unscored"
    PASSED = "passed"
    FAILED = "failed"


class FrameRow(NamedTuple):
    """An item as the frame holds it. `is_eligible` is False for what an earlier wave has drawn."""

    key: int
    item_id: str
    stratum: Stratum
    is_eligible: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """An item drawn, with its stratum and inclusion probability. `task_key` names it outside and tells nothing."""

    item: int
    stratum: Stratum
    inclusion_probability: float
    task_key: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StratumPlan:
    """How many of a stratum's items are drawn."""

    stratum: Stratum
    size: int
    drawn: int

    @property
    def inclusion_probability(self) -> float:
        """Drawn / size."""
        return self.drawn / self.size


def stratum_of(verdict: Verdict, *, is_thumbed_down: bool) -> Stratum:
    """The stratum of an item; a thumb down comes before the verdict."""
    if is_thumbed_down:
        return Stratum.THUMBS_DOWN
    return {
        Verdict.PASS: Stratum.PASSED,
        Verdict.FAIL: Stratum.FAILED,
        Verdict.UNSCORED: Stratum.UNSCORED,
    }[verdict]


def plan(
    sizes: Mapping[Stratum, int], labels: int, audit: float, *, all_passed: bool = False
) -> tuple[StratumPlan, ...]:
    """Divide `labels` draws among the strata.

    Thumbs-down is taken whole if it fits half the budget, else half the budget goes to it. The rest is divided in
    proportion to size, with at least the share `audit` of all labels from failed items (0 draws none of them), at least
    five from each stratum, and strata smaller than five whole. UsageError if the budget cannot hold that.
    """
    sizes = {stratum: sizes[stratum] for stratum in Stratum if sizes.get(stratum)}
    if not sizes:
        raise UsageError("there is nothing to draw from: every item has been drawn already, or none was ingested")
    if audit == 0 and set(sizes) == {Stratum.FAILED}:
        raise UsageError("only failed items are left to draw, and --audit 0 draws none of them: give a larger audit")
    if audit == 0 and Stratum.FAILED in sizes:
        drawn = _divide({s: n for s, n in sizes.items() if s is not Stratum.FAILED}, labels, 0.0, all_passed=all_passed)
        drawn[Stratum.FAILED] = 0
    else:
        drawn = _divide(sizes, labels, audit, all_passed=all_passed)
    return tuple(StratumPlan(stratum=s, size=n, drawn=drawn[s]) for s, n in sizes.items())


def _divide(sizes: Mapping[Stratum, int], labels: int, audit: float, *, all_passed: bool) -> dict[Stratum, int]:
    if labels >= sum(sizes.values()):
        return dict(sizes)
    low = {s: min(TAKEN_WHOLE_BELOW, n) for s, n in sizes.items()}
    if all_passed and Stratum.PASSED in sizes:
        low[Stratum.PASSED] = sizes[Stratum.PASSED]
    if sum(low.values()) > labels:
        raise UsageError(f"--labels {labels} is too few for these strata: at least {sum(low.values())} are needed")
    high = dict(sizes)
    if Stratum.THUMBS_DOWN in sizes:
        low[Stratum.THUMBS_DOWN] = high[Stratum.THUMBS_DOWN] = _thumbs_down(sizes, low, labels)
    if Stratum.FAILED in sizes:
        spare = labels - sum(low.values())
        wanted = min(math.ceil(audit * labels), sizes[Stratum.FAILED])
        low[Stratum.FAILED] += min(max(wanted - low[Stratum.FAILED], 0), spare)
    return _proportional(sizes, low, high, labels)


def _thumbs_down(sizes: Mapping[Stratum, int], low: Mapping[Stratum, int], labels: int) -> int:
    """All of them or half the labels; less where the others need theirs, more where the others cannot use theirs."""
    size, least = sizes[Stratum.THUMBS_DOWN], low[Stratum.THUMBS_DOWN]
    most_for_others, least_for_others = sum(sizes.values()) - size, sum(low.values()) - least
    half = max(labels // 2, labels - most_for_others, least)
    return min(size, half, labels - least_for_others)


def _proportional(
    sizes: Mapping[Stratum, int], low: Mapping[Stratum, int], high: Mapping[Stratum, int], labels: int
) -> dict[Stratum, int]:
    """n_h = clip(rate x N_h, low_h, high_h), the rate such that they sum to `labels`, by largest remainder."""

    def at(rate: float) -> dict[Stratum, float]:
        return {s: min(max(rate * n, low[s]), high[s]) for s, n in sizes.items()}

    below, above = 0.0, 1.0
    for _ in range(60):
        middle = (below + above) / 2
        below, above = (middle, above) if sum(at(middle).values()) < labels else (below, middle)
    exact = at(above)
    drawn = {s: math.floor(share + 1e-9) for s, share in exact.items()}
    by_remainder = sorted(exact, key=lambda s: (drawn[s] - exact[s], s))
    for stratum in [s for s in by_remainder if drawn[s] < high[s]][: labels - sum(drawn.values())]:
        drawn[stratum] += 1
    return drawn


def permanent_random_number(item_id: str, salt: str) -> float:
    """U in [0, 1): the keyed hash blake2b-64 of `item_id|salt`, over 2^64."""
    digest = blake2b(f"{item_id}|{salt}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def count_strata(frame: Iterable[FrameRow]) -> dict[Stratum, int]:
    """N_h of what may still be drawn."""
    return Counter(row.stratum for row in frame if row.is_eligible)


def draw(frame: Iterable[FrameRow], plans: Iterable[StratumPlan], salt: str) -> list[Draw]:
    """The n_h smallest permanent random numbers of each stratum, in an order that tells nothing of the stratum."""
    members: dict[Stratum, list[tuple[float, int, str]]] = defaultdict(list)
    for row in frame:
        if row.is_eligible:
            members[row.stratum].append((permanent_random_number(row.item_id, salt), row.key, row.item_id))
    draws = [
        Draw(
            item=key,
            stratum=part.stratum,
            inclusion_probability=part.inclusion_probability,
            task_key=blake2b(f"task|{item_id}|{salt}".encode("utf-8", "surrogatepass"), digest_size=12).hexdigest(),
        )
        for part in plans
        for _, key, item_id in sorted(members[part.stratum])[: part.drawn]
    ]
    return sorted(draws, key=lambda one: one.task_key)
