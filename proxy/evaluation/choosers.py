"""Split the draws into those that choose a threshold and those that score it.

Roles go by draw, at random: the draws that choose are a random sample of the window whatever repeats in it. Draws that annotators
could not judge, or have not answered yet, are in it and count as wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from proxy.evaluation.ledger import DECIDED, Drawing, SampledItem, numbered, weight_of
from proxy.evaluation.threshold import Choosers
from proxy.records import Judgement
from proxy.stats.sampling.permanent_random import permanent_random_number

SALT = "calibrate"


class NumberedDraw(NamedTuple):
    """A draw: its item, and the number and stratum of its drawing; drawings are numbered wave by wave."""

    item: str
    drawing: int
    stratum: str


class ValuedDraw(NamedTuple):
    """A draw with the id of its item, the rule's value (nan without one), and the sum of the item's chances over all waves."""

    item_id: str
    sampled: SampledItem
    value: float
    chance: float


class RoleSplit(NamedTuple):
    """The draws that choose as arrays, which of all draws they are, and how many draws with a value are decided and choose."""

    labels: Choosers
    chooses: tuple[bool, ...]
    decided: int
    chose: int


def choosing(drawn: Sequence[NumberedDraw], share: float, seed: int) -> frozenset[str]:
    """Return the items whose draws choose: about `share` of those drawn in each stratum, by a salted hash, not by labels.

    Drawings are walked in their order and items in that of the hash, every so-many-th of a stratum choosing, so that later
    waves change no role of before. Where all items of a stratum would choose, the last one scores, unless `share` is 1.
    """
    parts: dict[tuple[int, str], set[str]] = {}
    for draw in drawn:
        parts.setdefault((draw.drawing, draw.stratum), set()).add(draw.item)
    chosen = set[str]()
    turn: dict[str, float] = {}
    members: dict[str, list[str]] = {}
    for (_, stratum), items in sorted(parts.items()):
        at = turn.get(stratum, permanent_random_number(stratum, f"{SALT}-{seed}-start"))
        for item in sorted(items, key=lambda name: permanent_random_number(name, f"{SALT}-{seed}")):
            if math.floor(at + share) > math.floor(at):
                chosen.add(item)
            at += share
            members.setdefault(stratum, []).append(item)
        turn[stratum] = at
    if share < 1:
        chosen -= {items[-1] for items in members.values() if chosen.issuperset(items)}
    return frozenset(chosen)


def split(draws: Sequence[ValuedDraw], drawings: Sequence[Drawing], share: float, seed: int) -> RoleSplit:
    """Split the draws by their roles.

    Parameters
    ----------
    draws : sequence of ValuedDraw
        Every draw of the waves that count, labelled or not, with its chances as if all had been answered.
    drawings : sequence of Drawing
        What the draws came from, in the order in which `SampledItem.drawing` numbers them.
    share : float
        The share of the draws that choose, in (0, 1].
    seed : int
        Another seed gives other roles.

    Returns
    -------
    RoleSplit
        Draws without a value choose nothing.
    """
    asked = [NumberedDraw(draw.item_id, draw.sampled.drawing, drawings[draw.sampled.drawing].stratum) for draw in draws]
    chosen = choosing(asked, share, seed)
    chooses = tuple(draw.item_id in chosen and not math.isnan(draw.value) for draw in draws)
    rows = [draw for draw, is_chooser in zip(draws, chooses, strict=True) if is_chooser]
    sampled = [draw.sampled for draw in rows]
    is_joint = any(drawings[item.drawing].is_joint for item in sampled)
    labels = Choosers(
        values=np.array([draw.value for draw in rows], dtype=np.float64),
        right=np.array([item.judgement is Judgement.RIGHT for item in sampled], dtype=np.float64),
        undecided=np.array([item.judgement not in DECIDED for item in sampled], dtype=np.bool_),
        weights=np.array([weight_of(item.chances, item.own)[0] for item in sampled], dtype=np.float64),
        lots=np.array([permanent_random_number(draw.item_id, f"{SALT}-{seed}-lot") for draw in rows]),
        chances=np.array([draw.chance for draw in rows], dtype=np.float64),
        ways=(numbered([item.question for item in sampled]), numbered([item.group for item in sampled])),
        together=numbered([_lot(draw, drawings) for draw in rows]) if is_joint else None,
        share=share,
    )
    return RoleSplit(
        labels=labels,
        chooses=chooses,
        decided=sum(draw.sampled.judgement in DECIDED for draw in draws if not math.isnan(draw.value)),
        chose=sum(item.judgement in DECIDED for item in sampled),
    )


def _lot(draw: ValuedDraw, drawings: Sequence[Drawing]) -> tuple[int, str]:
    """Return a key that is the same for all draws of one lot."""
    drawing = drawings[draw.sampled.drawing]
    return (drawing.wave, str(draw.sampled.lot)) if drawing.is_joint else (-1, draw.item_id)
