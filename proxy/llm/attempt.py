"""Record a request to a model's endpoint and how it ended; every attempt leaves such a record.

Frozen, keyword-only, no behaviour beyond names. The rule: an exchange has a reply, vectors or a fault, never none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proxy.judges.llm.embedding import Vector
from proxy.judges.llm.reading import Reply


class Blame(StrEnum):
    """The party at fault for a request without a reply, which decides what is done next."""

    RUN = "run"  # key, quota, model or address: every further request would fail alike
    ENDPOINT = "endpoint"  # it may answer if asked again
    ITEM = "item"  # this request will never be answered
    REFUSED = "refused"  # a content filter stopped it


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """A reason why there is no reply. `wait` is the seconds that the endpoint asks to wait, `is_pushback` its overload."""

    blame: Blame
    reason: str
    wait: float | None = None
    is_pushback: bool = False
    parameter: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens that a request took; `cached` are those of the prompt that the provider had seen before.

    `thinks` is whether some of the completion were thoughts that no reply shows.
    """

    prompt: int
    completion: int
    cached: int = 0
    thinks: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestOutcome:
    """A request: `outcome` in a word or two ("ok", "http 429", "timeout"), and what came back."""

    outcome: str
    seconds: float
    reply: Reply | None = None
    vectors: tuple[Vector, ...] = ()
    fault: Fault | None = None
    usage: Usage | None = None
    model: str | None = None
    fingerprint: str | None = None
    request_id: str | None = None
    raw: str | None = None
