"""Import plain files, batch by batch; what cannot be read goes to quarantine with file, line and reason.

Each batch is one transaction, so a run that is killed has kept whole batches, and the same file again adds nothing.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from annotate.domain.annotation import Annotation, is_unsure_correction
from annotate.domain.feedback import Feedback
from annotate.domain.field_mapping import paths_in, without_split
from annotate.domain.judge_names import JudgeNames
from annotate.domain.passage_relevance import too_many_marks
from annotate.domain.timestamps import Times, shown
from annotate.domain.tool_score import ScoreScale, ToolScore
from annotate.files import FileRow, digest
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.labels.resolution import KeptAnnotations, PlacedAnnotation
from annotate.store.traffic.items import Added
from annotate.traffic.evaluations import NoScore
from annotate.traffic.feedback_rows import NoFeedback
from annotate.traffic.how_read import ReadingTally
from annotate.traffic.near_names import FIRST_ROWS
from annotate.traffic.source_format import Evaluation, Row
from annotate.traffic.spans import Span
from annotate.traffic.wide_scores import (
    ColumnKind,
    WideRow,
    WideTable,
    is_wide,
    of_one_judge,
    read_wide,
    wide_table,
)
from annotate.workflow.ingest.batches import (
    Batch,
    IngestTally,
    Intake,
    Source,
    at_once,
    batches,
    file_name,
    traffic_batches,
)
from annotate.workflow.ingest.dates import date_order
from annotate.workflow.ingest.field_readers import field_readers
from annotate.workflow.ingest.joining import join_changed, keep_spans
from annotate.workflow.ingest.kept_scores import keep_scores
from annotate.workflow.ingest.known_judges import known_judges
from annotate.workflow.ingest.placement import Placing, names
from annotate.workflow.ingest.question_answers import REASON, QuestionAnswers
from annotate.workflow.ingest.recognition import recognise
from annotate.workflow.ingest.repairs import TRAFFIC
from annotate.workflow.ingest.row_readers import (
    IMPORTED,
    OwnScore,
    failed_score,
    label_batches,
    read_scores,
    read_votes,
    vote_batches,
    words_of,
)
from annotate.workflow.ingest.score_content import content_paths, place
from annotate.workflow.ingest.tool_scores import ToolTally, keep, keep_evaluations, settle
from annotate.workflow.ingest.unreadable import ImportCommand, check_any
from annotate.workflow.judging.rules import follow_imported
from proxy.errors import FileError
from proxy.records import Item, JudgeFailure, Judgement

MOST_PROPOSED = 5
LOOKS = {
    ColumnKind.SCORE: "a score",
    ColumnKind.LOW_IS_GOOD: "a score of which low is good",
    ColumnKind.SCORE_OR_LABEL: "a judge's score or an annotator's label",
    ColumnKind.LABEL: "an annotator's label",
    ColumnKind.FEEDBACK: "a user's feedback",
}
LABELS_EVENT = "labels import"


def ingest(
    store: Store,
    source: Source,
    *,
    now: str,
    joined: ReadingTally | None = None,
    evaluated: ToolTally | None = None,
    joins: bool = True,
    revisions: bool = False,
) -> tuple[Intake, Added]:
    """Traffic into items. What would lose data without a word is stopped before (see check.py).

    Spans are kept first, and the traces that they belong to are joined at the end of the file. `joined` counts how, and what
    answers lack. What other tools evaluated beside them is kept as feedback or as scores; `evaluated` counts it. Without `joins`
    more of the traces is to come. With `revisions` spans take the place of those that are here, whatever ended later.
    """
    times, questions = Times(now, date_order(source, "timestamp")), QuestionAnswers(store)
    added, evaluated, joined = Added(), evaluated or ToolTally(), joined or ReadingTally()
    since = store.traffic.items.last_key()
    with _no_collections(), ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, TRAFFIC, source, times, progress)
        for batch in at_once(traffic_batches(source, times), store.traffic.items.rows_at_once):
            refused = tally.masking.refused(batch.parsed)
            unread = {id(row) for row, _ in refused}
            items, spans, evaluations = list[Item](), list[Span](), list[Row]()
            for row in batch.parsed:
                value = row.value
                if isinstance(value, Item):
                    if unread and id(row) in unread:
                        continue
                    if questions.is_answer(value):
                        refused.append((row, row.refused(REASON)))
                    else:
                        items.append(value)
                elif isinstance(value, Span):
                    spans.append(value)
                elif isinstance(value, Evaluation):
                    evaluations.append(value.row)
            with store.atomic():
                readers = field_readers(store)
                added = added.plus(store.traffic.items.add(items, now=now, readers=readers, since=since))
                joined.add_items(items)
                if spans:
                    tally.outranked += keep_spans(store, spans, now=now, corrects=revisions).outranked
                if evaluations:
                    keep_evaluations(store, evaluations, evaluated, origin=source.path, now=now)
                tally.close(batch, [quarantined for _, quarantined in refused])
        if joins:
            added = added.plus(join_changed(store, tally, times, joined, now=now))
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
    new, none, times = 0, Counter[NoFeedback](), Times(now, date_order(source, "at"))
    with ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, "feedback", source, times, progress)
        for batch in vote_batches(store, source, partial(read_votes, times=times, names=names)):
            refused = tally.masking.refused(batch.parsed)
            unread = {id(row) for row, _ in refused}
            read = [vote for row in batch.parsed if id(row) not in unread for vote in row.value]
            none.update(vote for vote in read if isinstance(vote, NoFeedback))
            with store.atomic(durable=True):
                new += store.traffic.feedback.keep([vote for vote in read if isinstance(vote, Feedback)], now=now)
                tally.close(batch, [quarantined for _, quarantined in refused])
    return tally.intake, FeedbackCounts(new, none)


class ScoreCounts(NamedTuple):
    """How many scores of a file were new, how many rows of tools hold none, by the reason, and how a table was read.

    `failed` of the new are failures, cells without a value. `read_as` are names of judges that were read as those of known ones.
    """

    new: int
    none: Mapping[NoScore, int]
    failed: int = 0
    table: WideTable = WideTable()
    read_as: Mapping[str, str] = {}


def import_scores(
    store: Store, source: Source, *, now: str, scales: Mapping[str, ScoreScale] | None = None
) -> tuple[Intake, ScoreCounts]:
    """Other tools' scores; a second, different value under one signature is refused.

    The verdicts follow, also where the import is stopped.
    """
    try:
        intake, counts = _import_scores(store, source, now=now, scales=scales or {})
    finally:
        follow_imported(store, now=now)
    return intake, counts._replace(new=counts.new + settle(store, now=now, scales=scales).new)


def _import_scores(
    store: Store, source: Source, *, now: str, scales: Mapping[str, ScoreScale]
) -> tuple[Intake, ScoreCounts]:
    new, failed, none = 0, 0, Counter[NoScore]()
    names = known_judges(store)
    wide = _Wide.of(store, source, names, {*scales, *store.scores.of_tools.scales()})

    def read() -> Iterator[Batch[tuple[OwnScore | ToolScore | NoScore, ...]]]:
        return _long_batches(store, source, names) if wide is None else wide.batches()

    check_any(ImportCommand.SCORES, source, read())
    with ProgressCounter(f"reading {source.path}") as progress:
        tally = IngestTally(store, "scores", source, Times(now), progress)
        for batch in read():
            with store.atomic():
                own = [(row, score) for row in batch.parsed for score in row.value if isinstance(score, OwnScore)]
                known = store.traffic.items.keys([score.item_id for _, score in own])
                refused = []
                results = keep_scores(store, [score for _, score in own], known, now)
                for (row, score), (reason, is_new) in zip(own, results, strict=True):
                    new += is_new
                    failed += is_new and isinstance(score, JudgeFailure)
                    refused += [row.refused(reason)] if reason else []
                others = [score for row in batch.parsed for score in row.value]
                keep(store, [score for score in others if isinstance(score, ToolScore)], now=now)
                none.update(score for score in others if isinstance(score, NoScore))
                tally.close(batch, refused)
    return tally.intake, ScoreCounts(new, none, failed, wide.table if wide else WideTable(), names.read_as)


def _long_batches(
    store: Store, source: Source, names: JudgeNames
) -> Iterator[Batch[tuple[OwnScore | ToolScore | NoScore, ...]]]:
    """Yield what the rows of a file with a row a score hold; one that repeats its answer gets the id of it."""
    for batch in batches("scores", source, partial(read_scores, judge_of=names.name)):
        contents = {
            number: row.value.content for number, row in enumerate(batch.parsed) if row.value.content is not None
        }
        item_ids, refused = place(store, contents, waits=False)
        yield Batch(
            [
                row.with_value(_of_item(row.value.scores, item_ids.get(number)))
                for number, row in enumerate(batch.parsed)
                if number not in refused
            ],
            [*batch.refused, *(batch.parsed[number].refused(reason) for number, reason in refused.items())],
            batch.rows,
        )


def _of_item(
    scores: tuple[OwnScore | ToolScore | NoScore, ...], item_id: str | None
) -> tuple[OwnScore | ToolScore | NoScore, ...]:
    if item_id is None:
        return scores
    return tuple(replace(score, item_id=item_id) if isinstance(score, OwnScore) else score for score in scores)


class _Wide(NamedTuple):
    """A file with a column a judge: which columns these are, and how the traffic that it repeats is read."""

    store: Store
    source: Source
    traffic: Source
    table: WideTable
    names: JudgeNames

    @classmethod
    def of(cls, store: Store, source: Source, names: JudgeNames, scaled: Collection[str]) -> _Wide | None:
        """Return how the file is read; None for one with a row a score."""
        if not is_wide((row.fields for row in islice(_rows(source), FIRST_ROWS)), source.paths):
            return None
        traffic = recognise(source._replace(paths=content_paths(source.paths)))
        origins = traffic.how.fields if traffic.how else ()
        mapped = {part.split(".")[0] for path in source.paths.values() for part in paths_in(path)}
        claimed = {field.origin.path for field in origins} | mapped | set(map(without_split, source.paths.values()))
        table = wide_table((row.fields for row in _rows(source)), scaled, claimed)
        if table.proposed and not table.judges:
            raise FileError(_no_judges(source, table))
        if alike := of_one_judge(table.judges):
            columns = " and ".join(map(shown, alike))
            raise FileError(f"{file_name(source)}: the columns {columns} name one judge: rename one, or leave it out")
        return cls(store, source, traffic, table, names) if table.judges else None

    def batches(self) -> Iterator[Batch[tuple[OwnScore | ToolScore | NoScore, ...]]]:
        """Yield what the rows score; a score of an answer that is not here waits, an empty cell of one counts as none."""
        own = self.traffic.source_paths or self.traffic.paths
        own = {**own, "id": ""} if content_paths(self.source.paths) else own
        parse = partial(
            read_wide,
            table=self.table,
            source_format=self.traffic.source_format,
            own=own,
            judge_of=self.names.name,
        )
        for batch in batches("scores", self.source, lambda row, paths: parse(row, paths=paths), as_written=True):
            rows = batch.parsed
            known = self.store.traffic.items.keys([name for row in rows for name in row.value.item_ids])
            contents = {
                number: row.value.content
                for number, row in enumerate(rows)
                if row.value.content is not None and known.keys().isdisjoint(row.value.item_ids)
            }
            item_ids, refused = place(self.store, contents, waits=not content_paths(self.source.paths))
            known |= self.store.traffic.items.keys(list(item_ids.values()))
            named = {
                number: item_ids.get(number) or next((name for name in row.value.item_ids if name in known), None)
                for number, row in enumerate(rows)
            }
            yield Batch(
                [
                    row.with_value(_scores_of(row.value, named[number]))
                    for number, row in enumerate(rows)
                    if number not in refused
                ],
                [*batch.refused, *(rows[number].refused(reason) for number, reason in refused.items())],
                batch.rows,
            )


def _no_judges(source: Source, table: WideTable) -> str:
    """Say what the columns may hold, and what would take them in."""
    ways = [
        f"{shown(column.column)} looks like {LOOKS[column.kind]}: {' or '.join(f'`{option}`' for option in column.options)}"
        for column in table.proposed[:MOST_PROPOSED]
    ]
    if left := len(table.proposed) - len(ways):
        ways.append(f"and {left:,} more")
    return f"{file_name(source)}: no column is called like a known score, so nothing was taken in; {'; '.join(ways)}"


def _rows(source: Source) -> Iterator[FileRow]:
    return (row for row in source.raw_rows() if isinstance(row, FileRow))


def _scores_of(row: WideRow, known: str | None) -> tuple[OwnScore | ToolScore | NoScore, ...]:
    """Return the scores of a row; of an answer that is not `known` they wait for the likeliest id."""
    item_id = known or row.item_ids[0]
    scores: list[OwnScore | ToolScore | NoScore] = []
    for judge, value in row.values.items():
        signature = f"{judge}|{IMPORTED}"
        if value is not None:
            scores.append(ToolScore(item_id=item_id, judge=judge, signature=signature, value=value))
        elif known is not None:
            scores.append(failed_score(item_id, judge, signature))
        else:
            scores.append(NoScore.EMPTY)
    return tuple(scores)


class Imported(NamedTuple):
    """The result of importing a file of labels.

    `to_draws` labels answer draws, `before_draw` are hand-picked although their item was drawn: by their `at` they are older
    than the draw, and the file leaves draws of that wave out. `drawn_since` are hand-picked because the same file came in before
    their item was drawn. `blank` rows of an exported file were not filled in.
    `passages_unasked` labels speak of passages of draws that were not asked about theirs, or of no draw: no estimate reads that.
    `unsure_corrections` labels are unsure and have a reference or causes, which are read of wrong answers alone.
    """

    intake: Intake
    kept: KeptAnnotations
    to_draws: int
    before_draw: int
    drawn_since: int
    blank: int
    passages_unasked: int
    unsure_corrections: int


def import_labels(
    store: Store,
    source: Source,
    *,
    now: str,
    without: Collection[str] = (),
    own: Mapping[str, Judgement] = {},
) -> Imported:
    """Import labels from elsewhere, but for the items in `without`; `own` are the meanings of the file's own words.

    Which draws are open is asked once, before the first row, so that the order of the rows does not matter. For the same
    reason a file of labels is one transaction: a run that is killed has kept all of it or nothing.
    """
    totals, to_draws, before_draw, drawn_since, blank, passages_unasked = KeptAnnotations(), 0, 0, 0, 0, 0
    unsure_corrections = 0
    asked = {draw for draw, question in store.sampling.passage_questions.all().items() if question.is_asked}
    times, words = Times(now, date_order(source, "at")), words_of(source, own)
    check_any(ImportCommand.LABELS, source, label_batches(source, words))
    with ProgressCounter(f"reading {source.path}") as progress, store.atomic(durable=True):
        file_digest = digest(source.path)
        placing = Placing(
            store, store.audit.events.first_with_digest(LABELS_EVENT, file_digest) if file_digest else None
        )
        if file_digest:  # a file, which can be read twice
            placing.read_ahead(parsed.value for batch in label_batches(source, words) for parsed in batch.parsed)
        tally = IngestTally(store, "labels", source, times, progress)
        for batch in label_batches(source, words, times):
            filled = [(row, row.value) for row in batch.parsed if row.value is not None]
            blank += len(batch.parsed) - len(filled)
            chosen = [(row, annotation) for row, annotation in filled if annotation.item_id not in without]
            known = store.traffic.items.keys([name for _, annotation in chosen for name in names(annotation.item_id)])
            placed = [(row, annotation, placing.place(annotation, known)) for row, annotation in chosen]
            passages = store.traffic.items.passage_counts([place.item for _, _, place in placed if place is not None])
            reasons = [_refusal(annotation, place, passages) for _, annotation, place in placed]
            answered = list(zip(placed, reasons, strict=True))
            refused = [row.refused(reason) for (row, _, _), reason in answered if reason]
            places = [place for (_, _, place), reason in answered if place is not None and not reason]
            counts = store.labels.keep(places, now=now)
            to_draws += sum(place.draw is not None for place in places)
            before_draw += sum(map(placing.is_older, places))
            drawn_since += sum(map(placing.is_before_draw, places))
            passages_unasked += sum(
                place.annotation.passages is not None and place.draw not in asked for place in places
            )
            unsure_corrections += sum(is_unsure_correction(place.annotation) for place in places)
            totals = KeptAnnotations(*(a + b for a, b in zip(totals, counts, strict=True)))
            tally.close(batch, refused)
    return Imported(
        tally.intake, totals, to_draws, before_draw, drawn_since, blank, passages_unasked, unsure_corrections
    )


def _refusal(annotation: Annotation, placed: PlacedAnnotation | None, passages: Mapping[int, int]) -> str:
    """Return why a label cannot be kept, or "": its item is not here, or has fewer passages than the label marks."""
    if placed is None:
        return f"there is no item {annotation.item_id}: ingest its traffic first"
    return too_many_marks(annotation.passages, passages[placed.item])
