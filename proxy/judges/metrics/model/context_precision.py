"""Context precision by a model's verdict on each passage: average precision and plain share, against reference or answer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.shown_item import QUESTION, ShownItem
from proxy.judges.llm.verdicts import verdicts
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, ModelValue, scripted, share
from proxy.judges.metrics.ranking import summed_precision

PASSAGE_USEFULNESS = "passage_usefulness"
_NEEDS = (MetricNeed.MODEL, MetricNeed.QUESTION, MetricNeed.CONTEXTS)
_COUNTED = "passages are of use"


def _useful(shown: ShownItem, answer: str) -> Generator[Ask, Reply, tuple[bool, ...] | UndefinedValue]:
    blank = next((rank for rank, text in enumerate(shown.passages, start=1) if not text.strip()), None)
    if blank is not None:
        return UndefinedValue(f"passage {blank} of {len(shown.item.contexts)} has no text")
    texts = {"answer": answer, **shown.parts((QUESTION,))}
    given = yield from verdicts(shown, PASSAGE_USEFULNESS, "passages", shown.passages, ("no", "yes"), texts)
    return tuple(verdict == "yes" for verdict in given)


def average_precision(passages: Sequence[str], useful: Sequence[bool]) -> ModelValue:
    """Return the mean of precision@rank over the useful passages, 0 without any."""
    value = summed_precision(useful) / max(1, sum(useful))
    return ModelValue(value, share(passages, useful, _COUNTED).reason)


def _metric(
    name: str,
    formula: str,
    source: str,
    misses: str,
    compared: MetricNeed,
    value: Callable[[Sequence[str], Sequence[bool]], ModelValue],
    examples: Sequence[tuple[Sequence[int], float]],
) -> ModelMetric:
    def measure(shown: ShownItem) -> Measuring:
        useful = yield from _useful(shown, shown.reference if compared is MetricNeed.REFERENCE else shown.answer)
        return useful if isinstance(useful, UndefinedValue) else value(shown.passages, useful)

    numbers = (
        scripted(name, str(list(flags)), expected, [("no", "yes")[flag] for flag in flags], passages=len(flags))
        for flags, expected in examples
    )
    return ModelMetric(
        name=name,
        formula=formula,
        source=source,
        needs=(*_NEEDS, compared),
        misses=misses,
        examples=tuple(numbers),
        prompts=(PASSAGE_USEFULNESS,),
        measure=measure,
    )


_AP = "Σ precision@rank over the passages of use / passages of use; 0 without any. Of use: the {target} follows from it in part"

METRICS = (
    _metric(
        "context_precision_ap",
        _AP.format(target="reference"),
        "Ragas context precision with reference. Guides that average precision@rank over all passages, or over all ranks without "
        "the verdict (above 1), differ",
        "what was not retrieved: one passage of use at rank 1 scores 1",
        MetricNeed.REFERENCE,
        average_precision,
        (
            ([1, 0, 1, 0, 1], (1 + 2 / 3 + 3 / 5) / 3),
            ([1, 0, 1], 5 / 6),
            ([1, 1, 0, 1], 11 / 12),
            ([1, 1, 0, 0], 1.0),
            ([0, 0], 0.0),
        ),
    ),
    _metric(
        "context_precision_share",
        "passages of use / passages; of use as in context_precision_ap",
        "the plain share that other guides call context precision",
        "the order, and what was not retrieved",
        MetricNeed.REFERENCE,
        lambda passages, useful: share(passages, useful, _COUNTED),
        (([1, 1, 0, 0], 1 / 2), ([1, 0, 1, 0, 1], 3 / 5)),
    ),
    _metric(
        "context_utilization",
        _AP.format(target="answer"),
        "Ragas context utilization: context precision with the answer in place of a reference",
        "whether the answer is right: a wrong answer may use its passages; what was not retrieved",
        MetricNeed.ANSWER,
        average_precision,
        (([1, 0, 1], 5 / 6), ([0, 1], 1 / 2)),
    ),
)
