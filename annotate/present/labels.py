"""Say what annotators said of an item, how each labels, and what waits for a decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from annotate.analysis.labelling.rows import AnnotatorActivity, WaitingCases, status_of
from annotate.analysis.report.caveats import not_independent
from annotate.analysis.report.caveats import opposite as opposite_labels
from annotate.domain.adjudication import AdjudicationCase, name_of
from annotate.domain.annotation import Annotation, Revision
from annotate.domain.message import Kind, Message, Name, Number, Quote, Step, Value, message, share
from annotate.domain.reading_time import CHARACTERS_A_MINUTE, FASTEST, WORDS_A_MINUTE
from annotate.domain.turns import in_one_line
from annotate.present.actions import command_document
from annotate.present.document import Column, Document, Excerpt, Table
from proxy.records import Item

if TYPE_CHECKING:
    from annotate.store.labels.opposite_labels import LabelledItem
    from annotate.workflow.labelling.adjudicate import Adjudicated

NOTE_RULE = message("labels.note_rule", words=FASTEST * WORDS_A_MINUTE, characters=FASTEST * CHARACTERS_A_MINUTE)
COLUMNS = ("annotator", "labels", "skipped", "unsure", "say_right", "seconds", "alike")


class ItemHistory(NamedTuple):
    """Every revision of every annotation of an item."""

    item_id: str
    revisions: Sequence[Revision]


def history(result: ItemHistory) -> Document:
    """List every revision of every annotation of an item."""
    answer = message("labels.history", count=len(result.revisions), item=Name(result.item_id))
    return command_document(answer, *map(_revision, result.revisions))


def annotators(result: AnnotatorActivity) -> Document:
    """List how each annotator labels, by name, and what happened to annotations."""
    columns = (
        Column(message("labelling.column_annotator"), is_wide=True),
        *(Column(message(f"labelling.column_{name}"), is_number=True) for name in COLUMNS[1:]),
    )
    rows = tuple(
        (
            Name(annotator.name),
            annotator.n,
            annotator.skipped,
            share(annotator.unsure),
            share(annotator.right),
            Number(annotator.seconds, Kind.DURATION),
            message("labels.alike", share=share(annotator.agreement), count=annotator.pairs)
            if annotator.pairs
            else None,
        )
        for annotator in result.annotators
    )
    notes = [
        message("values.colon", label=Name(annotator.name), words=note)
        for annotator in result.annotators
        for note in annotator.notes
    ]
    log = [message("labels.log", **entry._asdict() | {"source": Name(entry.source)}) for entry in result.log]
    return command_document(
        message("labels.annotators", count=len(result.annotators)),
        Table(columns, rows, name="annotators"),
        *log,
        notes=(*notes, *([NOTE_RULE] if notes else []), *not_independent(result.uncounted)),
    )


def disagreements(result: WaitingCases, steps: Sequence[Step] = ()) -> Document:
    """List what waits for a decision, the most urgent first; names stay hidden."""
    second = [message("labels.second", count=result.second_readings)] if result.second_readings else []
    second += [message("labelling.left", count=result.left)] if result.left else []
    return command_document(
        message("labels.disagreements", count=len(result.cases)),
        *second,
        *(_case(case, result.items[case.item]) for case in result.cases),
        notes=opposite_labels(result.opposite),
        steps=steps,
    )


def opposite(result: Sequence[Sequence[LabelledItem]], steps: Sequence[Step] = ()) -> Document:
    """List the same answer to the same question with opposite labels, with whose they are."""
    columns = (
        Column(message("labels.group"), is_number=True),
        Column(message("labels.item"), is_wide=True),
        Column(message("labels.label")),
        Column(message("labelling.column_annotator"), is_wide=True),
    )
    rows = tuple(
        (place, Name(item.item_id), _judgement_name(item.judgement.value), Name(item.annotator))
        for place, group in enumerate(result, 1)
        for item in group
    )
    answer = message("labels.opposite", count=len(result), items=sum(map(len, result)))
    return command_document(answer, Table(columns, rows, name="opposite"), steps=steps)


def adjudicated(result: Adjudicated, steps: Sequence[Step] = ()) -> Document:
    """Say what an item is now, and by what."""
    label = result.label
    if label is None:
        answer = message("labels.without_label", item=Name(result.item_id))
    else:
        basis = message(f"labels.by_{label.basis.name.lower()}") if label.basis else None
        key = "labels.is_by" if basis else "labels.is"
        answer = message(key, item=Name(result.item_id), label=_judgement_name(label.judgement.value), basis=basis)
    before = [] if result.is_new else [message("labels.as_before")]
    return command_document(answer, *before, message("labels.more_wait", count=result.waiting), steps=steps)


def _judgement_name(judgement: str) -> Message:
    return message(f"labelling.said_{judgement}")


def _revision(revision: Revision) -> Excerpt:
    annotation = revision.annotation
    title = message(
        "labels.revision" if not annotation.edited_by else "labels.edited",
        at=Name(revision.received_at),
        label=message(f"labels.status_{status_of(annotation)}"),
        annotator=Name(annotation.annotator),
        editor=Name(annotation.edited_by or ""),
    )
    marks = ", ".join([*annotation.causes, *([f"harm {annotation.harm}"] if annotation.harm else [])])
    texts = {
        "labelling.column_source": f"{annotation.source} {annotation.id}",
        "labels.causes": marks,
        "labelling.said_why": annotation.rationale,
        "labelling.reference": annotation.reference,
    }
    return Excerpt(title, tuple((message(key), Quote(words)) for key, words in texts.items() if words))


def _case(case: AdjudicationCase, item: Item) -> Excerpt:
    why: Value = message(f"labelling.why_{case.why.name.lower()}") if case.why else None
    key = "labels.serious_case" if case.is_serious else "labels.case"
    title = message(key, item=Name(case.item_id), why=why)
    question = Quote(in_one_line(item.question, item.history))
    texts = [(message("labels.question"), question), (message("labels.answer"), Quote(item.answer))]
    return Excerpt(title, (*texts, *_readings(case.readings)))


def _readings(readings: Sequence[Annotation]) -> Iterator[tuple[Message, Quote]]:
    for place, reading in enumerate(readings):
        marks = [*reading.causes, *([f"harm {reading.harm}"] if reading.harm else [])]
        texts = [text for text in (reading.rationale, reading.reference) if text]
        yield (
            message("labels.name", name=Name(name_of(place))),
            Quote("; ".join([str(reading.judgement), *marks, *texts])),
        )
