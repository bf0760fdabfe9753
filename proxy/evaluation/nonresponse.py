"""Compute response rates of the drawings; a label's weight is divided by its drawing's, to cover the unanswered draws.

That the silent ones are like the others is a model. What they could change is in `worst_case`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from proxy.evaluation.ledger import Drawing

# Chosen: of ten draws, the share that came back is known in tenths.
POOLED = 10


def responses(drawings: Sequence[Drawing]) -> list[float]:
    """Compute the share of each drawing's draws that came back.

    Poisson drawings of one stratum may be tiny: neighbours in time answer together until POOLED draws were asked.
    """
    rates = [drawing.response for drawing in drawings]
    by_chance: dict[str, list[int]] = defaultdict(list)
    for number, drawing in enumerate(drawings):
        if not drawing.is_fixed:
            by_chance[drawing.stratum].append(number)
    for numbers in by_chance.values():
        for pool in _pools(drawings, numbers):
            asked = sum(drawings[number].asked for number in pool)
            returned = sum(drawings[number].returned for number in pool)
            for number in pool:
                rates[number] = returned / asked if asked else 1.0
    return rates


def still_waiting(chance: float, answered: float) -> float:
    """Return P(not drawn | no label): what an unanswered draw takes from later chances, for it is never drawn again."""
    return (1 - chance) / (1 - answered) if answered < 1 else 0.0


def speaking(drawings: list[Drawing]) -> list[Drawing] | None:
    """Return the drawings with answers, which alone speak for the items that they could have drawn; None if all have some."""
    answered = [drawing for drawing, share in zip(drawings, responses(drawings), strict=True) if share * drawing.chance]
    return None if len(answered) == len(drawings) else answered


def _pools(drawings: Sequence[Drawing], numbers: Sequence[int]) -> list[list[int]]:
    """Merge neighbours until POOLED draws were asked; what is left over joins the last."""
    pools: list[list[int]] = [[]]
    for number in numbers:
        if sum(drawings[member].asked for member in pools[-1]) >= POOLED:
            pools.append([])
        pools[-1].append(number)
    if len(pools) > 1 and sum(drawings[member].asked for member in pools[-1]) < POOLED:
        pools[-2:] = [[*pools[-2], *pools[-1]]]
    return pools
