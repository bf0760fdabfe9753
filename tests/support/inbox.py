"""Thumbs and labels as files, and where each complaint stands."""

from __future__ import annotations

from annotate.domain.complaints import ComplaintState
from annotate.store import Store
from support.store import take_feedback, take_labels


def thumb(name: str, **more: object) -> dict[str, object]:
    return {"item_id": name, "value": -1, **more}


def take(store: Store, rows: list[dict[str, object]]) -> None:
    """Take thumbs in."""
    take_feedback(store, rows)


def label(store: Store, rows: list[dict[str, object]]) -> None:
    """Take labels in."""
    take_labels(store, rows)


def states(store: Store, state: ComplaintState | None = None) -> dict[str, str]:
    """What became of each."""
    return {
        complaint.item_id: complaint.state.value
        for complaint in store.traffic.complaints.page(state, start=0, size=100)
    }
