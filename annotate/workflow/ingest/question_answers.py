"""Keep answers to test questions out of the traffic: no user asked, and no estimate may count them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from annotate.domain.privacy.redaction import in_force
from annotate.domain.question_key import normalised
from annotate.store import Store
from proxy.records import Item

REASON = "it answers a test question, which is no traffic: score the file with `assay questions score FILE`"


class QuestionAnswers:
    """Recognise answers to test questions by the id of the test item, or by its question and passages."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def is_answer(self, item: Item) -> bool:
        """Return whether an item answers a test question: it has its id, or the same question and passages in any order."""
        if item.id in self._ids:
            return True
        asked = self._passages.get(normalised(item.question)) if self._passages else None
        return asked is not None and _together(context.text for context in item.contexts) in asked

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self._store.questions.item_ids())

    @cached_property
    def _passages(self) -> dict[str, set[tuple[str, ...]]]:
        """The passages of the test items by their question, each as it is and as it was exported."""
        passages = defaultdict[str, set[tuple[str, ...]]](set)
        redaction = in_force()
        # A store that only ever wrote out has no pseudonyms yet.
        masks = (redaction.text, replace(redaction, pseudonyms=None).text) if redaction.is_on else ()
        for question, texts in self._store.questions.asked():
            passages[normalised(question)].add(_together(texts))
            for mask in masks:
                passages[normalised(mask(question))].add(_together(map(mask, texts)))
        return dict(passages)


def _together(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(map(normalised, texts)))
