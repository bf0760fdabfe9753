"""Say what was taken in: traffic, feedback, scores or labels, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from annotate.domain.message import Code, Command, Listing, Message, Name, Quote, Step, message
from annotate.domain.privacy.kinds import KINDS
from annotate.domain.quarantine import QuarantinedRow, QuarantineState
from annotate.domain.reasons import RefusalReason, together
from annotate.domain.timestamps import EARLIEST, IMPOSSIBLE
from annotate.present.actions import command_document
from annotate.present.document import Block, Column, Document, Excerpt, Table
from annotate.present.left_out import MOST_NAMES, left_out, listed, repeated
from annotate.traffic.formats import OWN
from annotate.traffic.source_format import FieldPlace, Origin
from proxy.errors import InputError
from proxy.judges.retrieval_fields import relevant_grades
from proxy.records import Item

if TYPE_CHECKING:
    from annotate.traffic.how_read import FieldRead, HowRead
    from annotate.traffic.wide_scores import ProposedColumn
    from annotate.workflow.dismiss import Dismissed
    from annotate.workflow.gold.import_references import ImportedReferences
    from annotate.workflow.ingest.batches import Intake
    from annotate.workflow.ingest.masking import MaskingCounts
    from annotate.workflow.ingest.receive import ImportedFeedback, ImportedLabels, ImportedScores, Ingested
    from annotate.workflow.ingest.tool_scores import WaitingScores
    from annotate.workflow.judging.rule_after_import import RuleAfterImport
    from annotate.workflow.send_scores import SentScores

# Chosen: the most frequent reasons; the others are counted.
SHOWN_REASONS = 5


def traffic(result: Ingested, steps: Sequence[Step] = ()) -> Document:
    """Say what traffic added, and how it was read where that is not plain; a dry run shows answers as they were read."""
    added = result.added
    dry = "ingest.dry_run_beside" if result.is_beside else "ingest.dry_run"
    key = dry if result.is_dry else "ingest.traffic"
    answer = message(key, count=result.intake.rows, added=added.added, items=result.items)
    unanswered = {f"no_answer_{why.value}": count for why, count in result.intake.unanswered.items()}
    beside = {"revised": added.revised, "updated": added.updated, "unchanged": added.unchanged, **unanswered}
    stop = [message("ingest.stop", reason=result.stop)] if result.stop is not None else []
    blocks = [
        *stop,
        *(block for how in result.sources for block in _how_read(how, result.stop, is_whole=result.is_dry)),
    ]
    if added.repeated:
        blocks.append(repeated(added.repeated, result.sources))
    waiting = {"without_root": result.without_root, "without_content": result.without_content, "failed": result.failed}
    blocks += [message(f"ingest.{name}", count=count) for name, count in waiting.items() if count]
    if result.without_root and any(how.parents_untold for how in result.sources):
        blocks.append(message("ingest.parents_untold"))
    if result.intake.outranked:
        blocks.append(message("ingest.outranked", count=result.intake.outranked, option=Code("--revisions")))
    if result.feedback or result.scores:
        blocks.append(message("ingest.evaluated", scores=result.scores, feedback=result.feedback))
        names = result.evaluations
        blocks += [message("ingest.evaluated_names", names=listed(names))] if names else []
    blocks += [*_read_as(result.read_as), *of_rule(result.effect), *_waiting_scores(result.waiting)]
    return _taken(answer, result.intake, beside, *blocks, steps=steps, is_dry=result.is_dry)


def _how_read(how: HowRead, stop: str | None, *, is_whole: bool) -> Iterator[Block]:
    """Say the format, where each field came from and what is not used.

    Of our own rows it is the latter alone, unless `is_whole` or the user said where fields lie. Options that the reason of a
    stop names already are not named again.
    """
    if any(option not in (stop or "") for option in how.proposed):
        yield message("ingest.proposed", file=Name(how.file), options=Code(" ".join(how.proposed)))
    if how.format != OWN or is_whole or how.scores or how.mapped:
        yield from _fields_read(how)
    yield from left_out(how, is_dry=is_whole)
    for number, item in enumerate(how.examples if is_whole else (), start=1):
        yield _excerpt(number, item)


def _fields_read(how: HowRead) -> Iterator[Message]:
    """Say the format, and where each field came from."""
    looked = {"recognised": how.recognised, "looked_at": how.looked_at}
    yield message("ingest.read_as", file=Name(how.file), format=Name(how.title), **looked)
    if how.fields:
        fields = tuple(_field_read(field, how) for field in how.fields)
        yield message("ingest.fields", fields=Listing(fields, "values.semicolon"))


def _field_read(field: FieldRead, how: HowRead) -> Message:
    """Say where a field came from; of passages how many an answer has."""
    read = message("ingest.read_from", field=Code(field.name), place=_place(field.origin))
    if field.name != "contexts" or how.passages is None or how.has_spans:
        return read
    fewest, most = how.passages
    if fewest == most:
        return message("ingest.read_passages", read=read, count=most)
    return message("ingest.read_passages_range", read=read, fewest=fewest, most=most)


def _place(origin: Origin) -> Message | Code:
    """Return where a field was read."""
    if origin.place is FieldPlace.PATH:
        return Code(origin.path)
    return message(f"ingest.place_{origin.place.name.lower()}", count=origin.spans, path=Code(origin.path))


def _excerpt(number: int, item: Item) -> Excerpt:
    """Return an answer as it was read."""
    parts = {
        "id": item.id,
        "group": item.group,
        "system": item.system,
        "timestamp": item.timestamp,
        "history": f"{len(item.history)} × {item.history[-1].text}" if item.history else None,
        "question": item.question,
        "contexts": f"{len(item.contexts)} × {item.contexts[0].text}" if item.contexts else None,
        "answer": item.answer,
        "reference": item.reference,
        "relevant_ids": _relevant(item),
    }
    texts = tuple((message("ingest.field", name=Name(name)), Quote(text)) for name, text in parts.items() if text)
    return Excerpt(message("ingest.example", number=number), texts)


def _relevant(item: Item) -> str | None:
    """Return the ids of the passages known to be relevant as they are read, or why they cannot be."""
    try:
        grades = relevant_grades(item)
    except InputError as error:
        return str(error)
    return f"{len(grades)} × {' | '.join(grades)}" if grades else None


def feedback(result: ImportedFeedback) -> Document:
    """Say what feedback was new, which rows hold none, and what the store has now."""
    answer = message("ingest.feedback", count=result.intake.rows, new=result.new)
    thumbs = message("ingest.thumbs", down=result.thumbs_down, up=result.thumbs_up, unmatched=result.unmatched)
    beside = {f"none_{reason.value}": count for reason, count in result.none.items()}
    return _taken(answer, result.intake, beside, thumbs)


def scores(result: ImportedScores, steps: Sequence[Step] = ()) -> Document:
    """Say what scores were new, which rows hold none, which wait, and what they are to the rule in force."""
    answer = message("ingest.scores", count=result.intake.rows, new=result.new)
    beside = {f"no_score_{reason.value}": count for reason, count in result.none.items()}
    columns = {"judges": result.judges, "unused_columns": result.unused if result.judges else ()}
    named = {key: tuple(Name(name) for name in names if name.strip()) for key, names in columns.items()}
    read = [message(f"ingest.{key}", names=Listing(names)) for key, names in named.items() if names]
    failed = [message("ingest.scores_failed", count=result.failed)] if result.failed else []
    blocks = [
        *failed,
        *of_rule(result.effect),
        *read,
        *_read_as(result.read_as),
        *_proposed(result.proposed),
        *_waiting_scores(result.waiting),
    ]
    return _taken(answer, result.intake, beside, *blocks, steps=steps)


def _read_as(names: Mapping[str, str]) -> Iterator[Message]:
    """Say which names of judges were read as those of known ones."""
    for given, judge in list(names.items())[:MOST_NAMES]:
        yield message("ingest.read_as_judge", given=Name(given), judge=Name(judge))


def of_rule(effect: RuleAfterImport) -> Iterator[Message]:
    """Say that the scores put a rule in force, or that the one in force goes on reading others."""
    if effect.rule and effect.put_in_force:
        yield message("ingest.rule_put", expression=Code(effect.rule.expression))
    elif effect.unread:
        yield message("ingest.rule_unread", judges=Listing(tuple(map(Name, effect.unread))))


def _proposed(columns: Sequence[ProposedColumn]) -> Iterator[Message]:
    """Say which columns may hold scores, labels or feedback, and what would take them in."""
    for kind in dict.fromkeys(column.kind for column in columns):
        alike = [column for column in columns if column.kind is kind]
        names = Listing(tuple(Name(column.column) for column in alike))
        scales = " ".join(option for column in alike for option in column.options if option.startswith("--scale"))
        commands = [option for column in alike for option in column.options if option.startswith("assay")]
        yield message(
            f"ingest.looks_{kind.value}",
            names=names,
            scales=Code(scales),
            command=Command(commands[0] if commands else ""),
        )


def _waiting_scores(waiting: WaitingScores) -> Iterator[Message]:
    """Say which scores of tools wait, and for what."""
    if waiting.without_item:
        yield message("ingest.scores_without_item", count=waiting.without_item)
    for unscaled in waiting.unscaled:
        option = Code(f"--scale {unscaled.judge}=WORST..BEST")
        ends = {"lowest": f"{unscaled.lowest:g}", "highest": f"{unscaled.highest:g}"}
        yield message("ingest.unscaled", count=unscaled.scores, judge=Name(unscaled.judge), option=option, **ends)


def sent(result: SentScores) -> Document:
    """Say how many scores were sent where, and how many have no trace there."""
    left = [message("ingest.sent_without_trace", count=result.without_trace)] if result.without_trace else []
    return command_document(message("ingest.sent", count=result.sent, place=Code(result.destination)), *left)


def labels(result: ImportedLabels, steps: Sequence[Step] = ()) -> Document:
    """Say what labels were added, and how far the labelling is now."""
    imported, kept, progress = result.imported, result.imported.kept, result.progress
    added = message("ingest.labels_added", count=kept.added)
    far = {"labelled": progress.labelled, "drawn": progress.drawn, "hand_picked": result.hand_picked}
    blocks = [message("ingest.labelled", **far)]
    if result.hand_picked:
        blocks.append(message("ingest.hand_picked"))
    late = {"before_draw": imported.before_draw, "drawn_since": imported.drawn_since}
    blocks += [message(f"ingest.{name}", count=count) for name, count in late.items() if count]
    if imported.unsure_corrections:
        blocks.append(message("ingest.unsure_corrections", count=imported.unsure_corrections))
    if imported.passages_unasked:
        ask = Command("assay push --ask passages")
        blocks.append(message("ingest.passages_unasked", count=imported.passages_unasked, command=ask))
    beside = {"outdated": kept.outdated, "blank": imported.blank}
    changes = {"revised": kept.revised, "unchanged": kept.unchanged}
    answer = message("ingest.labels", count=result.intake.rows, added=added, **changes)
    return _taken(answer, result.intake, beside, *blocks, steps=steps)


def references(result: ImportedReferences, steps: Sequence[Step] = ()) -> Document:
    """Say what references became candidates of the gold set."""
    kept = result.kept
    answer = message("ingest.references", count=result.intake.rows, added=kept.added)
    beside = {"without_item": kept.without_item, "unchanged": kept.unchanged}
    return _taken(answer, result.intake, beside, steps=steps)


def quarantine(rows: Sequence[QuarantinedRow], state: QuarantineState) -> Document:
    """List what could not be read, has come in repaired since, or was dismissed; first the reasons."""
    columns = (
        Column(message("ingest.row_number"), is_number=True),
        Column(message("ingest.stage")),
        Column(message("ingest.place"), is_wide=True),
        Column(message("ingest.why"), is_wide=True),
    )
    listed = tuple(
        (Name(str(row.row)), Name(row.stage), Code(f"{row.source}:{row.line}"), Quote(row.reason)) for row in rows
    )
    counted = reasons(together(RefusalReason(row.reason, 1) for row in rows))
    answer = message(f"ingest.rows_{state.value}", count=len(rows))
    return command_document(answer, *counted, Table(columns, listed, name="quarantine"))


def dismissed(result: Dismissed) -> Document:
    """Say how many rows were dismissed, and how many are open still."""
    return command_document(
        message("ingest.dismissed_rows", count=result.rows), message("ingest.rows_open", count=result.open)
    )


def _taken(
    answer: Message,
    intake: Intake,
    beside: Mapping[str, int],
    *blocks: Block,
    steps: Sequence[Step] = (),
    is_dry: bool = False,
) -> Document:
    """Build the document of an import: rows by outcome, reasons for refusals, and the times and scores that were dropped."""
    parts = [message(f"ingest.{name}", count=count) for name, count in beside.items() if count]
    if intake.refused:
        key = "ingest.known" if intake.known else "ingest.refused"
        parts.append(message(key, count=intake.refused, known=intake.known))
    if intake.dismissed:
        parts.append(message("ingest.dismissed", count=intake.dismissed))
    if intake.repaired:
        parts.append(message("ingest.repaired", count=intake.repaired))
    also = [message("ingest.also", parts=Listing(tuple(parts)))] if parts else []
    if intake.replaced and intake.replaced.looked_at:
        also.append(_replaced(intake.replaced))
        if intake.replaced.ids:
            also.append(message("ingest.ids_unmasked", count=intake.replaced.ids))
    return command_document(answer, *also, *blocks, notes=_notes(intake, is_dry=is_dry), steps=steps)


def _replaced(replaced: MaskingCounts) -> Message:
    """Count what is replaced by kind; a kind that a pattern or a recogniser names is said as it is."""
    counts = {"rows": replaced.rows, "count": replaced.looked_at}
    if not replaced.kinds:
        return message("ingest.nothing_replaced", count=replaced.looked_at)
    kinds = tuple(
        message(f"ingest.kind_{kind.lower()}", count=count)
        if kind in KINDS
        else message("ingest.kind_named", count=count, kind=Name(kind))
        for kind, count in replaced.by_kind
    )
    return message("ingest.replaced", kinds=Listing(kinds), **counts)


def _notes(intake: Intake, *, is_dry: bool) -> Iterator[Message]:
    for guessed in intake.guessed:
        names = {"file": Name(guessed.file), "encoding": Name(guessed.encoding), "example": Quote(guessed.example)}
        yield message("ingest.guessed_encoding", **names, option=Code("--encoding NAME"))
    for cells in intake.json_cells:
        odd = {column.column for column in cells.odd}
        if whole := [name for name in cells.columns if name not in odd]:
            columns = Listing(tuple(map(Name, whole)))
            yield message("ingest.json_cells", file=Name(cells.file), count=len(whole), columns=columns)
        for column in cells.odd:
            key = "ingest.json_cells_but" if column.is_read else "ingest.json_cells_left"
            names = {"file": Name(cells.file), "column": Name(column.column)}
            yield message(key, count=column.cells, texts=column.texts, row=column.row, **names)
    if times := intake.times_dropped:
        parts = [
            message(f"ingest.time_{dropped.reason}", count=dropped.rows, example=Quote(dropped.example))
            for dropped in times
        ]
        has_limits = any(dropped.reason == IMPOSSIBLE for dropped in times)
        count = sum(dropped.rows for dropped in times)
        key = "ingest.times_impossible" if has_limits else "ingest.times"
        yield message(key, count=count, parts=Listing(tuple(parts)), first=Name(EARLIEST[:4]))
    if scores := intake.scores_dropped:
        yield message("ingest.scores_dropped", count=scores.rows, example=Quote(scores.example))
    if intake.refused:
        yield from reasons(intake.reasons)
        yield message("ingest.unread_dry" if is_dry else "ingest.unread", count=intake.refused)


def reasons(counted: Sequence[RefusalReason]) -> Iterator[Message]:
    """Give the most frequent reasons with their counts; a single other takes no more room than its count."""
    shown = SHOWN_REASONS + (len(counted) == SHOWN_REASONS + 1)
    for reason in counted[:shown]:
        yield message("ingest.reason", count=reason.rows, reason=Quote(reason.reason))
    if others := counted[shown:]:
        yield message("ingest.other_reasons", count=sum(reason.rows for reason in others), kinds=len(others))
