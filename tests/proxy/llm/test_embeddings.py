"""Vectors of a real server: read in their order, asked for in batches and once, and a text at fault harms no other."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from proxy.judges.llm.base import Outcome, Steps, failed, scored
from proxy.judges.llm.embedding import FLOAT32, NoCosine, TextsToEmbed, Vector, cosine
from proxy.llm.attempt import Blame, RequestOutcome, Usage
from proxy.llm.budget import Prices, Spending
from proxy.llm.embeddings import EmbeddingEndpoint, EmbeddingFunction, embedded
from proxy.llm.openai_client import OpenAIEndpoint
from proxy.llm.runner import Embeddings, Ended, Job, JobEvent, RequestSettings, call
from proxy.records import FailureKind, Item, JudgeFailure, Score
from support.endpoint import Endpoint
from support.model import quick

pytestmark = pytest.mark.slow


def vector(*numbers: float) -> Vector:
    return Vector(FLOAT32, numbers)


@dataclass
class Kept:
    """A keeper in memory."""

    vectors: dict[str, Vector] = field(default_factory=dict)
    items: dict[str, set[int]] = field(default_factory=dict)
    requests: list[RequestOutcome] = field(default_factory=list)

    def known(self, texts: Sequence[str], item: int | None) -> Mapping[str, Vector]:
        return {text: self.vectors[text] for text in texts if text in self.vectors}

    def keep(self, exchange: RequestOutcome, vectors: Mapping[str, tuple[Vector, Collection[int]]]) -> None:
        self.requests.append(exchange)
        for text, (given, items) in vectors.items():
            self.vectors[text] = given
            self.items[text] = set(items)


class Likeness:
    """A judge of how alike question and answer are."""

    judges = (("likeness", "likeness|llm|e|v1|0"),)
    settings: Mapping[str, object] = {}

    def steps(self, item: Item) -> Steps:
        first, second = yield TextsToEmbed((item.question, item.answer))
        try:
            return (scored(item, self.judges[0], cosine(first, second), ""),)
        except NoCosine as fault:
            return (failed(item, self.judges[0], FailureKind.INVALID, str(fault)),)


def judged(
    client: EmbeddingEndpoint, pairs: Sequence[tuple[str, str]], kept: Kept | None = None, **how: object
) -> tuple[Ended, dict[str, Outcome]]:
    """How a run ended, and the outcome of each pair of texts by its number."""
    budget = how.pop("spending", None) or Spending()
    assert isinstance(budget, Spending)
    settings = RequestSettings(**{"parameters": {}, **how})  # type: ignore[arg-type]
    work = [
        Job(key=n, item=Item(id=str(n), question=first, answer=second), judge=Likeness())
        for n, (first, second) in enumerate(pairs)
    ]
    outcomes: dict[str, Outcome] = {}

    def keep(event: JobEvent) -> None:
        outcomes.update({outcome.item_id: outcome for outcome in event.outcomes or ()})

    async def run() -> Ended:
        embeddings = Embeddings(endpoint=client, spending=budget, keeper=kept or Kept())
        try:
            return await call(
                iter(work), None, settings, Spending(beside=budget), keep, random.Random(0), embeddings=embeddings
            )
        finally:
            await client.close()

    with quick():
        return asyncio.run(run()), outcomes


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Score), outcome
    return outcome.value


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


def test_jobs_at_the_same_time_ask_together_and_each_text_once() -> None:
    """Forty pairs with one question between them: 41 texts in fewer requests than a tenth of the jobs' texts; the items of each."""
    pairs = [("the same question", f"answer {n}") for n in range(40)]
    kept = Kept()
    with Endpoint(vectors=lambda text: [1.0, len(text) % 3]) as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), pairs, kept)
        assert endpoint.requests < 8
        assert endpoint.embedded == dict.fromkeys({text for pair in pairs for text in pair}, 1)

    assert ended.stopped is None
    assert len(outcomes) == 40
    assert kept.items["answer 7"] == {7}
    assert 0 in kept.items["the same question"]


def test_long_texts_go_in_smaller_batches() -> None:
    """Of texts of 40,000 characters three make a request: it is sent once it has over 100,000."""
    pairs = [(f"{n}a" * 20_000, f"{n}b" * 20_000) for n in range(6)]
    with Endpoint() as endpoint:
        _, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), pairs)
        sizes = [len(body["input"]) for body in endpoint.bodies]

    assert len(outcomes) == 6
    assert sum(sizes) == 12
    assert max(sizes) <= 3


def test_a_text_that_is_refused_harms_no_other() -> None:
    """The server answers 400 to any request with one long text in it: its item fails, nine have their scores."""
    pairs = [("question", f"answer {n}") for n in range(9)] + [("question", "too long")]

    def faults(number: int, body: Mapping[str, Sequence[str]]) -> str | None:
        return "400" if "too long" in body["input"] else None

    with Endpoint(faults=faults) as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), pairs)

    assert ended.stopped is None
    failure = outcomes.pop("9")
    assert isinstance(failure, JudgeFailure)
    assert failure.kind is FailureKind.ERROR
    assert "maximum context length" in failure.reason
    assert [value(outcome) for outcome in outcomes.values()] == [1.0] * 9


