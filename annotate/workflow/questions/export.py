"""Write test items as rows of traffic without an answer, so that a team can ask its app; what is expected stays here."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.questions.listing import items_to_ask
from annotate.store import Store
from annotate.workflow.leaving import write_masked
from proxy.questions.records import QuestionItem

COLUMNS = ("id", "question", "contexts", "group")


def export(store: Store, file: str, *, accepted: bool) -> int:
    """Write the items of accepted questions, or of all that nobody has retired; return how many.

    The id says nothing of the condition, and contexts have no order by which an app could tell sources from distractors.
    """
    return write_masked(store, file, COLUMNS, _rows(items_to_ask(store, accepted=accepted)))


def _rows(items: list[QuestionItem]) -> Iterator[dict[str, object]]:
    for item in sorted(items, key=lambda item: item.id):
        contexts = [{"text": passage.text, "id": passage.id} for passage in item.contexts]
        yield {"id": item.id, "question": item.question, "contexts": contexts, "group": item.group}
