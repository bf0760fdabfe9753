"""Judge faithfulness with a model in one call: a verdict and a verbatim quote for each numbered sentence of the answer.

The score is supported claims / claims, with every sentence's verdict kept. Code splits the answer and checks the
quotes, so the model can only choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from proxy.judges.base import ANSWER_LIMIT, cut_answer, cut_note, cut_question
from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.base import (
    Outcome,
    Setup,
    Steps,
    failed,
    not_applicable,
    passages,
    scored,
    unreadable,
)
from proxy.judges.llm.form import Mode
from proxy.judges.llm.sentences import asked, mean, parts_of, reason, verdicts
from proxy.records import FailureKind, Item, SentenceVerdict


@dataclass(frozen=True, kw_only=True)
class LlmFaithfulness:
    """A judge that scores supported sentences / sentences that claim something."""

    setup: Setup

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The single score of an item."""
        return (("faithfulness", self.setup.signature("faithfulness", "faithfulness", 1)),)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signature's digest stands for."""
        return self.setup.settings("faithfulness")

    def steps(self, item: Item) -> Steps:
        """Ask once, or once for each thirty sentences; once more where a reply cannot be read."""
        if reason_not := why_not(item):
            return not_applicable(self, item, reason_not)
        parts = parts_of(item.answer[:ANSWER_LIMIT])
        texts, cut = passages(item, self.setup.context_limit)
        if not parts.sentences:
            return not_applicable(self, item, "the answer has no words")
        try:
            readings = yield from asked(self.setup, "faithfulness", item, parts, texts)
        except Unreadable as fault:
            return unreadable(self, item, fault)
        judged = verdicts(parts, readings, texts, with_quotes=self.setup.mode is not Mode.LAST_LINE)
        note = cut_note(cut_question(item.question), cut, cut_answer(item.answer), parts.cut)
        return (outcome(item, self.judges[0], judged, note),)


def why_not(item: Item) -> str | None:
    """Say why the item's faithfulness cannot be asked for; None where it can."""
    if not any(context.text.strip() for context in item.contexts):
        return "no passages were retrieved"
    return None if item.answer.strip() else "the answer is empty"


def outcome(item: Item, judge: tuple[str, str], verdicts: tuple[SentenceVerdict, ...], note: str) -> Outcome:
    """Score the answer by these verdicts."""
    value = mean(verdicts)
    if value is None:
        return failed(item, judge, FailureKind.NOT_APPLICABLE, f"the answer claims nothing{note}")
    return replace(scored(item, judge, value, reason(verdicts) + note), sentences=verdicts)
