"""Refuse a file of which not one row can be read, and name the command that reads it where that is certain."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import TypeVar

from annotate.domain.annotation import Annotation
from annotate.domain.feedback import Feedback, read_value
from annotate.domain.field_mapping import Fields, without_option
from annotate.domain.reasons import Reasons, RefusalReason
from annotate.domain.timestamps import Times
from annotate.domain.tool_score import ToolScore
from annotate.files import FileRow
from annotate.traffic.feedback_rows import read_feedback
from annotate.traffic.formats import NAMES
from annotate.traffic.near_names import FIRST_ROWS
from annotate.traffic.spans import Span
from annotate.traffic.wide_scores import IDS, is_wide, wide_table
from annotate.workflow.ingest.batches import FRAME, Batch, Source, batches, file_name, traffic_batches
from annotate.workflow.ingest.recognition import recognise
from annotate.workflow.ingest.row_readers import label_from_row, scores_from_row
from proxy.errors import FileError
from proxy.records import Item, Score

MOST_REASONS = 3
T = TypeVar("T")


class ImportCommand(StrEnum):
    """A command that takes a file in."""

    INGEST = "assay ingest"
    FEEDBACK = "assay feedback"
    SCORES = "assay scores import"
    LABELS = "assay labels import"


KINDS = {
    ImportCommand.INGEST: "traffic",
    ImportCommand.FEEDBACK: "users' feedback",
    ImportCommand.SCORES: "scores of judges",
    ImportCommand.LABELS: "labels of annotators",
}


def check_any(given: ImportCommand, source: Source, read: Iterable[Batch[T]]) -> None:
    """Raise FileError where a command cannot read one row of a file.

    Parameters
    ----------
    given
        The command that was given the file.
    source
        The file.
    read
        Its rows as the command reads them; they are read up to the first that is understood.
    """
    reasons, rows = Reasons(), 0
    for batch in read:
        if batch.parsed:
            return
        rows += len(batch.refused)
        reasons.add(RefusalReason(quarantined.reason, 1) for quarantined in batch.refused)
    if rows:
        raise none_readable([source], rows, reasons, given)


def none_readable(
    sources: Sequence[Source], rows: int, reasons: Reasons, given: ImportCommand, todo: str = ""
) -> FileError:
    """Return the error for files without a row that can be read, with the command or what else would read them."""
    start = nothing_read(sources, rows)
    meant = meant_command(sources[0], given)
    if meant is ImportCommand.INGEST and given is ImportCommand.FEEDBACK and (options := _thumbs(sources[0])):
        return FileError(f"{start}: it holds traffic, with users' feedback beside it: add {' '.join(options)}")
    if meant is not None:
        return FileError(f"{start}: it holds {KINDS[meant]}, and `{_with_file(meant, sources[0])}` reads it")
    counted = (
        f"{refusal.rows:,} × {without_option(refusal.reason) if todo else refusal.reason}"
        for refusal in reasons.counted[:MOST_REASONS]
    )
    return FileError(f"{start}{todo}; {'; '.join(counted)}")


def _with_file(command: ImportCommand, source: Source) -> str:
    """Return a command with the file that it is to read; a frame has no name there."""
    if source.path == FRAME:
        return command
    return f"{command} {'FILE' if source.path == '-' else shlex.quote(source.path)}"


def nothing_read(sources: Sequence[Source], rows: int) -> str:
    """Say that none of the rows of these files can be read."""
    name = file_name(sources[0]) if len(sources) == 1 else f"{len(sources):,} files"
    which = "its row cannot be read" if rows == 1 else f"none of {rows:,} rows can be read"
    return f"{name}: {which}, so nothing was taken in"


def meant_command(source: Source, given: ImportCommand) -> ImportCommand | None:
    """Return the other command that reads the first rows of a file; None where that is none, or more than one."""
    plain = _plain(source)
    readers = {command: reads for command, reads in READERS.items() if command is not given}
    meant = [command for command, reads in readers.items() if reads(plain)]
    if meant:
        return meant[0] if len(meant) == 1 else None
    return ImportCommand.INGEST if given is not ImportCommand.INGEST and _is_traffic(plain) else None


def _plain(source: Source) -> Source:
    """Return the first rows of a file as if nothing were known of it."""
    file_format = "auto" if source.file_format in NAMES else source.file_format
    return source._replace(
        paths={}, source_format=None, source_paths={}, how=None, most=FIRST_ROWS, file_format=file_format
    )


def _thumbs(source: Source) -> tuple[str, ...]:
    """Return the options that take users' feedback from rows of traffic."""
    how = recognise(_plain(source)).how
    return how.thumbs if how else ()


def _is_traffic(source: Source) -> bool:
    """Return whether rows are traffic; those that name an item of ours say something of one that came in before."""
    if any(Fields(row.fields, {}).column("item_id") in row.fields for row in _first_rows(source)):
        return False
    return _reads(traffic_batches(recognise(source), Times()), lambda value: isinstance(value, Item | Span))


def _is_feedback(source: Source) -> bool:
    """Return whether rows are feedback; numbers between 0 and 1 alone may as well be a judge's scores."""
    votes: list[Feedback] = []

    def has_votes(value: tuple[object, ...]) -> bool:
        votes.extend(vote for vote in value if isinstance(vote, Feedback))
        return any(isinstance(vote, Feedback) for vote in value)

    if not _reads(batches("feedback", source, read_feedback), has_votes):
        return False
    numbers = [read_value(vote.value)[1] for vote in votes]
    if any(number is not None and not number.is_integer() for number in numbers):
        return False
    says_more = any(vote.comment or vote.correction for vote in votes)
    return says_more or any(number is None or not 0 <= number <= 1 for number in numbers)


def _is_scores(source: Source) -> bool:
    if _reads(
        batches("scores", source, scores_from_row),
        lambda value: any(isinstance(score, Score | ToolScore) for score in value),
    ):
        return True
    rows = [row.fields for row in _first_rows(source)]
    names_item = all(row.get(IDS[0]) not in (None, "") for row in rows)
    return names_item and is_wide(rows, {}) and bool(wide_table(rows, (), ()).judges)


def _is_labels(source: Source) -> bool:
    return _reads(batches("labels", source, label_from_row), lambda value: isinstance(value, Annotation))


def _first_rows(source: Source) -> Iterator[FileRow]:
    return (row for row in islice(source.raw_rows(), FIRST_ROWS) if isinstance(row, FileRow))


def _reads(read: Iterable[Batch[T]], is_meant: Callable[[T], bool]) -> bool:
    """Return whether every row is read, and as what is meant."""
    every = list(read)
    parsed = [row.value for batch in every for row in batch.parsed]
    return bool(parsed) and not any(batch.refused for batch in every) and all(map(is_meant, parsed))


READERS: dict[ImportCommand, Callable[[Source], bool]] = {
    ImportCommand.LABELS: _is_labels,
    ImportCommand.SCORES: _is_scores,
    ImportCommand.FEEDBACK: _is_feedback,
}
