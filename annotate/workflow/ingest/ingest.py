"""Import plain files, batch by batch; what cannot be read goes to quarantine with file, line and reason.

Each batch is one transaction, so a run that is killed has kept whole batches, and the same file again adds nothing.
"""

from __future__ import annotations

import gc
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from keyword import iskeyword
from typing import NamedTuple

from annotate.domain.annotation import Annotation, annotation_from_row
from annotate.domain.feedback import Feedback
from annotate.domain.field_mapping import Fields
from annotate.domain.timestamps import Times
from annotate.files import digest
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.labels.resolution import KeptAnnotations
from annotate.store.traffic.items import Added
from annotate.traffic.feedback_rows import NoFeedback, read_feedback
from annotate.traffic.how_read import ReadingTally
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import IngestTally, Intake, Paths, Source, batches, traffic_batches
from annotate.workflow.ingest.joining import join_changed, kept
from annotate.workflow.ingest.placement import Placing, names
from annotate.workflow.ingest.repairs import TRAFFIC
from annotate.workflow.judging.rules import follow_scores
from proxy.errors import InputError
from proxy.records import FailureKind, Item, JudgeFailure, Score

SCORE_FIELDS = ("item_id", "judge", "value", "reason", "signature")
IMPORTED = "imported"
LABELS_EVENT = "labels import"


def ingest(store: Store, source: Source, *, now: str, joined: ReadingTally | None = None) -> tuple[Intake, Added]:
    """Traffic into items. What would lose data without a word is stopped before (see check.py).

    Spans are kept first, and the traces that they belong to are joined at the end of the file; `joined` counts how.
    """
    added, times = Added(), Times(now)
    with _no_collections(), ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, TRAFFIC, source, times, progress)
        for batch in traffic_batches(source, times):
            refused = tally.masking.refused(batch.parsed)
            unread = {id(row) for row, _ in refused}
            items = [row.value for row in batch.parsed if isinstance(row.value, Item) and id(row) not in unread]
            spans = [kept(row.value) for row in batch.parsed if isinstance(row.value, Span)]
            with store.atomic():
                added = added.plus(store.traffic.items.add(items, now=now))
                if spans:
                    store.traffic.spans.keep(spans, now=now)
                tally.close(batch, [quarantined for _, quarantined in refused])
        added = added.plus(join_changed(store, tally, times, joined or ReadingTally(), now=now))
    return tally.intake, added


@contextmanager
def _no_collections() -> Iterator[None]:
    """Switch garbage collection off: rows make no cycles, and looking for them would take a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class FeedbackCounts(NamedTuple):
    """How many feedback of a file was new, and how many rows hold none, by the reason."""

    new: int
    none: Mapping[NoFeedback, int]


def import_feedback(
    store: Store, source: Source, *, now: str, names: Collection[str] = ()
) -> tuple[Intake, FeedbackCounts]:
    """Import end users' feedback; `names` are those under which a tool keeps it."""
    new, none, times = 0, Counter[NoFeedback](), Times(now)
    with ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, "feedback", source, times, progress)
        for batch in batches("feedback", source, partial(read_feedback, times=times, names=names)):
            refused = tally.masking.refused(batch.parsed)
            unread = {id(row) for row, _ in refused}
            read = [vote for row in batch.parsed if id(row) not in unread for vote in row.value]
            none.update(vote for vote in read if isinstance(vote, NoFeedback))
            with store.atomic(durable=True):
                new += store.traffic.feedback.keep([vote for vote in read if isinstance(vote, Feedback)], now=now)
                tally.close(batch, [quarantined for _, quarantined in refused])
    return tally.intake, FeedbackCounts(new, none)


def import_scores(store: Store, source: Source, *, now: str) -> tuple[Intake, int]:
    """Other tools' scores; return how many were new. A second, different value under one signature is refused.

    The verdicts follow, also where the import is stopped.
    """
    try:
        return _import_scores(store, source, now=now)
    finally:
        follow_scores(store, now=now)


