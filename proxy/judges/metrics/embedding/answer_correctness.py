"""Answer correctness: the statements that answer and reference share, and the similarity of the two."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.statements import STATEMENTS
from proxy.judges.llm.verdicts import STATEMENT_VERDICTS
from proxy.judges.metrics.embedding_metric import EmbeddingMetric, cosines, from_zero, settings_of
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue, WorkedNumber
from proxy.judges.metrics.model.factual_correctness import StatementCounts, counted, f1, statement_replies
from proxy.judges.metrics.model_metric import Measuring, embedded


def answer_correctness(shown: ShownItem) -> Measuring:
    """Return the weighted mean of F1 over the statements and of the cosine to the reference whose statements these are."""
    counts = yield from counted(shown)
    if isinstance(counts, UndefinedValue):
        return counts
    factual, weight = f1(counts[0]), settings_of(shown).similarity_weight
    if not weight:
        return from_zero(factual, f"F1 {factual:.3g}: {counts[1]}")
    (similarity,) = yield from cosines(shown.answer, shown.references[:1])
    value = (1 - weight) * factual + weight * similarity
    return from_zero(
        value,
        f"{1 - weight:g} × F1 {factual:.3g} + {weight:g} × cosine {similarity:.3g}: {counts[1]}",
    )


def _worked(counts: StatementCounts, cosine: str, expected: float, *vectors: tuple[float, ...]) -> WorkedNumber:
    given = (
        f"{counts.supported} statements supported, {counts.unsupported} not, {counts.missing} missing; cosine {cosine}"
    )
    return embedded("answer_correctness", given, expected, *vectors, replies=statement_replies(counts))


METRIC = EmbeddingMetric(
    name="answer_correctness",
    formula="(1 − w) × F + w × cosine of answer and reference, 0 where it is negative; w = --similarity-weight, 0.25; "
    "F = 2S / (2S + U + M): statements of the answer that the reference supports (S) or does not (U), and those of the reference "
    "that the answer lacks (M); of several references the first",
    source="Ragas answer correctness: S, U and M are its TP, FP and FN, which some guides swap. Where one of the texts makes no "
    "statement Ragas gives F = 1; here nothing is defined",
    needs=(MetricNeed.MODEL, MetricNeed.EMBEDDINGS, MetricNeed.ANSWER, MetricNeed.REFERENCE),
    misses="which statements matter: each counts one; the cosine of an answer to its contrary is high",
    # (0.9, √0.19) has length 1, so that its cosine to (1, 0) is 0.9.
    examples=(
        _worked(StatementCounts(6, 2, 2), "0.9", 0.7875, (1, 0), (0.9, 0.19**0.5)),
        _worked(StatementCounts(6, 1, 3), "0.6", 0.75 * 0.75 + 0.25 * 0.6, (1, 0), (3, 4)),
        _worked(StatementCounts(0, 2, 4), "-1", 0.0, (1, 0), (-1, 0)),
    ),
    prompts=(STATEMENTS, STATEMENT_VERDICTS),
    shaped_by=("similarity_weight",),
    measure=answer_correctness,
)
