"""Turn the response to a chat completion request into a RequestOutcome with a reply or a fault.

Pure. The rule: any body whatever is read without raising, and one with status 200 need not be a completion.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from proxy.judges.llm.probability import Token
from proxy.judges.llm.reading import Reply
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage
from proxy.llm.errors import fault_of_error, fault_of_status
from proxy.llm.token_count import token_count

_KEPT_RAW = 20_000


def turned_away(status: int, content: bytes, headers: Mapping[str, str], seconds: float) -> RequestOutcome:
    """Build the exchange of a reply with an error status."""
    text = content.decode("utf-8", "replace")
    return RequestOutcome(
        outcome=f"http {status}",
        seconds=seconds,
        fault=fault_of_status(status, _json(content), text, headers),
        request_id=headers.get("x-request-id"),
        raw=text[:_KEPT_RAW],
    )


def completed(content: bytes, headers: Mapping[str, str], seconds: float) -> RequestOutcome:
    """Build the exchange of a reply with status 200."""
    value = _json(content)
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(value, dict) or not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        return _no_completion(value, content, headers, seconds)
    thinks = any(_text(first["message"].get(name)) for name in ("reasoning_content", "reasoning"))
    return RequestOutcome(
        outcome="ok",
        seconds=seconds,
        reply=_reply(first),
        usage=_usage(value.get("usage"), thinks=thinks),
        model=_text(value.get("model")),
        fingerprint=_text(value.get("system_fingerprint")),
        request_id=headers.get("x-request-id"),
    )


def _no_completion(value: object, content: bytes, headers: Mapping[str, str], seconds: float) -> RequestOutcome:
    """Build the exchange of a page, of an error with status 200, or of a completion without a message."""
    text = content.decode("utf-8", "replace")
    error = value.get("error") if isinstance(value, dict) else None
    reason = "the endpoint answered with something that is no completion: " + " ".join(text[:1_000].split())[:120]
    return RequestOutcome(
        outcome="no completion",
        seconds=seconds,
        fault=fault_of_error(error) if error else Fault(blame=Blame.ENDPOINT, reason=reason),
        usage=_usage(value.get("usage"), thinks=False) if isinstance(value, dict) else None,
        request_id=headers.get("x-request-id"),
        raw=text[:_KEPT_RAW],
    )


def _reply(choice: Mapping[str, Any]) -> Reply:
    """Read the reply from the first choice."""
    message = choice["message"]
    content = message.get("content")
    logprobs = choice.get("logprobs")
    rows = logprobs.get("content") if isinstance(logprobs, dict) else None
    text = content if isinstance(content, str) else ""
    return Reply(
        text=text,
        finish=_text(choice.get("finish_reason")) or "stop",
        refusal=_text(message.get("refusal")),
        tokens=_tokens(rows, text) if isinstance(rows, list) else (),
    )


def _tokens(rows: Sequence[Any], text: str) -> tuple[Token, ...]:
    """Read the tokens with their alternatives; none where they do not make up the text."""
    try:
        # A long reply has thousands of alternatives, for which a generator would take twice the time of a list.
        tokens = [
            Token(
                token_text,
                tuple([(alternative["token"], float(alternative["logprob"])) for alternative in row["top_logprobs"]]),
            )
            for token_text, row in zip(_token_texts(rows), rows, strict=True)
        ]
        makes_up = "".join([token.text for token in tokens]).startswith(text)
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()
    return tuple(tokens) if makes_up else ()


def _token_texts(rows: Sequence[Any]) -> list[str]:
    """Return the tokens' texts; a character that several tokens make up stands with the last of them."""
    if all(row["token"].isascii() and "\\x" not in row["token"] for row in rows):
        return [row["token"] for row in rows]
    if not all(isinstance(row.get("bytes"), list) for row in rows):
        return [row["token"] for row in rows]
    decoder = codecs.getincrementaldecoder("utf-8")()
    return [decoder.decode(bytes(row["bytes"])) for row in rows]


def _usage(value: object, *, thinks: bool) -> Usage | None:
    """Read the tokens used, where the endpoint reports them."""
    if not isinstance(value, dict):
        return None
    prompt, completion = token_count(value.get("prompt_tokens")), token_count(value.get("completion_tokens"))
    if prompt is None or completion is None:
        return None
    cached = _detail(value, "prompt_tokens_details", "cached_tokens")
    thought = _detail(value, "completion_tokens_details", "reasoning_tokens")
    return Usage(prompt=prompt, completion=completion, cached=min(cached, prompt), thinks=thinks or thought > 0)


def _detail(value: Mapping[str, object], group: str, name: str) -> int:
    """Read one of the finer counts, 0 where there is none."""
    details = value.get(group)
    return (token_count(details.get(name)) or 0) if isinstance(details, dict) else 0


def _json(content: bytes) -> object:
    """Parse the body as JSON, None where it is none."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    try:  # half an emoji in a reply that was cut is no reason to pay for it again
        return orjson.loads(json.dumps(json.loads(content), ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
