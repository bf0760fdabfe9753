"""Calls that a tracer logged, a row each, with input and output and the call that made them: Opik, Weave, Braintrust and alike.

They share no names but these few, so what a call did is told by its type or name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotate.domain.field_mapping import follow
from annotate.traffic.content import decoded
from annotate.traffic.passages import passages
from annotate.traffic.source_format import Paths, Reading, Row
from annotate.traffic.span_parts import Found, SpanParts, span_of
from annotate.traffic.spans import SpanKind
from proxy.errors import InputError

TRACES = ("trace_id", "traceId", "root_span_id")
IDS = ("span_id", "id")
PARENTS = ("parentSpanId", "parent_span_id", "span_parents", "parent_id", "parentId")
INPUTS, OUTPUTS = ("input", "inputs"), ("output", "outputs")
STARTS = ("startTime", "start_time", "started_at", "created")
ENDS = ("endTime", "end_time", "ended_at")
NAMES = ("name", "op_name", "span_attributes.name")
TYPES = ("type", "span_attributes.type")
GROUPS = (
    *("threadId", "thread_id", "session_id", "metadata.session_id", "attributes.session_id"),
    *("metadata.thread_id", "metadata.conversation_id", "metadata.conversation", "metadata.session"),
)
READ = frozenset((*TRACES, *IDS, *PARENTS, *INPUTS, *OUTPUTS, *STARTS, *ENDS, *GROUPS))
# Rows of tracers that have a format of their own.
OTHERS = ("run_type", "attributes", "context", "observations", "question", "answer")


class CallRows:
    """Rows with a trace, an id, a parent (or none), and what went in and came out."""

    name = "calls"
    title = "traced calls with input and output"
    has_spans = True

    def recognises(self, row: Row) -> bool:
        """Return whether a row has these names, and none that tell another tracer."""
        has_parent = any(name in row for name in PARENTS)
        has_io = any(name in row for name in INPUTS) and any(name in row for name in OUTPUTS)
        is_named = bool(_first(row, TRACES)) and bool(_first(row, IDS))
        return has_parent and has_io and is_named and not any(name in row for name in OTHERS)

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the call; of several parents the first counts."""
        trace, name = _first(row, TRACES), _first(row, IDS)
        if not isinstance(trace, str) or not isinstance(name, str):
            raise InputError("a call without its trace or its id")
        parent = _first(row, PARENTS)
        if isinstance(parent, list):
            parent = parent[0] if parent else None
        output = decoded(_first(row, OUTPUTS))
        kind = _kind(row, output, is_root=not parent)
        inputs = Found(decoded(_first(row, INPUTS)), _where(row, INPUTS))
        parts = SpanParts(
            trace=trace,
            id=name,
            parent=str(parent) if parent else None,
            name=str(_first(row, NAMES) or ""),
            kind=kind,
            start=_first(row, STARTS),
            end=_first(row, ENDS),
            input=inputs,
            output=Found(output, _where(row, OUTPUTS)),
            messages=inputs if kind is SpanKind.MODEL else Found(),
            group=Found(_first(row, GROUPS), _where(row, GROUPS)),
            metadata={name: value for name, value in row.items() if name not in READ},
        )
        yield span_of(parts, row, paths)


def _kind(row: Row, output: object, *, is_root: bool) -> SpanKind:
    """Return what a call did, by its type, else by its name and what it gave."""
    type_, name = (str(_first(row, paths) or "").lower() for paths in (TYPES, NAMES))
    if type_ in ("llm", "generation", "chat"):
        return SpanKind.MODEL
    if type_ in ("retriever", "retrieval"):
        return SpanKind.RETRIEVER
    gives_passages = not is_root and isinstance(output, (list, dict)) and bool(passages(output))
    if gives_passages and any(part in name for part in ("retriev", "search", "lookup")):
        return SpanKind.RETRIEVER
    return SpanKind.CHAIN if is_root else SpanKind.OTHER


def _first(row: Row, paths: Sequence[str]) -> object:
    return next((value for path in paths if (value := row.get(path, follow(row, path))) not in (None, "")), None)


def _where(row: Row, paths: Sequence[str]) -> str:
    return next((path for path in paths if row.get(path, follow(row, path)) not in (None, "")), "")
