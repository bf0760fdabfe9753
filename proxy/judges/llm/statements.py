"""Decompose a text into statements with a model: the single claims that it makes, each understood by itself."""

from __future__ import annotations

from collections.abc import Generator

from proxy.judges.llm.asking import Ask, Reply, Unreadable
from proxy.judges.llm.shown_item import QUESTION, ShownItem

STATEMENTS = "statements"
# Four calls for verdicts on them; no answer that a person reads makes more claims.
STATEMENT_LIMIT = 120


def statements(shown: ShownItem, text: str) -> Generator[Ask, Reply, tuple[str, ...]]:
    """Ask for the statements of a text of this item; none where it claims nothing."""
    listed = yield from shown.listed(STATEMENTS, STATEMENTS, {**shown.parts((QUESTION,)), "text": text})
    if len(listed) > STATEMENT_LIMIT:
        raise Unreadable(f"the model lists {len(listed)} statements, more than {STATEMENT_LIMIT}", "\n".join(listed))
    return listed
