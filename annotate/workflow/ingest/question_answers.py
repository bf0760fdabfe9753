"""Keep answers to test questions out of the traffic: no user asked, and no estimate may count them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.workflow.ingest.batches import Parsed
from proxy.records import Item

T = TypeVar("T")
REASON = "it answers a test question, which is no traffic: score the file with `assay questions score FILE`"


def answers_to_questions(store: Store, rows: Sequence[Parsed[T]]) -> list[tuple[Parsed[T], Quarantined]]:
    """Return the rows whose id is that of a test item, with what becomes of them."""
    ids = {row.value.id for row in rows if isinstance(row.value, Item)}
    known = store.questions.known_items(ids)
    return [(row, row.refused(REASON)) for row in rows if isinstance(row.value, Item) and row.value.id in known]
