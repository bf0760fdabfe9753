"""Collect all that judges and annotators say of one item.

The item is shown as it is now. What annotators said of content that it had before is not shown as if it were of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.disagreements import second_reading
from annotate.analysis.disagreements.listing import Ground
from annotate.analysis.disagreements.second_reading import SecondReading
from annotate.domain.annotation import Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldEntry
from annotate.store import Store
from annotate.store.labels.causes import Named
from annotate.store.labels.disagreements import KINDS, DisagreementKind
from annotate.store.sampling.waves import OpenDraw
from proxy.records import Item, Label, SentenceVerdict, Verdict
from proxy.rule import Rule


class JudgeResult(NamedTuple):
    """A judge's result on an item under its signature: its score, None where it failed, and its reason."""

    judge: str
    signature: str
    value: float | None
    reason: str


class Sentences(NamedTuple):
    """A judge's verdict on each sentence of the answer; `is_rule`: the rule in force reads this very signature."""

    judge: str
    signature: str
    is_rule: bool
    verdicts: Sequence[SentenceVerdict]


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemDetail:
    """One item with all that judges and annotators say of it; `kind` None where they agree, or where somebody has not spoken yet.

    `rule` gave the verdict. `draw` is None where no wave drew it, `gold` where it has no entry in the gold set. `is_changed` says
    that annotators spoke of other content that it had before.
    """

    row: int
    item: Item
    rule: Rule
    verdict: Verdict
    value: float | None
    kind: DisagreementKind | None
    label: Label | None
    readings: Sequence[Annotation]
    judge_results: Sequence[JudgeResult]
    sentences: Sequence[Sentences]
    second: SecondReading
    named: Sequence[Named]
    feedback: Sequence[Feedback]
    draw: OpenDraw | None
    gold: GoldEntry | None
    needs_reference: bool
    is_forgotten: bool
    is_changed: bool


def detail(store: Store, basis: Ground, item_id: str) -> ItemDetail | None:
    """Return the item with this id as it is now; None where there is none."""
    row = store.traffic.items.keys([item_id]).get(item_id)
    if row is None:
        return None
    label, draw = store.labels.of_item(row), store.labels.disagreements.draw_of_label(row)
    verdict, value = store.labels.disagreements.standing(basis.key, row)
    return ItemDetail(
        row=row,
        item=store.traffic.items.get(row),
        rule=basis.rule,
        verdict=verdict,
        value=value,
        kind=kind_of(verdict, label),
        label=label,
        readings=store.labels.annotations(row, draw) if label else (),
        judge_results=said_of(store, basis, row),
        sentences=_sentences(store, basis, row),
        second=second_reading.standing(store, row),
        named=store.labels.causes.history(row, draw),
        feedback=store.traffic.feedback.of_item(item_id),
        draw=store.sampling.waves.draw_of(row),
        gold=store.gold.of_item(row),
        needs_reference=row in store.gold.without_reference(),
        is_forgotten=store.audit.forgetting.has_item(item_id),
        is_changed=label is None and any(entry.annotation.judgement for entry in store.labels.history(item_id)),
    )


def kind_of(verdict: Verdict, label: Label | None) -> DisagreementKind | None:
    """Return how the proxy and annotators differ; None where they do not."""
    return None if label is None else KINDS.get((verdict, label.judgement))


def said_of(store: Store, basis: Ground, row: int) -> list[JudgeResult]:
    """Return what each judge says of the item in this row."""
    return [
        JudgeResult(judge, judge_row.signature, value, reason)
        for judge_row in sorted(basis.judges)
        for judge, value, reason in store.scores.of_item(row, [judge_row.signature])
        if judge == judge_row.judge  # judges of other names may share a signature
    ]


def _sentences(store: Store, basis: Ground, row: int) -> list[Sentences]:
    """Return what judges say of its sentences, those of the rule first."""
    pairs = store.labels.disagreements.detailed(row)
    rule_signatures = set(basis.rule.signatures.items())
    sentences = [
        Sentences(
            judge,
            signature,
            (judge, signature) in rule_signatures,
            store.scores.detail(row, judge, signature).sentences,
        )
        for judge, signature in sorted(pairs, key=lambda pair: pair not in rule_signatures)
    ]
    return [part for part in sentences if part.verdicts]
