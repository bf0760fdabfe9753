"""Find who may take each draw, by the rules that were given to annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotate.domain.annotator_rules import SLICE, Taker, TakerRule, takers_by_draw
from annotate.store.engine.item_fields import FIELDS, OWN
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.store import Store
    from annotate.store.sampling.waves import OpenDraw

SHOWN = 3


def takers_of(store: Store, takers: Sequence[Taker], draws: Sequence[OpenDraw]) -> dict[int, tuple[str, ...]] | None:
    """Return the annotators who may take each draw; None where there are no rules."""
    rules = {rule for taker in takers for rule in taker.rules}
    if not rules:
        return None
    items = {draw.key: draw.item for draw in draws}
    return takers_by_draw(takers, items, {rule: _fitting(store, rule, sorted(set(items.values()))) for rule in rules})


def refuse(draws: Sequence[OpenDraw]) -> None:
    """Raise UsageError that names the draws which no annotator may take."""
    ids = ", ".join(sorted(draw.item_id for draw in draws)[:SHOWN]) + (", …" if len(draws) > SHOWN else "")
    raise UsageError(
        f"--annotator: {len(draws)} drawn answers fit no rule, and nobody shares the rest ({ids}): "
        "add a rule for them, or an annotator without one. Nothing was sent"
    )


def _fitting(store: Store, rule: TakerRule, items: Sequence[int]) -> frozenset[int]:
    """Return those of the items that a rule fits."""
    if rule.field == SLICE:
        from annotate.analysis.slices import find  # slices load scikit-learn

        return frozenset(int(item) for item in find.members(store, rule.value))
    field = rule.field if rule.field in FIELDS or rule.field.startswith(OWN) else f"{OWN}{rule.field}"
    parts = store.traffic.partitions.of_items(items, field)
    return frozenset(item for item, part in parts.items() if (part or "") == rule.value)
