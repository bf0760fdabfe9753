"""Judge faithfulness without a model: is what the answer says in the passages?

The reason quotes the sentences without support. Words are compared, not meaning, so a well-told contradiction can pass
and a free paraphrase fail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proxy.judges.base import ANSWER_LIMIT, cut_answer, cut_note, not_applicable, scaled, scored
from proxy.judges.offline.passages import read_passages, script_mismatch
from proxy.judges.offline.support import Backing, backings, named, verdict
from proxy.records import Item, JudgeFailure, Score
from proxy.text.language import language, quoted, sentences
from proxy.text.tokens import content_words, words

# Later sentences are not judged: a sentence costs a search of all passages.
SENTENCE_LIMIT = 200
_SHOWN = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineFaithfulness:
    """Mean over sentences of (placed coverage + word order + best window) / 3 x numbers x denials, `scaled`."""

    name: str = "faithfulness"
    signature: str = "faithfulness|offline|v2"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Compute the weighted mean support of the answer's sentences, with a verdict on each."""
        if not any(context.text.strip() for context in item.contexts):
            return not_applicable(self, item, "no passages were retrieved")
        answer = item.answer[:ANSWER_LIMIT]
        if not answer.strip():
            return not_applicable(self, item, "the answer is empty")
        passages = read_passages(item.contexts)
        tokens = content_words(answer) or words(answer)
        if reason := script_mismatch(answer, tokens, passages.scripts, passages, ("the answer is", "the passages are")):
            return not_applicable(self, item, reason)
        parts = sentences(answer, language(answer))
        every = backings(parts[:SENTENCE_LIMIT], passages)
        claims = [backing for backing in every if backing.weight]
        if not claims:
            return not_applicable(self, item, "the answer has no words")
        value = math.fsum(backing.weight * backing.value for backing in claims) / math.fsum(
            backing.weight for backing in claims
        )
        note = cut_note(passages.cut, _cut(item.answer, parts))
        return scored(
            self, item, scaled(value), _reason(claims) + note, sentences=[verdict(backing) for backing in every]
        )


def _cut(answer: str, parts: Sequence[str]) -> str:
    """Say which part of the answer was judged; empty for all of it."""
    return f"{SENTENCE_LIMIT} sentences of the answer" if len(parts) > SENTENCE_LIMIT else cut_answer(answer)


def _reason(claims: Sequence[Backing]) -> str:
    """Quote the sentences without support, and name the numbers that the passages do not hold."""
    weak = [quoted(claim.sentence) for claim in claims if scaled(claim.value) <= 0.5]
    missing = list(dict.fromkeys(number for claim in claims for number in claim.missing_numbers))
    count = len(claims)
    if weak:
        more = f" and {len(weak) - _SHOWN} more" if len(weak) > _SHOWN else ""
        which = "the one sentence" if count == 1 else f"{len(weak)} of {count} sentences"
        text = f"{which} of the answer without support in the passages: {'; '.join(weak[:_SHOWN])}{more}"
    else:
        lowest = min(1.0, *(scaled(claim.value) for claim in claims))
        which = "the one sentence of the answer has a" if count == 1 else f"all {count} sentences of the answer have a"
        text = f"{which} word overlap above 0.5 with the passages ({'lowest ' if count > 1 else ''}{lowest:.3g})"
    return f"{text}; numbers not in the passages: {named(missing)}" if missing else text
