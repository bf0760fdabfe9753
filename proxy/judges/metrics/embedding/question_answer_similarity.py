"""Similarity of a question and its answer."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.metrics.embedding_metric import EmbeddingMetric, cosines, from_zero
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model_metric import Measuring, embedded


def question_answer_similarity(shown: ShownItem) -> Measuring:
    """Return the cosine of question and answer."""
    (value,) = yield from cosines(shown.question, [shown.answer])
    return from_zero(value, f"cosine {value:.3g} to the question")


METRIC = EmbeddingMetric(
    name="question_answer_similarity",
    formula="cosine of the vectors of question and answer, 0 where it is negative",
    source="the plain similarity that answer_relevancy refines by questions made from the answer",
    needs=(MetricNeed.EMBEDDINGS, MetricNeed.QUESTION, MetricNeed.ANSWER),
    misses="whether the question is answered: one that repeats it is close to it; the turns before the question",
    examples=(embedded("question_answer_similarity", "vectors (3, 4) and (0, 2)", 4 / 5, (3, 4), (0, 2)),),
    measure=question_answer_similarity,
)
