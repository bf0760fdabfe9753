"""Context recall by the statements of the reference."""

from __future__ import annotations

from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.statements import STATEMENTS, statements
from proxy.judges.llm.verdicts import STATEMENT_VERDICTS, supported
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, scripted, share


def context_recall_statements(shown: ShownItem) -> Measuring:
    """Return supported statements / statements of the reference."""
    claims = yield from statements(shown, shown.references[0])
    if not claims:
        return UndefinedValue(f"{shown.first_reference} makes no statement")
    given = yield from supported(shown, claims, shown.passages)
    return share(claims, given, f"statements of {shown.first_reference} are supported by the passages")


METRIC = ModelMetric(
    name="context_recall_statements",
    formula="statements of the reference that the passages support / its statements; of several references the first counts",
    source="Ragas context recall. By documents, as other guides have it, it is recall without k",
    needs=(MetricNeed.MODEL, MetricNeed.REFERENCE, MetricNeed.CONTEXTS),
    misses="the order of the passages, and how much in them is of no use",
    examples=(
        scripted("context_recall_statements", "2 of 2 statements supported", 1.0, ["one", "two"], ["supported"] * 2),
        scripted(
            "context_recall_statements",
            "1 of 2 statements supported",
            1 / 2,
            ["one", "two"],
            ["supported", "not_supported"],
        ),
        scripted(
            "context_recall_statements",
            "6 of 8 statements supported",
            6 / 8,
            ["one", "two", "three", "four", "five", "six", "seven", "eight"],
            ["supported"] * 6 + ["not_supported"] * 2,
        ),
    ),
    prompts=(STATEMENTS, STATEMENT_VERDICTS),
    measure=context_recall_statements,
)
