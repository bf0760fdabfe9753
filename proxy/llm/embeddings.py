"""Turn what an embedding model answered into a RequestOutcome with a vector for each text, or a fault.

The rule: any answer is read without raising. A list that has not one vector for each text, all of one length, is a fault; a
number that is none becomes NaN, so that the text it belongs to fails and the others do not.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import orjson

from proxy.judges.llm.embedding import FLOAT32, TextsToEmbed, Vector
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage
from proxy.llm.errors import fault_of_error
from proxy.llm.token_count import token_count

NO_VECTORS = "no vectors"
# A function of the user's has no address.
FUNCTION = "function"
_KEPT_RAW = 2_000


class EmbeddingEndpoint(Protocol):
    """An embedding model behind an address, or a function of the user's."""

    url: str
    model: str

    async def embed(self, request: TextsToEmbed, deadline: float) -> RequestOutcome:
        """Ask for the vectors and return the exchange; raises nothing but cancellation."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


class EmbeddingFunction:
    """A function of the user's as embedding model, called in a thread of its own, one call at a time.

    Parameters
    ----------
    model : str
        What scores made with its vectors are called by: another model needs another name.
    function : callable
        Gets a list of texts and returns as many rows of numbers, such as a list of lists or a NumPy array.
    """

    def __init__(self, model: str, function: Callable[[list[str]], object]) -> None:
        self.url, self.model = FUNCTION, model
        self._function, self._turn = function, asyncio.Lock()

    async def embed(self, request: TextsToEmbed, deadline: float) -> RequestOutcome:
        """Call the function."""
        start = time.perf_counter()
        try:
            async with self._turn:  # few models can be called from two threads
                rows = await asyncio.to_thread(self._rows, list(request.texts))
        except Exception as error:  # noqa: BLE001 - it is the user's function
            words = f"the embedding function {self.model} raised {type(error).__name__}: {error}"[:300]
            fault = Fault(blame=Blame.ITEM, reason=words)
            return RequestOutcome(outcome="error", seconds=time.perf_counter() - start, fault=fault)
        free = Usage(prompt=0, completion=0)
        return _outcome(rows, len(request.texts), time.perf_counter() - start, free, self.model, "")

    def _rows(self, texts: list[str]) -> list[list[float]]:
        rows: Iterable[Iterable[Any]] = self._function(texts)  # type: ignore[assignment]
        return [[float(number) for number in row] for row in rows]

    async def close(self) -> None:
        """Nothing is open."""


def embedded(content: bytes, headers: Mapping[str, str], seconds: float, count: int) -> RequestOutcome:
    """Build the exchange of a reply with status 200 to a request for the vectors of `count` texts."""
    value, request_id = _json(content), headers.get("x-request-id")
    text = content[: 4 * _KEPT_RAW].decode("utf-8", "replace")[:_KEPT_RAW]
    if isinstance(value, dict) and value.get("error") and not value.get("data"):
        fault = fault_of_error(value["error"])
        return RequestOutcome(outcome=NO_VECTORS, seconds=seconds, fault=fault, raw=text, request_id=request_id)
    usage = _usage(value.get("usage")) if isinstance(value, dict) else None
    name = value.get("model") if isinstance(value, dict) else None
    rows = _rows(value.get("data")) if isinstance(value, dict) else None
    outcome = _outcome(rows, count, seconds, usage, name if isinstance(name, str) else None, text)
    return replace(outcome, request_id=request_id)


def _outcome(
    rows: Sequence[Sequence[object]] | None,
    count: int,
    seconds: float,
    usage: Usage | None,
    model: str | None,
    raw: str,
) -> RequestOutcome:
    """Build the exchange of these rows, which must be as many as the texts and of one length."""
    lengths = {len(row) for row in rows or ()}
    if rows is not None and len(rows) == count and len(lengths) == 1 and 0 not in lengths:
        vectors = tuple(Vector(FLOAT32, map(_number, row)) for row in rows)
        return RequestOutcome(outcome="ok", seconds=seconds, vectors=vectors, usage=usage, model=model)
    given = "something that is no list of vectors"
    if rows is not None:
        given = f"{len(rows)} vectors of {', '.join(map(str, sorted(lengths))) or 'no'} numbers for {count} texts"
    fault = Fault(blame=Blame.ENDPOINT, reason=f"the embedding model answered with {given}")
    return RequestOutcome(outcome=NO_VECTORS, seconds=seconds, fault=fault, usage=usage, raw=raw)


def _rows(data: object) -> list[list[object]] | None:
    """Return the vectors in the order of their texts; None where they cannot be told apart."""
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        return None
    if any(not isinstance(entry.get("embedding"), list) for entry in data):
        return None
    places = [entry.get("index", place) for place, entry in enumerate(data)]
    if not all(type(place) is int for place in places) or sorted(places) != list(range(len(data))):
        return None
    return [data[places.index(place)]["embedding"] for place in range(len(data))]


def _number(value: object) -> float:
    """Return a number as it is, NaN for what is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        return float(value) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return math.nan


def _usage(value: object) -> Usage | None:
    """Read the tokens used, where the endpoint reports them."""
    tokens = token_count(value.get("prompt_tokens")) if isinstance(value, dict) else None
    return None if tokens is None else Usage(prompt=tokens, completion=0)


def _json(content: bytes) -> object:
    """Parse the body as JSON, in which a number may be NaN; None where it is none."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
