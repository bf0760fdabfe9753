"""Read end users' feedback from the rows that apps and tracers write: their own, and those of seven tools.

Where one table holds thumbs, scores of automatic evaluators and verdicts of experts, only the thumbs are feedback: who gave a
value decides where the tool says so, and else its name (`user_feedback`, `rating` …).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from annotate.domain.feedback import Feedback, read_value
from annotate.domain.field_mapping import Fields, follow, missing
from annotate.domain.timestamps import Times
from annotate.traffic.chat_ratings import chat_ratings
from annotate.traffic.content import loaded, written
from annotate.traffic.langfuse_columns import column_scores
from proxy.errors import InputError

Row = Mapping[str, object]
Paths = Mapping[str, str]
FEEDBACK_NAME = re.compile(r"feedback|thumb|rating|vote|star|like|csat|satisf|helpful|nps|user", re.IGNORECASE)

# Langfuse's kinds of scores, and where their words are.
CATEGORICAL, CORRECTION, TEXT = "CATEGORICAL", "CORRECTION", "TEXT"
STRINGS = ("stringValue", "string_value", "value")
# What we send out says which of our judges it is, or that it is a label or a verdict.
OURS_KIND, OURS_SIGNATURE, OURS_ITEM = "assay.kind", "assay.signature", "assay.item_id"
JUDGE, LABEL, VERDICT = "judge", "label", "verdict"


class NoFeedback(StrEnum):
    """Why a row that can be read is no end user's feedback."""

    NO_VOTE = "no_vote"
    AUTOMATIC = "automatic"
    EXPERT = "expert"
    PASSAGE = "passage"
    OTHER_NAME = "other_name"
    REPLACED = "replaced"


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedbackSource:
    """Where a tool keeps what we need: for each field of ours the paths that may hold it, the first that does counts.

    A row is the tool's where it has one path of each of `marks`. `by` is who gave the value, `automatic` and `experts` the words
    there for evaluators and experts; where neither is said, `name` has to be one of feedback.
    `is_valid` says false of a value that its author has since replaced.
    """

    title: str
    marks: Sequence[Sequence[str]]
    item_id: Sequence[str]
    value: Sequence[str] = ()
    comment: Sequence[str] = ()
    correction: Sequence[str] = ()
    at: Sequence[str] = ()
    name: Sequence[str] = ()
    by: Sequence[str] = ()
    automatic: Collection[str] = ()
    experts: Collection[str] = ()
    passage: Sequence[str] = ()
    is_valid: Sequence[str] = ()

    def recognises(self, row: Row) -> bool:
        """Return whether a row has the marks of this tool."""
        return all(first(row, paths) is not None for paths in self.marks)


