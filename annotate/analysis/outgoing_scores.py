"""Collect our labels, verdicts and scores as they may leave: masked as the store asks for, and without annotators' names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

from annotate.domain.outgoing_score import LABEL_NAME, VERDICT_NAME, OutgoingKind, OutgoingScore
from annotate.domain.privacy.redaction import in_force
from annotate.store import Store
from annotate.store.scores.outgoing import AboutItem
from proxy.records import Judgement, Label

NUMBERS = {Judgement.RIGHT: 1.0, Judgement.WRONG: 0.0}
RATIONALE = "rationale"


def outgoing_scores(store: Store, kinds: Collection[OutgoingKind], *, but_of: str = "") -> Iterator[OutgoingScore]:
    """Yield what there is of these kinds, without the scores that came from the tool `but_of` itself."""
    if OutgoingKind.LABELS in kinds:
        yield from _labels(store)
    if OutgoingKind.VERDICTS in kinds:
        yield from _verdicts(store)
    if OutgoingKind.JUDGES in kinds:
        yield from _judges(store, but_of)


def _labels(store: Store) -> Iterator[OutgoingScore]:
    """Yield the label that counts of each labelled item, with how many of its annotators say the same."""
    labels, judgements = store.labels.that_count(), defaultdict[int, Counter[Judgement]](Counter)
    for work in store.labels.work():
        if work.judgement is not None:
            judgements[work.item][work.judgement] += 1
    for row in store.scores.outgoing.labelled():
        if (label := labels.get(row.item)) is not None:
            yield _label(row, label, judgements[row.item])


def _label(row: AboutItem, label: Label, judgements: Counter[Judgement]) -> OutgoingScore:
    redaction, judgement = in_force(), label.judgement
    agreeing = f"{judgements[judgement]} of {judgements.total()} annotators" if judgements else ""
    rationale = "" if redaction.hides(RATIONALE) else redaction.text(label.rationale or "")
    signature = f"{LABEL_NAME}|{label.basis.value if label.basis else 'annotators'}"
    reason = ": ".join(part for part in (agreeing, rationale) if part)
    return _outgoing(row, OutgoingKind.LABELS, LABEL_NAME, signature, NUMBERS.get(judgement), reason, judgement.value)


def _verdicts(store: Store) -> Iterator[OutgoingScore]:
    current = store.scores.rules.in_force()
    if current is None:
        return
    key, rule = current
    signature = f"{VERDICT_NAME}|{in_force().text(rule.name)} {rule.version}"
    for row in store.scores.outgoing.verdicts(key):
        value = min(1.0, max(0.0, row.value))
        yield _outgoing(row, OutgoingKind.VERDICTS, VERDICT_NAME, signature, value, rule.expression, row.name)


def _judges(store: Store, but_of: str) -> Iterator[OutgoingScore]:
    redaction = in_force()
    for row in store.scores.outgoing.judges():
        if not but_of or f"|{but_of}|" not in row.signature:
            yield _outgoing(row, OutgoingKind.JUDGES, row.name, row.signature, row.value, redaction.text(row.reason))


def _outgoing(
    row: AboutItem,
    kind: OutgoingKind,
    name: str,
    signature: str,
    value: float | None,
    reason: str,
    label: str | None = None,
) -> OutgoingScore:
    """Return a score of the answer of this row."""
    return OutgoingScore(
        item_id=row.item_id,
        is_trace=row.is_trace,
        kind=kind,
        name=name,
        signature=signature,
        at=row.at,
        value=value,
        label=label,
        reason=reason,
    )
