"""SQL conditions of a judge's final outcome on an item: a score, or a failure that is not retried."""

from __future__ import annotations

from collections.abc import Sequence


def settled(*, retries: bool) -> str:
    """Return the condition of final failures: all but requests never answered; with retries, only what does not apply."""
    return "kind = 'not_applicable'" if retries else "kind != 'unanswered'"


def lacking(judges: Sequence[int], *, retries: bool) -> str:
    """Return the condition that item `i` lacks the last word of some of these judges."""
    conditions = (
        f"(NOT EXISTS (SELECT 1 FROM scores WHERE judge = {judge:d} AND item = i.key) AND NOT EXISTS "
        f"(SELECT 1 FROM failures WHERE judge = {judge:d} AND item = i.key AND {settled(retries=retries)}))"
        for judge in judges
    )
    return " OR ".join(conditions) or "0"
