"""Judge refusal without a model: does the answer decline to answer?

The reason quotes the phrase that refuses. Refusal is a flag of its own, not a kind of unfaithfulness; annotators judge
whether refusing was right, both ways.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.judges.base import not_applicable, scored
from proxy.records import Item, JudgeFailure, Score
from proxy.text.language import quoted
from proxy.text.refusals import is_refusal


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineRefusal:
    """A judge that scores 1 where the answer says that it cannot or will not answer, else 0."""

    name: str = "refusal"
    signature: str = "refusal|offline|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Return 1 where the answer opens by refusing and says little else."""
        if not item.answer.strip():
            return not_applicable(self, item, "the answer is empty")
        if phrase := is_refusal(item.answer):
            return scored(self, item, 1.0, f"the answer refuses: {quoted(phrase)}")
        return scored(self, item, 0.0, "the answer does not refuse")
