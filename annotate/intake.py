"""Plain files into the store, batch by batch: what cannot be read goes to quarantine with file, line and reason.

Each batch is one transaction, so a run that is killed has kept whole batches, and the same file again adds nothing.
"""

from __future__ import annotations

import gc
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from keyword import iskeyword
from typing import Generic, NamedTuple, TypeVar

from annotate.feedback import feedback_from_row
from annotate.fields import Fields, plain
from annotate.files import Rejected, digest, read_rows
from annotate.files.reading import KEPT_BYTES
from annotate.files.writing import FORMULA_STARTS
from annotate.labels import Annotation, annotation_from_row
from annotate.progress import Progress
from annotate.store import Store
from annotate.store.items import Added
from annotate.store.labels import Kept, Placed
from annotate.store.records import Quarantined
from annotate.store.waves import OpenDraw
from annotate.traffic import item_from_row
from proxy.errors import InputError
from proxy.records import FailureKind, JudgeFailure, Score

BATCH_ROWS = 1000
BATCH_BYTES = 8_000_000
SCORE_FIELDS = ("item_id", "judge", "value", "reason", "signature")
IMPORTED = "imported"
LABELS_EVENT = "labels import"

T = TypeVar("T")
Paths = Mapping[str, str]


class Source(NamedTuple):
    """A file to take in: where it is, its format, and where our fields lie in it."""

    path: str
    file_format: str = "auto"
    paths: Paths = {}  # noqa: RUF012 (never written)


class Parsed(NamedTuple, Generic[T]):
    """A row that was understood, with the quarantine row it would become if it could not be kept."""

    value: T
    otherwise: Quarantined

    def refused(self, reason: str) -> Quarantined:
        """The row in quarantine, with the reason."""
        return self.otherwise._replace(reason=reason)


class Batch(NamedTuple, Generic[T]):
    """Rows that were understood and rows that were not."""

    parsed: list[Parsed[T]]
    refused: list[Quarantined]


class Intake(NamedTuple):
    """What came of the rows of one file; `known` are those that quarantine held already."""

    rows: int = 0
    refused: int = 0
    known: int = 0


def batches(stage: str, source: Source, parse: Callable[[Mapping[str, object], Paths], T]) -> Iterator[Batch[T]]:
    """The rows of a file, understood or refused, in batches that bound the memory used."""
    batch: Batch[T] = Batch([], [])
    size = 0
    for row in read_rows(source.path, source.file_format):
        if isinstance(row, Rejected):
            batch.refused.append(Quarantined(stage, source.path, row.line, row.reason, row.raw))
        else:
            otherwise = Quarantined(stage, source.path, row.line, "", b"")
            try:
                batch.parsed.append(Parsed(parse(row.fields, source.paths), otherwise))
            except InputError as error:
                batch.refused.append(otherwise._replace(reason=str(error), raw=_raw(row.fields)))
            size += row.size
        if len(batch.parsed) + len(batch.refused) >= BATCH_ROWS or size > BATCH_BYTES:
            yield batch
            batch, size = Batch([], []), 0
    if batch.parsed or batch.refused:
        yield batch


def _raw(fields: Mapping[str, object]) -> bytes:
    """A refused row as JSON, as far as it can be written."""
    try:
        return json.dumps(plain(fields)).encode()[:KEPT_BYTES]
    except InputError:
        return repr(fields).encode("utf-8", "backslashreplace")[:KEPT_BYTES]


class Tally:
    """Counts rows and keeps what was refused."""

    def __init__(self, store: Store, now: str, progress: Progress) -> None:
        self._store = store
        self._now = now
        self._progress = progress
        self.intake = Intake()

    def close(self, batch: Batch[T], refused: list[Quarantined]) -> None:
        """Keep the refused rows of a batch; call inside its transaction."""
        every = batch.refused + refused
        new = self._store.quarantine.keep(every, now=self._now) if every else 0
        rows, total, known = self.intake
        size = len(batch.parsed) + len(batch.refused)
        self.intake = Intake(rows + size, total + len(every), known + len(every) - new)
        self._progress.advance(size)


def ingest(store: Store, source: Source, *, now: str) -> tuple[Intake, Added]:
    """Traffic into items."""
    added = Added()
    with _no_collections(), Progress(f"reading {source.path}") as progress:
        tally = Tally(store, now, progress)
        for batch in batches("traffic", source, item_from_row):
            with store.atomic():
                added = added.plus(store.items.add([row.value for row in batch.parsed], now=now))
                tally.close(batch, [])
    _offer(store, now)
    return tally.intake, added


def _offer(store: Store, now: str) -> None:
    """Corrections meet their items, whichever came first, and gold entries whose items were superseded are flagged."""
    with store.atomic(durable=True):
        store.gold.sweep(now=now)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Rows make no cycles, and walking them for cycles would take a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def import_feedback(store: Store, source: Source, *, now: str) -> tuple[Intake, int]:
    """Thumbs into feedback; return how many were new."""
    new = 0
    with Progress(f"reading {source.path}") as progress:
        tally = Tally(store, now, progress)
        for batch in batches("feedback", source, feedback_from_row):
            with store.atomic(durable=True):
                new += store.feedback.keep([row.value for row in batch.parsed], now=now)
                tally.close(batch, [])
    _offer(store, now)
    return tally.intake, new


def import_scores(store: Store, source: Source, *, now: str) -> tuple[Intake, int]:
    """Other tools' scores; return how many were new. A second, different value under one signature is refused."""
    new = 0
    with Progress(f"reading {source.path}") as progress:
        tally = Tally(store, now, progress)
        for batch in batches("scores", source, score_from_row):
            with store.atomic():
                known = store.items.keys([row.value.item_id for row in batch.parsed])
                refused = []
                for row in batch.parsed:
                    reason, is_new = _keep_score(store, row.value, known, now)
                    new += is_new
                    refused += [row.refused(reason)] if reason else []
                tally.close(batch, refused)
    return tally.intake, new


