"""What comes back of a request, whatever it holds: byte-split tokens, thoughts, absurd counts, and bodies of every other kind."""

from __future__ import annotations

import json
import random

import pytest

from proxy.llm.attempt import RequestOutcome
from proxy.llm.completions import completed, turned_away

FAMILY = "\U0001f469\u200d\u2695\ufe0f"


def body(content: object = "ok", **changes: object) -> dict[str, object]:
    """A completion."""
    return {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], **changes}


def read(value: object) -> RequestOutcome:
    return completed(json.dumps(value).encode(), {}, 0.1)


@pytest.mark.parametrize("text", ["뷁 서울", "臺北的塔", f"{FAMILY} ok", "café"])
def test_tokens_that_split_a_character_make_up_the_text_by_their_bytes(text: str) -> None:
    """A provider writes half a character as an escape; its bytes tell, and the character stands with its last token."""
    raw = text.encode()
    pieces = [raw[at : at + 2] for at in range(0, len(raw), 2)]
    rows = [
        {
            "token": "".join(f"\\x{byte:02x}" for byte in piece),
            "bytes": list(piece),
            "top_logprobs": [{"token": "a", "logprob": -0.1}],
        }
        for piece in pieces
    ]
    value = body(text)
    value["choices"][0]["logprobs"] = {"content": rows}  # type: ignore[index]
    reply = read(value).reply

    assert reply is not None
    assert "".join(token.text for token in reply.tokens) == text
    assert len(reply.tokens) == len(pieces)


@pytest.mark.parametrize(
    "odd", [None, 5, {}, [], {"token": None, "top_logprobs": []}, {"token": "ok"}, {"token": 5, "bytes": [999]}]
)
def test_odd_tokens_are_none(odd: object) -> None:
    """The reply is read without probabilities."""
    value = body()
    value["choices"][0]["logprobs"] = {"content": [odd]}  # type: ignore[index]
    reply = read(value).reply

    assert reply is not None
    assert (reply.text, reply.tokens) == ("ok", ())


@pytest.mark.parametrize("count", [2**64 - 1, -1, 1.5, "7", True, None, 10**400])
def test_absurd_counts_are_no_usage(count: object) -> None:
    """What a database cannot hold, or nobody can have used."""
    assert read(body(usage={"prompt_tokens": count, "completion_tokens": 1})).usage is None


def test_thoughts_are_seen_by_their_tokens_or_their_text() -> None:
    """As OpenAI counts them, or as other servers send them beside the content."""
    counts = {"prompt_tokens": 1, "completion_tokens": 9}
    counted = read(body(usage={**counts, "completion_tokens_details": {"reasoning_tokens": 8}})).usage
    shown = body(usage=counts)
    shown["choices"][0]["message"]["reasoning_content"] = "Hmm."  # type: ignore[index]
    plain = read(body(usage=counts)).usage

    assert [usage.thinks for usage in (counted, read(shown).usage, plain) if usage] == [True, True, False]


@pytest.mark.slow
def test_no_body_raises() -> None:
    """3,000 seeded mutations of a completion and of errors: each is an exchange with a reply or a fault."""
    rng = random.Random(3)
    whole = json.dumps(
        body(usage={"prompt_tokens": 1, "completion_tokens": 2}, error={"code": "²", "message": "x"})
    ).encode()
    parts = [b"null", b"[]", b"{}", b'"', b"\\ud800", b"\xff", b"1e999", b"NaN", b"true", b"99999999999999999999"]
    for _ in range(3_000):
        at, end = sorted(rng.randrange(len(whole)) for _ in range(2))
        content = whole[:at] + rng.choice(parts) + whole[end:]
        for exchange in (completed(content, {}, 0.0), turned_away(rng.choice([400, 404, 429, 500]), content, {}, 0.0)):
            assert (exchange.reply is None) is (exchange.fault is not None)
