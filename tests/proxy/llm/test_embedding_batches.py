"""A run that asks for vectors: in batches and once, a text at fault harms no other, and a budget is kept to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest

from proxy.llm.attempt import RequestOutcome, Usage
from proxy.llm.budget import Prices, Spending
from proxy.llm.embeddings import EmbeddingFunction
from proxy.llm.openai_client import OpenAIEndpoint
from proxy.records import FailureKind, JudgeFailure, Score
from support.endpoint import Endpoint
from support.vectors import Kept, judged, value

pytestmark = pytest.mark.slow


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
