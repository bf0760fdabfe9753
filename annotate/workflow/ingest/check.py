"""Refuse an import that would silently overwrite or drop data, or that has none, before anything is kept.

Looked for are ids and traces that repeat with other content, where each would take the place of the one before it, and fields of
ours that the file has under nearly the right name. Paths of the user are checked in check_paths.py. Files are read twice; the
first reading takes ids alone, at 8 bytes an id, and content is compared only where ids repeat.
"""

from __future__ import annotations

import re
import shlex
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotate.domain.field_mapping import Fields
from annotate.domain.reasons import Reasons, RefusalReason
from annotate.domain.timestamps import Times, shown
from annotate.files import FileRow, Rejected
from annotate.store import Store
from annotate.store.traffic.item_rows import encode
from annotate.traffic.near_names import FIRST_ROWS, is_understood, near_names
from annotate.traffic.proposals import completed
from annotate.traffic.rows import item_from_row
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import Source, file_name, traffic_batches
from annotate.workflow.ingest.recognition import other_format, with_all
from annotate.workflow.ingest.unreadable import ImportCommand, none_readable, nothing_read
from proxy.errors import FileError, InputError

MASK = 2**64 - 1
PLAIN = re.compile(r"[^.\[\]]+")
TALKS = re.compile(r"(conversation|session|thread|chat|dialog|dialogue|conv)s?(id|key|uuid|no|number)?")
NAMES_ROWS = re.compile(r".*(id|uuid|guid|key|hash)")
MOST_COLUMNS = 20
# Formats that write a whole trace as one row.
WHOLE_TRACES = ("langfuse", "mlflow")


def check_names(sources: Sequence[Source]) -> None:
    """Raise FileError where a file has contexts, ids, times or groups under nearly the right name; spans have no columns."""
    for source in sources:
        if source.has_spans:
            continue
        rows = [row.fields for row in islice(_readable(source), FIRST_ROWS)]
        if source.source_format is not None:  # what a format found within objects is no column
            rows = [{name: value for name, value in row.items() if "." not in name} for row in rows]
        near = near_names(rows, source.paths)
        proposed = source.how.proposed if source.how else ()
        if near and (proposed or is_understood(rows, source.paths, near)):
            fields = " and ".join(f"{field.field} ({field.place})" for field in near)
            named = [
                field.option for field in near if f"--map {field.field}=" not in " ".join(proposed).replace("'", "")
            ]
            options = completed([*named, *proposed], rows, source.paths)
            is_read = not proposed and {"question", "answer"}.isdisjoint(field.field for field in near)
            otherwise = "; or --yes to take the file as it is" if is_read else ""
            todo = with_all(sources, source, options)
            raise FileError(f"{file_name(source)}: this import would lose {fields}: {todo}{otherwise}")


def check_traces(sources: Sequence[Source]) -> None:
    """Raise FileError where a file, or the files of a folder, hold a whole trace twice with other questions or answers.

    Of two spans with one name the later state counts, so that one of the answers would be lost. Only formats with a trace a row
    are looked at: spans that come by themselves come again as they end.
    """
    for parts in _parts(sources):
        hashes = array("Q")
        for source in parts:
            for span in _roots(source):
                hashes.extend((hash(span.trace) & MASK, hash((span.id, span.question, span.answer)) & MASK))
        pairs = np.unique(np.frombuffer(hashes, dtype=np.uint64).reshape(-1, 2), axis=0)
        traces, counts = np.unique(pairs[:, 0], return_counts=True)
        repeated = set(traces[counts > 1].tolist())
        names = (span.trace for source in parts if repeated for span in _roots(source))
        example = next((name for name in names if hash(name) & MASK in repeated), None)
        if example is not None:
            count = "1 trace repeats" if len(repeated) == 1 else f"{len(repeated):,} traces repeat"
            raise FileError(
                f"{parts[0].folder or file_name(parts[0])}: {count} with another question or answer (for example "
                f"{shown(example)}), so one would replace the other; nothing was taken in: where the later one counts, add "
                "--revisions; else mend the file"
            )


