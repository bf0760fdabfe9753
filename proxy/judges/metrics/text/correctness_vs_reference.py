"""Judge correctness against a reference without a model: does the answer say what a person's answer says?

Of several alternatives the one that fits best counts. The reason names the words and numbers that the answer lacks. Words are
compared, so calibrate the threshold on labels. Why recall leads and precision follows: design/035.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from proxy.judges.base import ANSWER_LIMIT, absent, named, not_applicable, scored
from proxy.judges.metrics.metric import JudgeMetric, MetricNeed, UndefinedValue
from proxy.judges.metrics.text_overlap import NO_WORDS, TokenOverlap, compared, reference_texts
from proxy.judges.offline.passages import script_mismatch
from proxy.records import Item, JudgeFailure, Score
from proxy.text.language import script_shares
from proxy.text.tokens import Phrase, is_number, phrases, words

_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineCorrectnessVsReference:
    """Token recall x (1 + token precision) / 2; the best alternative."""

    name: str = "correctness_vs_reference"
    signature: str = "correctness_vs_reference|offline|v2"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score the best fit of the answer to a reference in its script."""
        references = reference_texts(item)
        if isinstance(references, UndefinedValue):
            return not_applicable(self, item, references.reason)
        answer = item.answer[:ANSWER_LIMIT]
        tokens, scripts = _counted(answer), script_shares(answer)
        fits: dict[str, float] = {}
        failure = NO_WORDS.reason
        for alternative in references.texts:
            if wanted := _counted(alternative):
                mismatch = script_mismatch(alternative, wanted, scripts, tokens, ("the reference is", "the answer is"))
                failure = mismatch or failure
                if not mismatch:
                    fits.setdefault(alternative, fit(wanted, tokens))
        if not fits:
            return not_applicable(self, item, failure)
        best = max(fits, key=lambda alternative: fits[alternative])
        return scored(self, item, fits[best], _reason(best, tokens, len(fits)) + references.note)


def fit(wanted: Counter[str], given: Counter[str]) -> float:
    """Compute R (1 + P) / 2, R = common / wanted and P = common / given, of token counts.

    What the reference says has to be there; what the answer says beside it costs half at most, because an answer in full
    sentences is longer than most references.
    """
    overlap = TokenOverlap((wanted & given).total(), given.total(), wanted.total())
    return overlap.recall * (1 + overlap.precision) / 2


def _counted(text: str) -> Counter[str]:
    """Count each token of the text, without articles unless there is nothing else."""
    tokens = words(text)
    return Counter([token for token in tokens if token not in _ARTICLES] or tokens)


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


METRIC = JudgeMetric(
    name="correctness_vs_reference",
    formula="token recall × (1 + token precision) / 2; words without articles, character pairs in Chinese, Japanese and Korean",
    source="Assay: on two sets of human labels as good as token recall and as token F1, each of which loses on one",
    needs=(MetricNeed.ANSWER, MetricNeed.REFERENCE),
    misses="other words for the same; one wrong number among many right words",
    # 4 tokens and 2, 1 in common: 1/2 x (1 + 1/4) / 2.
    examples=(compared("correctness_vs_reference", "The engineer Gustave built it", "Gustave Eiffel", 5 / 16),),
    version=2,
    own_judge=OfflineCorrectnessVsReference(),
)
