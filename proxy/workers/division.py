"""Divide a block between the judges that run in this process and those that run elsewhere, and put their outcomes together."""

from __future__ import annotations

from collections.abc import Collection

from proxy.records import JudgeFailure, Score
from proxy.scoring import Block

Outcomes = list[list[Score | JudgeFailure]]


def part(block: Block, here: Collection[int], *, is_here: bool) -> Block:
    """Return the block with the judges at the places `here`, or with the others."""
    places = tuple(tuple(place for place in places if (place in here) is is_here) for places in block.places)
    return Block(rows=block.rows, items=block.items, places=places)


def together(block: Block, here: Collection[int], ours: Outcomes, theirs: Outcomes) -> Outcomes:
    """Return the outcomes of both parts of a block, in the order of its judges."""
    outcomes: Outcomes = []
    for places, own, other in zip(block.places, ours, theirs, strict=True):
        from_here, from_elsewhere = iter(own), iter(other)
        outcomes.append([next(from_here if place in here else from_elsewhere) for place in places])
    return outcomes
