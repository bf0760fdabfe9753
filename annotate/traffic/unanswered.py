"""Tell calls in logs of gateways that no user saw an answer of: those that failed, embeddings, and calls of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotate.domain.field_mapping import follow
from annotate.traffic.content import CALLS, loaded
from annotate.traffic.source_format import NoAnswer, Row

REPLIES = ("response", "response_body", "responseBody", "completion", "output", "answer", "result")
KINDS = ("call_type", "type", "operation", "request_type", "request_path", "path", "endpoint", "url", "target_url")
STATES = ("status", "state", "response_status", "responseStatus", "status_code", "statusCode", "http_status")
ERRORS = ("error", "error_str", "error_message", "exception")
FAILED = ("failure", "failed", "error", "exception", "timeout")
FIRST_FAILING = 400


def no_answer(row: Row, messages: object) -> NoAnswer | None:
    """Return why a call whose conversation has no answer gave none; None where nothing in its row says so."""
    replies = [loaded(row[name]) for name in REPLIES if row.get(name) not in (None, "")]
    if _is_embedding(row, replies):
        return NoAnswer.EMBEDDING
    if _has_failed(row, replies):
        return NoAnswer.FAILED
    last = messages[-1] if isinstance(messages, list) and messages else None
    if any(_calls_tool(message) for message in (*_spoken([row, *replies]), last)):
        return NoAnswer.TOOL_CALL
    return None


def _is_embedding(row: Row, replies: list[object]) -> bool:
    names = [row.get(name) for name in KINDS]
    kinds = [follow(reply, "data[0].object") for reply in replies]
    return any(isinstance(name, str) and "embedding" in name.casefold() for name in (*names, *kinds))


def _has_failed(row: Row, replies: list[object]) -> bool:
    kept = [reply for reply in replies if isinstance(reply, Mapping)]
    bodies = [body for reply in kept if isinstance(body := reply.get("body"), Mapping)]  # of a batch
    if any(row.get(name) for name in ERRORS) or any(reply.get("error") for reply in (*kept, *bodies)):
        return True
    return any(_is_failure(place.get(name)) for place in (row, *kept) for name in STATES)


def _is_failure(state: object) -> bool:
    text = str(state).strip().casefold()
    return text in FAILED or (text.isdigit() and int(text) >= FIRST_FAILING)


def _spoken(values: list[object]) -> Iterator[object]:
    """Yield what a model said, wherever a reply keeps it."""
    for value in values:
        yield value
        for path in ("choices[0].message", "[0].message", "message"):
            yield follow(value, path)


def _calls_tool(message: object) -> bool:
    """Return whether a message asks for a tool, in the shape of any API."""
    if not isinstance(message, Mapping):
        return False
    parts = [part for name in ("content", "output") if isinstance(message.get(name), list) for part in message[name]]
    kinds = [str(part.get("type") or "") for part in parts if isinstance(part, Mapping)]
    called = any(kind in CALLS or kind.endswith("_call") for kind in kinds if kind not in ("reasoning", "thinking"))
    return called or any(message.get(name) for name in ("tool_calls", "function_call"))
