"""Labels and items as rows of plain values, as files and frames hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.analysis.labelling.annotators import annotators
from annotate.domain.adjudication import AdjudicationCase
from annotate.domain.annotation import Annotation, Revision
from annotate.domain.annotator_activity import Annotator, LogCounts
from annotate.domain.passage_relevance import RELEVANCE_COLUMN, SUFFICIENCY_COLUMN, to_row
from annotate.store import Store
from annotate.store.labels.annotations import Uncounted
from annotate.store.labels.opposite_labels import LabelledItem
from proxy.records import Item

LABEL_COLUMNS = (
    "item_id",
    "label",
    "annotator",
    "reference",
    "causes",
    "harm",
    "rationale",
    "at",
    "wave",
    "basis",
    "annotators",
    RELEVANCE_COLUMN,
    SUFFICIENCY_COLUMN,
)
ANNOTATION_COLUMNS = (
    "item_id",
    "label",
    "annotator",
    "reference",
    "causes",
    "harm",
    "rationale",
    "form_version",
    "seconds",
    "at",
    "source",
    "annotation_id",
    "edited_by",
    "deleted",
    "received_at",
    RELEVANCE_COLUMN,
    SUFFICIENCY_COLUMN,
)
DRAW_COLUMNS = ("wave", "item_id", "stratum", "inclusion_probability", "drawn_at", "label")
ITEM_COLUMNS = (
    "id",
    "question",
    "history",
    "contexts",
    "answer",
    "system",
    "timestamp",
    "group",
    "language",
    "reference",
)
# Chosen: items in memory at a time; the result does not depend on it.
BATCH = 500


def label_rows(store: Store) -> Iterator[dict[str, object]]:
    """Yield the label of every item that has one."""
    annotators, passages = store.labels.annotators(), store.labels.passages()
    for row, label in store.labels.read():
        yield {
            "item_id": label.item_id,
            "label": label.judgement.value,
            "annotator": label.annotator,
            "reference": label.reference,
            "causes": list(label.causes),
            "harm": label.harm,
            "rationale": label.rationale,
            "at": label.at,
            "wave": label.wave,
            "basis": label.basis.value if label.basis else None,
            "annotators": annotators.get((row, label.wave is not None), 0),
            **to_row(passages.get(row) if label.wave is not None else None),
        }


def draw_rows(store: Store) -> Iterator[dict[str, object]]:
    """Yield every draw, with the label that it brought."""
    labels = {row: label.judgement.value for row, label in store.labels.read("WHERE l.draw IS NOT NULL")}
    for draw in store.sampling.waves.all_draws():
        yield {
            "wave": draw.wave,
            "item_id": draw.item_id,
            "stratum": draw.stratum,
            "inclusion_probability": draw.inclusion_probability,
            "drawn_at": draw.drawn_at,
            "label": labels.get(draw.item),
        }


def item_rows(store: Store) -> Iterator[dict[str, object]]:
    """Yield every current item, with its texts."""
    for items in store.traffic.items.batches(BATCH):
        for item in items.values():
            yield {
                "id": item.id,
                "question": item.question,
                "history": [{"role": turn.role, "text": turn.text} for turn in item.history],
                "contexts": [context.text for context in item.contexts],
                "answer": item.answer,
                "system": item.system,
                "timestamp": item.timestamp,
                "group": item.group,
                "language": item.language,
                "reference": item.reference,
            }


def annotation_rows(revisions: Iterable[Revision]) -> Iterator[dict[str, object]]:
    """Yield each revision of an annotation, under the columns of a file of annotations."""
    for revision in revisions:
        annotation = revision.annotation
        yield {
            "item_id": annotation.item_id,
            "label": status_of(annotation),
            "annotator": annotation.annotator,
            "reference": annotation.reference,
            "causes": list(annotation.causes),
            "harm": annotation.harm,
            "rationale": annotation.rationale,
            "form_version": annotation.form_version,
            "seconds": annotation.seconds,
            "at": annotation.at,
            "source": annotation.source,
            "annotation_id": annotation.id,
            "edited_by": annotation.edited_by,
            "deleted": annotation.deleted,
            "received_at": revision.received_at,
            **to_row(annotation.passages),
        }


def status_of(annotation: Annotation) -> str:
    """Return the judgement of an annotation, or that it was skipped, handed on or deleted."""
    if annotation.deleted:
        return "deleted"
    if annotation.is_handed_on:
        return "handed_on"
    return annotation.judgement.value if annotation.judgement else "skipped"


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingCases:
    """The cases that wait, the most urgent first, with their items by row.

    `second_readings` counts draws that nobody has called right or wrong yet and that may go to another annotator, `left` those
    that everybody who may take them has handed on; `opposite` are groups of items that hold the same answer to the same question
    and have opposite labels.
    """

    cases: Sequence[AdjudicationCase]
    items: Mapping[int, Item]
    second_readings: int
    left: int
    opposite: Sequence[tuple[LabelledItem, ...]]


def disagreements(store: Store, left: Collection[int]) -> WaitingCases:
    """Read what waits to be adjudicated; no annotator is left for the draws `left`."""
    with store.snapshot():
        cases = store.labels.adjudication.waiting()
        return WaitingCases(
            cases=cases,
            items=store.traffic.items.read([case.item for case in cases]),
            second_readings=sum(
                undecided.draw not in left for undecided in store.labels.adjudication.second_readings()
            ),
            left=len(left),
            opposite=store.labels.opposite_labels.groups(),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class AnnotatorActivity:
    """Each annotator by name, what happened to annotations by source, and the readings that are not independent."""

    annotators: Sequence[Annotator]
    log: Sequence[LogCounts]
    uncounted: Uncounted


def activity(store: Store) -> AnnotatorActivity:
    """Summarise each annotator."""
    with store.snapshot():
        return AnnotatorActivity(
            annotators=annotators(store),
            log=store.labels.log_counts(),
            uncounted=store.labels.uncounted(),
        )
