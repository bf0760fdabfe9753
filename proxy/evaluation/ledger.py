"""Turn the sampling ledger into arrays: stratum sizes by verdict, and the draws with their inclusion probabilities.

An item's chance in every wave that framed it is known, so the labels of all waves become one sample with one weight each.
Cells (a stratum, split by the verdict of the rule that is measured) are the post-strata of every estimate; those with few
labels are taken together with their neighbours, which costs precision but no validity, because the weights stay.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from proxy.evaluation.levels import SAME, SHARES
from proxy.records import Judgement, Verdict
from proxy.stats.sampling.survey import Draws, Indices, Mask, PostStrata

# Chosen: a variance of fewer labels rests on hardly any; larger groups would give up the levels.
ENOUGH = 5
# A variance needs two.
FEWEST = 2
DECIDED = (Judgement.RIGHT, Judgement.WRONG)


class Total(NamedTuple):
    """The number of items of a stratum with a verdict, at a level of what is predicted of them (`levels`).

    `is_reachable` is False for items that no drawing that brought labels could have drawn.
    """

    stratum: str
    verdict: Verdict
    size: int
    level: int = SAME
    is_reachable: bool = True


class Drawing(NamedTuple):
    """A stratum of a wave: of `size` items that could be drawn `drawn` were, and `returned` of the `asked` came back.

    `asked` are the draws that are still current items. Where it `is_fixed` in size, its draws are a simple random sample;
    else each item had a chance of its own. Where it `is_joint` one lot decided over all answers to a question, or
    where it also `is_by_group`, as earlier versions drew, over all of a group.
    """

    wave: int
    stratum: str
    size: int
    drawn: int
    asked: int
    returned: int
    is_fixed: bool = True
    is_joint: bool = False
    is_by_group: bool = False

    @property
    def response(self) -> float:
        """The share of the draws that came back."""
        return self.returned / self.asked if self.asked else 0.0

    @property
    def chance(self) -> float:
        """The inclusion probability of an item, in a drawing of fixed size; 1 where each item has its own."""
        return (self.drawn / self.size if self.size else 0.0) if self.is_fixed else 1.0


class SampledItem(NamedTuple):
    """A drawn item; `judgement` None while no label has come back.

    `chances` are its inclusion probabilities in the waves that framed it, response included, oldest first; `own` says
    which of them drew it, and `drawing` numbers that drawing. `question` is what it answers (None: its group is its question),
    `lot` names what one lot drew together with it (None: its question).
    """

    stratum: str
    verdict: Verdict
    judgement: Judgement | None
    group: str
    drawing: int = 0
    chances: tuple[float, ...] = (1.0,)
    own: int = 0
    level: int = SAME
    question: str | None = None
    lot: str | None = None


def with_verdicts(items: Iterable[SampledItem], verdicts: Iterable[Verdict]) -> list[SampledItem]:
    """Return the items with these verdicts; a report asks for them under many rules, and `_replace` takes three times as long."""
    return [SampledItem(item.stratum, verdict, *item[2:]) for item, verdict in zip(items, verdicts, strict=True)]


def weight_of(chances: Sequence[float], own: int) -> tuple[float, float]:
    """Compute (weight, step) of an item that wave `own` drew.

    With q_k the product of 1 - chance over the waves up to k, and P = 1 - q_K the chance to be drawn in any of K, the weight is
    1 / P and the step (q_K / q_own) / P.

    Wave k estimates the total as what was known before it plus its own draws over their chances; waves are averaged with weights
    in proportion to 1 / q_k - 1 / q_(k - 1), the inverse of the variance that each leaves in a stratum, and both follow. Each
    wave's error is a martingale difference, so variances add up.
    """
    missed = [1 - min(1.0, chance) for chance in chances]
    any_wave = 1 - math.prod(missed)
    return 1 / any_wave, math.prod(missed[own + 1 :]) / any_wave


def draws_of(items: Sequence[SampledItem], drawings: Sequence[Drawing]) -> Draws:
    """Build arrays of the draws that came back."""
    # Most draws of a stratum had the same chances.
    kinds = {(item.chances, item.own) for item in items}
    weight = {kind: weight_of(*kind) for kind in kinds}
    weights = np.array([weight[item.chances, item.own] for item in items], dtype=np.float64).reshape(-1, 2)
    own = [drawings[item.drawing] for item in items]
    # Poisson draws are independent of each other whatever their stratum or wave: one drawing.
    chance = len(drawings)
    by_chance = float(sum(not drawing.is_fixed for drawing in own))
    return Draws(
        right=np.array([item.judgement is Judgement.RIGHT for item in items], dtype=np.float64),
        judged=np.array([item.judgement in DECIDED for item in items], dtype=np.float64),
        weight=weights[:, 0],
        step=weights[:, 1],
        missed=np.array([1 - min(1.0, item.chances[item.own]) for item in items], dtype=np.float64),
        drawing=np.array(
            [item.drawing if drawing.is_fixed else chance for item, drawing in zip(items, own, strict=True)],
            dtype=np.intp,
        ),
        returned=np.array([drawing.returned if drawing.is_fixed else by_chance for drawing in own], dtype=np.float64),
        is_fixed=np.array([drawing.is_fixed for drawing in own], dtype=np.bool_),
        cluster=numbered([item.group for item in items]),
        question=numbered([_question(item) for item in items]),
        score=SHARES[[item.level for item in items]],
        together=_together(items, own),
    )


def _together(items: Sequence[SampledItem], own: Sequence[Drawing]) -> Indices | None:
    """Number the lot that drew each item; None where each had its own."""
    if not any(drawing.is_joint for drawing in own):
        return None
    lots = [
        (drawing.wave, item.lot or _question(item)) if drawing.is_joint else (-1, str(row))
        for row, (item, drawing) in enumerate(zip(items, own, strict=True))
    ]
    return numbered(lots)


def _question(item: SampledItem) -> str:
    return item.group if item.question is None else item.question


def numbered(names: Sequence[Hashable]) -> Indices:
    """Number the names, in the order in which they first come."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.intp)


