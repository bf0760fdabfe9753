"""A span a row: Phoenix' REST objects and dataframes, what OpenTelemetry's SDK prints, and TruLens' events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotate.domain.field_mapping import follow
from annotate.traffic.attributes import SpanPlace, parts_of
from annotate.traffic.content import finite, loaded
from annotate.traffic.evaluations import evaluation_events
from annotate.traffic.otlp import attributes_of, id_of
from annotate.traffic.source_format import Evaluation, Paths, Reading, Row
from annotate.traffic.span_parts import failed, span_of
from proxy.errors import InputError

COLUMN = "attributes."
TRACES = ("context.trace_id", "trace_id", "traceId", "trace.trace_id")
SPANS = ("context.span_id", "span_id", "spanId", "trace.span_id")
PARENTS = ("parent_id", "parent_span_id", "parentId", "parentSpanId", "trace.parent_id", "record.parent_span_id")
STARTS = ("start_time", "startTime", "start_timestamp", "start_time_unix_nano")
STATUSES = ("status_code", "status", "status.status_code")
ENDS = ("end_time", "endTime", "timestamp", "end_time_unix_nano")
# `INTERNAL` and the like are OpenTelemetry's own kinds.
OPENINFERENCE_KINDS = ("CHAIN", "LLM", "RETRIEVER", "RERANKER", "AGENT", "TOOL", "EMBEDDING", "GUARDRAIL", "EVALUATOR")
TRULENS = "ai.observability"
EVALUATION_PARTS = ("score", "label", "explanation")
EVALUATION_COLUMN = re.compile(rf"eval\.(.+)\.(?:{'|'.join(EVALUATION_PARTS)})")
# Whatever Arize's judge is called, it is no user; Phoenix' annotations say so.
MACHINE = "LLM"
# Arize's label where its judge gave no answer that could be read.
UNPARSED = "NOT_PARSABLE"


def attributes_in(row: Row) -> Row | None:
    """Return the attributes of a span; Phoenix has what a span did beside them too."""
    attributes = _attributes(row)
    kind = row.get("span_kind")
    if (
        attributes is None
        or not isinstance(kind, str)
        or kind not in OPENINFERENCE_KINDS
        or _has(attributes, "openinference")
    ):
        return attributes
    return {**attributes, "openinference.span.kind": kind}


def _attributes(row: Row) -> Row | None:
    """Return the attributes from one column or one each; None where there are none."""
    for name in ("attributes", "record_attributes"):
        whole = loaded(row.get(name))
        if isinstance(whole, Mapping):
            return whole
        if isinstance(whole, list):
            return attributes_of(whole)
    flat = {name.removeprefix(COLUMN): value for name, value in row.items() if name.startswith(COLUMN)}
    if flat:
        return flat
    bare = {name: value for name, value in row.items() if name.startswith((TRULENS, "openinference."))}
    return row if bare else None


def _has(attributes: Row, *roots: str) -> bool:
    return any(name == root or name.startswith(f"{root}.") for name in attributes for root in roots)


def _value(row: Row, paths: tuple[str, ...]) -> object:
    return next((value for path in paths if (value := row.get(path, follow(row, path))) not in (None, "")), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanRows:
    """Rows that are spans of OpenTelemetry, whose attributes follow one convention."""

    name: str
    title: str
    follows: Callable[[Row], bool]
    has_spans: bool = True

    def recognises(self, row: Row) -> bool:
        """Return whether the row is a span whose attributes follow the convention."""
        if _value(row, TRACES) is None or _value(row, SPANS) is None or ("question" in row and "answer" in row):
            return False
        attributes = attributes_in(row)
        return attributes is not None and self.follows(attributes)

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the span, whatever convention it follows."""
        attributes = attributes_in(row) or {}
        trace, span = id_of(_text(_value(row, TRACES)), 16), id_of(_text(_value(row, SPANS)), 8)
        if trace is None or span is None:
            raise InputError("a span without its trace_id or span_id")
        events, resource = (
            loaded(row.get("events")),
            loaded(row.get("resource_attributes", follow(row, "resource.attributes"))),
        )
        place = SpanPlace(
            trace=trace,
            id=span,
            parent=id_of(_text(_value(row, PARENTS)), 8),
            name=str(row.get("name") or ""),
            start=_value(row, STARTS),
            end=_value(row, ENDS),
            resource=resource if isinstance(resource, Mapping) else {},
            is_failed=failed(next((row[name] for name in STATUSES if row.get(name)), None)),
        )
        given = [event for event in events if isinstance(event, Mapping)] if isinstance(events, list) else []
        yield from evaluation_events(given, trace, span, str(follow(row, "instrumentation_scope.name") or ""))
        yield from _evaluation_columns(row, trace, span)
        parts = parts_of(place, attributes, given)
        if parts is not None:
            yield span_of(parts, row, paths)


def _evaluation_columns(row: Row, trace: str, span: str) -> Iterator[Evaluation]:
    """Yield the scores that Arize's exports have in columns: `eval.Relevance.score` with a label and an explanation."""
    names = dict.fromkeys(match[1] for name in row if (match := EVALUATION_COLUMN.fullmatch(name)))
    for name in names:
        score, label, reason = (row.get(f"eval.{name}.{part}") for part in EVALUATION_PARTS)
        result = {"score": finite(score), "label": _word(label), "explanation": _word(reason)}
        if result["score"] is None and result["label"] in (None, UNPARSED):
            continue
        yield Evaluation(
            {
                "trace_id": trace,
                "span_id": span,
                "name": name,
                "annotator_kind": MACHINE,
                "result": {part: value for part, value in result.items() if value is not None},
            }
        )


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _is_open_inference(attributes: Row) -> bool:
    return _has(attributes, "openinference") and not _has(attributes, TRULENS)


def _is_genai(attributes: Row) -> bool:
    """Return whether a span follows neither: those of servers and databases stand among those of models."""
    return not _has(attributes, "openinference", TRULENS)


OPENINFERENCE = SpanRows(name="openinference", title="OpenInference (Phoenix)", follows=_is_open_inference)
GENAI = SpanRows(name="genai", title="OpenTelemetry spans", follows=_is_genai)
TRULENS_EVENTS = SpanRows(name="trulens", title="TruLens", follows=lambda attributes: _has(attributes, TRULENS))
