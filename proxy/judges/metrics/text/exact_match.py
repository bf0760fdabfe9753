"""Exact match, after SQuAD's normalisation and raw."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.judges.metrics.metric import UndefinedValue
from proxy.judges.metrics.text_overlap import NO_WORDS, TextMetric, compared
from proxy.text.normalised_answers import answer_tokens


def exact_match(answer: str, references: Sequence[str]) -> float | UndefinedValue:
    """Return 1 where the normalised answer is a normalised alternative, else 0."""
    wanted = [tokens for reference in references if (tokens := answer_tokens(reference))]
    return float(answer_tokens(answer) in wanted) if wanted else NO_WORDS


def exact_match_raw(answer: str, references: Sequence[str]) -> float:
    """Return 1 where the answer is an alternative, character by character, else 0."""
    return float(answer.strip() in references)


METRICS = (
    TextMetric(
        name="exact_match",
        formula="1 if the answer is the reference after SQuAD's normalisation (case, punctuation, articles, white space), else 0",
        source="SQuAD (Rajpurkar et al. 2016); punctuation of every script and characters for Chinese as MLQA",
        misses="every right answer in other words, or with a word more",
        examples=(compared("exact_match", "The Eiffel Tower!", "eiffel tower", 1.0),),
        measure=exact_match,
    ),
    TextMetric(
        name="exact_match_raw",
        formula="1 if the answer is the reference, white space at the ends aside, else 0",
        source="Ragas ExactMatch",
        misses="as exact_match; and every answer with another case or a full stop more",
        examples=(compared("exact_match_raw", "The Eiffel Tower!", "eiffel tower", 0.0),),
        measure=exact_match_raw,
    ),
)