Key = tuple[Verdict, str]


class PlacedDraws(NamedTuple):
    """The verdict and stratum of each draw, numbered: `of_draw` are places in `keys`."""

    keys: Sequence[Key]
    of_draw: Indices

    @classmethod
    def of(cls, items: Iterable[SampledItem]) -> PlacedDraws:
        """Number the verdicts and strata in the order in which they first come."""
        number: dict[Key, int] = {}
        places = [number.setdefault((item.verdict, item.stratum), len(number)) for item in items]
        return cls(list(number), np.array(places, dtype=np.intp))

    @classmethod
    def by(cls, verdicts: Sequence[Verdict], verdict: Indices, strata: Sequence[str], stratum: Indices) -> PlacedDraws:
        """Combine the verdict and the stratum of each draw, given as places in these."""
        return cls(list(product(verdicts, strata)), verdict * len(strata) + stratum)

    def only(self, rows: Mask) -> PlacedDraws:
        """Select the draws in these rows."""
        return PlacedDraws(self.keys, self.of_draw[rows])

    def counts(self) -> dict[Key, int]:
        """Count the draws of each key that has any."""
        sizes = np.bincount(self.of_draw, minlength=len(self.keys)).tolist()
        return {key: size for key, size in zip(self.keys, sizes, strict=True) if size}


def by_verdict(counts: Mapping[Key, int]) -> Counter[Verdict]:
    """Sum by verdict."""
    sums = Counter[Verdict]()
    for (verdict, _), count in counts.items():
        sums[verdict] += count
    return sums


def by_stratum(counts: Mapping[Key, int]) -> Counter[str]:
    """Sum by stratum."""
    sums = Counter[str]()
    for (_, stratum), count in counts.items():
        sums[stratum] += count
    return sums


def cells_of(totals: Iterable[Total], draws: PlacedDraws) -> PostStrata:
    """Build the post-strata over these totals, thin ones merged; every draw lies in one of the totals."""
    size: Counter[Key] = Counter()
    values: dict[Key, float] = defaultdict(float)
    for total in totals:
        size[total.verdict, total.stratum] += total.size
        values[total.verdict, total.stratum] += total.size * float(SHARES[total.level])
    labels = Counter(draws.counts())
    place = _taken_together(sorted(size), size, labels)
    number = {head: n for n, head in enumerate(dict.fromkeys(place.values()))}
    members: Indices = np.array([number[place[cell]] for cell in size], dtype=np.intp)
    sizes = np.bincount(members, [size[cell] for cell in size], len(number)).astype(np.float64)
    sums = np.bincount(members, [values[cell] for cell in size], len(number)).astype(np.float64)
    of_key: Indices = np.array([number[place[key]] if labels[key] else 0 for key in draws.keys], dtype=np.intp)
    return PostStrata(size=sizes, score=sums / np.maximum(sizes, 1), of_draw=of_key[draws.of_draw])


def _taken_together(order: Sequence[Key], size: Mapping[Key, int], labels: Mapping[Key, int]) -> Mapping[Key, Key]:
    """Map each cell to the head of its group: neighbours of one verdict until they have ENOUGH labels.

    A cell that was seen whole stands alone. What still has fewer than FEWEST joins a neighbour of the other verdict.
    """
    seen = [cell for cell in order if labels[cell] >= size[cell]]
    groups: list[list[Key]] = []
    for verdict in dict.fromkeys(cell[0] for cell in order):
        groups += _joined([[cell] for cell in order if cell[0] is verdict and cell not in seen], labels, ENOUGH)
    groups = _joined(groups, labels, FEWEST)
    return {cell: cells[0] for cells in [*groups, *([cell] for cell in seen)] for cell in cells}


def _joined(groups: Sequence[Sequence[Key]], labels: Mapping[Key, int], least: int) -> list[list[Key]]:
    """Merge neighbouring groups until each has the least number of labels; what is left over joins the last."""
    joined: list[list[Key]] = []
    is_open = False
    for group in groups:
        joined = [*joined[:-1], [*joined[-1], *group]] if is_open else [*joined, list(group)]
        is_open = sum(labels[cell] for cell in joined[-1]) < least
    if is_open and len(joined) > 1:
        joined = [*joined[:-2], [*joined[-2], *joined[-1]]]
    return joined
