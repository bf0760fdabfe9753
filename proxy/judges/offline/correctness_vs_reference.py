"""Judge correctness against a reference without a model: does the answer say what a person's answer says?

Of several references, separated by `|`, the one that fits best counts. The reason names the words and numbers that the
answer lacks. Words are compared, so calibrate the threshold on labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from proxy.judges.base import ANSWER_LIMIT, absent, cut_answer, cut_note, named, not_applicable, scored
from proxy.judges.offline.passages import script_mismatch
from proxy.records import Item, JudgeFailure, Score
from proxy.text.language import alternatives, script_shares
from proxy.text.tokens import Phrase, is_number, phrases, words

REFERENCE_LIMIT = 20_000
_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineCorrectnessVsReference:
    """(reference recall + token F1) / 2 x (1/2 + 1/2 share of the reference's numbers found); the best alternative."""

    name: str = "correctness_vs_reference"
    signature: str = "correctness_vs_reference|offline|v1"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score the best fit of the answer to a reference in its script."""
        reference = (item.reference or "")[:REFERENCE_LIMIT]
        if not reference.strip():
            return not_applicable(self, item, "the item has no reference")
        answer = item.answer[:ANSWER_LIMIT]
        if not answer.strip():
            return not_applicable(self, item, "the answer is empty")
        tokens, scripts = _counted(answer), script_shares(answer)
        fits: dict[str, float] = {}
        failure = "the reference has no words"
        for alternative in alternatives(reference):
            if wanted := _counted(alternative):
                mismatch = script_mismatch(alternative, wanted, scripts, tokens, ("the reference is", "the answer is"))
                failure = mismatch or failure
                if not mismatch:
                    fits.setdefault(alternative, fit(wanted, tokens))
        if not fits:
            return not_applicable(self, item, failure)
        best = max(fits, key=lambda alternative: fits[alternative])
        note = cut_note(_cut(item.reference or ""), cut_answer(item.answer))
        return scored(self, item, fits[best], _reason(best, tokens, len(fits)) + note)


def fit(wanted: Mapping[str, int], given: Mapping[str, int]) -> float:
    """Compute (R + F) / 2 x (1/2 + 1/2 numbers), R = common / wanted, F = 2 common / (wanted + given), of token counts.

    Recall forgives a long answer, F1 (Rajpurkar et al. 2016, SQuAD) does not; a wrong number is a wrong answer.
    """
    common = sum(min(count, given.get(word, 0)) for word, count in wanted.items())
    asked = sum(wanted.values())
    numbers = [word for word in wanted if is_number(word)]
    numbers_given = sum(number in given for number in numbers) / len(numbers) if numbers else 1.0
    return (common / asked + 2 * common / (asked + sum(given.values()))) / 2 * (0.5 + 0.5 * numbers_given)


def _counted(text: str) -> Counter[str]:
    """Count each token of the text, without articles unless there is nothing else."""
    tokens = words(text)
    return Counter([token for token in tokens if token not in _ARTICLES] or tokens)


def _cut(reference: str) -> str:
    """Say which part of the reference is read; empty for all of it."""
    return f"{REFERENCE_LIMIT:,} characters of the reference" if len(reference) > REFERENCE_LIMIT else ""


def _reason(reference: str, tokens: Mapping[str, int], alternatives: int) -> str:
    """Say which of the reference's words and numbers the answer lacks, as they stand in it."""
    which = f"the best fitting of {alternatives} references" if alternatives > 1 else "the reference"
    lacking = [word for word in _counted(reference) if word not in tokens]
    numbers = [word for word in lacking if is_number(word)]
    others = [word for word in lacking if word not in numbers]
    missing = phrases(reference, set(others)) or [
        Phrase(word, word) for word in others
    ]  # particles alone are no phrase
    parts = [absent(missing, which, "the answer")] if missing else []
    if numbers:
        parts.append(f"numbers not in the answer: {named([number[:40] for number in numbers])}")
    return "; ".join(parts) or f"all words of {which} are found in the answer"