def score_from_row(row: Mapping[str, object], paths: Paths) -> Score | JudgeFailure:
    """The score that a row describes; an absent value is a failure, never a 0."""
    fields = Fields(row, paths)
    item_id, judge = fields.short("item_id"), fields.short("judge")
    if item_id is None or judge is None:
        raise InputError("a score must name its item_id and its judge")
    name = judge_name(judge)
    signature, reason = fields.short("signature") or f"{name}|{IMPORTED}", fields.text("reason") or ""
    value = fields.number("value")
    if value is None:
        invalid = FailureKind.INVALID
        why = reason or "the import gave no value"
        return JudgeFailure(item_id=item_id, judge=name, signature=signature, kind=invalid, reason=why)
    if not 0 <= value <= 1:
        raise InputError(f"value: a score lies in [0, 1], found {value:g}; divide by the scale's top first")
    return Score(item_id=item_id, judge=name, signature=signature, value=value, reason=reason)


def judge_name(name: str) -> str:
    """The name under which a rule can read another tool's judge: letters, digits and _, and no word of the rule's language."""
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    return name if name.isidentifier() and not iskeyword(name) else f"judge_{name}"


def _keep_score(store: Store, score: Score | JudgeFailure, known: Mapping[str, int], now: str) -> tuple[str, bool]:
    """(reason why it cannot be kept or "", whether it was new)."""
    item = known.get(score.item_id)
    if item is None:
        return f"there is no item {score.item_id}: ingest its traffic first", False
    judge = store.scores.judge_key(score.judge, score.signature)
    before = store.scores.value(item, judge)
    if before is not None:
        same = isinstance(score, JudgeFailure) or abs(before - score.value) < 1e-12
        return ("" if same else f"this signature has scored the item {before:g} before: give a new signature"), False
    if (judge, item) in store.scores.done([item], [judge]):
        if isinstance(score, JudgeFailure):
            return "", False
        store.scores.forget_failure(item, judge)
    store.scores.keep({item: [score]}, now=now)
    return "", True


def import_labels(store: Store, source: Source, *, now: str, without: Collection[str] = ()) -> tuple[Intake, Kept, int]:
    """Labels from elsewhere, but for the items in `without`; return the counts and how many went to draws.

    Whether an item's draw is open is asked once, before the first row, so that the order of the rows does not matter. For
    the same reason a file of labels is one transaction: a run that is killed has kept all of it or nothing.
    """
    kept, to_draws = Kept(), 0
    with Progress(f"reading {source.path}") as progress, store.atomic(durable=True):
        seen = digest(source.path)
        ledger = _Ledger(store, store.events.first_with_digest(LABELS_EVENT, seen) if seen else None)
        tally = Tally(store, now, progress)
        for batch in batches("labels", source, annotation_from_row):
            wanted = [row for row in batch.parsed if row.value.item_id not in without]
            known = store.items.keys([name for row in wanted for name in _names(row.value.item_id)])
            placed = [(row, ledger.place(row.value, known)) for row in wanted]
            refused = [
                row.refused(f"there is no item {row.value.item_id}: ingest its traffic first")
                for row, place in placed
                if place is None
            ]
            counts, touched = store.labels.keep([place for _, place in placed if place], now=now)
            store.gold.offer(touched, now=now)
            to_draws += sum(place is not None and place.draw is not None for _, place in placed)
            kept = Kept(*(a + b for a, b in zip(kept, counts, strict=True)))
            tally.close(batch, refused)
    return tally.intake, kept, to_draws


def _names(item_id: str) -> tuple[str, ...]:
    """The id, and what it was before a CSV export kept a spreadsheet from running it."""
    return (item_id, item_id[1:]) if item_id.startswith("'") and item_id[1:].startswith(FORMULA_STARTS) else (item_id,)


class _Ledger:
    """Which draw a label from a file answers."""

    def __init__(self, store: Store, imported_before: str | None) -> None:
        """`imported_before` is when the same file came in first: it holds no answers to what was drawn later."""
        self._labels = store.labels
        self._keys = {draw.task_key: draw for draw in store.waves.all_draws()}
        asked = [draw for draw in self._keys.values() if not imported_before or draw.drawn_at <= imported_before]
        self._all = {draw.item_id: draw for draw in asked}
        waiting = {draw.key for draw in store.waves.unanswered()}
        self._open = {draw.item_id: draw for draw in asked if draw.key in waiting}

    def place(self, annotation: Annotation, known: Mapping[str, int]) -> Placed | None:
        """The annotation with its item and draw; None where the item is not here.

        A label answers the draw that it names by key, else an open draw of its item; a later word of the same annotator on
        the same draw is a revision. Anything else is hand-picked. What the label says plays no part in this.
        """
        for name in _names(annotation.item_id):
            named = replace(annotation, item_id=name)
            if name in self._keys:
                return _answer(replace(named, item_id=self._keys[name].item_id), self._keys[name])
            drawn = self._open.get(name) or self._all.get(name)
            if drawn and (name in self._open or self._labels.knows(_answer(named, drawn).annotation)):
                return _answer(named, drawn)
            if name in known:
                return Placed(named, known[name], None)
        return None


def _answer(annotation: Annotation, draw: OpenDraw) -> Placed:
    """The annotation as an answer to this draw."""
    return Placed(replace(annotation, id=f"{annotation.id}:{draw.task_key}"), draw.item, draw.key)
