"""Preview what redaction would mask in the texts that are about to leave; nothing is sent, and nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.domain.evenly_spaced import evenly_spaced
from annotate.domain.label_studio_sync import Division
from annotate.domain.passages import SOURCE, TITLE, passage_names
from annotate.domain.privacy.recognisers import Unrecognised
from annotate.domain.privacy.redaction import Redaction, in_force
from annotate.store import Store
from proxy.records import Item
from proxy.text.controls import displayable

# Chosen: what a person reads in a few minutes, and what a terminal has room for.
MOST_ITEMS, MOST_EXAMPLES, AROUND = 200, 12, 40


class MaskedExample(NamedTuple):
    """A masked text around the first value of a kind in it, and the kind."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MaskingPreview:
    """What is masked in `looked_at` of `items` answers: counts by kind, in how many of them, and some masked texts.

    Where redaction is not `is_on`, it is what the standard patterns would mask. `unread` answers hold a text that a recogniser
    cannot read: it leaves as `[hidden]`. `division` says who would get how many of the open draws, where these are sent.
    """

    is_on: bool
    items: int
    looked_at: int
    rows: int
    by_kind: tuple[tuple[str, int], ...]
    examples: tuple[MaskedExample, ...]
    unread: int = 0
    division: Division | None = None


def preview(store: Store, keys: Sequence[int], *, to_experts: bool) -> MaskingPreview:
    """Preview the texts of these items, as experts see them or as a model does; of many, a sample at equal distances."""
    asked = in_force()
    redaction = asked if asked.is_on else Redaction(is_on=True)
    chosen = evenly_spaced(keys, MOST_ITEMS)
    kinds, rows, unread, examples = Counter[str](), 0, 0, dict[str, list[MaskedExample]]()
    for item in store.traffic.items.read(chosen).values():
        in_item = Counter[str]()
        try:
            for text in _outgoing(item, redaction if to_experts else None):
                redaction.count(text, in_item)
                for example in _examples(redaction, text):
                    examples.setdefault(example.kind, []).append(example)
        except Unrecognised:
            unread += 1
        kinds += in_item
        rows += bool(in_item)
    return MaskingPreview(
        is_on=asked.is_on,
        items=len(keys),
        looked_at=len(chosen),
        rows=rows,
        by_kind=tuple(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))),
        examples=tuple(_spread(examples)),
        unread=unread,
    )


def _examples(redaction: Redaction, text: str) -> Iterator[MaskedExample]:
    """Yield the masked text around the first value of each kind."""
    marks = list[tuple[str, str]]()
    masked = redaction.marked(displayable(text), marks)
    for kind, mark in dict(reversed(marks)).items():
        place = masked.find(mark)
        first, last = max(0, place - AROUND), place + len(mark) + AROUND
        yield MaskedExample(kind, f"{'…' if first else ''}{masked[first:last]}{'…' if last < len(masked) else ''}")


def _spread(examples: dict[str, list[MaskedExample]]) -> Iterator[MaskedExample]:
    """Yield examples of every kind in turn, none twice."""
    share = max(1, MOST_EXAMPLES // max(1, len(examples)))
    for kind in sorted(examples):
        yield from list(dict.fromkeys(examples[kind]))[:share]


def _outgoing(item: Item, to_experts: Redaction | None) -> Iterator[str]:
    """Yield the texts of an item as they are, which `redaction.outgoing` lets out masked; experts see where a passage is from."""
    yield from filter(None, (item.question, item.answer, item.reference))
    yield from (context.text for context in item.contexts)
    yield from (turn.text for turn in item.history)
    if to_experts and not to_experts.hides(TITLE):
        yield from (context.title for context in item.contexts if context.title)
    if to_experts and not to_experts.hides(SOURCE):
        yield from filter(None, (part for name in passage_names(item) for part in (name.date, name.source)))
