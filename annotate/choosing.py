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

from annotate.sampling import permanent_random_number
from annotate.store import Store
from annotate.store.ledger import Chances, Drawn, speaking
from annotate.store.parts import Described
from proxy.calibration import Choosers, Scored
from proxy.cells import DECIDED, Drawing, numbered, weight_of
from proxy.records import Judgement

SALT = "calibrate"


class Asked(NamedTuple):
    """A draw: its item, and the number and stratum of its drawing; drawings are numbered wave by wave."""

    item: str
    drawing: int
    stratum: str


def choosing(drawn: Sequence[Asked], share: float, seed: int) -> frozenset[str]:
    """The items whose draws choose: about `share` of those drawn in each stratum, by a keyed hash, whatever their labels say.

    Drawings are walked in their order and items in that of the hash, every so-many-th of a stratum choosing, so that later
    waves change no role of before. Where all items of a stratum would choose, the last one scores, unless `share` is 1.
    """
    parts: dict[tuple[int, str], set[str]] = {}
    for one in drawn:
        parts.setdefault((one.drawing, one.stratum), set()).add(one.item)
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
    drawn, about = store.ledger.drawn(last, drawings), store.parts.described(last)
    chances = store.ledger.chances(last)
    placed = store.rules.placed(key, last, speaking(drawings))
    asked = [
        Asked(each.item_id, one.drawing, drawings[one.drawing].stratum) for one, each in zip(drawn, about, strict=True)
    ]
    chosen = choosing(asked, share, seed)
    values = _at(placed.items, placed.values, np.array([one.item for one in drawn], dtype=np.int64), np.nan)
    value_of = dict(zip((one.item for one in drawn), values.tolist(), strict=True))
    scored = [(one, each) for one, each in zip(drawn, about, strict=True) if not math.isnan(value_of[one.item])]
    rows = [(one, each) for one, each in scored if each.item_id in chosen]
    is_joint = any(drawings[one.drawing].is_joint for one, _ in rows)
    labels = Choosers(
        values=np.array([value_of[one.item] for one, _ in rows], dtype=np.float64),
        right=np.array([one.judgement is Judgement.RIGHT for one, _ in rows], dtype=np.float64),
        undecided=np.array([one.judgement not in DECIDED for one, _ in rows], dtype=np.bool_),
        weights=np.array([weight_of(one.chances, one.own)[0] for one, _ in rows], dtype=np.float64),
        lots=np.array([permanent_random_number(each.item_id, f"{SALT}-{seed}-lot") for _, each in rows]),
        chances=_of(chances, np.array([one.item for one, _ in rows], dtype=np.int64)),
        ways=(numbered([one.question for one, _ in rows]), numbered([one.group for one, _ in rows])),
        together=numbered([_lot(one, each, drawings) for one, each in rows]) if is_joint else None,
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
        draws=frozenset(each.draw for _, each in rows),
        decided=sum(one.judgement in DECIDED for one, _ in scored),
        chose=sum(one.judgement in DECIDED for one, _ in rows),
    )


def _lot(one: Drawn, about: Described, drawings: Sequence[Drawing]) -> tuple[int, str]:
    """What one lot drew at once."""
    drawing = drawings[one.drawing]
    return (drawing.wave, one.lot) if drawing.is_joint else (-1, about.item_id)


def _of(known: Chances, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of each item's inclusion probabilities; 0 for what no wave framed."""
    return _at(known.keys, known.total, items, 0.0)


def _at(
    keys: NDArray[np.int64], values: NDArray[np.float64], items: NDArray[np.int64], missing: float
) -> NDArray[np.float64]:
    """The value of each item by its ascending keys."""
    if not len(keys):
        return np.full(len(items), missing)
    place = np.minimum(np.searchsorted(keys, items), len(keys) - 1)
    return np.where(keys[place] == items, values[place], missing)
