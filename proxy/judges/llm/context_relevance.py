"""Judge context relevance with a model: are the passages on the subject, and could they alone give a full answer?

Each of the two questions gives up to two points; the score is points / 4, from one call on all passages, or from one
call per passage, of which the best counts. The answer is not shown.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from proxy.judges.base import QUESTION_LIMIT, cut_note, cut_question
from proxy.judges.llm.asking import Ask, Reply, Unreadable
from proxy.judges.llm.base import (
    Outcome,
    Setup,
    Steps,
    data,
    failed,
    history,
    not_applicable,
    passages,
    scored,
    unreadable,
)
from proxy.judges.llm.form import QuestionForm
from proxy.judges.llm.grading import RELEVANCE, describe, share
from proxy.judges.llm.prompts import language_of
from proxy.judges.llm.reading import QuestionAnswer
from proxy.records import FailureKind, Item


@dataclass(frozen=True, kw_only=True)
class LlmContextRelevance:
    """A judge that scores the points of two questions / 4; `per_passage` asks for each passage and takes the best."""

    setup: Setup
    per_passage: bool = False

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The single score of an item."""
        signature = self.setup.signature("context_relevance", "context_relevance", 1, per_passage=self.per_passage)
        return (("context_relevance", signature),)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signature's digest stands for."""
        return self.setup.settings("context_relevance", per_passage=self.per_passage)

    def steps(self, item: Item) -> Steps:
        """Ask once for all passages together, or once for each."""
        if reason := why_not(item):
            return not_applicable(self, item, reason)
        texts, cut = passages(item, self.setup.context_limit)
        try:
            if self.per_passage:
                return ((yield from self._each(item, texts, cut)),)
            readings = yield from self._asked(item, texts)
        except Unreadable as fault:
            return unreadable(self, item, fault)
        value, reason = share(readings, RELEVANCE), describe(readings, RELEVANCE)
        return (scored(item, self.judges[0], value, reason + cut_note(cut_question(item.question), cut)),)

    def _each(self, item: Item, texts: list[str], cut: str) -> Generator[Ask, Reply, Outcome]:
        """Score each passage and take the best; one that is empty or cut off has no value."""
        values: list[float | None] = []
        reasons: list[str] = []
        for text in texts:
            readings = (yield from self._asked(item, [text])) if text.strip() else None
            values.append(None if readings is None else share(readings, RELEVANCE))
            reasons.append("" if readings is None else describe(readings, RELEVANCE))
        value, best = max((-1.0 if points is None else points, -rank) for rank, points in enumerate(values))
        if value < 0:
            return failed(item, self.judges[0], FailureKind.NOT_APPLICABLE, f"nothing stands in the first {cut}")
        note = cut_note(cut_question(item.question), cut)
        reason = f"passage {1 - best} of {len(item.contexts)}: {reasons[-best]}{note}"
        unread = [None] * (len(item.contexts) - len(texts))
        return replace(scored(item, self.judges[0], value, reason), passages=(*values, *unread))

    def _asked(self, item: Item, texts: list[str]) -> Generator[Ask, Reply, Mapping[str, QuestionAnswer]]:
        """Ask the two questions about these passages."""
        language, form = language_of(item), QuestionForm(RELEVANCE)
        user = data(question=item.question[:QUESTION_LIMIT], history=history(item), passages=texts)
        return (yield from self.setup.answered("context_relevance", language, form, user))


def why_not(item: Item) -> str | None:
    """Say why the item's context relevance cannot be asked for; None where it can."""
    if not any(context.text.strip() for context in item.contexts):
        return "no passages were retrieved"
    return None if item.question.strip() else "the question is empty"
