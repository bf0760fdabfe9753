"""What ends a run early: what is in flight then is waited for, and no item is blamed for a fault of the endpoint."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping

import pytest

from proxy.judges.llm.asking import Ask
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage
from proxy.llm.budget import Spending
from proxy.llm.openai_client import OpenAIEndpoint
from proxy.llm.runner import JobEvent, RequestSettings, call
from proxy.records import FailureKind, JudgeFailure
from support.endpoint import Endpoint
from support.model import NO_LOGPROBS, Scripted, called, form_reply, jobs, judges, quick

pytestmark = pytest.mark.slow

(FAITHFUL,) = judges(names=("faithfulness",))
TURNED_AWAY = RequestOutcome(outcome="http 400", seconds=0, fault=Fault(blame=Blame.ITEM, reason="model unloaded"))


class Answers(Scripted):
    """Answers every ask, but for the requests with these numbers, which end in the given exchange."""

    def __init__(self, odd: RequestOutcome, numbers: range | set[int], seconds: float = 0.0) -> None:
        super().__init__([odd], seconds=seconds)
        self.numbers = numbers

    async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
        number = len(self.sent) + 1
        odd = await super().send(ask, parameters, 0.0 if number in self.numbers else deadline)
        if number in self.numbers:
            return odd
        await asyncio.sleep(self.seconds)
        return RequestOutcome(outcome="ok", seconds=0, reply=form_reply(ask), usage=Usage(prompt=1, completion=1))


def test_what_is_in_flight_when_a_run_stops_is_waited_for() -> None:
    """The fifth of eight in flight at once has no credit: the other seven are answered, kept and never paid again."""
    stop = RequestOutcome(outcome="http 402", seconds=0, fault=Fault(blame=Blame.RUN, reason="no credit"))
    endpoint = Answers(stop, {5}, seconds=0.05)
    ended, kept = called(endpoint, jobs(100, FAITHFUL), concurrency=8)

    assert ended == ("no credit", True)
    assert len(endpoint.sent) == 8
    assert sorted(event.exchange.outcome for event in kept if event.exchange) == ["http 402"] + ["ok"] * 7
    assert sum(event.outcomes is not None for event in kept) == 7


def test_a_stop_cuts_no_request_of_a_real_server() -> None:
    """Each request that reached the server has its reply or its status in the ledger."""

    async def run(url: str) -> list[JobEvent]:
        kept: list[JobEvent] = []
        client = OpenAIEndpoint("m", url=url)
        how = RequestSettings(parameters={"temperature": 0}, concurrency=8)
        await call(iter(jobs(60, FAITHFUL)), client, how, Spending(), kept.append, random.Random(0))
        await client.close()
        return kept

    faults = {"accepts": NO_LOGPROBS, "faults": lambda number, body: "402" if number == 5 else None}
    with Endpoint(latency=0.05, **faults) as server:
        kept = asyncio.run(run(server.url))
        assert server.finished == server.requests == sum(event.exchange is not None for event in kept)

    assert "cut short" not in {event.exchange.outcome for event in kept if event.exchange}


def test_an_endpoint_that_turns_everything_away_marks_no_item() -> None:
    """From the fourth request on: the run stops after 50 in a row, and none of them is taken to have failed but the few that
    were turned away while the first three were still being answered.
    """
    ended, kept = called(Answers(TURNED_AWAY, range(4, 10_000)), jobs(500, FAITHFUL), concurrency=4)

    assert ended.is_fault
    assert ended.stopped == "50 items in a row had no answer, the last because model unloaded"
    assert 3 <= sum(event.outcomes is not None for event in kept) <= 3 + 4


def test_an_item_that_is_turned_away_among_others_fails_alone() -> None:
    """Every third item is too long: each is a failure with its reason, also the last ones, after which nothing is answered."""
    with quick():
        ended, kept = called(Answers(TURNED_AWAY, set(range(3, 91, 3))), jobs(90, FAITHFUL), concurrency=4)
    failures = [event.outcomes[0] for event in kept if event.outcomes and isinstance(event.outcomes[0], JudgeFailure)]

    assert ended == (None, False)
    assert len(failures) == 30
    assert {(failure.kind, failure.reason) for failure in failures} == {(FailureKind.ERROR, "model unloaded")}


def test_a_form_that_is_too_large_is_the_items_fault() -> None:
    """An endpoint that holds schemas to some size refuses one answer; the others go on."""
    too_large = RequestOutcome(
        outcome="http 400",
        seconds=0,
        fault=Fault(blame=Blame.ITEM, reason="schema too large", parameter="response_format"),
    )
    ended, kept = called(Answers(too_large, {2}), jobs(10, FAITHFUL), concurrency=1)

    assert ended == (None, False)
    assert sum(isinstance(event.outcomes[0], JudgeFailure) for event in kept if event.outcomes) == 1
