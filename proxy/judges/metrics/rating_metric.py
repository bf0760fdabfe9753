"""Make a metric of ratings by differently worded prompts: the mean of the ratings / the highest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from proxy.judges.llm.ratings import ratings
from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.metrics.metric import MetricNeed
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, ModelValue, scripted


def rating_metric(
    *,
    name: str,
    choices: tuple[str, ...],
    prompts: tuple[str, ...],
    texts: Callable[[ShownItem], Sequence[Mapping[str, object]]],
    needs: tuple[MetricNeed, ...],
    source: str,
    misses: str,
    examples: Sequence[tuple[Sequence[str], float]],
) -> ModelMetric:
    """Make the metric; `texts` are what each prompt shows, the last of `choices` is the highest rating."""
    highest = float(choices[-1])

    def measure(shown: ShownItem) -> Measuring:
        given = yield from ratings(shown, tuple(zip(prompts, texts(shown), strict=True)), choices)
        value = math.fsum(float(rating.verdict) for rating in given) / len(given) / highest
        reason = "; ".join(
            f"{rating.verdict} of {highest:g} ({' '.join(rating.note.split())[:200]})" for rating in given
        )
        return ModelValue(value, reason)

    several = f"mean of {len(prompts)} ratings by differently worded prompts" if len(prompts) > 1 else "rating"
    return ModelMetric(
        name=name,
        formula=f"{several}, each {', '.join(choices[:-1])} or {choices[-1]}, / {highest:g}",
        source=source,
        needs=(MetricNeed.MODEL, *needs),
        misses=misses,
        examples=tuple(
            scripted(name, f"ratings {', '.join(given)}", expected, *([rating] for rating in given))
            for given, expected in examples
        ),
        prompts=prompts,
        measure=measure,
    )
