"""OTLP in JSON: a request a row, as the collector's file exporter writes them, or a single span of one.

Ids are hexadecimal (some writers leave protobuf's base64), times are nanoseconds as text, and values are wrapped by type.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping

from annotate.traffic.attributes import SpanPlace, parts_of
from annotate.traffic.evaluations import evaluation_events
from annotate.traffic.source_format import Paths, Reading, Row, Unread
from annotate.traffic.span_parts import failed, span_of
from proxy.errors import InputError

HEX = re.compile(r"[0-9a-fA-F]+")
DEEPEST = 30
SPANS, LOGS = ("resourceSpans", "resource_spans"), ("resourceLogs", "resource_logs")
# Two bits: whether it is known that the parent is remote, and whether it is.
REMOTE_PARENT = 0x300


class Otlp:
    """Rows with `resourceSpans`, or with `resourceLogs` that hold evaluations."""

    name = "otlp"
    title = "OpenTelemetry (OTLP JSON)"
    has_spans = True

    def recognises(self, row: Row) -> bool:
        """Return whether the row is a request, by its one key."""
        return any(isinstance(_either(row, *names), list) for names in (SPANS, LOGS))

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read every span of the request; one that cannot be read costs only itself."""
        resources, logs = _either(row, *SPANS), _either(row, *LOGS)
        if isinstance(logs, list):
            yield from _evaluations(logs)
            return
        if not isinstance(resources, list):
            raise InputError("no resourceSpans: this is no request of OTLP")
        for resource in _objects(resources):
            of = resource.get("resource")
            service = attributes_of(of.get("attributes")) if isinstance(of, Mapping) else {}
            for scope in _objects(_either(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")):
                emitter = _scope(scope)
                for span in _objects(scope.get("spans")):
                    yield from _span(span, service, paths, emitter)


def _scope(scope: Row) -> str:
    """Return the name and version of the library that wrote these spans or records."""
    of = scope.get("scope")
    return " ".join(str(of[name]) for name in ("name", "version") if of.get(name)) if isinstance(of, Mapping) else ""


def _evaluations(resources: object) -> Iterator[Reading]:
    """Yield the evaluations among log records; other records are no traffic."""
    for resource in _objects(resources):
        for scope in _objects(_either(resource, "scopeLogs", "scope_logs")):
            for record in _objects(_either(scope, "logRecords", "log_records")):
                attributes = attributes_of(record.get("attributes"))
                event = {
                    "name": _either(record, "eventName", "event_name") or attributes.get("event.name"),
                    "attributes": attributes,
                    "time": _either(record, "timeUnixNano", "time_unix_nano", "observedTimeUnixNano"),
                }
                trace = id_of(_either(record, "traceId", "trace_id"), 16)
                span = id_of(_either(record, "spanId", "span_id"), 8)
                yield from evaluation_events([event], trace, span, _scope(scope))


def _span(span: Row, resource: Row, paths: Paths, emitter: str) -> Iterator[Reading]:
    trace = id_of(_either(span, "traceId", "trace_id"), 16)
    name = id_of(_either(span, "spanId", "span_id"), 8)
    if trace is None or name is None:
        yield Unread("a span without its traceId or spanId", span)
        return
    attributes = attributes_of(span.get("attributes"))
    events = [
        {
            "name": event.get("name"),
            "attributes": attributes_of(event.get("attributes")),
            "time": _either(event, "timeUnixNano", "time_unix_nano"),
        }
        for event in _objects(span.get("events"))
    ]
    yield from evaluation_events(events, trace, name, emitter)
    place = SpanPlace(
        trace=trace,
        id=name,
        parent=id_of(_either(span, "parentSpanId", "parent_span_id"), 8),
        name=str(span.get("name") or ""),
        start=_either(span, "startTimeUnixNano", "start_time_unix_nano"),
        end=_either(span, "endTimeUnixNano", "end_time_unix_nano"),
        resource=resource,
        is_entry=_is_entry(span.get("flags")),
        is_failed=failed(span.get("status")),
    )
    parts = parts_of(place, attributes, events)
    if parts is not None:
        yield span_of(parts, {**span, "attributes": attributes, "resource": resource}, paths)


def _is_entry(flags: object) -> bool:
    """Return whether the flags say that the parent is of another program."""
    try:
        return int(str(flags)) & REMOTE_PARENT == REMOTE_PARENT
    except ValueError:
        return False


def _either(row: Row, *names: str) -> object:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _objects(values: object) -> Iterator[Row]:
    for value in values if isinstance(values, list) else ():
        if isinstance(value, Mapping):
            yield value


def id_of(value: object, size: int) -> str | None:
    """Return an id of so many bytes as hexadecimal digits; what is neither these nor base64 as it is, none where it is empty."""
    if not isinstance(value, str) or not value.strip():
        return None
    text = value.strip()
    digits = text.removeprefix("0x")
    if len(digits) != 2 * size or not HEX.fullmatch(digits):
        try:
            raw = base64.b64decode(text, validate=True)  # one in 4,096 begins with 0x
        except (binascii.Error, ValueError):
            return text
        if len(raw) != size:
            return text
        digits = raw.hex()
    return digits.lower() if digits.strip("0") else None


def attributes_of(values: object) -> dict[str, object]:
    """Return the attributes of a list of keys and wrapped values; plain objects as they are."""
    if isinstance(values, Mapping):
        return {str(name): value for name, value in values.items()}
    return {str(attribute.get("key")): value_of(attribute.get("value")) for attribute in _objects(values)}


def value_of(value: object, depth: int = 0) -> object:
    """Return a value without the wrapping that says its type; Phoenix names every type, and all but one hold null."""
    if not isinstance(value, Mapping) or depth > DEEPEST:
        return value
    for name, inner in value.items():
        if inner is None:
            continue
        match str(name).replace("_", "").lower():
            case "stringvalue" | "boolvalue" | "bytesvalue":
                return inner
            case "intvalue":
                return int(inner) if isinstance(inner, str) and inner.lstrip("-").isdigit() else inner
            case "doublevalue":
                return inner
            case "arrayvalue":
                return [
                    value_of(entry, depth + 1)
                    for entry in _objects(inner.get("values") if isinstance(inner, Mapping) else ())
                ]
            case "kvlistvalue":
                pairs = _objects(inner.get("values") if isinstance(inner, Mapping) else ())
                return {str(pair.get("key")): value_of(pair.get("value"), depth + 1) for pair in pairs}
    return None
