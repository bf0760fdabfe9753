"""Find who may take each draw, by the rules that were given to annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from annotate.domain.annotator_rules import SLICE, Taker, TakerRule, UnfitRule
from annotate.domain.privacy import redaction
from annotate.store.engine.item_fields import FIELDS, OWN
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.store import Store
    from annotate.store.sampling.waves import OpenDraw

SHOWN = 3


def fitting(store: Store, takers: Sequence[Taker], draws: Sequence[OpenDraw]) -> dict[TakerRule, frozenset[int]]:
    """Return by rule the rows of the drawn items that it fits; empty where there are no rules."""
    items = sorted({draw.item for draw in draws})
    return {rule: _fitting(store, rule, items) for rule in {rule for taker in takers for rule in taker.rules}}


def unfit(
    store: Store, takers: Sequence[Taker], draws: Sequence[OpenDraw], known: Mapping[TakerRule, frozenset[int]]
) -> Iterator[UnfitRule]:
    """Yield the rules that fit none of these draws, with the commonest values of their field; nothing where none are drawn."""
    items = sorted({draw.item for draw in draws})
    if not items:
        return
    for taker in takers:
        for rule in taker.rules:
            if known[rule].isdisjoint(items):
                values = None if rule.field == SLICE else _values(store, rule, items)
                yield UnfitRule(taker.annotator, rule, len(items), values)


def check_fields(store: Store, takers: Sequence[Taker], draws: Sequence[OpenDraw]) -> None:
    """Raise UsageError for a rule by a field of one's own that no answer has; it names the fields that are there."""
    for rule in (rule for taker in takers for rule in taker.rules):
        if rule.field == SLICE or rule.field in FIELDS:
            continue
        sizes = store.traffic.partitions.sizes(_field(rule))
        if sizes and not sizes.keys() - {None}:
            own = store.traffic.traits.own_fields(sorted({draw.item for draw in draws}))
            shown = [name for name in own if not redaction.in_force().hides(OWN + name)]
            given = [name for name in FIELDS if store.traffic.partitions.sizes(name).keys() - {None}]
            raise UsageError(
                f"--annotator: no answer has the field {rule.field!r}; fields that are there: "
                f"{', '.join([*given, *shown, SLICE])}. Nothing was sent"
            )


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
    parts = store.traffic.partitions.of_items(items, _field(rule))
    return frozenset(item for item, part in parts.items() if (part or "") == rule.value)


def _field(rule: TakerRule) -> str:
    """Return the field of a rule as the store calls it."""
    return rule.field if rule.field in FIELDS or rule.field.startswith(OWN) else f"{OWN}{rule.field}"


def _values(store: Store, rule: TakerRule, items: Sequence[int]) -> tuple[str, ...]:
    """Return the commonest values of the rule's field, and "…" where there are more."""
    parts = store.traffic.partitions.of_items(items, _field(rule))
    counts = Counter(part for part in parts.values() if part)
    return tuple(value for value, _ in counts.most_common(SHOWN)) + (("…",) if len(counts) > SHOWN else ())
