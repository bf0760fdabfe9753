"""Judge answer relevance without a model: does the answer take up what the question asks?

The reason names the question's words that the answer lacks. A weak signal, kept for inspection; a right answer need not
repeat the question.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.judges.base import ANSWER_LIMIT, QUESTION_LIMIT, cut_answer, cut_note, cut_question, not_applicable, scored
from proxy.judges.offline.context_relevance import uncovered
from proxy.judges.offline.passages import script_mismatch
from proxy.records import Item, JudgeFailure, Score
from proxy.text.language import script_shares
from proxy.text.tokens import content_words, words


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineAnswerRelevance:
    """A judge that scores the share of the question's content words that the answer holds."""

    name: str = "answer_relevance"
    signature: str = "answer_relevance|offline|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Compute |question's words in the answer| / |question's words|."""
        answer = item.answer[:ANSWER_LIMIT]
        if not answer.strip():
            return not_applicable(self, item, "the answer is empty")
        question = item.question[:QUESTION_LIMIT]
        asked = set(content_words(question))
        if not asked:
            return not_applicable(self, item, "the question has no content words")
        present = set(words(answer))
        scripts = script_shares(answer)
        if reason := script_mismatch(question, asked, scripts, present, ("the question is", "the answer is")):
            return not_applicable(self, item, reason)
        missing = asked - present
        note = cut_note(cut_question(item.question), cut_answer(item.answer))
        return scored(self, item, 1 - len(missing) / len(asked), uncovered(question, missing, "answer") + note)
