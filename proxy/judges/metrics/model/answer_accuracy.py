"""Answer accuracy: two ratings of how far the answer agrees with the reference."""

from __future__ import annotations

from collections.abc import Mapping

from proxy.judges.llm.shown_item import ANSWER, QUESTION, REFERENCE, ShownItem
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.rating_metric import rating_metric


def _texts(shown: ShownItem) -> tuple[Mapping[str, object], ...]:
    """Show answer and reference under their names, then in exchanged roles."""
    swapped = {**shown.parts((QUESTION,)), "first": shown.reference, "second": shown.answer}
    return shown.parts((QUESTION, REFERENCE, ANSWER)), swapped


METRIC = rating_metric(
    name="answer_accuracy",
    choices=("0", "2", "4"),
    prompts=("answer_accuracy", "answer_accuracy_swapped"),
    texts=_texts,
    needs=(MetricNeed.QUESTION, MetricNeed.ANSWER, MetricNeed.REFERENCE),
    source="Ragas answer accuracy, which goes on with one rating where the other cannot be read: here that is a failure",
    misses="which statements differ; factual_correctness counts them",
    examples=((("4", "2"), 3 / 4), (("0", "0"), 0.0)),
)
