"""A request for labels in, a wave in the store out: the frame as it is now, its strata, the draws and their chances.

All of it is written in one transaction and never changed after. A dry run gives a token, and who draws with it gets what it
showed or nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate import sampling, strata
from annotate.allocation import FIRST, NothingToDraw, StratumPlan, plan
from annotate.rule_in_force import rule_in_force
from annotate.rules import follow_scores
from annotate.sampling import Design
from annotate.store import Store
from annotate.store.waves import Framed, Wave
from annotate.strata import Frame
from proxy.errors import UsageError
from proxy.stats.intervals import quantile


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a wave is asked to be. `rate` and `rate_failed` are for a stream, which has no number of labels.

    `part` names the slice that it is drawn of, and `members` are the rows of its items; None for all traffic.
    """

    labels: int = 0
    audit: float = 0.25
    all_passed: bool = False
    seed: int
    design: Design = Design.STRATIFIED
    rate: float = 0.0
    rate_failed: float = 0.0
    part: str | None = None
    members: NDArray[np.int64] | None = None


class Size(NamedTuple):
    """How many items a drawing by chance takes: the expected number, and a range that holds it in 95 % of drawings."""

    expected: float
    low: int
    high: int


class WaveDrawn(NamedTuple):
    """What was drawn, or would be: the wave's number and its strata. The same `token` means the very same draws.

    `size` is None where the number of draws is fixed.
    """

    number: int
    strata: tuple[StratumPlan, ...]
    draws: int
    token: str = ""
    size: Size | None = None


class Overtaken(UsageError):
    """The store is not any more as it was when the wave was looked at."""


class Proposal(NamedTuple):
    """A wave before it is written: the stratum and chance of each item of the frame, the plan, and the rows drawn."""

    strata: NDArray[np.str_]
    chances: NDArray[np.float64]
    plans: tuple[StratumPlan, ...]
    rows: NDArray[np.intp]


def draw_wave(
    store: Store, request: Request, *, now: str, dry_run: bool = False, token: str | None = None
) -> WaveDrawn:
    """Draw a wave under the rule in force; `dry_run` writes nothing.

    With the `token` of a dry run exactly what that showed is drawn, once; Overtaken where it would be anything else by now.
    """
    key, rule = rule_in_force(store) if dry_run else follow_scores(store, now=now)
    with store.snapshot() if dry_run else store.atomic():  # a look keeps nobody from writing
        number = store.waves.next_number()
        frame = store.waves.frame(key, only_new=request.design is Design.STREAM)
        if request.design is Design.STREAM and not len(frame.keys):
            raise NothingToDraw(
                "nothing new to draw from: every item has had its chance; ingest and judge more traffic first"
            )
        if request.members is not None:
            frame = _within(frame, np.isin(frame.keys, request.members))
        # A stream keeps one salt, so that an item's fate does not hang on when the command ran.
        run = "stream" if request.design is Design.STREAM else f"wave-{number}"
        salt = f"seed-{request.seed}-{run}"
        drawn = drawing(frame, request, sampling.permanent_random_numbers(frame, salt))
        own = _token(number, key, frame, drawn)
        if token is not None and token != own:
            raise Overtaken(_overtaken(token, number))
        if not dry_run:
            wave = Wave(
                *(number, f"{rule.name} v{rule.version}", request.seed, request.labels, request.audit, now),
                strata=drawn.plans,
                design=request.design,
                part=request.part,
            )
            draws = sampling.draws(frame, drawn.strata, drawn.rows, drawn.chances, salt)
            store.waves.write(wave, key, salt, framed(frame, drawn), draws)
    return WaveDrawn(number, drawn.plans, len(drawn.rows), own, size_of(frame, drawn))


def size_of(frame: Frame, drawn: Proposal) -> Size | None:
    """The size that the chances promise; None where no item is drawn by a chance of its own.

    Independent draws: mean the sum of pi, variance the sum of pi (1 - pi); what is planned by stratum adds a fixed number.
    """
    if all(part.is_fixed for part in drawn.plans):
        return None
    fixed = [part for part in drawn.plans if part.is_fixed]
    own = frame.is_eligible & ~np.isin(drawn.strata, [part.stratum for part in fixed])
    chances, planned = drawn.chances[own], sum(part.drawn for part in fixed)
    mean, deviation = float(chances.sum()), float(np.sqrt((chances * (1 - chances)).sum()))
    low, high = mean - quantile() * deviation, mean + quantile() * deviation
    # Rounded outwards by half an answer: counts are whole.
    return Size(
        planned + mean,
        planned + max(0, int(np.floor(low + 0.5))),
        planned + min(len(chances), int(np.ceil(high - 0.5))),
    )


