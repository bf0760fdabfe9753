"""UniEval's dimensions of dialogue and summary, asked of an LLM judge in place of UniEval's own model."""

from __future__ import annotations

from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model_metric import ModelMetric
from proxy.judges.metrics.yes_no_metric import yes_no_metric

_ASKED = {
    "naturalness": ("the answer is natural in this conversation", (MetricNeed.QUESTION,)),
    "coherence": ("the answer is coherent with the question and the earlier turns", (MetricNeed.QUESTION,)),
    "engagingness": (
        "the answer is engaging and informative, given question and passages",
        (MetricNeed.QUESTION, MetricNeed.CONTEXTS),
    ),
    "groundedness": ("the answer is based on the passages", (MetricNeed.CONTEXTS,)),
    "understandability": ("the answer is understandable, given the question", (MetricNeed.QUESTION,)),
    "consistency": ("all that the answer claims is consistent with the passages", (MetricNeed.CONTEXTS,)),
    "fluency": ("the answer is fluent text", ()),
    "relevance": ("the answer holds what matters in the reference, and little else", (MetricNeed.REFERENCE,)),
}


def _dimension(name: str, asked: str, needs: tuple[MetricNeed, ...]) -> ModelMetric:
    return yes_no_metric(
        name=f"unieval_{name}",
        formula=f"P(yes) that {asked}; 1 or 0 where the endpoint gives no log-probabilities",
        prompt="unieval",
        needs=(*needs, MetricNeed.ANSWER),
        source="Zhong et al. 2022, whose numbers come from a T5 model of its own: compare ours with each other alone",
        misses="whether the answer is right",
    )


METRICS = tuple(_dimension(name, asked, needs) for name, (asked, needs) in _ASKED.items())
