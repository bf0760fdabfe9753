"""Context relevance as Ragas has it: two ratings of whether the passages hold what the question needs."""

from __future__ import annotations

from proxy.judges.llm.shown_item import PASSAGES, QUESTION
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.rating_metric import rating_metric

METRIC = rating_metric(
    name="context_relevance_ragas",
    choices=("0", "1", "2"),
    prompts=("context_relevance_rating", "context_relevance_rating_second"),
    texts=lambda shown: (shown.parts((QUESTION, PASSAGES)),) * 2,
    needs=(MetricNeed.QUESTION, MetricNeed.CONTEXTS),
    source="Ragas context relevance from 0.2 on; both ratings have to be read. Its paper has context_relevance_sentences; "
    "LlamaIndex's two questions are context_relevance",
    misses="how much in the passages is of no use",
    examples=((("2", "1"), 3 / 4), (("2", "2"), 1.0)),
)
