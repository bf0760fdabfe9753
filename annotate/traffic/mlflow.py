"""MLflow: traces, a row each, whose spans have attributes that are each encoded as JSON once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from annotate.domain.field_mapping import follow
from annotate.traffic.attributes import KINDS
from annotate.traffic.content import decoded, loaded, written
from annotate.traffic.feedback_rows import inner_evaluations, whole_trace
from annotate.traffic.otlp import id_of
from annotate.traffic.source_format import Evaluation, Paths, Reading, Row, Unread
from annotate.traffic.span_parts import Found, SpanParts, failed, span_of
from annotate.traffic.spans import SpanKind
from proxy.errors import InputError

SESSION, INPUTS, OUTPUTS, TYPE = "mlflow.trace.session", "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType"


class MLflow:
    """Traces with `info` and `data.spans`, the columns of a frame of traces, or what its server says of one without its spans."""

    name = "mlflow"
    title = "MLflow"
    has_spans = True

    def recognises(self, row: Row) -> bool:
        """Return whether the row is a trace."""
        info = loaded(row.get("info"))
        if not isinstance(info, Mapping) or not isinstance(loaded(row.get("data")), Mapping):
            return _is_frame(row)
        return "trace_id" in info or "request_id" in info

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read every span of the trace; the trace's own inputs and outputs stand in for a root without any."""
        row = whole_trace(row)
        info = loaded(row.get("info"))
        about = info if isinstance(info, Mapping) else row
        trace = about.get("trace_id") or about.get("request_id")
        if not trace:
            raise InputError("a trace without its trace_id")
        metadata = written(about.get("trace_metadata") or about.get("request_metadata"))
        metadata = metadata if isinstance(metadata, Mapping) else {}
        data = loaded(row.get("data"))
        spans = written(data.get("spans") if isinstance(data, Mapping) else row.get("spans"))
        has_root = False
        for span in spans if isinstance(spans, list) else ():
            if not isinstance(span, Mapping):
                continue
            try:
                parts = _parts(span, str(trace), metadata, _begun(about))
            except InputError as error:
                yield Unread(str(error), span)
                continue
            has_root = has_root or parts.parent is None
            given = {**row, "span": span} if parts.parent is None else span
            yield span_of(parts, _decoded(given) if paths else given, paths)
        if not has_root:
            yield span_of(_whole(row, about, str(trace), metadata), _decoded(row) if paths else row, paths)
        yield from map(Evaluation, inner_evaluations(row) or ())


def _is_frame(row: Row) -> bool:
    return ("spans" in row or "trace_location" in row) and "trace_metadata" in row and "trace_id" in row


def _begun(about: Row) -> object:
    """Return when the request of a trace came in."""
    return about.get("request_time") or about.get("timestamp_ms")


def _parts(span: Row, trace: str, metadata: Row, begun: object) -> SpanParts:
    attributes = span.get("attributes")
    given = attributes if isinstance(attributes, Mapping) else {}
    name = id_of(span.get("span_id") or follow(span, "context.span_id"), 8)
    if name is None:
        raise InputError("a span without its span_id")
    parent = id_of(span.get("parent_span_id") or span.get("parent_id"), 8)
    kind = KINDS.get(str(decoded(given.get(TYPE)) or "").upper(), SpanKind.OTHER)
    inputs = Found(decoded(given.get(INPUTS)), INPUTS)
    output = Found(decoded(given.get(OUTPUTS)), OUTPUTS)
    if parent is None:
        inputs = inputs or Found(decoded(metadata.get("mlflow.traceInputs")), "mlflow.traceInputs")
        output = output or Found(decoded(metadata.get("mlflow.traceOutputs")), "mlflow.traceOutputs")
    return SpanParts(
        trace=trace,
        id=name,
        parent=parent,
        within="span.attributes.",
        name=str(span.get("name") or ""),
        kind=kind,
        start=span.get("start_time_unix_nano") or span.get("start_time") or (begun if parent is None else None),
        end=span.get("end_time_unix_nano") or span.get("end_time"),
        is_failed=failed(span.get("status")),
        input=inputs,
        output=output,
        messages=inputs if kind is SpanKind.MODEL else Found(),
        group=Found(metadata.get(SESSION), SESSION) if parent is None else Found(),
        metadata=dict(_beside(given)),
    )


def _whole(row: Row, about: Row, trace: str, metadata: Row) -> SpanParts:
    """Return the trace as a span, for one that came without its root."""
    inputs = metadata.get("mlflow.traceInputs") or row.get("request") or about.get("request_preview")
    output = metadata.get("mlflow.traceOutputs") or row.get("response") or about.get("response_preview")
    return SpanParts(
        trace=trace,
        id=trace,
        kind=SpanKind.CHAIN,
        start=_begun(about),
        is_failed=about.get("state") == "ERROR" or about.get("status") == "ERROR",
        input=Found(decoded(inputs), "mlflow.traceInputs"),
        output=Found(decoded(output), "mlflow.traceOutputs"),
        group=Found(metadata.get(SESSION), SESSION),
    )


def _decoded(row: Row) -> Row:
    """Return a trace or a span with its texts as they were before MLflow wrote them as JSON, for paths of the user."""
    info, data, span = loaded(row.get("info")), loaded(row.get("data")), row.get("span")
    plain = {**row, **{name: decoded(row[name]) for name in ("request", "response") if name in row}}
    if isinstance(info, Mapping):
        plain["info"] = _decoded_within(info, "trace_metadata", "request_metadata")
    if isinstance(data, Mapping):
        spans = written(data.get("spans"))
        listed = spans if isinstance(spans, list) else []
        plain["data"] = {
            **data,
            "spans": [_decoded_within(span, "attributes") if isinstance(span, Mapping) else span for span in listed],
        }
    if isinstance(span, Mapping):
        plain["span"] = _decoded_within(span, "attributes")
    return _decoded_within(plain, "attributes", "trace_metadata", "request_metadata")


def _decoded_within(row: Row, *names: str) -> dict[str, object]:
    """Return a row with the values of these objects decoded."""
    objects = {name: inner for name in names if isinstance(inner := loaded(row.get(name)), Mapping)}
    return {
        **row,
        **{name: {key: decoded(value) for key, value in inner.items()} for name, inner in objects.items()},
    }


def _beside(attributes: Row) -> Iterator[tuple[str, object]]:
    for name, value in attributes.items():
        if not name.startswith(("mlflow.span", "mlflow.trace", "mlflow.chat")):
            yield name, decoded(value)
