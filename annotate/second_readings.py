"""A person asks for a second reader of a drawn answer, or takes that back: the next `assay push` does the rest.

The rule: who reads changes, and nothing else. The draw keeps its stratum and its chance, so what its label stands for stays
the same; the second reader gets it blind, as any other; where the two differ it waits for a person to settle it.
"""

from __future__ import annotations

from typing import NamedTuple

from annotate.readers import TWICE
from annotate.store import Store
from annotate.store.second_readings import Asked
from proxy.errors import UsageError
from proxy.records import Basis

EVENT = "labels second reader"
NO_NAME = "give your name first: it is kept with what you ask for"
NOT_DRAWN = (
    "no wave drew this answer, and only drawn ones go to Label Studio: bring a second label with `assay labels import`"
)
SETTLED = "a person has settled it: take that back first (page Labelling)"
TWO = "two or more people have read it: where they differ, somebody settles it (page Labelling)"
UNREAD = "nobody has read it yet: `assay push` sends it to its first reader"
FORGOTTEN = "its texts were forgotten: nobody can read it any more"


class SecondReading(NamedTuple):
    """How it stands with the second reader of an item; `refused` is why none can be asked for."""

    readers: int
    asked: Asked | None
    refused: str | None


def standing(store: Store, item: int) -> SecondReading:
    """How it stands with the item in this row."""
    label, draw = store.labels.of_item(item), store.disagreements.draw_of_label(item)
    if label is None:
        return SecondReading(0, None, UNREAD)
    if draw is None:
        return SecondReading(1, None, NOT_DRAWN)
    readers, asked = store.second_readings.readers(draw), store.second_readings.asked(draw)
    refused = None
    if store.forgotten.has_item(label.item_id):
        refused = FORGOTTEN
    elif label.basis is Basis.ADJUDICATION:
        refused = SETTLED
    elif readers >= TWICE:
        refused = TWO
    return SecondReading(readers, asked, refused)


def ask(store: Store, item_id: str, *, who: str, now: str) -> bool:
    """Ask for a second reader of this answer; False where somebody has. UsageError where there can be none."""
    with store.atomic(durable=True):
        item, found = _found(store, item_id, who)
        if found.asked is not None:
            return False
        if found.refused:
            raise UsageError(f"{item_id}: {found.refused}")
        draw = _draw(store, item)
        store.second_readings.ask(draw, who=who.strip(), now=now)
        _tell(store, draw, is_asked=True, who=who, now=now)
    return True


def take_back(store: Store, item_id: str, *, who: str, now: str) -> bool:
    """Ask no more; False where nobody had. A task that nobody has worked on is withdrawn by the next push."""
    with store.atomic(durable=True):
        item, found = _found(store, item_id, who)
        if found.asked is None:
            return False
        draw = _draw(store, item)
        store.second_readings.take_back(draw)
        _tell(store, draw, is_asked=False, who=who, now=now)
    return True


def _found(store: Store, item_id: str, who: str) -> tuple[int, SecondReading]:
    if not who.strip():
        raise UsageError(NO_NAME)
    row = store.items.keys([item_id]).get(item_id)
    if row is None:
        raise UsageError(f"there is no item {item_id}")
    return row, standing(store, row)


def _draw(store: Store, item: int) -> int:
    draw = store.disagreements.draw_of_label(item)
    if draw is None:
        raise UsageError(NOT_DRAWN)
    return draw


def _tell(store: Store, draw: int, *, is_asked: bool, who: str, now: str) -> None:
    """The event: the draw by the key of its task."""
    detail = {"draw": store.second_readings.task_key(draw), "asked": is_asked}
    store.events.append(EVENT, detail, who=who.strip(), now=now)
