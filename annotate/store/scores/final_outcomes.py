"""When a judge has said its last word on an item, as SQL conditions: a score, or a failure that nobody asks about again."""

from __future__ import annotations

from collections.abc import Sequence


def settled(*, retries: bool) -> str:
    """The failures that are a last word: all but requests never answered; when failures are retried, only what does not apply."""
    return "kind = 'not_applicable'" if retries else "kind != 'unanswered'"


def lacking(judges: Sequence[int], *, retries: bool) -> str:
    """The condition that item `i` lacks the last word of some of these judges."""
    conditions = (
        f"(NOT EXISTS (SELECT 1 FROM scores WHERE judge = {judge:d} AND item = i.key) AND NOT EXISTS "
        f"(SELECT 1 FROM failures WHERE judge = {judge:d} AND item = i.key AND {settled(retries=retries)}))"
        for judge in judges
    )
    return " OR ".join(conditions) or "0"