SOURCES = (
    FeedbackSource(
        title="langfuse",
        marks=[("traceId", "trace_id", "sessionId", "session_id"), ("name",), ("dataType", "data_type")],
        item_id=("traceId", "trace_id"),
        value=("value", "stringValue", "string_value"),
        comment=("comment",),
        at=("timestamp", "createdAt", "created_at"),
        name=("name",),
        by=("source",),
        automatic=("EVAL",),
        experts=("ANNOTATION",),
    ),
    FeedbackSource(
        title="phoenix",
        marks=[("span_id", "trace_id", "session_id"), ("annotator_kind",)],
        item_id=("trace_id", "span_id"),
        value=("result.label", "result.score", "label", "score"),
        comment=("result.explanation", "explanation"),
        at=("created_at", "updated_at"),
        name=("name", "annotation_name"),
        by=("annotator_kind",),
        automatic=("LLM", "CODE"),
        passage=("document_position",),
    ),
    FeedbackSource(
        title="langsmith",
        marks=[("run_id",), ("key",)],
        item_id=("trace_id", "run_id"),
        value=("score", "value"),
        comment=("comment",),
        correction=("correction",),
        at=("created_at", "modified_at"),
        name=("key",),
        by=("feedback_source.type",),
        automatic=("model", "auto_eval"),
        experts=("app",),
    ),
    FeedbackSource(
        title="mlflow",
        marks=[("assessment_name", "name"), ("source.source_type",)],
        item_id=("trace_id",),
        value=("feedback.value", "value"),
        comment=("rationale",),
        correction=("expectation.value",),
        at=("create_time", "create_time_ms", "last_update_time"),
        name=("assessment_name", "name"),
        by=("source.source_type",),
        automatic=("LLM_JUDGE", "AI_JUDGE", "CODE"),
        is_valid=("valid",),
    ),
    FeedbackSource(
        title="opentelemetry",
        marks=[('attributes["gen_ai.evaluation.name"]', '["gen_ai.evaluation.name"]')],
        item_id=("trace_id", "traceId", "context.trace_id"),
        value=(
            'attributes["gen_ai.evaluation.score.value"]',
            '["gen_ai.evaluation.score.value"]',
            'attributes["gen_ai.evaluation.score.label"]',
            '["gen_ai.evaluation.score.label"]',
        ),
        comment=('attributes["gen_ai.evaluation.explanation"]', '["gen_ai.evaluation.explanation"]'),
        at=("timestamp", "time"),
        name=('attributes["gen_ai.evaluation.name"]', '["gen_ai.evaluation.name"]'),
    ),
    FeedbackSource(
        title="open_webui",
        marks=[("data",), ("meta.message_id",)],
        item_id=("meta.message_id",),
        value=("data.rating",),
        comment=("data.comment", "data.reason"),
        at=("updated_at", "created_at"),
    ),
    FeedbackSource(
        title="deepeval",
        marks=[("item_id",), ("metricsData.name",)],
        item_id=("item_id",),
        value=("metricsData.score",),
        comment=("metricsData.reason",),
        name=("metricsData.name",),
        by=("by",),
        automatic=("metric",),
    ),
    FeedbackSource(
        title="chainlit",
        marks=[("forId", "for_id"), ("value",)],
        item_id=("forId", "for_id"),
        value=("value",),
        comment=("comment",),
    ),
)


def read_feedback(
    row: Row, paths: Paths, times: Times | None = None, names: Collection[str] = ()
) -> tuple[Feedback | NoFeedback, ...]:
    """Return the feedback that a row holds, or why it is none.

    Parameters
    ----------
    row
        A row of our own, of a tool, or one with all its evaluations: a trace of MLflow or Langfuse, a run of LangSmith, a chat of
        Open WebUI.
    paths
        Where our fields lie; with it a row is read as our own.
    times
        Counts the times that could not be read.
    names
        The names under which a tool keeps users' feedback, where they do not tell it themselves.

    Raises
    ------
    InputError
        For a row without an item or with a value that is no vote.
    """
    inner = None if paths else inner_evaluations(row)
    if inner is not None:
        return tuple(vote for evaluation in inner for vote in read_feedback(evaluation, paths, times, names))
    row = row if paths else with_trace(row)
    source = None if paths else tool_of(row)
    return (_own(row, paths, times) if source is None else _of_tool(source, row, times, names),)


def inner_evaluations(row: Row, claimed: Collection[str] = ()) -> list[Row] | None:
    """Return the evaluations within a trace of MLflow, a row of Langfuse, a run of LangSmith or a chat of Open WebUI.

    None for any other row. `claimed` columns are fields of the answer.
    """
    if is_run(row):
        return list(_feedback_of_run(row))
    info = loaded(whole_trace(row).get("info"))
    about = info if isinstance(info, Mapping) else row if "trace_metadata" in row else {}
    trace = about.get("trace_id") or about.get("request_id")
    assessments = written(about.get("assessments", [] if trace and about is info else None))
    if isinstance(assessments, list):
        return [{**assessment, "trace_id": trace} for assessment in assessments if isinstance(assessment, Mapping)]
    if (ratings := chat_ratings(row)) is not None:
        return ratings
    scores, is_exported = loaded(row.get("scores")), "bookmarked" in row
    if isinstance(scores, Mapping):  # by name, as exports of the page of traces have them
        scores = [
            {"name": name, "value": value} for name, values in scores.items() for value in _several_of(loaded(values))
        ]
    if not row.get("id") or not (is_exported or (isinstance(scores, list) and "observations" in row)):
        return None
    name = str(first(row, ("traceId", "trace_id")) or row["id"])
    within = scores if isinstance(scores, list) else []
    columns = column_scores(row, name, claimed) if is_exported else ()
    return [*(_score_within(score, name) for score in within if isinstance(score, Mapping)), *columns]


