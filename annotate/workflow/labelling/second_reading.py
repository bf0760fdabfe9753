"""Ask for a second reading of a drawn answer, or take that back; the next `assay push` does the rest.

Who reads changes, and nothing else. The draw keeps its stratum and its chance, so what its label stands for stays the same; the
second annotator gets it blind, as any other; where the two differ it waits for a person to adjudicate it.
"""

from __future__ import annotations

from annotate.analysis.disagreements.second_reading import NOT_DRAWN, SecondReading, standing
from annotate.store import Store
from proxy.errors import UsageError

EVENT = "labels second annotator"
NO_NAME = "give your name first: it is kept with what you ask for"


def ask(store: Store, item_id: str, *, who: str, now: str) -> bool:
    """Ask for a second annotator of this answer; False where somebody has. UsageError where there can be none."""
    with store.atomic(durable=True):
        item, reading = _row_and_standing(store, item_id, who)
        if reading.asked is not None:
            return False
        if reading.refused:
            raise UsageError(f"{item_id}: {reading.refused}")
        draw = _draw(store, item)
        store.labels.second_readings.ask(draw, who=who.strip(), now=now)
        _tell(store, draw, is_asked=True, who=who, now=now)
    return True


def take_back(store: Store, item_id: str, *, who: str, now: str) -> bool:
    """Ask no more; False where nobody had. A task that nobody has worked on is withdrawn by the next push."""
    with store.atomic(durable=True):
        item, reading = _row_and_standing(store, item_id, who)
        if reading.asked is None:
            return False
        draw = _draw(store, item)
        store.labels.second_readings.take_back(draw)
        _tell(store, draw, is_asked=False, who=who, now=now)
    return True


def _row_and_standing(store: Store, item_id: str, who: str) -> tuple[int, SecondReading]:
    if not who.strip():
        raise UsageError(NO_NAME)
    row = store.traffic.items.key(item_id)
    return row, standing(store, row)


def _draw(store: Store, item: int) -> int:
    draw = store.labels.disagreements.draw_of_label(item)
    if draw is None:
        raise UsageError(NOT_DRAWN)
    return draw


def _tell(store: Store, draw: int, *, is_asked: bool, who: str, now: str) -> None:
    """Log the event: the draw by the key of its task."""
    detail = {"draw": store.labels.second_readings.task_key(draw), "asked": is_asked}
    store.audit.events.append(EVENT, detail, who=who.strip(), now=now)