def test_many_refused_texts_among_others_do_not_stop_a_run() -> None:
    """120 of 240 texts are refused, more than the 50 in a row after which the model is taken to be at fault."""
    pairs = [("question", f"{'too long' if n % 2 else 'answer'} {n}") for n in range(240)]

    def faults(number: int, body: Mapping[str, Sequence[str]]) -> str | None:
        return "400" if any("too long" in text for text in body["input"]) else None

    with Endpoint(faults=faults) as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), pairs)

    assert ended.stopped is None
    assert [isinstance(outcomes[str(n)], Score) for n in range(240)] == [True, False] * 120


def test_a_model_that_refuses_everything_is_taken_to_be_at_fault() -> None:
    """No item is called to blame: none has an outcome."""
    with Endpoint(faults="400:1") as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), [(f"q {n}", f"a {n}") for n in range(100)])

    assert ended.is_fault
    assert "items in a row had no answer" in str(ended.stopped)
    assert outcomes == {}


def test_a_vector_that_is_spoilt_fails_its_item_alone() -> None:
    places = {"q": [1.0, 0.0], "good": [3.0, 4.0], "zero": [0.0, 0.0], "nan": [math.nan, 1.0], "null": [None, 1.0]}
    with Endpoint(vectors=places.__getitem__) as endpoint:
        _, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), [("q", name) for name in list(places)[1:]])

    assert value(outcomes["0"]) == pytest.approx(0.6)
    assert [getattr(outcomes[str(n)], "kind", None) for n in (1, 2, 3)] == [FailureKind.INVALID] * 3


@pytest.mark.parametrize("fault", ["500", "503", "429", "reset", "close", "cut", "html", "missing"])
def test_what_passes_is_asked_again(fault: str) -> None:
    """The first request goes wrong, the pair has its score all the same; every request is kept."""
    kept = Kept()
    with Endpoint(faults=lambda number, body: fault if number == 1 else None) as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), [("a", "b")], kept)
        assert endpoint.requests == len(kept.requests)

    assert ended.stopped is None
    assert value(outcomes["0"]) == 1.0
    assert kept.requests[0].fault is not None


@pytest.mark.parametrize("fault", ["401", "402", "403", "404", "429-quota"])
def test_what_no_request_would_outlive_stops_the_run(fault: str) -> None:
    with Endpoint(faults=f"{fault}:1") as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), [("a", "b")])
        assert endpoint.requests == 1

    assert ended.is_fault
    assert outcomes == {}


def test_a_server_that_never_answers_leaves_items_unanswered() -> None:
    with Endpoint(faults="503:1") as endpoint:
        _, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), [("a", "b")], attempts=2)
        assert endpoint.requests == 2

    assert getattr(outcomes["0"], "kind", None) is FailureKind.UNANSWERED


def test_a_budget_of_tokens_stops_before_it_is_passed() -> None:
    """Texts of 400 characters are 100 tokens: of twenty pairs some have no vector, and no more tokens than 900 are used."""
    pairs = [(f"{n:02}" * 200, f"{n:02}b" * 133) for n in range(20)]
    budget = Spending(most_tokens=900, prices=Prices(input=1, output=0))
    with Endpoint() as endpoint:
        ended, outcomes = judged(OpenAIEndpoint("e", url=endpoint.url), pairs, spending=budget, concurrency=2)

    assert ended.stopped is not None
    assert "budget" in ended.stopped
    assert not ended.is_fault
    assert 0 < budget.tokens <= 900
    assert budget.money == pytest.approx(budget.tokens / 1e6)
    assert len(outcomes) < 20


def test_two_models_are_paid_from_one_budget() -> None:
    """10 money: 6 on the first model at 2 a million tokens, so that 5 more on the second do not fit, and 4 do."""
    chat = Spending(prices=Prices(input=2, output=2), most_money=10e-6)
    vectors = Spending(prices=Prices(input=1, output=1), beside=chat)
    ok = RequestOutcome(outcome="ok", seconds=0.0, usage=Usage(prompt=2, completion=1))
    chat.settle(chat.reserve(2, 1) or 0, 2, ok)
    vectors.has_learnt, vectors._ratio = True, 1.0

    assert vectors.money == pytest.approx(6e-6)
    assert vectors.reserve(5, 0) is None
    assert vectors.reserve(4, 0) is not None
    assert chat.reserve(1, 0) is None


def test_a_function_gives_vectors_as_well() -> None:
    """It gets a list of texts, and may return rows of any kind of number."""
    seen: list[list[str]] = []

    def embed(texts: list[str]) -> object:
        seen.append(texts)
        return [(3, 4) if text == "a" else (4, 3) for text in texts]

    _, outcomes = judged(EmbeddingFunction("own", embed), [("a", "b")])

    assert value(outcomes["0"]) == pytest.approx(0.96)
    assert seen == [["a", "b"]]


@pytest.mark.parametrize(
    ("embed", "reason"),
    [
        (lambda texts: 1 / 0, "ZeroDivisionError"),
        (lambda texts: None, "TypeError"),
        (lambda texts: [["x"] for _ in texts], "ValueError"),
    ],
)
def test_a_function_that_raises_is_named(embed: object, reason: str) -> None:
    _, outcomes = judged(EmbeddingFunction("own", embed), [("a", "b")])  # type: ignore[arg-type]

    failure = outcomes["0"]
    assert isinstance(failure, JudgeFailure)
    assert (failure.kind, f"own raised {reason}" in failure.reason) == (FailureKind.ERROR, True)
