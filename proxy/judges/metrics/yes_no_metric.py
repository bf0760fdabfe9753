"""Make a metric of one yes-or-no question about the answer, worded in the item's language."""

from __future__ import annotations

from proxy.judges.llm.form import Question
from proxy.judges.llm.grading import YES_NO, verdict_reason, yes
from proxy.judges.llm.prompts import language_of
from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, ModelValue, parts_of_needs, scripted

ASPECT = "aspect"


def yes_no_metric(
    *,
    name: str,
    formula: str,
    prompt: str,
    needs: tuple[MetricNeed, ...],
    source: str,
    misses: str,
    may_show: tuple[str, ...] = (),
    is_higher_better: bool = True,
) -> ModelMetric:
    """Make the metric; its question is the prompt of its own name, put into `prompt`."""

    def measure(shown: ShownItem) -> Measuring:
        question = shown.setup.prompts.text(name, language_of(shown.item))
        texts = shown.parts((*parts_of_needs(needs), *may_show))
        readings = yield from shown.asked(prompt, (Question(key=ASPECT, choices=YES_NO),), texts, aspect=question)
        return ModelValue(yes(readings[ASPECT]), verdict_reason(readings[ASPECT]))

    return ModelMetric(
        name=name,
        formula=formula,
        source=source,
        needs=(MetricNeed.MODEL, *needs),
        misses=misses,
        examples=(scripted(name, "yes", 1.0, ["yes"]), scripted(name, "no", 0.0, ["no"])),
        prompts=(prompt, name),
        measure=measure,
        is_higher_better=is_higher_better,
    )
