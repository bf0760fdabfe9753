"""Vectors of a real server: read in the order of their texts, and compared where they have a direction."""

from __future__ import annotations

import asyncio
import math

import pytest

from proxy.judges.llm.embedding import NoCosine, TextsToEmbed, cosine
from proxy.llm.attempt import Blame, RequestOutcome, Usage
from proxy.llm.embeddings import embedded
from proxy.llm.openai_client import OpenAIEndpoint
from support.endpoint import Endpoint
from support.vectors import vector

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((3, 4), (3, 4), 1.0),
        ((3, 4), (4, 3), 24 / 25),
        ((1, 0), (0, 7), 0.0),
        ((1, 2, 2), (-2, -4, -4), -1.0),
        ((1, 1, 0), (1, 0, 0), 1 / math.sqrt(2)),
        ((1e30, 1e30), (1e-30, 0), 1 / math.sqrt(2)),
    ],
)
def test_the_cosine_of_two_vectors(first: tuple[float, ...], second: tuple[float, ...], expected: float) -> None:
    """By hand: the product over the lengths, whatever these are."""
    assert cosine(vector(*first), vector(*second)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ((0, 0), (1, 0), "is all zeros"),
        ((1, 0), (math.nan, 0), "no finite number"),
        ((1, math.inf), (1, 0), "no finite number"),
        ((1, 0), (1, 0, 0), "2 and 3 numbers"),
        ((), (), "has no numbers"),
    ],
)
def test_what_has_no_direction_has_no_cosine(first: tuple[float, ...], second: tuple[float, ...], reason: str) -> None:
    with pytest.raises(NoCosine, match=reason):
        cosine(vector(*first), vector(*second))


def test_vectors_are_read_in_the_order_of_their_texts() -> None:
    """The server lists the last one first; usage and model are taken down."""
    places = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]}
    with Endpoint(vectors=places.__getitem__) as endpoint:
        client = OpenAIEndpoint("e", url=endpoint.url)

        async def run() -> RequestOutcome:
            try:
                return await client.embed(TextsToEmbed(("a", "b", "c")), 5)
            finally:
                await client.close()

        exchange = asyncio.run(run())
        assert list(endpoint.bodies) == [{"model": "e", "input": ["a", "b", "c"]}]

    assert [list(given) for given in exchange.vectors] == list(places.values())
    assert (exchange.outcome, exchange.usage, exchange.model) == ("ok", Usage(prompt=1, completion=0), "e")


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": [{"index": 0, "embedding": [1, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 0, "embedding": [1, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 2, "embedding": [1, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 0]}, {"index": true, "embedding": [1, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [1, 0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": "AACAPw=="}]}',
        b'{"data": {"0": [1, 0]}}',
        b'{"data": [1, 2]}',
        b'{"data": null}',
        b"[]",
        b"<html>Please log in</html>",
        b'{"data":' * 100_000,
        b"",
    ],
)
def test_what_is_no_list_of_vectors_is_a_fault_of_the_endpoint(body: bytes) -> None:
    """One for each of two texts, all of one length: anything else is asked for again, never guessed; the request has its id."""
    exchange = embedded(body, {"x-request-id": "req_1"}, 0.1, 2)

    assert (exchange.vectors, exchange.request_id) == ((), "req_1")
    assert exchange.outcome == "no vectors"
    assert exchange.fault is not None
    assert exchange.fault.blame is Blame.ENDPOINT


def test_an_error_with_status_200_says_whose_it_is() -> None:
    exchange = embedded(b'{"error": {"message": "no such model", "code": "404"}}', {}, 0.1, 1)

    assert exchange.fault is not None
    assert (exchange.fault.blame, "no such model" in exchange.fault.reason) == (Blame.RUN, True)


@pytest.mark.parametrize("number", ["NaN", "null", '"1"', "true", "1e999", "{}"])
def test_a_number_that_is_none_spoils_its_own_text_alone(number: str) -> None:
    body = f'{{"data": [{{"embedding": [1, {number}]}}, {{"embedding": [1, 0]}}], "usage": {{"prompt_tokens": 3}}}}'
    exchange = embedded(body.encode(), {}, 0.1, 2)

    spoilt, sound = exchange.vectors
    assert not math.isfinite(spoilt[1])
    assert list(sound) == [1.0, 0.0]
