"""Jobs through one endpoint: how often is asked again and after how long, what stops a run, what is kept."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

import pytest

import support.endpoint
from proxy.judges.llm.asking import Ask
from proxy.judges.llm.base import Steps
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage
from proxy.llm.budget import Spending
from proxy.llm.openai_client import OpenAIEndpoint
from proxy.llm.runner import Ended, Job, JobEvent, RequestSettings, call
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score
from support.endpoint import Endpoint
from support.model import NO_LOGPROBS, Scripted, called, form_reply, jobs, judges, quick
from support.model_faults import error

pytestmark = pytest.mark.slow

FAITHFUL = judges()[1]


def through(endpoint: Endpoint, count: int, **how: object) -> tuple[Ended, list[JobEvent]]:
    """A run through a real server, without a store."""

    async def run() -> tuple[Ended, list[JobEvent]]:
        kept: list[JobEvent] = []
        client = OpenAIEndpoint("m", url=endpoint.url)
        limits = RequestSettings(**{"parameters": {"temperature": 0}, **how})  # type: ignore[arg-type]
        try:
            ended = await call(iter(jobs(count, FAITHFUL)), client, limits, Spending(), kept.append, random.Random(0))
        finally:
            await client.close()
        return ended, kept

    with quick():
        return asyncio.run(run())


def failing(fault: Fault, outcome: str = "http 500") -> RequestOutcome:
    """An exchange without a reply."""
    return RequestOutcome(outcome=outcome, seconds=0.0, fault=fault, raw="raw")


class Answering(Scripted):
    """Answers with a good reply from the request on that `good_from` names."""

    def __init__(self, fault: RequestOutcome, good_from: int) -> None:
        super().__init__([fault])
        self.good_from = good_from

    async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
        fault = await super().send(ask, parameters, deadline)
        if len(self.sent) < self.good_from:
            return fault
        return RequestOutcome(outcome="ok", seconds=0, reply=form_reply(ask), usage=Usage(prompt=1, completion=1))


@pytest.mark.parametrize("count", [1, 7])
def test_what_may_pass_is_asked_again(count: int) -> None:
    """Seven faults and then a reply: eight requests, all kept, one score."""
    endpoint = Answering(failing(Fault(blame=Blame.ENDPOINT, reason="busy")), count + 1)
    with quick():
        ended, kept = called(endpoint, jobs(1, FAITHFUL), concurrency=1)

    assert ended == (None, False)
    assert [event.exchange.outcome for event in kept if event.exchange] == ["http 500"] * count + ["ok"]
    assert [len(event.outcomes or ()) for event in kept] == [0] * count + [1]


def test_what_never_passes_is_a_failure_with_its_reason() -> None:
    """After the last attempt, unanswered, with the raw words; the other items are judged all the same."""

    class Half(Answering):
        async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
            exchange = await super().send(ask, parameters, deadline)
            return self.answers[0] if "cellar" in ask.user else exchange

    endpoint = Half(failing(Fault(blame=Blame.ENDPOINT, reason="busy")), 0)
    work = [*jobs(1, FAITHFUL, question="Where is the cellar?"), *jobs(1, FAITHFUL)]
    with quick():
        ended, kept = called(endpoint, work, attempts=3)

    said = [outcome for event in kept for outcome in event.outcomes or ()]
    failure = next(outcome for outcome in said if isinstance(outcome, JudgeFailure))
    assert ended.stopped is None
    assert (failure.kind, failure.reason, failure.raw) == (FailureKind.UNANSWERED, "busy", "raw")
    assert [type(outcome) for outcome in said] == [Score, JudgeFailure]
    assert len(endpoint.sent) == 1 + 3


@pytest.mark.parametrize(
    ("blame", "outcome", "kind"),
    [
        (Blame.ITEM, "http 400", FailureKind.ERROR),
        (Blame.REFUSED, "http 400", FailureKind.REFUSED),
        (Blame.ENDPOINT, "timeout", FailureKind.UNANSWERED),
    ],
)
def test_what_will_not_pass_is_asked_once(blame: Blame, outcome: str, kind: FailureKind) -> None:
    """An item's own fault, a content filter and a call that ran into the deadline are not tried again."""
    endpoint = Scripted([failing(Fault(blame=blame, reason="no"), outcome)])
    _, kept = called(endpoint, jobs(3, FAITHFUL))

    assert len(endpoint.sent) == 3
    assert [outcome.kind for k in kept for outcome in k.outcomes or () if isinstance(outcome, JudgeFailure)] == [
        kind
    ] * 3


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (lambda: {"retry_after": "1"}, 1.0),
        (lambda: {"retry_after_ms": "300"}, 0.3),
        (lambda: {"retry_after": format_datetime(datetime.now(UTC) + timedelta(seconds=2.5))}, None),
    ],
    ids=["seconds", "milliseconds", "date"],
)
def test_an_endpoint_that_asks_for_time_is_given_it(
    header: Callable[[], dict[str, str]], seconds: float | None
) -> None:
    """The second request comes no sooner than it was asked for: after so long, or from the date on, however slow the first was."""
    times: list[float] = []
    asked = header()

    def slow(number: int, body: object) -> str | None:
        times.append(time.time())
        return "429" if number == 1 else None

    with Endpoint(faults=slow) as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setitem(support.endpoint.ANSWERED, "429", error(429, "slow down", **asked))
        ended, _ = through(endpoint, 1)

    assert ended.stopped is None
    first, second = times
    soonest = first + seconds if seconds else parsedate_to_datetime(asked["retry_after"]).timestamp()
    assert second >= soonest


