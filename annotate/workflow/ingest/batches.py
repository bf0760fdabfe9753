"""Read a file as batches of understood and refused rows, and keep count of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from annotate.domain.field_mapping import plain
from annotate.domain.reasons import Reasons, RefusalReason, together
from annotate.domain.timestamps import NO_NUMBER, Dropped, Times
from annotate.files import KEPT_BYTES, FileRow, Rejected, read_rows
from annotate.files.writing import from_cell
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.workflow.ingest.repairs import Repairs
from proxy.errors import InputError

BATCH_ROWS = 1000
BATCH_BYTES = 8_000_000

# What we export ourselves, with cells that spreadsheets must not run.
RETURNING = ("scores", "labels", "gold")

T = TypeVar("T")
Paths = Mapping[str, str]


class Source(NamedTuple):
    """A file to take in: where it is, its format, and where our fields lie in it; `stream` where it is open already.

    `partition` are columns that the names of its folders give.
    """

    path: str
    file_format: str = "auto"
    paths: Paths = {}  # noqa: RUF012 (never written)
    stream: io.BufferedReader | None = None
    partition: Mapping[str, str] = {}

    def rows(self, column: str | None = None) -> Iterator[FileRow | Rejected]:
        """Yield the rows from the first on; with `column` they need hold no other one."""
        if self.stream is not None:
            self.stream.seek(0)
        return read_rows(self.path, self.file_format, self.stream, column, self.partition)


class Parsed(NamedTuple, Generic[T]):
    """A row that was understood, with the quarantine row it would become if it could not be kept."""

    value: T
    otherwise: Quarantined

    def refused(self, reason: str) -> Quarantined:
        """Return the row in quarantine, with the reason."""
        return self.otherwise._replace(reason=reason)


class Batch(NamedTuple, Generic[T]):
    """Rows that were understood and rows that were not."""

    parsed: list[Parsed[T]]
    refused: list[Quarantined]


class Intake(NamedTuple):
    """The counts of what became of the rows of a file.

    `known` are refused rows that quarantine held already, `repaired` rows of quarantine that were understood this time,
    `dropped` times that rows were kept without, and scores that passages were.
    """

    rows: int = 0
    refused: int = 0
    known: int = 0
    repaired: int = 0
    reasons: tuple[RefusalReason, ...] = ()
    dropped: tuple[Dropped, ...] = ()

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
            repaired=self.repaired + other.repaired,
            reasons=together(self.reasons, other.reasons),
            dropped=tuple(by_reason.values()),
        )


def batches(stage: str, source: Source, parse: Callable[[Mapping[str, object], Paths], T]) -> Iterator[Batch[T]]:
    """Yield the rows of a file, understood or refused, in batches that bound the memory used."""
    batch: Batch[T] = Batch([], [])
    size = 0
    for row in source.rows():
        if isinstance(row, Rejected):
            batch.refused.append(Quarantined(stage, source.path, row.line, row.reason, row.raw))
        else:
            otherwise = Quarantined(stage, source.path, row.line, "", b"")
            try:
                batch.parsed.append(Parsed(parse(_as_exported(row, stage), source.paths), otherwise))
            except InputError as error:
                batch.refused.append(otherwise._replace(reason=str(error), raw=_raw(row.fields)))
            size += row.size
        if len(batch.parsed) + len(batch.refused) >= BATCH_ROWS or size > BATCH_BYTES:
            yield batch
            batch, size = Batch([], []), 0
    if batch.parsed or batch.refused:
        yield batch


def _as_exported(row: FileRow, stage: str) -> Mapping[str, object]:
    """Return the fields; cells of what we export ourselves without the quote that keeps a spreadsheet from running them."""
    if not row.is_cells or stage not in RETURNING:
        return row.fields
    return {name: from_cell(cell) if isinstance(cell, str) else cell for name, cell in row.fields.items()}


def _raw(fields: Mapping[str, object]) -> bytes:
    """Return a refused row as JSON, as far as it can be written."""
    try:
        return json.dumps(plain(fields)).encode()[:KEPT_BYTES]
    except InputError:
        return repr(fields).encode("utf-8", "backslashreplace")[:KEPT_BYTES]


class IngestTally:
    """Count rows, keep what was refused, and resolve what quarantine held and is understood now."""

    def __init__(self, store: Store, stage: str, source: Source, times: Times, progress: ProgressCounter) -> None:
        self._store = store
        self._times = times
        self._progress = progress
        self._repairs = Repairs(store, stage, source.path, source.paths)
        self._reasons = Reasons()
        self._counts = Intake()

    @property
    def intake(self) -> Intake:
        """The counts of the rows so far."""
        return self._counts._replace(reasons=self._reasons.counted, dropped=self._times.dropped)

    def close(self, batch: Batch[T], refused: list[Quarantined]) -> None:
        """Keep the refused rows of a batch, `refused` among those that were understood; call inside its transaction."""
        refusals = batch.refused + refused
        now = self._times.now
        new = self._store.traffic.quarantine.keep(refusals, now=now) if refusals else 0
        self._reasons.add(RefusalReason(quarantined.reason, 1) for quarantined in refusals)
        self._repairs.refuse(quarantined.line for quarantined in refusals)
        odd = {quarantined.line for quarantined in refused}
        fine = ((row.otherwise.line, row.value) for row in batch.parsed if row.otherwise.line not in odd)
        repaired = self._repairs.resolve(fine, now=now)
        size = len(batch.parsed) + len(batch.refused)
        self._counts = self._counts.plus(Intake(size, len(refusals), len(refusals) - new, repaired))
        self._progress.advance(size)
