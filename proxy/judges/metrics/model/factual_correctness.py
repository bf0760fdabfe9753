"""Factual correctness: the statements of answer and reference, each checked against the other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.statements import STATEMENTS, statements
from proxy.judges.llm.verdicts import STATEMENT_VERDICTS, supported
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue, WorkedNumber
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, ModelValue, scripted, share

# Statements of the reference in the worked numbers.
_WANTED = 8


class StatementCounts(NamedTuple):
    """Statements of the answer that the reference supports and does not, and of the reference that the answer lacks."""

    supported: int
    unsupported: int
    missing: int


def recall(counts: StatementCounts) -> float | UndefinedValue:
    """Return supported statements of the answer / (these + missing statements of the reference)."""
    known = counts.supported + counts.missing
    return counts.supported / known if known else UndefinedValue("no statement is supported, and none is missing")


def f_beta(counts: StatementCounts, beta: float) -> float:
    """Return (1 + b^2) S / ((1 + b^2) S + b^2 M + U): recall counts b times as much as precision. van Rijsbergen (1979)."""
    weight = beta**2
    supported = (1 + weight) * counts.supported
    return supported / (supported + weight * counts.missing + counts.unsupported)


def f1(counts: StatementCounts) -> float:
    """Return the harmonic mean of both."""
    return f_beta(counts, 1.0)


def f2(counts: StatementCounts) -> float:
    """Return the mean in which recall counts twice as much."""
    return f_beta(counts, 2.0)


def counted(shown: ShownItem) -> Generator[Ask, Reply, tuple[StatementCounts, str] | UndefinedValue]:
    """Count the statements, with the counts in words; undefined where answer or reference makes none."""
    reference = shown.references[0]
    claims = yield from statements(shown, shown.answer)
    if not claims:
        return UndefinedValue("the answer makes no statement")
    wanted = yield from statements(shown, reference)
    if not wanted:
        return UndefinedValue(f"{shown.first_reference} makes no statement")
    right = sum((yield from supported(shown, claims, [reference])))
    stated = sum((yield from supported(shown, wanted, [shown.answer])))
    reason = (
        f"{right} of {len(claims)} statements of the answer are supported by {shown.first_reference}, "
        f"{stated} of its {len(wanted)} by the answer"
    )
    return StatementCounts(right, len(claims) - right, len(wanted) - stated), reason


def precision(shown: ShownItem) -> Measuring:
    """Return supported statements of the answer / statements of the answer."""
    claims = yield from statements(shown, shown.answer)
    if not claims:
        return UndefinedValue("the answer makes no statement")
    right = yield from supported(shown, claims, [shown.references[0]])
    return share(claims, right, f"statements of the answer are supported by {shown.first_reference}")


def _counting(value: Callable[[StatementCounts], float | UndefinedValue]) -> Callable[[ShownItem], Measuring]:
    def measure(shown: ShownItem) -> Measuring:
        counts = yield from counted(shown)
        if isinstance(counts, UndefinedValue):
            return counts
        measured = value(counts[0])
        return measured if isinstance(measured, UndefinedValue) else ModelValue(measured, counts[1])

    return measure


def _metric(
    name: str,
    formula: str,
    misses: str,
    measure: Callable[[ShownItem], Measuring],
    *examples: WorkedNumber,
) -> ModelMetric:
    return ModelMetric(
        name=name,
        formula=formula,
        source="Ragas factual correctness, which rounds to two digits and gives 0 without a statement",
        needs=(MetricNeed.MODEL, MetricNeed.ANSWER, MetricNeed.REFERENCE),
        misses=misses,
        examples=examples,
        prompts=(STATEMENTS, STATEMENT_VERDICTS),
        measure=measure,
    )


def statement_replies(counts: StatementCounts) -> tuple[list[str], ...]:
    """Return what a model replies that counts so: the statements of answer and of a reference, and the verdicts on both."""
    claims, wanted = counts.supported + counts.unsupported, _WANTED
    return (
        [f"claim {number}" for number in range(claims)],
        [f"fact {number}" for number in range(wanted)],
        ["supported"] * counts.supported + ["not_supported"] * counts.unsupported,
        ["supported"] * (wanted - counts.missing) + ["not_supported"] * counts.missing,
    )


def _worked(name: str, counts: StatementCounts, expected: float) -> WorkedNumber:
    claims = counts.supported + counts.unsupported
    given = (
        f"{counts.supported} of {claims} statements supported, {counts.missing} of the reference's {_WANTED} missing"
    )
    return scripted(name, given, expected, *statement_replies(counts))


_F1, _F2 = "factual_correctness", "factual_correctness_f2"
_PRECISION, _RECALL = "factual_correctness_precision", "factual_correctness_recall"
_SEVEN = [f"claim {number}" for number in range(7)]

METRICS = (
    _metric(
        _F1,
        "2S / (2S + U + M): statements of the answer that the reference supports (S) or does not (U), and those of the "
        "reference that the answer lacks (M)",
        "which statements matter: each counts one",
        _counting(f1),
        _worked(_F1, StatementCounts(6, 2, 2), 3 / 4),
        _worked(_F1, StatementCounts(6, 1, 3), 3 / 4),
    ),
    _metric(
        _F2,
        "5S / (5S + 4M + U), as in factual_correctness: recall counts twice as much as precision (F with β = 2)",
        "which statements matter: each counts one",
        _counting(f2),
        # P = 6/7 and R = 6/9 give 5 P R / (4 P + R) = 30/43; with what is unsupported and what is missing swapped, 30/37.
        _worked(_F2, StatementCounts(6, 1, 3), 30 / 43),
        _worked(_F2, StatementCounts(6, 3, 1), 30 / 37),
    ),
    _metric(
        _PRECISION,
        "S / (S + U), as in factual_correctness",
        "what the answer leaves out",
        precision,
        scripted(_PRECISION, "6 of 7 statements supported", 6 / 7, _SEVEN, ["supported"] * 6 + ["not_supported"]),
    ),
    _metric(
        _RECALL,
        "S / (S + M), as in factual_correctness",
        "what the answer says beside the reference; S counts statements of the answer, M those of the reference, so it depends "
        "on how finely each is decomposed",
        _counting(recall),
        _worked(_RECALL, StatementCounts(6, 1, 3), 6 / 9),
    ),
)