def test_a_wait_of_an_hour_stops_the_run() -> None:
    """What nobody would sit through is said, with the time."""
    endpoint = Scripted([failing(Fault(blame=Blame.ENDPOINT, reason="slow", wait=3_600))])
    ended, kept = called(endpoint, jobs(100, FAITHFUL), concurrency=4)

    assert ended.stopped == "slow; it asks to wait 3,600 seconds: run the same command again then"
    assert ended.is_fault
    assert len(endpoint.sent) <= 1 + 4
    assert not [event for event in kept if event.outcomes]


def test_an_endpoint_that_is_down_stops_the_run() -> None:
    """After 50 items in a row without an answer, not after all of them."""
    endpoint = Scripted([failing(Fault(blame=Blame.ENDPOINT, reason="down"))])
    with quick(0.0):
        ended, kept = called(endpoint, jobs(500, FAITHFUL), concurrency=4, attempts=2)

    assert ended.is_fault
    assert "50 items in a row had no answer" in str(ended.stopped)
    assert 50 <= sum(event.outcomes is not None for event in kept) <= 60


def test_a_parameter_that_is_refused_all_at_once_stops_the_run() -> None:
    """An endpoint that no longer takes the temperature would fail every item alike; an item's own 400 fails that item."""
    refused = failing(Fault(blame=Blame.ITEM, reason="no temperature", parameter="temperature"), "http 400")
    ended, kept = called(Scripted([refused]), jobs(50, FAITHFUL), parameters={"temperature": 0}, concurrency=4)
    assert "--probe" in str(ended.stopped)
    assert not [event for event in kept if event.outcomes]

    too_long = failing(Fault(blame=Blame.ITEM, reason="too long", parameter="messages"), "http 400")
    ended, kept = called(Scripted([too_long]), jobs(5, FAITHFUL), parameters={"temperature": 0})
    assert ended.stopped is None
    assert sum(event.outcomes is not None for event in kept) == 5


def test_a_judge_that_breaks_fails_its_item_alone() -> None:
    """An error in a judge's own code, before or after the reply, is that item's failure with its name."""

    class Broken:
        judges, settings = FAITHFUL.judges, FAITHFUL.settings

        def steps(self, item: Item) -> Steps:
            if item.id == "1":
                raise ZeroDivisionError("by hand")
            yield from FAITHFUL.steps(item)
            raise KeyError("afterwards")

    endpoint = Answering(failing(Fault(blame=Blame.ENDPOINT, reason="")), 0)
    ended, kept = called(endpoint, [*jobs(2, Broken()), *jobs(1, FAITHFUL)])

    said = [outcome for event in kept for outcome in event.outcomes or ()]
    failures = sorted(
        outcome.reason for outcome in said if isinstance(outcome, JudgeFailure) and outcome.kind is FailureKind.ERROR
    )
    assert ended.stopped is None
    assert failures == ["KeyError: 'afterwards'", "ZeroDivisionError: by hand"]
    assert len(said) == 3
    assert len(endpoint.sent) == 2


def test_an_error_while_keeping_ends_the_run_with_that_error() -> None:
    """A full disk is no endpoint's fault, and no reply is asked for that could not be kept."""

    def keep(kept: JobEvent) -> None:
        raise OSError("no space left")

    endpoint = Answering(failing(Fault(blame=Blame.ENDPOINT, reason="")), 0)
    work = iter(jobs(100, FAITHFUL))
    with pytest.raises(OSError, match="no space"):
        asyncio.run(
            call(work, endpoint, RequestSettings(parameters={}, concurrency=4), Spending(), keep, random.Random(0))
        )
    assert len(endpoint.sent) <= 8


def test_paid_replies_are_not_asked_for_again() -> None:
    """Three passages of which two have their reply: one request, and the score of all three."""
    judge = judges(per_passage=True)[0]
    work = jobs(1, judge, contexts=tuple(Context(text=f"Room {n} is there.") for n in range(3)))
    endpoint = Answering(failing(Fault(blame=Blame.ENDPOINT, reason="")), 0)
    _, first = called(endpoint, work)
    replies = tuple(event.exchange.reply for event in first if event.exchange and event.exchange.reply)
    assert len(replies) == len(endpoint.sent) == 3

    again = Job(key=0, item=work[0].item, judge=judge, replies=replies[:2])
    endpoint.sent.clear()
    _, kept = called(endpoint, [again])

    assert len(endpoint.sent) == 1
    assert [(event.step, event.outcomes is not None) for event in kept] == [(2, True)]
    assert kept[-1].outcomes == first[-1].outcomes

    endpoint.sent.clear()
    _, kept = called(endpoint, [Job(key=0, item=work[0].item, judge=judge, replies=replies)])
    assert endpoint.sent == []
    assert [event.exchange for event in kept] == [None]


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_there_are_never_more_in_flight_than_allowed(concurrency: int) -> None:
    """By the server's own count, with faults among them."""
    with Endpoint(latency=0.005, faults="500:0.1", accepts=NO_LOGPROBS, together=concurrency) as endpoint:
        ended, _ = through(endpoint, 60, concurrency=concurrency)

        assert ended == (None, False)
        assert endpoint.in_flight_peak == concurrency


def test_an_item_that_is_asked_again_is_not_kept_waiting_by_the_others() -> None:
    """Its second request comes while the others are still at it, not after them all."""

    class First(Answering):
        async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
            exchange = await super().send(ask, parameters, deadline)
            return self.answers[0] if len(self.sent) == 1 else exchange

    endpoint = First(failing(Fault(blame=Blame.ENDPOINT, reason="busy")), 0)
    endpoint.seconds = 0.002
    with quick(0.001):
        _, kept = called(endpoint, jobs(200, FAITHFUL), concurrency=2)

    order = [event.job.key for event in kept if event.outcomes is not None]
    assert len(order) == 200
    assert order.index(0) < 50
