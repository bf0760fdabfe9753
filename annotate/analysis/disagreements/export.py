"""Export the list of disagreements, one row an answer: fields of a labels and a traffic file, and the judges' scores and reasons.

Only texts that may leave the organisation are written, and a field that is hidden from pages is hidden here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from annotate.analysis.disagreements.detail import kind_of, said_of
from annotate.analysis.disagreements.listing import Ground
from annotate.domain.privacy.people import pseudonyms
from annotate.domain.privacy.redaction import about, for_page, outgoing
from annotate.files import write_rows
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter
from proxy.records import Item, Label

EXPORTED = (
    "item_id",
    "kind",
    "label",
    "annotator",
    "reference",
    "causes",
    "harm",
    "rationale",
    "at",
    "wave",
    "basis",
    "verdict",
    "value",
    "rule",
    "scores",
    "question",
    "contexts",
    "answer",
    "history",
    "system",
    "timestamp",
    "language",
)
# Chosen: items with their texts in memory at a time; the result does not depend on it.
READ_AT_ONCE = 200


def as_file(store: Store, basis: Ground, asked: DisagreementFilter, ending: str) -> bytes:
    """Return the list as JSONL or CSV, by the ending; in CSV no cell is a formula."""
    with store.snapshot(), TemporaryDirectory() as folder:
        path = Path(folder) / f"disagreements.{ending}"
        write_rows(str(path), EXPORTED, exported(store, basis, asked))
        return path.read_bytes()


def exported(store: Store, basis: Ground, asked: DisagreementFilter) -> Iterator[dict[str, object]]:
    """Yield the list as rows of a file, in its order."""
    rows, labels = store.labels.disagreements.items(basis.key, asked), store.labels.that_count()
    people = pseudonyms(store.audit.events.everybody())
    for start in range(0, len(rows), READ_AT_ONCE):
        batch = rows[start : start + READ_AT_ONCE]
        items = store.traffic.items.read(batch)
        for row in batch:
            yield _exported(store, basis, row, items[row], labels[row], people)


def _exported(
    store: Store, basis: Ground, row: int, item: Item, label: Label, people: Mapping[str, str]
) -> dict[str, object]:
    verdict, value = store.labels.disagreements.standing(basis.key, row)
    texts, kind = outgoing(item), kind_of(verdict, label)
    return {
        "item_id": item.id,
        "kind": kind and kind.value,
        "label": label.judgement.value,
        "annotator": _shown(label.annotator, people, "annotator"),
        "reference": _shown(label.reference, people, "reference"),
        "causes": list(label.causes),
        "harm": label.harm,
        "rationale": _shown(label.rationale, people, "rationale"),
        "at": label.at,
        "wave": label.wave,
        "basis": label.basis and label.basis.value,
        "verdict": verdict.value,
        "value": value,
        "rule": f"{basis.rule.name} v{basis.rule.version}: {basis.rule.expression}",
        "scores": [
            {"judge": result.judge, "value": result.value, "reason": for_page(about(item, result.reason), people)}
            for result in said_of(store, basis, row)
        ],
        "question": texts.question,
        "contexts": list(texts.contexts),
        "answer": texts.answer,
        "history": [
            {"role": _shown(turn.role, people, "history"), "text": _shown(turn.text, people, "history")}
            for turn in texts.history
        ],
        "system": _shown(item.system, people),
        "timestamp": item.timestamp,
        "language": item.language,
    }


def _shown(text: str | None, people: Mapping[str, str], *fields: str) -> str | None:
    return None if text is None else for_page(text, people, fields=fields)
