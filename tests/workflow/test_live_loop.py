"""Rounds of the live loop: a model is asked only where that was configured, within its budget, and answers wait for its scores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.analysis.rule_in_force import is_model, rule_in_force
from annotate.store import Store
from annotate.workflow.judging import model_request
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.runs import Options
from annotate.workflow.live_loop import LiveLoop
from annotate.workflow.sampling.stream import open_stream
from proxy.judges.menu import MenuChoice
from support.endpoint import Endpoint
from support.store import NOW, add, item

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]
JUDGES = MenuChoice(names=("context_relevance", "faithfulness"))


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    return Endpoint()


def request(endpoint: Endpoint, **options: object) -> ModelRequest:
    return ModelRequest(model="m", url=endpoint.url, options=replace(Options(choice=JUDGES), **options))


def loop(clock: Clock, model: ModelRequest | None) -> LiveLoop:
    return LiveLoop(who="ann", clock=lambda: NOW, ticks=clock, idle=0.0, model=model)


def a_model_in_force(store: Store, endpoint: Endpoint) -> None:
    """A store whose rule reads a model's scores, and an open stream that draws everything."""
    add(store, item("before"))
    model_request.run(store, request(endpoint), who="ann", clock=lambda: NOW)
    assert all(is_model(signature) for signature in rule_in_force(store)[1].signatures.values())
    open_stream(store, 1.0, None, 1, who="ann", now=NOW)


def test_without_a_model_answers_wait_for_its_scores(store: Store, endpoint: Endpoint) -> None:
    """No request is sent; what another process asks the model meanwhile gives them their chance."""
    with endpoint:
        a_model_in_force(store, endpoint)
        asked = endpoint.requests
        add(store, item("a"), item("b"))
        rounds = loop(Clock(), None)
        assert rounds.round(store).framed == 0
        assert endpoint.requests == asked

        model_request.run(store, request(endpoint), who="ann", clock=lambda: NOW)
        assert rounds.round(store)[1:3] == (2, 2)


def test_a_model_is_asked_for_what_arrived_and_no_more_often_than_it_should(store: Store, endpoint: Endpoint) -> None:
    """Old answers are not asked for; what comes in the same ten seconds waits for the next run."""
    with endpoint:
        a_model_in_force(store, endpoint)
        clock = Clock()
        rounds = loop(clock, request(endpoint))
        add(store, item("a"))
        assert rounds.round(store)[1:3] == (1, 1)

        add(store, item("b"))
        asked = endpoint.requests
        assert rounds.round(store).framed == 0
        assert endpoint.requests == asked
        clock.seconds = 11.0
        assert rounds.round(store)[1:3] == (1, 1)


def test_a_budget_holds_over_all_rounds(store: Store, endpoint: Endpoint) -> None:
    """Once the budget is spent, no later answer is asked for, and the reason is given."""
    with endpoint:
        a_model_in_force(store, endpoint)
        clock = Clock()
        rounds = loop(clock, request(endpoint, most_tokens=2500))
        trouble, framed = None, 0
        for number in range(12):
            add(store, item(f"n{number}"))
            done = rounds.round(store)
            trouble, framed = trouble or done.trouble, framed + done.framed
            clock.seconds += 10_000.0
        asked = endpoint.requests
        add(store, item("last"))
        rounds.round(store)

    assert trouble is not None
    assert "token" in trouble
    assert 0 < framed < 12
    assert endpoint.requests == asked


def test_a_model_that_is_down_does_not_stop_the_loop(store: Store, endpoint: Endpoint) -> None:
    """The trouble is told, the answer waits, and the next round after the pause asks again."""
    with endpoint:
        a_model_in_force(store, endpoint)
        asked = request(endpoint)
    clock = Clock()
    rounds = loop(clock, asked)
    add(store, item("a"))

    done = rounds.round(store)
    assert (done.framed, done.trouble is None) == (0, False)
    assert rounds.round(store).trouble is None
    clock.seconds = 21.0
    assert rounds.round(store).trouble is not None
