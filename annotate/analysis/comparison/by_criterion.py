"""Read labels as judgements of one criterion: an answer fails it where annotators call it wrong and name its cause.

A right answer fails no criterion. Of a wrong one without a named cause nobody knows, so it counts like a draw without a right or
wrong: intervals hold whatever it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from annotate.analysis.evidence import Traffic
from proxy.judges.trained.pairs import Criterion
from proxy.records import Judgement, Label

CAUSES: Mapping[Criterion, str] = MappingProxyType(
    {
        Criterion.CONTEXT_RELEVANCE: "retrieval_missed",
        Criterion.FAITHFULNESS: "unfaithful",
        Criterion.ANSWER_RELEVANCE: "misread_question",
    }
)


class WrongAnswers(NamedTuple):
    """The answers of a system that annotators call wrong, and those of them without a named cause."""

    wrong: int = 0
    without_cause: int = 0

    @property
    def is_silent(self) -> bool:
        """Whether no label says anything of a criterion: all that would fail one may be among those without a cause."""
        return 0 < self.wrong == self.without_cause


def wrong_answers(labels: Mapping[int, Label], items: Iterable[int]) -> WrongAnswers:
    """Count the wrong answers among these items; `labels` are those that count, by item."""
    wrong = [labels[item] for item in items if item in labels and labels[item].judgement is Judgement.WRONG]
    return WrongAnswers(len(wrong), sum(not label.causes for label in wrong))


def by_criterion(
    traffic: Traffic, labels: Mapping[int, Label], criterion: Criterion, silent: Collection[int] = ()
) -> Traffic:
    """Return the traffic with each draw judged by the criterion; `labels` are those that count, by item.

    The labels of `silent` items say nothing of it.
    """
    drawn = [
        draw
        if draw.judgement is None
        else draw._replace(
            judgement=Judgement.UNSURE
            if draw.item in silent
            else of_label(draw.judgement, labels[draw.item], criterion)
        )
        for draw in traffic.drawn
    ]
    return replace(traffic, drawn=drawn)


def of_label(judgement: Judgement, label: Label, criterion: Criterion) -> Judgement:
    """Return right where the answer does not fail the criterion, wrong where it does, unsure where nobody said."""
    if judgement is not Judgement.WRONG:
        return judgement
    if not label.causes:
        return Judgement.UNSURE
    return Judgement.WRONG if CAUSES[criterion] in label.causes else Judgement.RIGHT
