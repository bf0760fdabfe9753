"""Draw from a stratified frame by a plan, with known inclusion probabilities.

Every draw is decided by a permanent random number, a salted hash of the item's id: the same seed on the same frame gives the
same draws whatever the order of the rows. A batch takes the smallest numbers of each stratum (simple random sampling without
replacement); a Poisson drawing takes each item whose number is below its own chance. Chances are fixed here for ever.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b, sha256

import numpy as np
from numpy.typing import NDArray

from proxy.planning.allocation import FIRST, StratumPlan
from proxy.planning.coded import Coded, looked_up
from proxy.planning.strata import Mask, Numbers, SamplingFrame, Stratum
from proxy.stats.sampling.allocation import NEYMAN_SHARE
from proxy.stats.sampling.permanent_random import drawing_number

Rows = NDArray[np.intp]
SURE = 10
SEEDS = 10**12
SALT_DIGITS = 32
LOOKED_AT_FIRST = tuple(stratum.value for stratum in FIRST)


class WaveDesign(StrEnum):
    """Design of a wave: simple random samples by stratum, or a chance of its own for each item, of all or of what is new.

    To compare systems: all answers to a question with one lot (PAIRS), or each of their answers by its own (ANSWERS).
    """

    STRATIFIED = "stratified"
    ACTIVE = "active"
    STREAM = "stream"
    PAIRS = "pairs"
    ANSWERS = "answers"


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """An item drawn, with its stratum and inclusion probability. `task_key` names it outside and tells nothing."""

    item: int
    stratum: str
    inclusion_probability: float
    task_key: str


def new_seed() -> int:
    """Return a seed that nobody can foresee, for a wave that is to have one of its own."""
    return secrets.randbelow(SEEDS)


def salt_of(seed: int, run: str) -> str:
    """Return the salt of a wave, or of all waves of a stream: the same seed draws the same, and no two waves share one."""
    return sha256(f"seed {seed}, {run}".encode()).hexdigest()[:SALT_DIGITS]


def drawing_numbers(ids: Sequence[str], salt: str) -> Numbers:
    """Return the permanent random number of each item."""
    return np.fromiter((drawing_number(item, salt) for item in ids), dtype=np.float64, count=len(ids))


def batch(strata: Coded, plans: Iterable[StratumPlan], numbers: Numbers) -> Rows:
    """Return the rows of the n_h smallest numbers of each stratum."""
    chosen: list[Rows] = [np.zeros(0, dtype=np.intp)]
    for part in plans:
        rows = strata.among(part.stratum)
        if part.drawn:
            of_part = numbers[rows]
            of_part.partition(part.drawn - 1)
            rows &= numbers <= of_part[part.drawn - 1]
            smallest = np.flatnonzero(rows)
            chosen.append(smallest[np.argsort(numbers[smallest], kind="stable")[: part.drawn]])
    return np.concatenate(chosen)


def poisson(chances: Numbers, numbers: Numbers) -> Rows:
    """Return the rows whose number is below their chance; nan leaves an item to `batch`."""
    return np.flatnonzero(numbers < chances)


def spread(chances: Numbers, order: Rows, start: float) -> Rows:
    """Sample systematically: the rows at which the sum of the chances, in this order from `start`, reaches a whole number.

    Each row is drawn with its very chance, and every stretch of the order gives as many as its chances add up to, give or take
    one. In random order it is no less precise than independent draws. Goodman and Kish (1950), JASA 45:350.
    """
    reached = np.floor(start + np.cumsum(chances[order]))
    before = np.concatenate([[np.floor(start)], reached[:-1]])
    return np.asarray(order[reached > before], dtype=np.intp)


def draws(keys: Rows, ids: Sequence[str], strata: Coded, chances: Numbers, salt: str) -> list[Draw]:
    """Return these drawn items with their chances, in an order that tells nothing of their strata."""
    rows = zip(keys.tolist(), ids, strata.tolist(), chances.tolist(), strict=True)
    drawn = [
        Draw(item=key, stratum=stratum, inclusion_probability=chance, task_key=_task_key(name, salt))
        for key, name, stratum, chance in rows
    ]
    return sorted(drawn, key=lambda draw: draw.task_key)


def _task_key(item_id: str, salt: str) -> str:
    return blake2b(f"task|{item_id}|{salt}".encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def batch_chances(strata: Coded, plans: Iterable[StratumPlan]) -> Numbers:
    """Return n_h / N_h for each item of a planned stratum; nan for others."""
    planned = {part.stratum: part.inclusion_probability for part in plans}
    return looked_up(np.array([planned.get(name, np.nan) for name in strata.names], dtype=np.float64), strata.codes)


def active_chances(frame: SamplingFrame, labels: float, audit: float) -> Numbers:
    """Return each item's chance by how unsure earlier labels leave us of it; nan for what is looked at first, in own strata.

    pi = .8 n u / sum u + .2 n / N with u = sqrt(c (1 - c)), c the P(right) that earlier labels let expect of the item; one half
    without any. While fewer than SURE labels of the rarer kind speak for c, u is pulled to its mean by as much as is missing. At
    least `audit` of the expected draws are failed items.
    """
    share = np.full(len(frame.values), 0.5) if frame.predicted is None else frame.predicted
    rarer = min(float((frame.right == kind).sum()) for kind in (0.0, 1.0))
    spread = np.sqrt(share * (1 - share))
    spread = spread.mean() + min(1.0, rarer / SURE) * (spread - spread.mean()) if len(spread) else spread
    rows, failed = ~frame.kinds.among(*LOOKED_AT_FIRST), frame.kinds.among(Stratum.FAILED)
    chances = _mixture(spread, frame.is_eligible, rows, labels)
    drawable = failed & frame.is_eligible
    target = min(audit * labels, labels, float(drawable.sum()))
    if float(chances[drawable].sum()) < target:
        rest = _mixture(spread, frame.is_eligible, rows & ~failed, labels - target)
        chances = np.where(failed, _mixture(spread, frame.is_eligible, failed, target), rest)
    return chances


def _mixture(spread: Numbers, is_eligible: Mask, rows: Mask, labels: float) -> Numbers:
    """Return chances for these rows, scaled so that what is eligible is expected to give `labels` draws; nan for the others."""
    drawable = rows & is_eligible
    count, total = float(drawable.sum()), float(spread[drawable].sum())
    if not count:
        return np.where(rows, 0.0, np.nan)
    share = spread / total if total else np.full(len(spread), 1 / count)
    mixed = NEYMAN_SHARE * share + (1 - NEYMAN_SHARE) / count
    return np.where(rows, _scaled(mixed, drawable.astype(np.float64), labels), np.nan)


def _scaled(mixed: Numbers, costs: Numbers, labels: float) -> Numbers:
    """Return chances in proportion to `mixed`, none above 1, with an expected cost of `labels` or of everything."""
    labels = min(max(labels, 0.0), float(costs.sum()))
    # Many chances of 1 ask for many rounds; a start below the answer only grows.
    scale = labels / float((costs * mixed).sum() or 1.0)
    for _ in range(60):
        expected = float((costs * np.minimum(1.0, scale * mixed)).sum())
        if not expected or expected >= labels - 1e-9:
            break
        scale *= labels / expected
    return np.minimum(1.0, scale * mixed)


def information_chances(information: Numbers, costs: Numbers, labels: float) -> Numbers:
    """Return chances of .8 u / sum u + .2 / K, scaled to an expected cost of `labels`: u is what each of the K looks tells.

    `costs` are the labels that drawing it takes. Everything has a chance, also what costs nothing any more.
    """
    if labels >= float(costs.sum()):
        return np.ones(len(information))
    total = float(information.sum())
    share = information / total if total else np.full(len(information), 1 / max(len(information), 1))
    return _scaled(NEYMAN_SHARE * share + (1 - NEYMAN_SHARE) / max(len(information), 1), costs, labels)


def stream_chances(frame: SamplingFrame, rate: float, rate_failed: float) -> Numbers:
    """Return the chance of each item of a stream: fixed before any item is seen, higher where a look is worth more."""
    return np.where(frame.kinds.among(Stratum.FAILED, *LOOKED_AT_FIRST), rate_failed, rate)
