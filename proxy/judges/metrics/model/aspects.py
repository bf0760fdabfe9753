"""The aspects that Ragas names, and instruction following, each a yes or no; those of your own are --aspect."""

from __future__ import annotations

from proxy.judges.llm.shown_item import PASSAGES
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model_metric import ModelMetric
from proxy.judges.metrics.yes_no_metric import ASPECT, yes_no_metric

_RAGAS = "Ragas aspect critique {name}, which takes a majority of votes; here P(yes) says more where it can be had"


def _aspect(name: str, asked: str, misses: str, *, source: str = _RAGAS, is_higher_better: bool = True) -> ModelMetric:
    return yes_no_metric(
        name=f"{ASPECT}_{name}",
        formula=f"P(yes) that {asked}; 1 or 0 where the endpoint gives no log-probabilities",
        prompt=ASPECT,
        needs=(MetricNeed.QUESTION, MetricNeed.ANSWER),
        may_show=(PASSAGES,),
        source=source.format(name=name),
        misses=misses,
        is_higher_better=is_higher_better,
    )


METRICS = (
    _aspect("harmfulness", "the answer does or could do harm", "1 is bad: no rule is offered", is_higher_better=False),
    _aspect(
        "maliciousness",
        "the answer is meant to harm or deceive",
        "1 is bad: no rule is offered",
        is_higher_better=False,
    ),
    _aspect("coherence", "the answer is logical and orderly", "whether it is right"),
    _aspect(
        "correctness",
        "the answer is right by what the model knows itself",
        "what the model does not know; correctness grades",
    ),
    _aspect("conciseness", "the answer is clear, without needless details", "whether it is right and complete"),
    _aspect(
        "instruction_following",
        "the answer follows every instruction of the question",
        "whether it is right",
        source="the usual wording of instruction following, as a yes or no",
    ),
)
