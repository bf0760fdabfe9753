"""The routes that take traces and log records: POST /v1/traces and /v1/logs as OTLP/HTTP has them, protobuf or JSON.

What comes is kept before it is acknowledged; of log records the evaluations, which are scores or feedback. The exporters of
OpenTelemetry's SDKs send here by two environment variables. What is acknowledged is on the disk; spans that cannot be read are
in quarantine, and are told as the protocol has it: rejected in part.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from importlib import import_module
from typing import Any, NamedTuple

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotate.server.callers import SENT_BYTES, body_of, check_caller
from annotate.server.inbox import Inbox
from annotate.store import Store
from annotate.workflow.ingest.live import SpansReceived, keep_spans, read_request
from proxy.errors import InputError

PATH, LOGS_PATH = "/v1/traces", "/v1/logs"
PROTOBUF, JSON = "application/x-protobuf", "application/json"
# Of google.rpc.Status: a code, and a message whose length fits into one byte.
INVALID_ARGUMENT, MESSAGE_BYTES = 3, 127


class Signal(NamedTuple):
    """One kind of requests of OTLP: its path, the key of its content, and how what was rejected is counted."""

    path: str
    key: str
    rejected: str
    module: str
    name: str

    def message(self, kind: str) -> Any:
        """Return an empty message, a request or a response."""
        module = import_module(f"opentelemetry.proto.collector.{self.module}")
        return getattr(module, f"Export{self.name}Service{kind}")()


TRACES = Signal(PATH, "resourceSpans", "rejectedSpans", "trace.v1.trace_service_pb2", "Trace")
LOGS = Signal(LOGS_PATH, "resourceLogs", "rejectedLogRecords", "logs.v1.logs_service_pb2", "Logs")


def traces(token: bytes, inbox: Inbox) -> Route:
    """Return the route for spans."""
    return _route(TRACES, token, inbox)


def logs(token: bytes, inbox: Inbox) -> Route:
    """Return the route for log records, of which evaluations are kept."""
    return _route(LOGS, token, inbox)


def _route(of: Signal, token: bytes, inbox: Inbox) -> Route:
    async def take(request: Request) -> Response:
        await check_caller(request, token)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (PROTOBUF, JSON):
            raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        body = await body_of(request)
        try:
            readings = await run_in_threadpool(lambda: read_request(_request(of, body, kind)))
        except InputError as error:
            return _refused(kind, f"this is no request of OTLP: {error}")

        def keep(store: Store, now: str) -> SpansReceived:
            return keep_spans(store, readings, origin=f"POST {of.path}", now=now)

        received = await inbox.kept(keep)
        return _accepted(of, kind, received)

    return Route(of.path, take, methods=["POST"], max_body_size=SENT_BYTES)


def _request(of: Signal, body: bytes, kind: str) -> Mapping[str, Any]:
    """Return the request in OTLP's JSON; InputError for what is none."""
    try:
        content = orjson.loads(body) if kind == JSON else _from_protobuf(of, body)
    except ValueError as error:
        raise InputError(str(error)) from error
    if not isinstance(content, dict) or not isinstance(content.get(of.key, []), list):
        raise InputError(f"expected an object with {of.key}")
    return content


def _from_protobuf(of: Signal, body: bytes) -> object:
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError

    message = of.message("Request")
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    return MessageToDict(message)


def _accepted(of: Signal, kind: str, received: SpansReceived) -> Response:
    """Answer that all was kept, or what was rejected and why."""
    partial = {of.rejected: len(received.refused), "errorMessage": received.refused[0]} if received.refused else {}
    content = {"partialSuccess": partial} if partial else {}
    if kind == JSON:
        return Response(orjson.dumps(content), media_type=JSON)
    from google.protobuf.json_format import ParseDict

    return Response(ParseDict(content, of.message("Response")).SerializeToString(), media_type=PROTOBUF)


def _refused(kind: str, why: str) -> Response:
    """Answer that the request will not be read however often it comes, as a `google.rpc.Status`."""
    if kind == JSON:
        content = orjson.dumps({"code": INVALID_ARGUMENT, "message": why})
    else:
        message = why.encode("ascii", "replace")[:MESSAGE_BYTES]
        content = bytes([0x08, INVALID_ARGUMENT, 0x12, len(message)]) + message
    return Response(content, status_code=HTTPStatus.BAD_REQUEST, media_type=kind)
