"""Score a batch of items with several judges, in the order given: the unit of work that any engine may run on any batch.

The rule: one row per item and one entry per judge, always; an item that breaks a judge leaves a failure, and the
others go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from proxy.judges.base import Judge
from proxy.records import FailureKind, Item, JudgeFailure, Score
from proxy.text.controls import displayable

_LONGEST_REASON = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Items that are scored together.

    Attributes
    ----------
    rows
        What the caller knows the items by.
    places
        For each item, which of the judges are to score it, by their places among the judges.
    """

    rows: tuple[int, ...]
    items: tuple[Item, ...]
    places: tuple[tuple[int, ...], ...]


def score_block(block: Block, judges: Sequence[Judge]) -> list[list[Score | JudgeFailure]]:
    """Score each item of a block with the judges that it lacks: result[i][k] is of the judge at places[i][k]."""
    return [
        score_batch([item], [judges[place] for place in places])[0]
        for item, places in zip(block.items, block.places, strict=True)
    ]


def score_batch(items: Sequence[Item], judges: Sequence[Judge]) -> list[list[Score | JudgeFailure]]:
    """Score each item with each judge: result[i][j] is judge j on item i, with the seconds it took."""
    return [[_timed(judge, item) for judge in judges] for item in items]


def _timed(judge: Judge, item: Item) -> Score | JudgeFailure:
    """Time one judge on one item; an unexpected exception becomes a failure of kind error."""
    start = perf_counter()
    result: Score | JudgeFailure
    try:
        result = judge.judge(item)
        if not isinstance(result, Score | JudgeFailure):
            raise TypeError(f"a judge returns a Score or a JudgeFailure, not {result!r}"[:200])  # noqa: TRY301
    except Exception as error:  # noqa: BLE001
        result = JudgeFailure(
            item_id=item.id,
            judge=judge.name,
            signature=judge.signature,
            kind=FailureKind.ERROR,
            reason=displayable(f"{type(error).__name__}: {error}"[:_LONGEST_REASON]),
        )
    return replace(result, seconds=perf_counter() - start)