def whole_trace(row: Row) -> Row:
    """Return a row with the trace that MLflow writes as JSON into a column of its tables; any other row as it is."""
    trace = loaded(row.get("trace"))
    is_whole = isinstance(trace, Mapping) and isinstance(trace.get("info"), Mapping) and "data" in trace
    return {**row, **trace} if is_whole and isinstance(trace, Mapping) else row


def _several_of(values: object) -> list[object]:
    return [value for value in (values if isinstance(values, list) else [values]) if value is not None]


def is_run(row: Row) -> bool:
    """Return whether a row is a run of LangSmith: it names its type, and its trace or place in it."""
    return "run_type" in row and ("trace_id" in row or "dotted_order" in row) and "inputs" in row


def _feedback_of_run(row: Row, trace: object = None) -> Iterator[Row]:
    """Yield the feedback of a run and of those that it holds: as it came, else the mean of each key in its statistics."""
    name = row.get("id") or row.get("run_id")
    trace = row.get("trace_id") or trace or name
    if name:
        named = {"run_id": name, "trace_id": trace}
        listed = loaded(row.get("feedback"))
        statistics = loaded(row.get("feedback_stats"))
        if isinstance(listed, list) and listed:
            yield from ({**entry, **named} for entry in listed if isinstance(entry, Mapping))
        elif isinstance(statistics, Mapping):
            for key, counted in statistics.items():
                if isinstance(counted, Mapping):
                    yield {"key": str(key), **_of_statistics(counted), **named}
    below = loaded(row.get("child_runs"))
    for child in below if isinstance(below, list) else ():
        if isinstance(child, Mapping):
            yield from _feedback_of_run(child, trace)


def _of_statistics(counted: Row) -> Row:
    """Return the mean, else the only value, and the only comment of what was given under one key."""
    values, comments = loaded(counted.get("values")), loaded(counted.get("comments"))
    only_value = next(iter(values), None) if isinstance(values, Mapping) and len(values) == 1 else None
    comment = comments[0] if isinstance(comments, list) and len(comments) == 1 else None
    return {"score": counted.get("avg"), "value": only_value, "comment": comment}


def _score_within(score: Row, trace: str) -> Row:
    """Return a score as Langfuse's API gives it by itself: its trace and the kind of its value stand beside it."""
    kind = first(score, ("dataType", "data_type"))
    kind = kind or ("NUMERIC" if isinstance(score.get("value"), (int, float)) else CATEGORICAL)
    return {**score, "traceId": trace, "dataType": kind}


def own_field(row: Row, name: str) -> object:
    """Return what we wrote beside a score of our own that comes back."""
    for path in (f'attributes["{name}"]', f'metadata["{name}"]'):
        if (value := follow(row, path)) not in (None, ""):
            return value
    return None


def with_trace(row: Row) -> Row:
    """Return a row of Langfuse's API v3, which names its subject, with what it is of under the names of v2."""
    subject = row.get("subject")
    if not isinstance(subject, Mapping) or "kind" not in subject:
        return row
    kind = str(subject["kind"])
    trace = subject.get("id") if kind == "trace" else subject.get("traceId")
    session = None if kind in ("trace", "observation") else subject.get("id")
    return {**row, "traceId": trace, "sessionId": session}


def tool_of(row: Row) -> FeedbackSource | None:
    """Return the tool that wrote a row of feedback or scores; None for a row of our own."""
    return next((source for source in SOURCES if source.recognises(row)), None)


