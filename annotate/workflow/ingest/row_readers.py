"""Read rows of scores, of feedback and of labels, as our own or as a tool wrote them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from annotate.domain.annotation import Annotation, annotation_from_row
from annotate.domain.feedback import Feedback
from annotate.domain.field_mapping import Fields
from annotate.domain.label_words import USUAL, TableWords, table_words
from annotate.domain.timestamps import Times
from annotate.domain.tool_score import ToolScore, judge_name
from annotate.files import FileRow
from annotate.store import Store
from annotate.traffic.evaluations import NoScore, evaluations_in, read_evaluation
from annotate.traffic.feedback_rows import NoFeedback, inner_evaluations, read_feedback, tool_of
from annotate.traffic.otlp import Otlp
from annotate.traffic.source_format import Evaluation
from annotate.workflow.ingest.batches import Batch, Paths, Source, batches
from annotate.workflow.ingest.score_content import CONTENT_FIELDS, content_of, place
from proxy.errors import InputError
from proxy.records import FailureKind, Item, JudgeFailure, Judgement, Score

SCORE_FIELDS = ("item_id", "judge", "value", "reason", "signature", *CONTENT_FIELDS)
IMPORTED = "imported"
OwnScore = Score | JudgeFailure


class ScoresOfRow(NamedTuple):
    """What a row scores; `content` is what it repeats of its answer, where it does not name it."""

    scores: tuple[OwnScore | ToolScore | NoScore, ...]
    content: Item | None = None


class VotesOfRow(NamedTuple):
    """The feedback that a row holds; `content` is what it repeats of its answer, where it does not name it."""

    votes: tuple[Feedback | NoFeedback, ...]
    content: Item | None = None


def read_votes(
    row: Mapping[str, object], paths: Paths, times: Times | None = None, names: Collection[str] = ()
) -> VotesOfRow:
    """Return the feedback that a row holds, also where it repeats its answer in place of naming it."""
    fields = Fields(row, paths)
    is_named = any(fields.value(name) not in (None, "") for name in ("item_id", "trace_id"))
    is_own = bool(paths) or (tool_of(row) is None and inner_evaluations(row) is None)
    content = None if is_named or not is_own or "item_id" in paths else content_of(row, paths)
    if content is None:
        return VotesOfRow(read_feedback(row, paths, times, names))
    named = {**row, "item_id": content.id}
    return VotesOfRow(read_feedback(named, {**paths, "item_id": "item_id"}, times, names), content)


def vote_batches(
    store: Store, source: Source, read: Callable[..., VotesOfRow]
) -> Iterator[Batch[tuple[Feedback | NoFeedback, ...]]]:
    """Yield the feedback that the rows of a file hold; a row that repeats its answer gets the id of it."""
    for batch in batches("feedback", source, read):
        rows = batch.parsed
        contents = {number: row.value.content for number, row in enumerate(rows) if row.value.content is not None}
        item_ids, refused = place(store, contents, waits=False)
        yield Batch(
            [
                row.with_value(_votes_of(row.value.votes, item_ids.get(number)))
                for number, row in enumerate(rows)
                if number not in refused
            ],
            [*batch.refused, *(rows[number].refused(reason) for number, reason in refused.items())],
            batch.rows,
        )


def _votes_of(votes: tuple[Feedback | NoFeedback, ...], item_id: str | None) -> tuple[Feedback | NoFeedback, ...]:
    if item_id is None:
        return votes
    return tuple(replace(vote, item_id=item_id) if isinstance(vote, Feedback) else vote for vote in votes)


def failed_score(item_id: str, judge: str, signature: str, reason: str = "") -> JudgeFailure:
    """Return the failure that an absent value is."""
    why = reason or "the import gave no value"
    return JudgeFailure(item_id=item_id, judge=judge, signature=signature, kind=FailureKind.INVALID, reason=why)


def read_scores(row: Mapping[str, object], paths: Paths, judge_of: Callable[[str], str] = judge_name) -> ScoresOfRow:
    """Return the scores that a row holds, also where it repeats its answer in place of naming it."""
    fields = Fields(row, paths)
    is_nameless = fields.value("item_id") in (None, "") and fields.value("judge") not in (None, "")
    content = content_of(row, paths) if is_nameless else None
    if content is None:
        return ScoresOfRow(scores_from_row(row, paths, judge_of))
    return ScoresOfRow((score_from_row(row, paths, content.id, judge_of),), content)


def scores_from_row(
    row: Mapping[str, object], paths: Paths, judge_of: Callable[[str], str] = judge_name
) -> tuple[OwnScore | ToolScore | NoScore, ...]:
    """Return the scores that a row holds: one of our own rows, or those that a tool wrote."""
    if not paths and not {"item_id", "judge"} <= row.keys():
        if isinstance(row.get("resourceSpans", row.get("resourceLogs")), list):
            evaluations = [entry.row for entry in Otlp().read(row, {}) if isinstance(entry, Evaluation)] or None
        else:
            evaluations = evaluations_in(row)
        if evaluations is not None:
            return tuple(read_evaluation(evaluation, judge_of) for evaluation in evaluations)
    return (score_from_row(row, paths, judge_of=judge_of),)


def score_from_row(
    row: Mapping[str, object], paths: Paths, named: str | None = None, judge_of: Callable[[str], str] = judge_name
) -> OwnScore:
    """Return the score that a row describes, of the item `named` where it names none; an absent value is a failure, never a 0.

    `judge_of` gives the judge that a name means.
    """
    fields = Fields(row, paths)
    item_id, judge = fields.short("item_id") or named, fields.short("judge")
    if item_id is None or judge is None:
        raise InputError(
            "a score must name its item_id and its judge, or stand in a column that is called like its judge"
        )
    name = judge_of(judge)
    signature, reason = fields.short("signature") or f"{name}|{IMPORTED}", fields.words("reason") or ""
    value = fields.number("value")
    if value is None:
        return failed_score(item_id, name, signature, reason)
    if not 0 <= value <= 1:
        raise InputError(f"value: a score lies in [0, 1], found {value:g}; divide by the scale's top first")
    return Score(item_id=item_id, judge=name, signature=signature, value=value, reason=reason)


def label_from_row(
    row: Mapping[str, object], paths: Paths, times: Times | None = None, words: TableWords = USUAL
) -> Annotation | None:
    """Return the annotation that a row describes; None for a row of `assay draws export` that nobody has filled in.

    A row without the column of labels is none of these, and refused.
    """
    fields = Fields(row, paths)
    is_exported = all(row.get(name) for name in ("question", "answer"))
    values = [fields.value(name) for name in ("label", "reference", "causes", "harm", "rationale")]
    has_column = "label" in paths or fields.column("label") in row
    if is_exported and has_column and all(value is None or value == "" for value in values):
        return None
    return annotation_from_row(row, paths, times, words)


def words_of(source: Source, own: Mapping[str, Judgement]) -> TableWords:
    """Return what is known of the words of a file of labels, from what its user says and from all its labels."""
    return table_words(own, _labels(source))


def _labels(source: Source) -> Iterator[object]:
    for row in source.raw_rows():
        if isinstance(row, FileRow):
            with suppress(InputError):  # the row itself is refused with the reason
                yield Fields(row.fields, source.paths).value("label")


def label_batches(source: Source, words: TableWords, times: Times | None = None) -> Iterator[Batch[Annotation | None]]:
    """Yield the rows of a file of labels; None for those that nobody has filled in."""
    return batches("labels", source, partial(label_from_row, times=times, words=words))