def _roots(source: Source) -> Iterator[Span]:
    """Yield the traces of a file as their roots, where a row is a trace and says what was asked and answered."""
    source_format = source.source_format
    if source_format is None or source_format.name not in WHOLE_TRACES:
        return
    for row in source.raw_rows():
        try:
            readings = source_format.read(row.fields, source.source_paths) if isinstance(row, FileRow) else ()
            yield from (
                reading
                for reading in readings
                if isinstance(reading, Span)
                and (reading.parent is None and reading.question and reading.answer)
                and (source_format.name != "langfuse" or reading.id == reading.trace)
            )
        except InputError:
            continue


def check_ids(store: Store | None, sources: Sequence[Source]) -> None:
    """Raise FileError where ids repeat within a file or a folder with other content; what was forgotten is not taken in anyway.

    Without a store nothing was forgotten.
    """
    for parts in _parts(sources):
        repeated = _repeated(parts)
        if not repeated:
            continue
        conflicts = _Conflicts(repeated)
        for source in parts:
            for row in _readable(source):
                conflicts.add(row, source)
        conflicts.ids -= store.traffic.items.forgotten(sorted(conflicts.ids)) if store else set()
        if conflicts.ids:
            raise FileError(_words(conflicts, parts))


def _parts(sources: Sequence[Source]) -> list[list[Source]]:
    """Return the files of each folder together, and each other file by itself."""
    parts: dict[object, list[Source]] = {}
    for place, source in enumerate(sources):
        parts.setdefault(source.folder or place, []).append(source)
    return list(parts.values())


def check_readable(sources: Sequence[Source]) -> None:
    """Raise FileError where no row of any file can be read; which of the reasons is worth most is said with the options."""
    reasons, rows = Reasons(), 0
    for source in sources:
        for batch in traffic_batches(source, Times()):
            if batch.parsed:
                return
            rows += len(batch.refused)
            reasons.add(RefusalReason(quarantined.reason, 1) for quarantined in batch.refused)
    if not rows:
        return
    if other := other_format(sources[0]):
        raise FileError(f"{nothing_read(sources, rows)}: {other}")
    todo = next(
        (
            f"; to read the first, {with_all(sources, source, source.how.proposed)}"
            for source in sources
            if source.how and source.how.proposed
        ),
        "",
    )
    raise none_readable(sources, rows, reasons, ImportCommand.INGEST, todo)


def check_rows(path: str, files: Sequence[Source]) -> None:
    """Raise FileError where none of the files of a path has a row."""
    if all(next(file.rows(), None) is None for file in files):
        name = file_name(files[0]) if len(files) == 1 else path
        raise FileError(f"{name}: there are no rows in it, so nothing was taken in")


def _readable(source: Source) -> Iterator[FileRow]:
    return (row for row in source.rows() if isinstance(row, FileRow))


def _repeated(parts: Sequence[Source]) -> frozenset[int]:
    """Return the hashes that more than one row's id has."""
    hashes = array("Q")
    for source in parts:
        path = source.paths.get("id", "id")
        column = path if PLAIN.fullmatch(path) else None
        for row in source.rows(column) if path else ():
            if isinstance(row, Rejected):
                continue
            name = row.fields.get(path)
            if not isinstance(name, str):
                name = _id(row, source.paths)
            if name:
                hashes.append(hash(name) & MASK)
    sorted_hashes = np.sort(np.frombuffer(hashes, dtype=np.uint64))
    return frozenset(sorted_hashes[1:][sorted_hashes[1:] == sorted_hashes[:-1]].tolist())


def _id(row: FileRow, paths: Mapping[str, str]) -> str | None:
    try:
        return Fields(row.fields, paths).short("id")
    except InputError:
        return None


class _Seen(NamedTuple):
    """The content that an id came with first, in which file and where in it, and the systems that answered under it."""

    content: bytes
    file: str
    line: int
    systems: set[str | None]