def _own(row: Row, paths: Paths, times: Times | None) -> Feedback | NoFeedback:
    """Read a row of our own fields."""
    fields = Fields(row, paths)
    item_id, value = fields.short("item_id"), fields.value("value")
    if item_id is None and not paths:
        item_id = Fields(row, {"item_id": "trace_id"}).short("item_id")
    if item_id is None:
        raise InputError(missing("item_id", row, paths))
    if not paths and fields.column("judge") in row:
        raise InputError("a row that names a judge is a score, and no user's feedback")
    words = {"comment": fields.words("comment"), "correction": fields.words("correction")}
    is_label = not paths and fields.column("label") in row
    has_place = "value" in paths or "value" in row  # a path that leads to nothing in any row is refused before
    if value is None and (is_label or not any(words.values())) and not has_place:
        raise InputError(missing("value", row, paths))
    return _feedback(item_id, value, fields.short("source"), fields.moment("at", times), **words)


def _of_tool(source: FeedbackSource, row: Row, times: Times | None, names: Collection[str]) -> Feedback | NoFeedback:
    """Read a row of a tool, where it is an end user's."""
    name = str(first(row, source.name) or "")
    kind = first(row, ("dataType", "data_type"))
    correction = _words([text for text in several(row, source.correction) if isinstance(text, (str, Mapping))])
    if kind == CORRECTION:
        correction = _words(several(row, STRINGS))
    none = why_none(source, row, name, is_correction=correction is not None)
    if none is not None and name not in names:
        return none
    fields = Fields({"item_id": first(row, source.item_id), "at": first(row, source.at)}, {})
    item_id = fields.short("item_id")
    if item_id is None:
        raise InputError("it names no trace, so no answer")
    value = _vote(list(several(row, STRINGS if kind == CATEGORICAL else source.value)))
    comment = _words(several(row, source.comment))
    if kind in (CORRECTION, TEXT):
        value, comment = None, comment if kind == CORRECTION else _words(several(row, STRINGS))
    title = f"{source.title}: {name}" if name else source.title
    return _feedback(item_id, value, title, fields.moment("at", times), comment=comment, correction=correction)


def why_none(source: FeedbackSource, row: Row, name: str, *, is_correction: bool) -> NoFeedback | None:
    """Return why a tool's row is no end user's, as far as the tool says; what annotators corrected is taken from experts, too."""
    by = str(first(row, source.by) or "")
    if (kind := own_field(row, OURS_KIND)) is not None:
        return NoFeedback.EXPERT if kind == LABEL else NoFeedback.AUTOMATIC
    if first(row, source.passage) is not None:
        return NoFeedback.PASSAGE
    if str(first(row, source.is_valid)).casefold() == "false":
        return NoFeedback.REPLACED
    if by in source.automatic:
        return NoFeedback.AUTOMATIC
    if is_correction:
        return None
    if by in source.experts:
        return NoFeedback.EXPERT
    return NoFeedback.OTHER_NAME if source.name and not FEEDBACK_NAME.search(name) else None


def _vote(values: Sequence[object]) -> object:
    """Return the first value that can be read as a vote, else the first: a tool may give a label of its own and a number."""
    for value in values:
        with suppress(InputError):
            read_value(value)
            return value
    return values[0] if values else None


def _feedback(
    item_id: str, value: object, source: str | None, at: str | None, *, comment: str | None, correction: str | None
) -> Feedback | NoFeedback:
    sign, number = read_value(value)
    if not sign and number is None and not comment and not correction:
        return NoFeedback.NO_VOTE
    return Feedback(
        item_id=item_id,
        value=None if value is None or value == "" else str(value),
        sign=sign,
        comment=comment,
        correction=correction,
        source=source,
        at=at,
    )


def first(row: Row, paths: Sequence[str]) -> object:
    """Return what lies at the first of these paths where there is something."""
    return next(several(row, paths), None)


def several(row: Row, paths: Sequence[str]) -> Iterator[object]:
    """Yield what lies at these paths, where there is something."""
    for path in paths:
        value = row[path] if path in row else follow(row, path)
        if value is not None and value != "":
            yield value


def _words(values: Iterator[object] | Sequence[object]) -> str | None:
    """Return what somebody wrote as text; an object with one text is that text."""
    texts = []
    for value in values:
        inner = [text for text in value.values() if isinstance(text, str)] if isinstance(value, Mapping) else [value]
        texts.append(
            inner[0] if len(inner) == 1 and isinstance(inner[0], str) else json.dumps(value, ensure_ascii=False)
        )
    return "\n".join(texts) or None
