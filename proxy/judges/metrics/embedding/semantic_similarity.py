"""Semantic similarity of an answer and its reference."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.metrics.embedding_metric import EmbeddingMetric, cosines, from_zero, settings_of
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model_metric import Measuring, ModelValue, embedded


def semantic_similarity(shown: ShownItem) -> Measuring:
    """Return the cosine to the reference that fits best, or with a threshold whether it reaches that."""
    value = max((yield from cosines(shown.answer, shown.references)))
    count, threshold = len(shown.references), settings_of(shown).similarity_threshold
    reason = f"cosine {value:.3g} to {f'the best fitting of {count} references' if count > 1 else 'the reference'}"
    if threshold is None:
        return from_zero(value, reason)
    return ModelValue(
        float(value >= threshold), f"{reason}, {'at least' if value >= threshold else 'below'} {threshold:g}"
    )


METRIC = EmbeddingMetric(
    name="semantic_similarity",
    formula="cosine of the vectors of answer and reference, 0 where it is negative; with --similarity-threshold 1 from there on, "
    "else 0",
    source="Ragas semantic similarity, which leaves negative values as they are",
    needs=(MetricNeed.EMBEDDINGS, MetricNeed.ANSWER, MetricNeed.REFERENCE),
    misses="a wrong number or a negation: the vectors of a statement and of its contrary are close. How close unrelated texts "
    "are depends on the model",
    examples=(
        embedded("semantic_similarity", "vectors (3, 4) and (3, 4)", 1.0, (3, 4), (3, 4)),
        embedded("semantic_similarity", "vectors (3, 4) and (4, 3)", 24 / 25, (3, 4), (4, 3)),
        embedded("semantic_similarity", "vectors (1, 0) and (-1, 0)", 0.0, (1, 0), (-1, 0)),
    ),
    shaped_by=("similarity_threshold",),
    measure=semantic_similarity,
)
