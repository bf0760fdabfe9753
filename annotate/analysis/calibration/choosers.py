"""Read the draws that choose a threshold, and all scored traffic, from the store."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.evidence import sampled
from annotate.analysis.excluded_draws import excluded_from_value
from annotate.store import Store
from annotate.store.sampling.ledger import Chances
from proxy.evaluation.choosers import ValuedDraw, split
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.levels import SAME
from proxy.evaluation.nonresponse import speaking
from proxy.evaluation.threshold import Choosers, ScoredTraffic
from proxy.records import Judgement, Verdict
from proxy.rule import Rule


class LabelUse(NamedTuple):
    """The labels of drawn answers, and those that cannot choose a threshold, by the reason.

    What is left of `answered` is right or wrong and of an item with a value of the rule.
    """

    answered: int = 0
    unvalued: int = 0
    unsure: int = 0
    taught: int = 0
    later: int = 0

    @property
    def usable(self) -> int:
        """The labels that can choose, or score what was chosen."""
        return self.answered - self.unvalued - self.unsure - self.taught - self.later


class Sample(NamedTuple):
    """The draws that choose, all scored traffic, how many draws on scored items are decided and choose, and all labels."""

    labels: Choosers
    traffic: ScoredTraffic
    draws: frozenset[int]
    decided: int
    chose: int
    use: LabelUse


def sample(store: Store, key: int, rule: Rule, share: float, seed: int) -> Sample:
    """Read every draw of the waves that count; one that brought no label has its chance all the same.

    Draws whose labels trained the rule's value neither choose a threshold nor measure it.
    """
    training_draws, answered = excluded_from_value(store, rule), store.sampling.waves.progress().labelled
    last = store.sampling.ledger.last_counted()
    drawings = store.sampling.ledger.drawings(last, as_drawn=True)
    pairs = zip(store.sampling.ledger.drawn(last, drawings), store.traffic.partitions.described(last), strict=True)
    every = list(pairs)
    kept = [(draw, about) for draw, about in every if about.draw not in training_draws]
    drawn, described = [draw for draw, _ in kept], [about for _, about in kept]
    chances = store.sampling.ledger.chances(last)
    placed = store.scores.rules.placed(key, last, speaking(drawings))
    items = np.array([draw.item for draw in drawn], dtype=np.int64)
    values = _at(placed.items, placed.values, items, np.nan)
    rows = zip(drawn, described, values.tolist(), _of(chances, items).tolist(), strict=True)
    parts = split(
        [
            ValuedDraw(about.item_id, sampled(draw, Verdict.UNSCORED, SAME), value, chance)
            for draw, about, value, chance in rows
        ],
        drawings,
        share,
        seed,
    )
    traffic = ScoredTraffic(
        values=placed.values,
        chances=_of(chances, placed.items),
        is_framed=placed.is_framed,
        is_reachable=placed.is_reachable,
    )
    return Sample(
        labels=replace(parts.labels, share=share * len(kept) / max(len(every), 1)),
        traffic=traffic,
        draws=frozenset(about.draw for about in compress(described, parts.chooses)),
        decided=parts.decided,
        chose=parts.chose,
        use=LabelUse(
            answered=answered,
            unvalued=sum(
                draw.judgement in DECIDED and math.isnan(value) for draw, value in zip(drawn, values, strict=True)
            ),
            unsure=sum(draw.judgement is Judgement.UNSURE for draw in drawn),
            taught=sum(draw.judgement is not None and about.draw in training_draws for draw, about in every),
            later=answered - sum(draw.judgement is not None for draw, _ in every),
        ),
    )


def _of(known: Chances, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance of each item to be drawn in any wave; 0 for what no wave framed."""
    return _at(known.keys, known.of_any, items, 0.0)


def _at(
    keys: NDArray[np.int64], values: NDArray[np.float64], items: NDArray[np.int64], missing: float
) -> NDArray[np.float64]:
    """Return the value of each item by its ascending keys."""
    if not len(keys):
        return np.full(len(items), missing)
    place = np.minimum(np.searchsorted(keys, items), len(keys) - 1)
    return np.where(keys[place] == items, values[place], missing)
