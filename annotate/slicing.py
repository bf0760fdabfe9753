"""The store in, the slices where the proxy errs more than elsewhere out; and the items of a slice, for a wave of its own.

The rule: a slice that was found in labels is confirmed only by labels that were drawn for it afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.confirming import Confirmation, confirmations
from annotate.judging import rule_in_force
from annotate.membership import Field, fields
from annotate.parts import Labelled, ground
from annotate.sides import Mask, rows_of, side
from annotate.store import Store
from annotate.store.parts import OWN
from annotate.store.scores import Failed
from proxy.errors import UsageError
from proxy.records import Verdict
from proxy.slices import LEVEL, Examined, Mistake, Part, Slice, examine, is_truth
from proxy.verdict import judges_of

SEED = 0
MOST_NAMED = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Slices:
    """What the labels say of every slice; `labels` counts those of each side, and of what no judge has scored.

    `truths` are the fields that tell right from wrong by themselves; `failed` is why judges gave labelled items no score.
    """

    rule: str
    items: int
    labels: dict[Verdict, int]
    examined: Examined
    confirmations: Sequence[Confirmation]
    truths: Sequence[str]
    failed: Failed | None


def build(store: Store, *, now: str, by: Sequence[str] = (), level: float = LEVEL) -> Slices:
    """Examine every slice under the rule in force."""
    key, rule = rule_in_force(store, now=now)
    # What all traffic comes to is kept when it is first counted: within the snapshot that would hold up every writer.
    ground(store, key, rule)
    with store.snapshot():
        found = ground(store, key, rule)
        rows = found.labelled.rows
        items = {one.about.item for one in rows}
        known = fields(store, items, by, of=items) if rows else []
        truths = [one.name for one in known if one.name.startswith(OWN) and _is_truth(one, found.labelled)]
        members = [pair for one in known if one.name not in truths for pair in one.slices().items()]
        unscored = [one.about.item for one in rows if one.verdict is Verdict.UNSCORED]
        kept = [rows_of(found.labelled, mistake) for mistake in Mistake]
        sides = [side(found.labelled, mistake, mine) for mistake, mine in zip(Mistake, kept, strict=True)]
        parts = [_part(one, mine, found.labelled, kept) for one, mine in members]
        return Slices(
            rule=f"{rule.name} v{rule.version}: {rule.expression}",
            items=store.items.count(),
            labels={verdict: sum(one.verdict is verdict for one in rows) for verdict in Verdict},
            examined=examine(sides, parts, np.random.default_rng(SEED), level),
            confirmations=confirmations(store, found),
            truths=truths,
            failed=store.scores.commonest_failure(judges_of(rule.expression)[0], unscored),
        )


def members(store: Store, name: str) -> NDArray[np.int64]:
    """The rows of the current items of a slice, ascending; UsageError that lists the slices where there is none of this name."""
    field, _, _ = name.partition(": ")
    with store.snapshot():
        labelled = {one.item for one in store.waves.all_draws()}
        known: dict[str, set[int]] = {}
        for one in fields(store, labelled, also=(field,) if field.startswith(OWN) else ()):
            known |= {part.name: items for part, items in one.slices().items()}
    if name not in known:
        raise UsageError(_unknown(name, list(known)))
    return np.array(sorted(known[name]), dtype=np.int64)


def _unknown(name: str, known: Sequence[str]) -> str:
    shown = "; ".join(known[:MOST_NAMED]) + ("; …" if len(known) > MOST_NAMED else "")
    there = f"there are: {shown}" if known else "there is none: every item is alike in all that is known of it"
    return f"there is no slice {name!r}; {there}"


def _is_truth(one: Field, labelled: Labelled) -> bool:
    """Whether this field repeats what people said of the labelled items."""
    rows = [row for row in labelled.rows if row.about.item in one.of_item and row.verdict is not Verdict.UNSCORED]
    right, passes = (
        np.array([(row.is_right, row.verdict is Verdict.PASS) for row in rows], dtype=np.bool_).reshape(-1, 2).T
    )
    return is_truth(right, passes, [one.of_item[row.about.item] for row in rows])


def _part(one: Slice, items: set[int], labelled: Labelled, sides: Sequence[Mask]) -> Part:
    inside = np.array([row.about.item in items for row in labelled.rows], dtype=np.bool_)
    return Part(slice=one, members=tuple(inside[rows] for rows in sides))
