"""What the draws without a right or wrong could change: the ledger's evidence in, a share and a range out.

Every draw that came back stands for itself and, with the weight that response adds, for those of its drawing that did not.
Taking that part back shows how far the silent ones, and the unsure ones, could move the share of right answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from proxy.cells import Drawing
from proxy.domains import Evidence

POOLED = 10


class Response(NamedTuple):
    """The share of draws that people called right or wrong, weighted by what they stand for.

    `low` and `high` are the share of right answers if all the others were wrong, or right: no interval, but how far open and
    unsure draws could move the estimate.
    """

    rate: float
    low: float
    high: float


def response_of(evidence: Evidence) -> Response | None:
    """Sum of w r over the decided, the right, and all but the wrong, over sum of w; r is the response of the draw's drawing.

    None before a label has come back.
    """
    items = evidence.returned
    if not items:
        return None
    draws = evidence.arrays.draws
    answered = responses(evidence.drawings)
    share = draws.weight / draws.weight.sum() * np.array([answered[one.drawing] for one in items])
    right = float(np.sum(share * draws.judged * draws.right))
    wrong = float(np.sum(share * draws.judged * (1 - draws.right)))
    return Response(rate=min(1.0, right + wrong), low=right, high=1 - wrong)


def responses(drawings: Sequence[Drawing]) -> list[float]:
    """The share of each drawing's draws that came back.

    Poisson drawings of one stratum may be tiny: neighbours in time answer together until POOLED draws were asked.
    """
    found = [one.response for one in drawings]
    by_chance: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(drawings):
        if not one.is_fixed:
            by_chance[one.stratum].append(number)
    for numbers in by_chance.values():
        for pool in _pools(drawings, numbers):
            asked = sum(drawings[number].asked for number in pool)
            returned = sum(drawings[number].returned for number in pool)
            for number in pool:
                found[number] = returned / asked if asked else 1.0
    return found


def _pools(drawings: Sequence[Drawing], numbers: Sequence[int]) -> list[list[int]]:
    """Neighbours put together until POOLED draws were asked; what is left over joins the last."""
    pools: list[list[int]] = [[]]
    for number in numbers:
        if sum(drawings[one].asked for one in pools[-1]) >= POOLED:
            pools.append([])
        pools[-1].append(number)
    if len(pools) > 1 and sum(drawings[one].asked for one in pools[-1]) < POOLED:
        pools[-2:] = [[*pools[-2], *pools[-1]]]
    return pools
