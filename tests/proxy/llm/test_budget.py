"""Prices, estimates of tokens, and a budget that is kept to whatever the endpoint's own count says."""

from __future__ import annotations

import pytest

from proxy.judges.llm.asking import Ask
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage
from proxy.llm.budget import OutOfBudget, Prices, Spending, estimated, prompt_size
from support.model import Scripted, ask, called, form_reply, jobs, judges

OK = RequestOutcome(outcome="ok", seconds=0.0)


def used(prompt: int, completion: int) -> RequestOutcome:
    """An exchange with this usage."""
    return RequestOutcome(outcome="ok", seconds=0.0, usage=Usage(prompt=prompt, completion=completion))


def test_a_call_costs_its_fresh_and_cached_prompt_and_its_reply() -> None:
    """(1,000 - 400) x 2 + 400 x 0.5 + 100 x 8 = 2,200 millionths; without a price for the cached part, 2,800."""
    usage = Usage(prompt=1_000, completion=100, cached=400)

    assert Prices(input=2, cached=0.5, output=8).cost(usage) == pytest.approx(0.0022)
    assert Prices(input=2, output=8).cost(usage) == pytest.approx(0.0028)


def test_words_of_ascii_are_fewer_tokens_than_signs_of_others() -> None:
    """Four characters of ASCII a token, one of anything else, and 8 for the message's frame."""
    assert estimated("a" * 400) == 100 + 8
    assert estimated("駅" * 100 + "a" * 40) == 110 + 8


def test_a_repair_counts_all_that_is_sent_again() -> None:
    """The turns before it are part of the prompt."""
    turns = (("assistant", "a" * 4_000), ("user", "b" * 400))

    assert prompt_size(ask(turns=turns)) == prompt_size(ask()) + 1_000 + 8 + 100 + 8


def test_reserved_calls_count_until_they_are_settled() -> None:
    """Of 1,000 tokens, 480 are reserved (300 x 1.2 + 120): two such calls fit, a third only when one turned out smaller."""
    spending = Spending(most_tokens=1_000)
    first = spending.reserve(300, 120)
    assert first is not None
    assert spending.reserve(300, 120) is None  # before the first usage, one at a time
    spending.settle(first, 300, used(100, 20))

    again = [spending.reserve(300, 120) for _ in range(3)]

    assert [reservation is not None for reservation in again] == [
        True,
        True,
        False,
    ]  # 120 + 2 x 420, as the ratio is 1 now
    assert spending.tokens == 120


def test_prompts_longer_than_estimated_are_reserved_longer() -> None:
    """Three times the estimate, with a margin of a tenth: 100 estimated tokens are 330 from then on."""
    spending = Spending(most_tokens=10_000)
    spending.settle(spending.reserve(100, 0) or 0, 100, used(300, 0))
    spending.reserve(100, 0)

    assert [call.prompt for call, _ in spending.budget.reserved.values()] == [330]


@pytest.mark.parametrize(
    ("exchange", "tokens"),
    [
        (None, 170),
        (RequestOutcome(outcome="ok", seconds=0, reply=form_reply(ask())), 170),
        (RequestOutcome(outcome="timeout", seconds=9, fault=Fault(blame=Blame.ENDPOINT, reason="")), 170),
        (RequestOutcome(outcome="broken connection", seconds=9, fault=Fault(blame=Blame.ENDPOINT, reason="")), 170),
        (RequestOutcome(outcome="http 429", seconds=9, fault=Fault(blame=Blame.ENDPOINT, reason="")), 0),
        (RequestOutcome(outcome="unreachable", seconds=9, fault=Fault(blame=Blame.ENDPOINT, reason="")), 0),
        (used(40, 5), 45),
    ],
)
def test_what_may_have_been_paid_counts(exchange: RequestOutcome | None, tokens: int) -> None:
    """Without a word of usage, as it was reserved (100 x 1.2 + 50); what was turned away costs nothing."""
    spending = Spending(most_tokens=1_000)

    spending.settle(spending.reserve(100, 50) or 0, 100, exchange)

    assert spending.tokens == tokens
    assert spending.is_idle


def test_money_is_kept_to_as_tokens_are() -> None:
    """At 1 and 2 a million, 1,000 + 500 tokens cost 0.002: three such calls fit into 0.007, a fourth does not."""
    spending = Spending(prices=Prices(input=1, output=2), most_money=0.007)
    for _ in range(3):
        reservation = spending.reserve(800, 500)
        assert reservation is not None
        spending.settle(reservation, 800, used(1_000, 500))

    assert spending.money == pytest.approx(0.006)
    assert spending.reserve(800, 500) is None


class Greedy(Scripted):
    """An endpoint that counts `factor` times as many tokens as are estimated, and uses the longest reply it is allowed."""

    def __init__(self, factor: float) -> None:
        super().__init__([], seconds=0.001)
        self.factor, self.tokens, self.biggest = factor, 0, 0

    async def send(self, ask: Ask, parameters: object, deadline: float) -> RequestOutcome:  # type: ignore[override]
        self.answers = [OK]
        await super().send(ask, {}, deadline)
        usage = Usage(prompt=round(self.factor * prompt_size(ask)), completion=100)
        self.tokens += usage.prompt + usage.completion
        self.biggest = max(self.biggest, usage.prompt + 2_000)
        return RequestOutcome(outcome="ok", seconds=0.001, reply=form_reply(ask), usage=usage)


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("budget", [20_000, 50_000])
def test_a_run_stays_within_its_tokens_whatever_the_endpoint_counts(factor: float, budget: int) -> None:
    """With 16 at once and counts up to eight times the estimate; what is left would not have held one more call for sure."""
    endpoint = Greedy(factor)
    spending = Spending(most_tokens=budget)

    ended, kept = called(endpoint, jobs(500, judges()[1]), spending)

    assert ended.stopped == str(OutOfBudget())
    assert not ended.is_fault
    assert endpoint.tokens == spending.tokens <= budget
    assert endpoint.tokens >= budget - 1.2 * endpoint.biggest
    assert not [event for event in kept if event.exchange is None or event.exchange.reply is None]


@pytest.mark.slow
def test_calls_that_are_in_flight_are_waited_for_before_a_run_stops() -> None:
    """A budget that is used up cuts no call that was sent: what was paid is kept."""
    endpoint = Greedy(1.0)
    endpoint.seconds = 0.05

    _, kept = called(endpoint, jobs(100, judges()[1]), Spending(most_tokens=20_000))

    assert len(kept) == len(endpoint.sent) == sum(event.outcomes is not None for event in kept)


@pytest.mark.parametrize("budget", range(10_000, 60_000, 7_000))
def test_a_run_that_stops_cuts_nothing(budget: int) -> None:
    """A long call that no longer fits ends the run only when no shorter one is under way, and none is begun after that."""
    long = "The house has many rooms, and each of them has a name of its own. " * 60
    work = [
        job for pair in zip(jobs(60, judges()[1], question=long), jobs(60, judges()[1]), strict=True) for job in pair
    ]
    endpoint = Greedy(1.0)

    ended, kept = called(endpoint, work, Spending(most_tokens=budget))

    assert ended.stopped == str(OutOfBudget())
    assert [event.exchange.outcome for event in kept if event.exchange] == ["ok"] * len(endpoint.sent)
    assert endpoint.tokens <= budget


def test_without_a_budget_nothing_holds_calls_back() -> None:
    """As many at once as the concurrency allows."""
    endpoint = Greedy(1.0)
    endpoint.seconds = 0.05

    called(endpoint, jobs(40, judges()[1]))

    assert endpoint.peak == 16
