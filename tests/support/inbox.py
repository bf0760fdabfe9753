"""Thumbs and labels as files, and where each complaint stands."""

from __future__ import annotations

from annotate.domain.complaints import State
from annotate.store import Store
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Source
from support.store import NOW, jsonl


def thumb(name: str, **more: object) -> dict[str, object]:
    return {"item_id": name, "value": -1, **more}


def take(store: Store, rows: list[dict[str, object]]) -> None:
    """Take thumbs in."""
    path = store.path.parent / "thumbs.jsonl"
    path.write_text(jsonl(rows))
    ingest.import_feedback(store, Source(str(path)), now=NOW)


def label(store: Store, rows: list[dict[str, object]]) -> None:
    """Take labels in."""
    path = store.path.parent / "labels.jsonl"
    path.write_text(jsonl(rows))
    ingest.import_labels(store, Source(str(path)), now=NOW)


def states(store: Store, state: State | None = None) -> dict[str, str]:
    """What became of each."""
    return {one.item_id: one.state.value for one in store.traffic.complaints.page(state, start=0, size=100)}
