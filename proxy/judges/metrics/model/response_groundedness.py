"""Response groundedness: two ratings of how far the passages support the answer."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ANSWER, PASSAGES
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.rating_metric import rating_metric

METRIC = rating_metric(
    name="response_groundedness",
    choices=("0", "1", "2"),
    prompts=("response_groundedness", "response_groundedness_second"),
    texts=lambda shown: (shown.parts((PASSAGES, ANSWER)),) * 2,
    needs=(MetricNeed.ANSWER, MetricNeed.CONTEXTS),
    source="Ragas response groundedness; both ratings have to be read",
    misses="which statements lack support; faithfulness_statements counts them",
    examples=((("2", "1"), 3 / 4), (("1", "0"), 1 / 4)),
)