def _import_scores(store: Store, source: Source, *, now: str) -> tuple[Intake, int]:
    new = 0
    with ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, "scores", source, Times(now), progress)
        for batch in batches("scores", source, score_from_row):
            with store.atomic():
                known = store.traffic.items.keys([row.value.item_id for row in batch.parsed])
                refused = []
                for row in batch.parsed:
                    reason, is_new = _keep_score(store, row.value, known, now)
                    new += is_new
                    refused += [row.refused(reason)] if reason else []
                tally.close(batch, refused)
    return tally.intake, new


def score_from_row(row: Mapping[str, object], paths: Paths) -> Score | JudgeFailure:
    """Return the score that a row describes; an absent value is a failure, never a 0."""
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
    """Return a name under which a rule can read another tool's judge: letters, digits and _, no word of the rule's language."""
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    return name if name.isidentifier() and not iskeyword(name) else f"judge_{name}"


def _keep_score(store: Store, score: Score | JudgeFailure, known: Mapping[str, int], now: str) -> tuple[str, bool]:
    """Keep a score; return the reason why it cannot be kept or "", and whether it was new."""
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


class Imported(NamedTuple):
    """The result of importing a file of labels.

    `to_draws` labels answer draws, `before_draw` are hand-picked although their item was drawn: by their `at` they are older
    than the draw, and the file leaves draws of that wave out. `blank` rows of an exported file were not filled in.
    """

    intake: Intake
    kept: KeptAnnotations
    to_draws: int
    before_draw: int
    blank: int


def import_labels(store: Store, source: Source, *, now: str, without: Collection[str] = ()) -> Imported:
    """Import labels from elsewhere, but for the items in `without`.

    Which draws are open is asked once, before the first row, so that the order of the rows does not matter. For the same
    reason a file of labels is one transaction: a run that is killed has kept all of it or nothing.
    """
    totals, to_draws, before_draw, blank, times = KeptAnnotations(), 0, 0, 0, Times(now)
    with ProgressCounter(f"reading {source.path}") as progress, store.atomic(durable=True):
        file_digest = digest(source.path)
        placing = Placing(
            store, store.audit.events.first_with_digest(LABELS_EVENT, file_digest) if file_digest else None
        )
        if file_digest:  # a file, which can be read twice
            placing.read_ahead(
                parsed.value for batch in batches("labels", source, _label_from_row) for parsed in batch.parsed
            )
        tally = IngestTally(store, "labels", source, times, progress)
        for batch in batches("labels", source, partial(_label_from_row, times=times)):
            filled = [(row, row.value) for row in batch.parsed if row.value is not None]
            blank += len(batch.parsed) - len(filled)
            chosen = [(row, annotation) for row, annotation in filled if annotation.item_id not in without]
            known = store.traffic.items.keys([name for _, annotation in chosen for name in names(annotation.item_id)])
            placed = [(row, annotation, placing.place(annotation, known)) for row, annotation in chosen]
            refused = [
                row.refused(f"there is no item {annotation.item_id}: ingest its traffic first")
                for row, annotation, place in placed
                if place is None
            ]
            places = [place for _, _, place in placed if place is not None]
            counts = store.labels.keep(places, now=now)
            to_draws += sum(place.draw is not None for place in places)
            before_draw += sum(map(placing.is_older, places))
            totals = KeptAnnotations(*(a + b for a, b in zip(totals, counts, strict=True)))
            tally.close(batch, refused)
    return Imported(tally.intake, totals, to_draws, before_draw, blank)


def _label_from_row(row: Mapping[str, object], paths: Paths, times: Times | None = None) -> Annotation | None:
    """Return the annotation that a row describes; None for a row of `assay draws export` that nobody has filled in."""
    fields = Fields(row, paths)
    is_exported = all(row.get(name) for name in ("question", "answer"))
    values = [fields.value(name) for name in ("label", "reference", "causes", "harm", "rationale")]
    if is_exported and all(value is None or value == "" for value in values):
        return None
    return annotation_from_row(row, paths, times)
