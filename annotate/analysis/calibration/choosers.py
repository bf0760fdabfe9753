"""Split the draws into those that choose a threshold and those that score it.

Roles go by draw, at random: the draws that choose are a random sample of the window whatever repeats in it. Draws that people
could not judge, or have not answered yet, are in it and count as wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.domain.sampling.designs import permanent_random_number
from annotate.store import Store
from annotate.store.sampling.ledger import Chances, Drawn, speaking
from annotate.store.traffic.partitions import Described
from proxy.evaluation.ledger import DECIDED, Drawing, numbered, weight_of
from proxy.evaluation.threshold import Choosers, Scored
from proxy.records import Judgement

SALT = "calibrate"


class Asked(NamedTuple):
    """A draw: its item, and the number and stratum of its drawing; drawings are numbered wave by wave."""

    item: str
    drawing: int
    stratum: str


def choosing(drawn: Sequence[Asked], share: float, seed: int) -> frozenset[str]:
    """Return the items whose draws choose: about `share` of those drawn in each stratum, by a keyed hash, not by labels.

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


class Sample(NamedTuple):
    """The draws that choose, all scored traffic, and how many draws on scored items are decided and choose."""

    labels: Choosers
    traffic: Scored
    draws: frozenset[int]
    decided: int
    chose: int


def sample(store: Store, key: int, share: float, seed: int) -> Sample:
    """Read every draw of the waves that count; one that brought no label has its chance all the same."""
    last = store.ledger.last_counted()
    drawings = store.ledger.drawings(last, as_drawn=True)
    drawn, described = store.ledger.drawn(last, drawings), store.parts.described(last)
    chances = store.ledger.chances(last)
    placed = store.rules.placed(key, last, speaking(drawings))
    asked = [
        Asked(about.item_id, draw.drawing, drawings[draw.drawing].stratum)
        for draw, about in zip(drawn, described, strict=True)
    ]
    chosen = choosing(asked, share, seed)
    items = [draw.item for draw in drawn]
    values = _at(placed.items, placed.values, np.array(items, dtype=np.int64), np.nan)
    value_of = dict(zip(items, values.tolist(), strict=True))
    scored = [
        (draw, about) for draw, about in zip(drawn, described, strict=True) if not math.isnan(value_of[draw.item])
    ]
    rows = [(draw, about) for draw, about in scored if about.item_id in chosen]
    is_joint = any(drawings[draw.drawing].is_joint for draw, _ in rows)
    labels = Choosers(
        values=np.array([value_of[draw.item] for draw, _ in rows], dtype=np.float64),
        right=np.array([draw.judgement is Judgement.RIGHT for draw, _ in rows], dtype=np.float64),
        undecided=np.array([draw.judgement not in DECIDED for draw, _ in rows], dtype=np.bool_),
        weights=np.array([weight_of(draw.chances, draw.own)[0] for draw, _ in rows], dtype=np.float64),
        lots=np.array([permanent_random_number(about.item_id, f"{SALT}-{seed}-lot") for _, about in rows]),
        chances=_of(chances, np.array([draw.item for draw, _ in rows], dtype=np.int64)),
        ways=(numbered([draw.question for draw, _ in rows]), numbered([draw.group for draw, _ in rows])),
        together=numbered([_lot(draw, about, drawings) for draw, about in rows]) if is_joint else None,
        share=share,
    )
    traffic = Scored(
        values=placed.values,
        chances=_of(chances, placed.items),
        is_framed=placed.is_framed,
        is_reachable=placed.is_reachable,
    )
    return Sample(
        labels=labels,
        traffic=traffic,
        draws=frozenset(about.draw for _, about in rows),
        decided=sum(draw.judgement in DECIDED for draw, _ in scored),
        chose=sum(draw.judgement in DECIDED for draw, _ in rows),
    )


def _lot(draw: Drawn, about: Described, drawings: Sequence[Drawing]) -> tuple[int, str]:
    """Return a key that is the same for all draws of one lot."""
    drawing = drawings[draw.drawing]
    return (drawing.wave, draw.lot) if drawing.is_joint else (-1, about.item_id)


def _of(known: Chances, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each item's inclusion probabilities; 0 for what no wave framed."""
    return _at(known.keys, known.total, items, 0.0)


def _at(
    keys: NDArray[np.int64], values: NDArray[np.float64], items: NDArray[np.int64], missing: float
) -> NDArray[np.float64]:
    """Return the value of each item by its ascending keys."""
    if not len(keys):
        return np.full(len(items), missing)
    place = np.minimum(np.searchsorted(keys, items), len(keys) - 1)
    return np.where(keys[place] == items, values[place], missing)
