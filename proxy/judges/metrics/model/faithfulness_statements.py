"""Faithfulness by statements, which a model makes of the answer."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.statements import STATEMENTS, statements
from proxy.judges.llm.verdicts import STATEMENT_VERDICTS, supported
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, scripted, share


def faithfulness_statements(shown: ShownItem) -> Measuring:
    """Return supported statements / statements of the answer."""
    claims = yield from statements(shown, shown.answer)
    if not claims:
        return UndefinedValue("the answer makes no statement")
    given = yield from supported(shown, claims, shown.passages)
    return share(claims, given, "statements of the answer are supported by the passages")


METRIC = ModelMetric(
    name="faithfulness_statements",
    formula="statements of the answer that the passages support / statements of the answer",
    source="Ragas faithfulness (Es et al. 2023). faithfulness judges sentences as they stand and checks quotes, in one call; "
    "faithfulness_yes_no is LlamaIndex's verdict on the whole answer",
    needs=(MetricNeed.MODEL, MetricNeed.ANSWER, MetricNeed.CONTEXTS),
    misses="whether the passages are right or fit the question; what the answer leaves out",
    examples=(
        scripted(
            "faithfulness_statements",
            "3 of 5 statements supported",
            3 / 5,
            ["one", "two", "three", "four", "five"],
            ["supported"] * 3 + ["not_supported"] * 2,
        ),
    ),
    prompts=(STATEMENTS, STATEMENT_VERDICTS),
    measure=faithfulness_statements,
)
