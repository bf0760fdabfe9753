"""Calls that a tracer logged, a row each, with input and output and the call that made them: Opik, Weave, Braintrust and alike.

They share no names but these few, so what a call did is told by its type or name. Where a tool leaves an empty parent out,
Braintrust says which call is the root, and of Opik's a call without one is. Rows of Braintrust that were exported without either
are unplaced: their times tell the root (see joining.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotate.domain.field_mapping import follow
from annotate.traffic.content import answered, decoded
from annotate.traffic.passages import passages
from annotate.traffic.source_format import Paths, Reading, Row
from annotate.traffic.span_parts import NOTHING, Found, SpanParts, span_of
from annotate.traffic.spans import SpanKind
from proxy.errors import InputError

TRACES = ("trace_id", "traceId", "root_span_id")
IDS = ("span_id", "id")
PARENTS = ("parentSpanId", "parent_span_id", "span_parents", "parent_id", "parentId")
INPUTS, OUTPUTS = ("input", "inputs", "span_data.input"), ("output", "outputs", "span_data.output")
STARTS = ("startTime", "start_time", "started_at", "created", "metrics.start")
ENDS = ("endTime", "end_time", "ended_at", "metrics.end")
ERRORS = ("error", "error_info", "exception")
NAMES = ("name", "op_name", "span_attributes.name", "span_data.name")
TYPES = ("type", "span_attributes.type", "span_data.type")
GROUPS = (
    *("threadId", "thread_id", "session_id", "group_id", "metadata.session_id", "attributes.session_id"),
    *("metadata.thread_id", "metadata.conversation_id", "metadata.conversation", "metadata.session"),
)
REFERENCE = "expected"
READ = frozenset((*TRACES, *IDS, *PARENTS, *INPUTS, *OUTPUTS, *STARTS, *ENDS, *GROUPS, REFERENCE))
# Rows of tracers that have a format of their own.
OTHERS = ("run_type", "observations", "question", "answer")
OPENTELEMETRY = ("attributes", "context")
# What Braintrust's rows alone have, and whether a call is the root.
OF_BRAINTRUST, IS_ROOT = "root_span_id", "is_root"
OPIK_TYPES = ("general", "tool", "llm", "guardrail")
SCORERS = ("score", "scorer")
# What OpenAI's agents export: a trace, and its spans.
AGENT_TRACE, AGENT_SPAN = "trace", "trace.span"


class CallRows:
    """Rows with a trace, an id, a parent (or none), and what went in and came out."""

    name = "calls"
    title = "traced calls with input and output"
    has_spans = True

    def recognises(self, row: Row) -> bool:
        """Return whether a row has these names, and none that tell another tracer."""
        if row.get("object") in (AGENT_TRACE, AGENT_SPAN):
            return bool(_first(row, IDS)) and ("span_data" in row or "workflow_name" in row)
        if any(name in row for name in OTHERS) or not (_first(row, TRACES) and _first(row, IDS)):
            return False
        has_input, has_output = any(name in row for name in INPUTS), any(name in row for name in OUTPUTS)
        if OF_BRAINTRUST in row:
            return "span_id" in row and (has_input or has_output)
        if "span_id" in row and any(name in row for name in OPENTELEMETRY):
            return False
        is_told = any(name in row for name in PARENTS) or _is_opik(row)
        return is_told and has_input and has_output

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the call; of several parents the first counts."""
        trace, name = _first(row, TRACES), _first(row, IDS)
        if row.get("object") == AGENT_TRACE:
            trace = name
        if not isinstance(trace, str) or not isinstance(name, str):
            raise InputError("a call without its trace or its id")
        parent = _parent(row, trace, name)
        output = decoded(_first(row, OUTPUTS))
        kind = _kind(row, output, is_root=not parent)
        inputs, outputs = Found(decoded(_first(row, INPUTS)), _where(row, INPUTS)), Found(output, _where(row, OUTPUTS))
        if _is_of_scorer(row):
            inputs = outputs = NOTHING
        expected = answered(decoded(row.get(REFERENCE)))
        parts = SpanParts(
            trace=trace,
            id=name,
            parent=parent,
            is_unplaced=bool(parent) and _is_unplaced(row),
            is_failed=bool(_first(row, ERRORS)),
            name=str(_first(row, NAMES) or ""),
            kind=kind,
            start=_first(row, STARTS),
            end=_first(row, ENDS),
            input=inputs,
            output=outputs,
            messages=inputs if kind is SpanKind.MODEL else Found(),
            group=Found(_first(row, GROUPS), _where(row, GROUPS)),
            reference=Found(expected.text, REFERENCE) if expected else NOTHING,
            metadata={name: value for name, value in row.items() if name not in READ},
        )
        yield span_of(parts, row, paths)


def _is_opik(row: Row) -> bool:
    return row.get("type") in OPIK_TYPES and "start_time" in row


def _parent(row: Row, trace: str, name: str) -> str | None:
    """Return the call above this one, the first of several; of Braintrust's rows that do not say which, the root."""
    parent = decoded(_first(row, PARENTS))
    if isinstance(parent, list):
        parent = parent[0] if parent else None
    if parent:
        return str(parent)
    if OF_BRAINTRUST not in row or any(column in row for column in PARENTS):
        return None
    # A call of an unplaced row waits below the trace, whose root is told by the times of all its calls.
    is_root = str(row.get(IS_ROOT, name == trace)).lower() == "true"
    return None if is_root else trace


def _is_unplaced(row: Row) -> bool:
    """Return whether a row of Braintrust says neither what is above it, nor whether anything is."""
    return OF_BRAINTRUST in row and not any(column in row for column in (*PARENTS, IS_ROOT))


def _is_of_scorer(row: Row) -> bool:
    """Return whether a scorer made this call: no user saw what it was given and gave."""
    return any(follow(row, f"span_attributes.{name}") in SCORERS for name in ("type", "purpose"))


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
