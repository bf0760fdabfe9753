"""What can go wrong with a reply of a scripted model, by name: statuses, connections that break, replies that mislead."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from support.replies import DEEP


class Reply(NamedTuple):
    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    kind: str = "application/json"


def error(status: int, message: str, *, code: str | None = None, param: str | None = None, **headers: str) -> Reply:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status, json.dumps(body).encode(), named)


SLOW_DOWN = "Rate limit reached for requests."
TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>"
HUGE = {
    **{"id": "x", "object": "chat.completion", "created": 0, "model": "m"},
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x" * 10_000_000}}],
}
ANSWERED = {
    "400": error(400, TOO_LONG, code="context_length_exceeded", param="messages"),
    "401": error(401, "Incorrect API key provided.", code="invalid_api_key"),
    "402": error(402, "Insufficient balance.", code="insufficient_balance"),
    "403": error(403, "This key may not use this model.", code="permission_denied"),
    "404": error(404, "The model does not exist or you do not have access to it.", code="model_not_found"),
    "408": error(408, "Request timed out."),
    "409": error(409, "Conflict."),
    "429": error(429, SLOW_DOWN, code="rate_limit_exceeded"),
    "429-after": error(429, SLOW_DOWN, code="rate_limit_exceeded", retry_after="1"),
    "429-after-ms": error(429, SLOW_DOWN, code="rate_limit_exceeded", retry_after_ms="200"),
    "429-quota": error(429, "You exceeded your current quota.", code="insufficient_quota"),
    "429-long": error(429, SLOW_DOWN, code="rate_limit_exceeded", retry_after="3600"),
    "500": error(500, "The server had an error while processing your request."),
    "502": Reply(502, GATEWAY, kind="text/html"),
    "503": error(503, "The engine is currently overloaded."),
    "503-after": error(503, "The engine is currently overloaded.", retry_after="1"),
    "html": Reply(200, b"<html><body>Please log in to the network.</body></html>", kind="text/html"),
    "error200": error(200, "Upstream failed."),
    "megabytes": Reply(200, json.dumps(HUGE).encode()),
    "nested_body": Reply(200, b'{"choices":' * DEEP + b"1" + b"}" * DEEP),
}
BROKEN_OFF = frozenset({"hang", "reset", "close", "drip", "cut"})
IN_THE_REPLY = frozenset({
    "prose", "fenced", "wrong_enum", "missing", "extra", "duplicate", "nan", "number", "refusal", "text_refusal", "filter",
    "length", "empty", "null", "no_choices", "nested", "huge", "surrogate", "surrogate_body",
})  # fmt: skip
FAULTS = frozenset(ANSWERED) | BROKEN_OFF | IN_THE_REPLY


def known(fault: str | None) -> str | None:
    """The fault itself; a name that does not exist is the test's mistake."""
    if fault is not None and fault not in FAULTS:
        raise ValueError(f"no such fault: {fault}; there are {', '.join(sorted(FAULTS))}")
    return fault


def drawn(spec: str, seed: int) -> Callable[[int, dict[str, Any]], str | None]:
    """Faults at random from a text such as "429:0.1,hang:0.01"; the same seed draws the same series."""
    parts = [part.rpartition(":") for part in spec.split(",") if part.strip()]
    chances = [(known(name.strip()), float(chance)) for name, _, chance in parts]
    rng = random.Random(seed)

    def draw(number: int, body: dict[str, Any]) -> str | None:
        at = rng.random()
        for name, chance in chances:
            at -= chance
            if at < 0:
                return name
        return None

    return draw