def _token(number: int, rule: int, frame: Frame, drawn: Proposal) -> str:
    """The wave's number, and a hash of its rule, its plan and its draws with their chances."""
    content = hashlib.blake2b(repr((rule, drawn.plans)).encode(), digest_size=12)
    for part in (frame.keys[drawn.rows], drawn.chances[drawn.rows], drawn.strata[drawn.rows]):
        content.update(np.ascontiguousarray(part).tobytes())
    return f"{number}-{content.hexdigest()}"


def _overtaken(token: str, number: int) -> str:
    """What came between a dry run and its drawing."""
    seen = token.partition("-")[0]
    if seen != str(number):
        return (
            f"wave {seen} has been drawn since you looked: nothing was drawn now; look at what the next wave would be"
        )
    return "answers, scores or labels came in since you looked: nothing was drawn; look at the plan again"


def _within(frame: Frame, rows: strata.Mask) -> Frame:
    """These rows of a frame."""
    return Frame(
        keys=frame.keys[rows],
        ids=list(compress(frame.ids, rows)),
        kinds=frame.kinds[rows],
        values=frame.values[rows],
        right=frame.right[rows],
        is_eligible=frame.is_eligible[rows],
    )


def framed(frame: Frame, drawn: Proposal) -> Iterator[Framed]:
    """Each item's stratum, and its chance where the stratum does not tell it."""
    fixed = {part.stratum for part in drawn.plans if part.is_fixed}
    for key, stratum, chance in zip(frame.keys, drawn.strata, drawn.chances, strict=True):
        yield Framed(int(key), str(stratum), None if stratum in fixed or np.isnan(chance) else float(chance))


def drawing(frame: Frame, request: Request, numbers: NDArray[np.float64]) -> Proposal:
    """Decide a wave: which rows of the frame are drawn, given a number in [0, 1) for each that is eligible, above 1 else."""
    return DESIGNS[request.design](frame, request, numbers)


def _stratified(frame: Frame, request: Request, numbers: NDArray[np.float64]) -> Proposal:
    """Simple random samples of the strata."""
    names = strata.stratify(frame, request.labels)
    found = strata.known(frame, names)
    plans = plan(strata.count(frame, names), found, request.labels, request.audit, all_passed=request.all_passed)
    return Proposal(names, sampling.batch_chances(names, plans), plans, sampling.batch(names, plans, numbers))


def _active(frame: Frame, request: Request, numbers: NDArray[np.float64]) -> Proposal:
    """Chances by how unsure earlier labels leave us of each item; what is looked at first by its own strata."""
    if np.isnan(frame.right).all():
        raise UsageError("no earlier label says what is unsure: draw a first wave without --active")
    sizes = strata.count(frame, frame.kinds)
    whole = plan(sizes, {}, request.labels, request.audit)
    fixed = tuple(part for part in whole if part.kind in FIRST)
    labels = request.labels - sum(part.drawn for part in fixed)
    own = sampling.active_chances(frame, labels, request.audit * request.labels / max(labels, 1))
    planned = sampling.batch_chances(frame.kinds, fixed)
    rows = np.concatenate([sampling.batch(frame.kinds, fixed, numbers), sampling.poisson(own, numbers)])
    chances = np.where(np.isnan(own), planned, own)
    return Proposal(frame.kinds, chances, fixed + by_chance(sizes, frame.kinds[rows], without=fixed), rows)


def _stream(frame: Frame, request: Request, numbers: NDArray[np.float64]) -> Proposal:
    """Each item that no wave has framed, at a rate fixed beforehand."""
    chances = sampling.stream_chances(frame, request.rate, request.rate_failed)
    rows = sampling.poisson(chances, numbers)
    return Proposal(
        frame.kinds, chances, by_chance(strata.count(frame, frame.kinds), frame.kinds[rows], without=()), rows
    )


def by_chance(
    sizes: dict[str, int], drawn: NDArray[np.str_], *, without: Sequence[StratumPlan]
) -> tuple[StratumPlan, ...]:
    """What chance drew of each stratum."""
    planned = {part.stratum for part in without}
    return tuple(
        StratumPlan(stratum=name, size=size, drawn=int((drawn == name).sum()), is_fixed=False)
        for name, size in sorted(sizes.items())
        if name not in planned
    )


DESIGNS = {Design.STRATIFIED: _stratified, Design.ACTIVE: _active, Design.STREAM: _stream}
