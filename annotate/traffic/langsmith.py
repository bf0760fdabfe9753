"""LangSmith: runs of its API and of bulk exports. Their `session_id` is the project; the thread stands in the metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from annotate.traffic.content import loaded
from annotate.traffic.feedback_rows import inner_evaluations, is_run
from annotate.traffic.source_format import Evaluation, Paths, Reading, Row
from annotate.traffic.span_parts import Found, SpanParts, span_of
from annotate.traffic.spans import SpanKind
from proxy.errors import InputError

KINDS = {"llm": SpanKind.MODEL, "retriever": SpanKind.RETRIEVER, "chain": SpanKind.CHAIN}
THREADS = ("session_id", "thread_id", "conversation_id")
BESIDE = ("name", "status", "tags", "total_tokens", "total_cost", "session_name", "error")


class LangSmith:
    """Runs, a row each; a run may hold the runs below it."""

    name = "langsmith"
    title = "LangSmith"
    has_spans = True

    def recognises(self, row: Row) -> bool:
        """Return whether the row is a run: it names its type, and its trace or place in it."""
        return is_run(row)

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the run, and those it holds."""
        name, trace = row.get("id") or row.get("run_id"), row.get("trace_id") or _first_of(row.get("dotted_order"))
        if not name or not trace:
            raise InputError("a run without its id or trace_id")
        kind = KINDS.get(str(row.get("run_type")), SpanKind.OTHER)
        inputs, outputs, extra = (loaded(row.get(key)) for key in ("inputs", "outputs", "extra"))
        metadata = loaded(extra.get("metadata")) if isinstance(extra, Mapping) else None
        beside = metadata if isinstance(metadata, Mapping) else {}
        thread = next((key for key in THREADS if beside.get(key)), THREADS[0])
        parent = row.get("parent_run_id")
        parts = SpanParts(
            trace=str(trace),
            id=str(name),
            parent=str(parent) if parent else None,
            name=str(row.get("name") or ""),
            kind=kind,
            start=row.get("start_time"),
            end=row.get("end_time"),
            is_failed=row.get("status") == "error" or bool(row.get("error")),
            input=Found(inputs, "inputs"),
            output=Found(outputs, "outputs"),
            messages=Found(inputs, "inputs") if kind is SpanKind.MODEL else Found(),
            group=Found(beside.get(thread), f"extra.metadata.{thread}"),
            metadata={
                **{key: row[key] for key in BESIDE if row.get(key)},
                **{f"metadata.{key}": value for key, value in beside.items() if key not in THREADS},
            },
        )
        yield span_of(parts, row, paths)
        own = inner_evaluations({**row, "trace_id": trace, "child_runs": None})
        yield from map(Evaluation, own or ())
        below = loaded(row.get("child_runs"))
        for child in below if isinstance(below, list) else ():
            if isinstance(child, Mapping):
                yield from self.read({"trace_id": trace, **child}, paths)


def _first_of(order: object) -> str | None:
    """Return the trace from a run's place: `20260101T000000000000Z<id>.…` begins with the root's id."""
    return str(order).split(".")[0].partition("Z")[2] or None if order else None
