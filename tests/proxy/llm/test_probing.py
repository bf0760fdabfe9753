"""What an endpoint can do: found by a few requests, kept once, never lowered by a passing fault."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

import pytest

from proxy.errors import EndpointError
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.form import Mode
from proxy.llm.attempt import Blame, Fault, RequestOutcome, Usage
from proxy.llm.budget import OutOfBudget, Spending, longest
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.probing import Capability, probe
from support.endpoint import EVERYTHING, Endpoint
from support.model import GOOD, Scripted, ask, asked, ingest, outcomes, quick, stored
from support.store import Assay

pytestmark = pytest.mark.slow

USUAL = usual_parameters("http://localhost/v1")
YES = RequestOutcome(outcome="ok", seconds=0, reply=GOOD)


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with quick(0.001):
        yield


def fault(outcome: str, **more: object) -> RequestOutcome:
    """A fault of the endpoint."""
    return RequestOutcome(
        outcome=outcome, seconds=0, fault=Fault(**{"blame": Blame.ENDPOINT, "reason": outcome, **more})
    )  # type: ignore[arg-type]


def capability_of(endpoint: Endpoint, **more: object) -> Capability:
    """The capability of a real server."""

    async def run() -> Capability:
        client = OpenAIEndpoint("m", url=endpoint.url)
        try:
            return await probe(client, {**USUAL, **more}, 5, lambda exchange: None)
        finally:
            await client.close()

    return asyncio.run(run())


def scripted(*answers: RequestOutcome) -> tuple[Capability, Scripted]:
    """The capability of an endpoint that answers from a list."""
    endpoint = Scripted(answers)
    return asyncio.run(probe(endpoint, USUAL, 5, lambda exchange: None)), endpoint


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    ("forms", "mode"),
    [
        (("json_schema", "json_object"), Mode.JSON_SCHEMA),
        (("json_object_schema", "json_object"), Mode.JSON_OBJECT_SCHEMA),
        (("json_object",), Mode.JSON_OBJECT),
        ((), Mode.LAST_LINE),
    ],
)
def test_the_best_form_that_works_is_found(status: int, forms: tuple[str, ...], mode: Mode) -> None:
    """A server may refuse a form with a 400 that names it, or with a bare 500."""
    with Endpoint(accepts=(*forms, "logprobs", "seed", "temperature"), refuses_with=status) as endpoint:
        assert capability_of(endpoint).mode is mode
        assert endpoint.requests <= 17


@pytest.mark.parametrize("gone", ["temperature", "seed", "logprobs"])
def test_a_parameter_that_is_refused_is_left_out(gone: str) -> None:
    """And nothing else is: log-probabilities go with their number."""
    with Endpoint(accepts=EVERYTHING - {gone}) as endpoint:
        kept = capability_of(endpoint).parameters

    lost = {gone, "top_logprobs"} if gone == "logprobs" else {gone}
    assert kept == {name: value for name, value in USUAL.items() if name not in lost}


def test_a_model_that_takes_none_of_them_is_asked_without() -> None:
    """All four refused one after the other."""
    with Endpoint(accepts={"json_schema"}) as endpoint:
        assert capability_of(endpoint, limit="max_completion_tokens") == Capability(
            mode=Mode.JSON_SCHEMA, parameters={"limit": "max_tokens"}
        )


def test_an_endpoint_that_refuses_both_limits_is_sent_neither() -> None:
    """Each refusal names the other: the probe ends all the same."""

    class Neither(Scripted):
        async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
            await super().send(ask, parameters, deadline)
            if "limit" not in parameters:
                return YES
            alternative = {"max_tokens": "max_completion_tokens"}.get(str(parameters["limit"]), "max_tokens")
            return fault("http 400", blame=Blame.ITEM, reason=f"{parameters['limit']} is not known, use {alternative}")

    endpoint = Neither([YES])
    capability = asyncio.run(asyncio.wait_for(probe(endpoint, USUAL, 5, lambda exchange: None), 10))

    assert "limit" not in capability.parameters
    assert [parameters.get("limit") for _, parameters in endpoint.sent] == ["max_tokens", "max_completion_tokens", None]


@pytest.mark.parametrize(
    "passing",
    [
        [fault("http 429", is_pushback=True)] * 7,
        [fault("http 503", is_pushback=True)] * 7,
        [fault("unreachable")] * 3,
        [fault("http 500")] * 3,
        [fault("http 500")] * 4,  # the next form is tried, works, and then the first again
        [fault("broken connection")] * 3,
        [fault("timeout", is_pushback=True)],
        [fault("http 500"), fault("http 429", is_pushback=True), fault("unreachable"), fault("http 500")],
    ],
    ids=lambda passing: " ".join(exchange.outcome for exchange in passing),
)
def test_a_fault_that_passes_lowers_nothing(passing: list[RequestOutcome]) -> None:
    """The best form is found as soon as the endpoint is well again."""
    capability, _ = scripted(*passing, YES)

    assert capability.mode is Mode.JSON_SCHEMA
    assert "seed" in capability.parameters


@pytest.mark.parametrize("seed", range(6))
def test_faults_at_random_lower_nothing(seed: int) -> None:
    """A third of the requests fail in one way or another."""
    with Endpoint(faults="429-after-ms:0.1,500:0.1,reset:0.05,503:0.05,close:0.05", seed=seed) as endpoint:
        assert capability_of(endpoint) == Capability(mode=Mode.JSON_SCHEMA, parameters=USUAL)


@pytest.mark.parametrize(
    ("answer", "most"),
    [(fault("unreachable"), 4), (fault("http 500"), 16), (fault("http 429", is_pushback=True), 8)],
    ids=lambda answer: getattr(answer, "outcome", ""),
)
def test_an_endpoint_that_answers_nothing_is_an_error(answer: RequestOutcome, most: int) -> None:
    """After a few requests."""
    with pytest.raises(EndpointError, match=f"cannot be used: {answer.outcome}"):
        scripted(answer)
    endpoint = Scripted([answer])
    with pytest.raises(EndpointError):
        asyncio.run(probe(endpoint, USUAL, 5, lambda exchange: None))
    assert len(endpoint.sent) == most


def test_a_model_that_never_keeps_to_a_form_is_asked_for_a_last_line() -> None:
    """Replies that cannot be read are no error of the endpoint."""
    with Endpoint(faults="prose:1") as endpoint:
        assert capability_of(endpoint).mode is Mode.LAST_LINE


def test_a_model_that_slips_once_keeps_its_form() -> None:
    """One reply of prose, then a good one."""
    with Endpoint(faults=lambda number, body: "prose" if number == 1 else None) as endpoint:
        assert capability_of(endpoint).mode is Mode.JSON_SCHEMA


def test_a_probe_beyond_the_budget_is_not_made() -> None:
    """Not even a tiny one."""
    endpoint = Scripted([YES])

    with pytest.raises(OutOfBudget):
        asyncio.run(probe(endpoint, USUAL, 5, lambda exchange: None, Spending(most_tokens=100)))
    assert endpoint.sent == []


def test_what_was_found_is_kept_until_it_is_asked_for_again(assay: Assay) -> None:
    """One probe in two runs; with --probe, one more."""
    ingest(assay, 2)
    with Endpoint() as endpoint:
        assay(*asked(endpoint))
        assay("ingest", assay.write("more.jsonl", '{"id": "z", "question": "Q?", "contexts": ["C"], "answer": "A."}\n'))
        assay(*asked(endpoint))
        assert assay.sql("SELECT count(*) FROM attempts WHERE purpose = 'probe'") == [(1,)]

        assay(*asked(endpoint, "--probe"))

    assert assay.sql("SELECT count(*) FROM attempts WHERE purpose = 'probe'") == [(2,)]
    assert stored(assay, "endpoints") == 1


def test_what_the_user_asks_for_holds_for_that_run_alone(assay: Assay) -> None:
    """A --parameter of the first run is not sent by the second, and one that is refused is said so and not left out silently."""
    ingest(assay, 1)
    with Endpoint(accepts=EVERYTHING - {"seed"}) as endpoint:
        assay(*asked(endpoint, "--parameter", "top_p=0.5", "--parameter", "temperature=0.3"))
        assert (endpoint.bodies[-1]["top_p"], endpoint.bodies[-1]["temperature"]) == (0.5, 0.3)
        assay(*asked(endpoint))
        assert "top_p" not in endpoint.bodies[-1]
        assert endpoint.bodies[-1]["temperature"] == 0
        before = endpoint.requests

        result = assay(*asked(endpoint, "--parameter", "seed=1", "--limit", "1"), status=1)
        assert "seed" in result.stderr
        again = assay(*asked(endpoint, "--parameter", "seed=1", "--probe"), status=1)

    assert "m does not take seed: leave --parameter seed out" in again.stderr
    assert endpoint.requests <= before + 16 + 4
    assert stored(assay, "failures") == 0


def test_a_dead_endpoint_is_one_clear_line(assay: Assay) -> None:
    """Nothing listens there: status 1, the line says where, nothing is marked failed."""
    ingest(assay, 2)
    with Endpoint() as endpoint:
        gone = asked(endpoint)

    result = assay(*gone, status=1)

    assert [line for line in result.stderr.splitlines() if line.startswith("assay:")] == result.stderr.splitlines()[-1:]
    assert "cannot be reached" in result.stderr
    assert outcomes(assay) == {"unreachable": 4}
    assert stored(assay, "failures") == stored(assay, "endpoints") == 0
    assert assay.sql("SELECT ended_at IS NOT NULL, stopped LIKE '%cannot be used%' FROM runs") == [(1, 1)]


def thinking(text: str = GOOD.text, finish: str = "stop", *, thinks: bool = True) -> RequestOutcome:
    """A reply of a model that thinks before it answers."""
    usage = Usage(prompt=50, completion=400, thinks=thinks)
    return RequestOutcome(outcome="ok", seconds=0, reply=Reply(text=text, finish=finish), usage=usage)


def test_a_model_that_thinks_is_given_room_for_it() -> None:
    """Its thoughts count as tokens of the reply: 8,192 more than the form needs."""
    capability, endpoint = scripted(thinking())

    assert (capability.mode, capability.parameters["thinking"]) == (Mode.JSON_SCHEMA, 8_192)
    assert len(endpoint.sent) == 1
    assert longest(ask(), capability.parameters) == longest(ask(), USUAL) + 8_192


def test_a_reply_that_was_cut_off_in_its_thoughts_lowers_no_mode() -> None:
    """More room, then more again, and then the form that was asked for first."""
    capability, endpoint = scripted(thinking("", "length"), thinking("", "length"), thinking())

    assert (capability.mode, capability.parameters["thinking"]) == (Mode.JSON_SCHEMA, 32_768)
    assert [dict(sent).get("thinking") for _, sent in endpoint.sent] == [None, 8_192, 32_768]


def test_what_was_refused_stays_refused_in_the_last_mode() -> None:
    """An endpoint that takes no temperature and keeps to no form is not sent a temperature for ever after."""
    refused = fault("http 400", blame=Blame.ITEM, parameter="temperature")
    prose = RequestOutcome(outcome="ok", seconds=0, reply=Reply(text="Yes, surely."))
    capability, _ = scripted(refused, prose)

    assert capability.mode is Mode.LAST_LINE
    assert "temperature" not in capability.parameters


def test_a_server_that_never_answers_is_given_up_after_two_tries() -> None:
    """Not after two for each form: at a minute each that would be a quarter of an hour."""
    endpoint = Scripted([fault("timeout", is_pushback=True)])
    with pytest.raises(EndpointError):
        asyncio.run(probe(endpoint, USUAL, 5, lambda exchange: None))

    assert len(endpoint.sent) == 2
