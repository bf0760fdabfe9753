"""ROUGE-1, ROUGE-2 and ROUGE-L: F1 of unigrams, of bigrams and of the longest common subsequence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from proxy.judges.metrics.metric import UndefinedValue
from proxy.judges.metrics.text_overlap import NO_WORDS, Measure, TextMetric, compared
from proxy.text.language import HAN, HANGUL, KANA, composed

# Units in common, in the answer and in the reference.
Matches = Callable[[list[str], list[str]], tuple[int, int, int]]
_TOKEN = re.compile(rf"[{HAN}{KANA}{HANGUL}]|[^\W_{HAN}{KANA}{HANGUL}]+")


def _best(matches: Matches) -> Measure:
    """Return F1 = 2 matches / (units of the answer + units of the reference), the highest over the alternatives."""

    def measure(answer: str, references: Sequence[str]) -> float | UndefinedValue:
        given = _tokens(answer)
        counts = [matches(given, tokens) for reference in references if (tokens := _tokens(reference))]
        # A text of one token has no pairs: as rouge-score, nothing in common.
        return max(2 * common / max(1, first + other) for common, first, other in counts) if counts else NO_WORDS

    return measure


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(composed(text).lower())


def _ngrams(size: int) -> Matches:
    def matches(given: list[str], wanted: list[str]) -> tuple[int, int, int]:
        first, other = (
            Counter(zip(*(tokens[start:] for start in range(size)), strict=False)) for tokens in (given, wanted)
        )
        return (first & other).total(), first.total(), other.total()

    return matches


def _subsequence(given: list[str], wanted: list[str]) -> tuple[int, int, int]:
    """Count the longest common subsequence, a row of the table at a time as the bits of one number (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for place, token in enumerate(wanted):
        places[token] = places.get(token, 0) | 1 << place
    full = (1 << len(wanted)) - 1
    row = full
    for token in given:
        matching = row & places.get(token, 0)
        row = ((row + matching) | (row - matching)) & full
    return len(wanted) - row.bit_count(), len(given), len(wanted)


def _metric(name: str, common: str, units: str, matches: Matches, expected: float) -> TextMetric:
    return TextMetric(
        name=name,
        formula=f"2 × {common} / ({units} of the answer + {units} of the reference), lower case, no stemming",
        source="Lin 2004; agrees with rouge-score on ASCII text; a character of Chinese, Japanese or Korean is a token",
        misses="other words for the same; whether a statement is true",
        examples=(compared(name, "the cat sat on the mat", "the cat is on the mat", expected),),
        measure=_best(matches),
    )


METRICS = (
    _metric("rouge1", "tokens in both", "tokens", _ngrams(1), 5 / 6),
    _metric("rouge2", "pairs of neighbouring tokens in both", "pairs", _ngrams(2), 3 / 5),
    _metric("rougeL", "tokens of the longest common subsequence", "tokens", _subsequence, 5 / 6),
)
