"""Judge context relevance and faithfulness in one call: half the calls of the default rule's two judges.

These are scores with a signature of their own, because a model that has seen the answer may judge passages otherwise;
`agreement` with two calls is measured, not assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from proxy.judges.base import ANSWER_LIMIT, cut_answer, cut_note, cut_question
from proxy.judges.llm import context_relevance, faithfulness
from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.base import (
    Setup,
    Steps,
    not_applicable,
    passages,
    scored,
    unreadable,
)
from proxy.judges.llm.form import Mode
from proxy.judges.llm.grading import RELEVANCE, describe, share
from proxy.judges.llm.sentences import asked, parts_of, verdicts
from proxy.records import Item

PROMPT = "context_relevance_and_faithfulness"


@dataclass(frozen=True, kw_only=True)
class LlmContextRelevanceAndFaithfulness:
    """A judge that takes both scores of the default rule from one reply."""

    setup: Setup

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The two scores of an item: context relevance, then faithfulness."""
        names = ("context_relevance", "faithfulness")
        return tuple((name, self.setup.signature(name, PROMPT, 1)) for name in names)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signatures' digest stands for."""
        return self.setup.settings(PROMPT)

    def steps(self, item: Item) -> Steps:
        """Ask once, or once for each thirty sentences; once more where a reply cannot be read."""
        if reason := context_relevance.why_not(item) or faithfulness.why_not(item):
            return not_applicable(self, item, reason)
        parts = parts_of(item.answer[:ANSWER_LIMIT])
        texts, cut = passages(item, self.setup.context_limit)
        if not parts.sentences:
            return not_applicable(self, item, "the answer has no words")
        try:
            readings = yield from asked(self.setup, PROMPT, item, parts, texts, RELEVANCE)
        except Unreadable as fault:
            return unreadable(self, item, fault)
        judged = verdicts(parts, readings, texts, with_quotes=self.setup.mode is not Mode.LAST_LINE)
        relevance, faithful = self.judges
        question = cut_question(item.question)
        reason = describe(readings, RELEVANCE) + cut_note(question, cut)
        note = cut_note(question, cut, cut_answer(item.answer), parts.cut)
        return (
            scored(item, relevance, share(readings, RELEVANCE), reason),
            faithfulness.outcome(item, faithful, judged, note),
        )
