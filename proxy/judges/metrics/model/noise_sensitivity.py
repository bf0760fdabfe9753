"""Noise sensitivity: wrong statements of the answer that stand in the passages, the relevant ones or only the others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.statements import STATEMENTS, statements
from proxy.judges.llm.verdicts import STATEMENT_VERDICTS, supported
from proxy.judges.metrics.metric import MetricNeed, UndefinedValue, WorkedNumber
from proxy.judges.metrics.model_metric import Measuring, ModelMetric, scripted, share


class StatementOrigin(NamedTuple):
    """A statement of the answer: whether the reference, a relevant passage and any other passage support it."""

    is_right: bool
    in_relevant: bool
    in_irrelevant: bool


def origins(
    shown: ShownItem, claims: Sequence[str], wanted: Sequence[str]
) -> Generator[Ask, Reply, tuple[StatementOrigin, ...]]:
    """Ask of each passage which statements it supports; one that supports a statement of the reference is relevant."""
    relevant, irrelevant = [False] * len(claims), [False] * len(claims)
    for text in filter(str.strip, shown.passages):
        is_relevant = any((yield from supported(shown, wanted, [text])))
        given = yield from supported(shown, claims, [text])
        kind = relevant if is_relevant else irrelevant
        kind[:] = [before or now for before, now in zip(kind, given, strict=True)]
    right = yield from supported(shown, claims, [shown.references[0]])
    return tuple(map(StatementOrigin, right, relevant, irrelevant))


def _metric(
    name: str, formula: str, counted: str, counts: Callable[[StatementOrigin], bool], examples: Sequence[WorkedNumber]
) -> ModelMetric:
    def measure(shown: ShownItem) -> Measuring:
        wanted = yield from statements(shown, shown.references[0])
        if not wanted:
            return UndefinedValue(f"{shown.first_reference} makes no statement")
        claims = yield from statements(shown, shown.answer)
        if not claims:
            return UndefinedValue("the answer makes no statement")
        flags = [not origin.is_right and counts(origin) for origin in (yield from origins(shown, claims, wanted))]
        return share(claims, flags, counted, is_good=False)

    return ModelMetric(
        name=name,
        formula=f"statements of the answer that the reference does not support, but {formula} / statements of the answer",
        source="Ragas noise sensitivity. A passage that supports some of the reference is relevant; 2 × passages + 3 calls",
        needs=(MetricNeed.MODEL, MetricNeed.ANSWER, MetricNeed.REFERENCE, MetricNeed.CONTEXTS),
        misses="wrong statements that no passage supports; lower is better",
        examples=tuple(examples),
        prompts=(STATEMENTS, STATEMENT_VERDICTS),
        measure=measure,
        is_higher_better=False,
    )


def _worked(name: str, expected: float, relevant: Sequence[int], irrelevant: Sequence[int]) -> WorkedNumber:
    """Return the worked number of three statements, the third wrong; which the first, relevant passage and the other support."""
    flags = ([1], relevant, [0], irrelevant, [1, 1, 0])
    replies = ([["not_supported", "supported"][flag] for flag in given] for given in flags)
    given = f"3 statements, the third wrong; relevant passage {list(relevant)}, irrelevant passage {list(irrelevant)}"
    return scripted(name, given, expected, ["fact"], ["one", "two", "three"], *replies, passages=2)


_RELEVANT, _IRRELEVANT = "noise_sensitivity_relevant", "noise_sensitivity_irrelevant"

METRICS = (
    _metric(
        _RELEVANT,
        "a relevant passage does",
        "statements are wrong and stand in a relevant passage",
        lambda origin: origin.in_relevant,
        (_worked(_RELEVANT, 1 / 3, [1, 1, 1], [0, 0, 0]), _worked(_RELEVANT, 0.0, [1, 1, 0], [0, 0, 1])),
    ),
    _metric(
        _IRRELEVANT,
        "an irrelevant passage does and no relevant one",
        "statements are wrong and stand in irrelevant passages alone",
        lambda origin: origin.in_irrelevant and not origin.in_relevant,
        (_worked(_IRRELEVANT, 1 / 3, [1, 1, 0], [0, 0, 1]), _worked(_IRRELEVANT, 0.0, [1, 1, 1], [0, 0, 1])),
    ),
)
