"""Score the words of an answer against a reference. Of several alternatives the one that fits best counts.

The exact standard definitions: an answer in another language than its reference scores 0, where
`correctness_vs_reference` abstains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.judges.base import ANSWER_LIMIT, Judge, cut_answer, cut_note, not_applicable, scored
from proxy.judges.metrics.metric import Metric, MetricNeed, UndefinedValue, WorkedNumber
from proxy.records import Item, JudgeFailure, Score
from proxy.text.alternatives import alternatives
from proxy.text.normalised_answers import answer_tokens

REFERENCE_LIMIT = 20_000
NO_REFERENCE, NO_ANSWER = "the item has no reference", "the answer is empty"
NO_WORDS = UndefinedValue("the reference has no words")

Measure = Callable[[str, Sequence[str]], float | UndefinedValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class TextMetric(Metric):
    """A metric of an answer and its references; `measure` gets the answer and the alternatives."""

    measure: Measure
    needs: tuple[MetricNeed, ...] = (MetricNeed.ANSWER, MetricNeed.REFERENCE)

    def judge(self) -> Judge:
        """Return the judge."""
        return TextJudge(metric=self)


@dataclass(frozen=True, kw_only=True, slots=True)
class TextJudge:
    """A judge of an answer's text against its reference."""

    metric: TextMetric

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def signature(self) -> str:
        """Name, kind and version."""
        return f"{self.name}|offline|v{self.metric.version}"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score the answer against the alternatives of its reference, or say why the metric is undefined."""
        references = reference_texts(item)
        if isinstance(references, UndefinedValue):
            return not_applicable(self, item, references.reason)
        value = self.metric.measure(item.answer[:ANSWER_LIMIT], references.texts)
        if isinstance(value, UndefinedValue):
            return not_applicable(self, item, value.reason)
        count = len(references.texts)
        against = f"the best fitting of {count} references" if count > 1 else "the reference"
        return scored(self, item, value, f"{self.name} of the answer to {against}{references.note}")


class ReferenceTexts(NamedTuple):
    """The alternatives of an item's reference, up to a limit, and what was left out in words."""

    texts: tuple[str, ...]
    note: str


def reference_texts(item: Item) -> ReferenceTexts | UndefinedValue:
    """Return the alternatives of the item's reference; undefined without one, and without an answer."""
    left, texts = REFERENCE_LIMIT, list[str]()
    everything = alternatives(item.reference or "")
    for text in everything:
        if left > 0:
            texts.append(text[:left])
            left -= len(text)
    if not texts:
        return UndefinedValue(NO_WORDS.reason if (item.reference or "").strip() else NO_REFERENCE)
    if not item.answer.strip():
        return UndefinedValue(NO_ANSWER)
    cut = f"{REFERENCE_LIMIT:,} characters of the reference" if left < 0 or len(texts) < len(everything) else ""
    return ReferenceTexts(tuple(texts), cut_note(cut, cut_answer(item.answer)))


class TokenOverlap(NamedTuple):
    """How many tokens an answer and a reference share, each as often as it stands in both."""

    common: int
    answer: int
    reference: int

    @property
    def precision(self) -> float:
        """Common / answer; 0 for an answer without tokens."""
        return self.common / self.answer if self.answer else 0.0

    @property
    def recall(self) -> float:
        """Common / reference."""
        return self.common / self.reference

    @property
    def f1(self) -> float:
        """2 common / (answer + reference), the harmonic mean of both."""
        return 2 * self.common / (self.answer + self.reference)


def best_overlap(value: Callable[[TokenOverlap], float]) -> Measure:
    """Return a measure of the tokens that answer and reference share, the highest over the alternatives."""

    def measure(answer: str, references: Sequence[str]) -> float | UndefinedValue:
        given = Counter(answer_tokens(answer))
        wanted = [counts for reference in references if (counts := Counter(answer_tokens(reference)))]
        overlaps = [TokenOverlap((given & counts).total(), given.total(), counts.total()) for counts in wanted]
        return max(map(value, overlaps)) if overlaps else NO_WORDS

    return measure


def compared(judge: str, answer: str, reference: str, expected: float) -> WorkedNumber:
    """Return the worked number of an answer and its reference."""
    item = Item(id=judge, question="", answer=answer, reference=reference)
    return WorkedNumber(judge=judge, item=item, expected=expected, given=f"“{answer}” to “{reference}”")
