"""Say how many labels of a plain random sample tell as much as the labels at hand, and what each judge adds to that."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.domain.message import Between, Kind, Message, Name, Number, message
from annotate.present.document import Block, Column, Table
from proxy.evaluation.effective_labels import EffectiveLabels
from proxy.evaluation.estimate import Estimate


def sentence(labels: EffectiveLabels) -> Message:
    """Say how many labels of a plain random sample would tell as much, or why that is not known.

    Strata and scores make them so many together; where the scores are not shown to add any, the sentence says so.
    """
    if labels.estimate is None:
        return message("effective_labels.unknown", reason=labels.reason)
    is_alone = labels.scores is None or (labels.scores.added.estimate is not None and not labels.scores.is_shown)
    return _sentence(labels, "effective_labels.alone" if is_alone else "effective_labels.known")


def shares(labels: EffectiveLabels) -> Iterator[Block]:
    """Say what all scores add, and list what each judge adds to the others."""
    if labels.estimate is None or labels.scores is None:
        yield sentence(labels)
        return
    yield _sentence(labels, "effective_labels.known")
    if labels.scores.added.reason:
        yield message("effective_labels.untold", reason=labels.scores.added.reason)
        return
    added, span = round(labels.scores.added.estimate or 0), _span(labels.scores.added)
    if labels.scores.is_shown:
        without = round(labels.estimate) - added
        yield message("effective_labels.added", without=without, added=added, span=span)
    else:
        yield message("effective_labels.none_shown", added=added, span=span)
    if labels.judges:
        columns = (
            Column(message("effective_labels.judge"), is_wide=True),
            Column(message("effective_labels.adds"), is_number=True),
            Column(message("effective_labels.span"), is_number=True),
        )
        rows = tuple((Name(share.judge), _count(share.added.estimate), _span(share.added)) for share in labels.judges)
        yield Table(columns, rows, message("effective_labels.caption"), name="effective_labels")


def _sentence(labels: EffectiveLabels, key: str) -> Message:
    return message(key, count=labels.n, effective=_count(labels.estimate), span=_span(labels))


def _count(value: float | None) -> Number:
    return Number(None if value is None else round(value), Kind.COUNT)


def _span(quantity: Estimate) -> Between:
    low, high = (None if end is None else round(end) for end in (quantity.low, quantity.high))
    return Between(low, high, Kind.COUNT)