class _Conflicts:
    """The ids that repeat with other content, and what the columns of the files tell about it."""

    def __init__(self, repeated: frozenset[int]) -> None:
        self._repeated = repeated
        self._times = Times()
        self._seen: dict[str, _Seen] = {}
        self._pairs: dict[str, tuple[tuple[str, int], tuple[str, int]]] = {}
        self._columns: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        self._rows = 0
        self.ids: set[str] = set()
        self.is_by_system = True

    def add(self, row: FileRow, source: Source) -> None:
        """Compare a row with those before it."""
        try:
            item = item_from_row(row.fields, source.paths, self._times)
        except InputError:
            return
        self._rows += 1
        for column, value in row.fields.items():
            if isinstance(value, (str, int)) and (column in self._columns or len(self._columns) < MOST_COLUMNS):
                plain = re.sub(r"[\W_]+", "", str(column).casefold())
                if NAMES_ROWS.fullmatch(plain) or TALKS.fullmatch(plain):
                    self._columns[str(column)].append(hash(value) & MASK)
        name = _id(row, source.paths)
        if name is None or hash(name) & MASK not in self._repeated:
            return
        content = encode(item).content_hash
        before = self._seen.setdefault(name, _Seen(content, source.path, row.line, set()))
        if before.content != content:
            self.ids.add(name)
            where = (before.file, before.line), (source.path, row.line)
            self._pairs.setdefault(name, where)
            self.is_by_system &= item.system is not None and item.system not in before.systems
        before.systems.add(item.system)

    def example(self) -> str:
        """Return an id that repeats, with its first two rows that differ."""
        name = min(self.ids)
        (file, first), (other, second) = self._pairs[name]
        if file == other:
            return f"{shown(name)}: rows {first:,} and {second:,}"
        return f"{shown(name)}: row {first:,} of {Path(file).name} and row {second:,} of {Path(other).name}"

    def conversation(self, without: str) -> str | None:
        """Return the column that is called like a conversation and has fewer values than rows."""
        named = (name for name in self._columns if TALKS.fullmatch(re.sub(r"[\W_]+", "", name.casefold())))
        return next((name for name in named if name != without and not self._is_unique(name)), None)

    def unique(self) -> str | None:
        """Return the column that could be the id: there in every row, with a value of its own."""
        return next((name for name in self._columns if self._is_unique(name)), None)

    def _is_unique(self, name: str) -> bool:
        values = self._columns[name]
        return len(values) == self._rows == len(set(values))


def _words(conflicts: _Conflicts, parts: Sequence[Source]) -> str:
    """Say which ids repeat and what to do in each case that it may be; which of them it is, is not guessed."""
    source = parts[0]
    column = source.paths.get("id", "id")
    count, is_one = len(conflicts.ids), len(conflicts.ids) == 1
    ids = "1 id repeats" if is_one else f"{count:,} ids repeat"
    seen = f"{'' if is_one else 'for example '}{conflicts.example()}"
    if conflicts.is_by_system:
        seen += "; each time from another system"
    unique = conflicts.unique()
    new_id = f"--map {shlex.quote(f'id={unique}')}" if unique else "--map id= to make ids from the content"
    cases = [f"where each row is an answer of its own, add {new_id}"]
    cases += _grouping(conflicts, source, column)
    cases.append("where later rows correct earlier ones, add --revisions")
    where = source.folder or file_name(source)
    start = f"{where}: {ids} with other content ({seen}), so rows would replace each other"
    return f"{start}; nothing was taken in: {'; '.join(cases)}; else mend the file"


def _grouping(conflicts: _Conflicts, source: Source, column: str) -> list[str]:
    """Say how a column that names conversations is kept as the group, where rows have none yet."""
    has_group = any(
        Fields(row.fields, source.paths).value("group") not in (None, "")
        for row in islice(_readable(source), FIRST_ROWS)
    )
    if has_group or conflicts.is_by_system:
        return []
    group = conflicts.conversation(column) or column
    return [f"where {group} names a conversation, also --map {shlex.quote(f'group={group}')}"]
