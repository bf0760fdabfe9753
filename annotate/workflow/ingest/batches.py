"""Read a file as batches of understood and refused rows, and keep count of them."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from annotate.domain.field_mapping import Fields, plain, without_option
from annotate.domain.reasons import Reasons, RefusalReason, together
from annotate.domain.timestamps import NO_NUMBER, DateOrder, Dropped, Times
from annotate.files import AUTO, KEPT_BYTES, FileRow, GuessedEncoding, GuessedFile, Rejected, read_rows
from annotate.files.json_cells import JsonCells, JsonColumns, out_of_json
from annotate.files.writing import from_cell
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.traffic.formats import NAMES, OWN_TITLE, SOURCE_FORMATS
from annotate.traffic.how_read import HowRead
from annotate.traffic.nested_texts import unquoted
from annotate.traffic.rows import TEXTS, is_number, item_from_row, numbers_as_texts
from annotate.traffic.source_format import Evaluation, NoAnswer, SourceFormat, TrafficRow, Unanswered, Unread
from annotate.traffic.spans import Span
from annotate.traffic.wrappers import rows_within
from annotate.workflow.ingest.masking import MaskingCounts, MaskingTally
from annotate.workflow.ingest.repairs import NOWHERE, TRAFFIC, Repairs
from proxy.errors import InputError
from proxy.records import Item

# One transaction: the index of ids is written anew with each, at its random places.
BATCH_ROWS = 2000
BATCH_BYTES = 8_000_000
BATCHES_AT_ONCE = 8

# What we export ourselves, with cells that spreadsheets must not run.
RETURNING = ("scores", "labels", "gold")

# The path of a source that is a frame.
FRAME = "DataFrame"

T = TypeVar("T")
U = TypeVar("U")
Paths = Mapping[str, str]


class Source(NamedTuple):
    """A file to take in: where it is, its format, and where our fields lie in it; `stream` where it is open already.

    `source_format` is the tool that wrote it, None for our own rows; `source_paths` say where our fields lie in its raw rows,
    and `paths` where they lie in what `rows` gives. `most` rows are read, None for all; `how` is what recognition found (see
    recognition.py). `partition` are columns that the names of its folders give. `guessed` is why its `encoding` is none that the
    user or a byte order mark tells; `date_order` is that of day and month, where the user says it. `json` are the columns whose
    cells are texts written as JSON (see json_cells.py), `quoted` the paths of the user to such texts within rows.
    """

    path: str
    file_format: str = "auto"
    paths: Paths = {}  # noqa: RUF012 (never written)
    stream: io.BufferedReader | None = None
    source_format: SourceFormat | None = None
    source_paths: Paths = {}  # noqa: RUF012 (never written)
    most: int | None = None
    how: HowRead | None = None
    partition: Mapping[str, str] = {}
    folder: str | None = None
    encoding: str = AUTO
    guessed: GuessedEncoding | None = None
    date_order: DateOrder | None = None
    json: JsonColumns = JsonColumns()
    quoted: tuple[str, ...] = ()

    @property
    def has_spans(self) -> bool:
        """Whether its rows are spans."""
        return self.source_format is not None and self.source_format.has_spans

    def rows(self, column: str | None = None) -> Iterator[FileRow | Rejected]:
        """Yield the rows from the first on, in our names; with `column` they need hold no other one."""
        if self.source_format is None:
            return self.raw_rows(column)
        return self._in_our_names(self.source_format)

    def raw_rows(self, column: str | None = None) -> Iterator[FileRow | Rejected]:
        """Yield the rows as the file has them; those of a page that an API answered, one by one."""
        if self.stream is not None:
            self.stream.seek(0)
        container = "auto" if self.file_format in NAMES else self.file_format
        rows = read_rows(self.path, container, self.stream, column, self.partition, self.encoding)
        if self.json.columns:
            rows = out_of_json(rows, self.json.columns)
        plain_rows = map(self._with_texts, _unwrapped(rows))
        return islice(map(self._unquoted, plain_rows) if self.quoted else plain_rows, self.most)

    def _unquoted(self, row: FileRow | Rejected) -> FileRow | Rejected:
        return row if isinstance(row, Rejected) else row._replace(fields=unquoted(row.fields, self.quoted))

    def _with_texts(self, row: FileRow | Rejected) -> FileRow | Rejected:
        """Return a row of a table with the numbers in columns of texts as texts."""
        if isinstance(row, Rejected) or not row.is_table or not any(map(is_number, row.fields.values())):
            return row
        try:
            columns = self._columns_of_texts(row)
        except InputError:
            return row
        return row._replace(fields=numbers_as_texts(row.fields, columns, row.shown))

    def _columns_of_texts(self, row: FileRow) -> Mapping[str, str]:
        """Return the columns that question, answer and reference are read from."""
        if self.source_format is None:
            fields = Fields(row.fields, self.paths)
            return {name: self.paths.get(name) or fields.column(name) for name in TEXTS}
        readings = (reading for reading in self.source_format.read(row.fields, self.source_paths))
        origins = [reading.origins for reading in readings if isinstance(reading, TrafficRow)]
        return {name: origin[name].path for origin in origins for name in TEXTS if name in origin}

    def _in_our_names(self, source_format: SourceFormat) -> Iterator[FileRow | Rejected]:
        for row in self.raw_rows():
            if isinstance(row, Rejected):
                yield row
                continue
            try:
                for reading in source_format.read(row.fields, self.source_paths):
                    if isinstance(reading, TrafficRow):
                        yield FileRow(row.line, reading.fields, row.size)
            except InputError:
                continue


def _unwrapped(rows: Iterable[FileRow | Rejected]) -> Iterator[FileRow | Rejected]:
    elements = 0
    for row in rows:
        inner = None if isinstance(row, Rejected) else rows_within(row.fields)
        if inner is None or isinstance(row, Rejected):
            yield row
        else:
            for number, fields in enumerate(inner, start=elements + 1):
                yield FileRow(number, fields, row.size // len(inner), is_element=True)
            elements += len(inner)


class Parsed(NamedTuple, Generic[T]):
    """A row that was understood, with what it says; `stage` and `path` are what it was read for, and the file."""

    value: T
    row: FileRow
    stage: str
    path: str

    def with_value(self, value: U) -> Parsed[U]:
        """Return the row understood as something else."""
        return Parsed(value, self.row, self.stage, self.path)

    def refused(self, reason: str) -> Quarantined:
        """Return the row in quarantine, with the reason and what it held."""
        return Quarantined(self.stage, self.path, self.row.line, self.row.reason(reason), raw_of(self.row.fields))


class Batch(NamedTuple, Generic[T]):
    """Rows that were understood and rows that were not, and how many rows of the file these are: a row may hold several."""

    parsed: list[Parsed[T]]
    refused: list[Quarantined]
    rows: int


class Intake(NamedTuple):
    """The counts of what became of the rows of a file.

    `known` are refused rows that quarantine held already, `dismissed` those beside them that somebody does not want, `repaired`
    rows of quarantine that were understood this time, `dropped` times that rows were kept without, and scores that passages
    were. `replaced` counts what redaction replaces in what was read; None where it is off. `guessed` are files whose encoding
    was guessed, `json_cells` those with texts written as JSON; `unanswered` counts logged calls that are no answers, by the
    reason. `outranked` spans say something else than the state of the same span that stays.
    """

    rows: int = 0
    refused: int = 0
    known: int = 0
    repaired: int = 0
    reasons: tuple[RefusalReason, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    replaced: MaskingCounts | None = None
    guessed: tuple[GuessedFile, ...] = ()
    json_cells: tuple[JsonCells, ...] = ()
    unanswered: Mapping[NoAnswer, int] = {}
    dismissed: int = 0
    outranked: int = 0

    @property
    def times_dropped(self) -> tuple[Dropped, ...]:
        """Counts of dropped times."""
        return tuple(dropped for dropped in self.dropped if dropped.reason != NO_NUMBER)

    @property
    def scores_dropped(self) -> Dropped | None:
        """Count of scores of passages that are no numbers."""
        return next((dropped for dropped in self.dropped if dropped.reason == NO_NUMBER), None)

    def plus(self, other: Intake) -> Intake:
        """Add the counts of another intake."""
        by_reason = {dropped.reason: dropped for dropped in self.dropped}
        for dropped in other.dropped:
            before = by_reason.get(dropped.reason)
            by_reason[dropped.reason] = dropped if before is None else before._replace(rows=before.rows + dropped.rows)
        return Intake(
            rows=self.rows + other.rows,
            refused=self.refused + other.refused,
            known=self.known + other.known,
            dismissed=self.dismissed + other.dismissed,
            repaired=self.repaired + other.repaired,
            reasons=together(self.reasons, other.reasons),
            dropped=tuple(by_reason.values()),
            replaced=other.replaced if self.replaced is None else self.replaced.plus(other.replaced),
            guessed=(*self.guessed, *other.guessed),
            json_cells=(*self.json_cells, *other.json_cells),
            unanswered=Counter(self.unanswered) + Counter(other.unanswered),
            outranked=self.outranked + other.outranked,
        )


def batches(
    stage: str, source: Source, parse: Callable[[Mapping[str, object], Paths], T], *, as_written: bool = False
) -> Iterator[Batch[T]]:
    """Yield the rows of a file, understood or refused, in batches that bound the memory used.

    `as_written` is for files that are no export of ours.
    """
    return _batches(
        stage, source, lambda row: (parse(row.fields if as_written else _as_exported(row, stage), source.paths),)
    )


def traffic_batches(source: Source, times: Times) -> Iterator[Batch[Item | Span | Evaluation | Unanswered]]:
    """Yield the answers or spans that the rows of a file hold; a row of some formats holds several."""
    source_format, paths = source.source_format, source.source_paths

    def read(row: FileRow) -> Iterable[Item | Span | Unread | Evaluation | Unanswered]:
        if source_format is not None:
            return read_as(source_format, row)
        try:
            return (item_from_row(row.fields, source.paths, times),)
        except InputError as error:
            raise InputError(_of_other_format(str(error), row, None)) from error

    def read_as(source_format: SourceFormat, row: FileRow) -> Iterator[Item | Span | Unread | Evaluation | Unanswered]:
        try:
            for reading in source_format.read(row.fields, paths):
                yield read_answer(source_format, row, reading.fields) if isinstance(reading, TrafficRow) else reading
        except InputError as error:
            raise InputError(_of_other_format(str(error), row, source_format)) from error

    def read_answer(source_format: SourceFormat, row: FileRow, fields: Mapping[str, object]) -> Item | Unread:
        try:
            return item_from_row(fields, source.paths, times)
        except InputError as error:
            return Unread(_of_other_format(str(error), row, source_format), row.fields)

    return _batches(TRAFFIC, source, read)


def at_once(batches: Iterable[Batch[T]], most_rows: int) -> Iterator[Batch[T]]:
    """Yield several batches as one, up to so many rows and BATCHES_AT_ONCE batches; where that is less, each as it is."""
    joined = list[Batch[T]]()
    for batch in batches:
        joined.append(batch)
        if sum(part.rows for part in joined) >= most_rows or len(joined) == BATCHES_AT_ONCE:
            yield _joined(joined)
            joined = []
    if joined:
        yield _joined(joined)


def _joined(batches: Sequence[Batch[T]]) -> Batch[T]:
    if len(batches) == 1:
        return batches[0]
    return Batch(
        [parsed for batch in batches for parsed in batch.parsed],
        [refused for batch in batches for refused in batch.refused],
        sum(batch.rows for batch in batches),
    )


def _of_other_format(reason: str, row: FileRow, source_format: SourceFormat | None) -> str:
    """Return why a row was refused; where it is of another format than the file, say so in place of an option for all rows."""
    other = next((other for other in SOURCE_FORMATS if other.recognises(row.fields)), None)
    is_own = other is None and source_format is not None and {"question", "answer"} <= row.fields.keys()
    if (other is None and not is_own) or other is source_format:
        return reason
    title = OWN_TITLE if other is None else other.title
    return f"{without_option(reason)}; the row looks like {title}: bring such rows in as a file of their own"


def _batches(stage: str, source: Source, read: Callable[[FileRow], Iterable[T | Unread]]) -> Iterator[Batch[T]]:
    parsed: list[Parsed[T]] = []
    refused: list[Quarantined] = []
    rows = size = 0
    for row in source.raw_rows():
        rows += 1
        if isinstance(row, Rejected):
            refused.append(Quarantined(stage, source.path, row.line, row.reason, row.raw))
        else:
            try:
                for value in read(row):
                    if isinstance(value, Unread):
                        part = Parsed(None, row, stage, source.path).refused(value.reason)
                        refused.append(part._replace(raw=raw_of(value.fields)))
                    else:
                        parsed.append(Parsed(value, row, stage, source.path))
            except InputError as error:
                refused.append(Parsed(None, row, stage, source.path).refused(str(error)))
            except RecursionError:
                refused.append(Parsed(None, row, stage, source.path).refused("nested too deeply"))
            size += row.size
        if len(parsed) + len(refused) >= BATCH_ROWS or size > BATCH_BYTES:
            yield Batch(parsed, refused, rows)
            parsed, refused, rows, size = [], [], 0, 0
    if rows:
        yield Batch(parsed, refused, rows)


def _as_exported(row: FileRow, stage: str) -> Mapping[str, object]:
    """Return the fields; cells of what we export ourselves without the quote that keeps a spreadsheet from running them."""
    if not row.is_cells or stage not in RETURNING:
        return row.fields
    return {name: from_cell(cell) if isinstance(cell, str) else cell for name, cell in row.fields.items()}


def raw_of(fields: Mapping[str, object]) -> bytes:
    """Return a refused row as JSON, as far as it can be written."""
    try:
        return json.dumps(plain(fields)).encode()[:KEPT_BYTES]
    except InputError:
        return repr(fields).encode("utf-8", "backslashreplace")[:KEPT_BYTES]


def file_name(source: Source) -> str:
    """Return how a file is called on the screen."""
    return "standard input" if source.path == "-" else Path(source.path).name


def _guessed(source: Source) -> tuple[GuessedFile, ...]:
    return (GuessedFile(file_name(source), *source.guessed),) if source.guessed else ()


def _json_cells(source: Source) -> tuple[JsonCells, ...]:
    return (JsonCells(file_name(source), *source.json),) if any(source.json) else ()


class IngestTally:
    """Count rows, keep what was refused, and resolve what quarantine held and is understood now."""

    def __init__(self, store: Store, stage: str, source: Source, times: Times, progress: ProgressCounter) -> None:
        self._store = store
        self._times = times
        self._progress = progress
        self._path = source.path
        self._repairs = Repairs(store, stage, source.path, source.source_paths or source.paths)
        self._reasons = Reasons()
        self._counts = Intake(guessed=_guessed(source), json_cells=_json_cells(source))
        self.masking = MaskingTally()
        self.outranked = 0

    @property
    def intake(self) -> Intake:
        """The counts of the rows so far."""
        dropped, replaced = self._times.dropped, self.masking.replaced
        return self._counts._replace(
            reasons=self._reasons.counted,
            dropped=dropped,
            replaced=replaced,
            repaired=self._repairs.count,
            outranked=self.outranked,
        )

    def close(self, batch: Batch[T], refused: list[Quarantined]) -> None:
        """Keep the refused rows of a batch, `refused` among those that were understood; call inside its transaction."""
        every, now = batch.refused + refused, self._times.now
        refusals = self._store.traffic.quarantine.wanted(every)
        new = self._store.traffic.quarantine.keep(refusals, now=now) if refusals else 0
        self._reasons.add(RefusalReason(quarantined.reason, 1) for quarantined in refusals)
        self._repairs.refuse(every)
        odd = {quarantined.line for quarantined in refused}
        fine = (
            (parsed.row.line, parsed.value, parsed.row.fields) for parsed in batch.parsed if parsed.row.line not in odd
        )
        self._repairs.resolve(fine, now=now)
        unanswered = Counter(row.value.why for row in batch.parsed if isinstance(row.value, Unanswered))
        counts = Intake(
            rows=batch.rows,
            refused=len(refusals),
            known=len(refusals) - new,
            dismissed=len(every) - len(refusals),
            unanswered=unanswered,
        )
        self._counts = self._counts.plus(counts)
        self._progress.advance(batch.rows)

    def close_traces(self, items: Sequence[Item], refused: Sequence[tuple[str, str]]) -> None:
        """Keep the traces that are no answers, each with its reason, and resolve those that are now; in a transaction."""
        now = self._times.now
        raws = [(reason, json.dumps({"id": trace}).encode()) for trace, reason in refused]
        every = [Quarantined(TRAFFIC, self._path, 0, reason, raw) for reason, raw in raws]
        rows = self._store.traffic.quarantine.wanted(every)
        new = self._store.traffic.quarantine.keep(rows, now=now) if rows else 0
        self._reasons.add(RefusalReason(row.reason, 1) for row in rows)
        self._repairs.refuse(every)
        self._repairs.resolve(((NOWHERE, item, {}) for item in items), now=now)
        counts = Intake(refused=len(rows), known=len(rows) - new, dismissed=len(every) - len(rows))
        self._counts = self._counts.plus(counts)
