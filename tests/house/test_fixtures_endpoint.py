"""The scripted model itself: what the tests of the client rest on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import openai
import orjson
import pytest
from openai.types.chat import ChatCompletion

from support.endpoint import Endpoint
from support.model_faults import FAULTS
from support.replies import Ruling

pytestmark = pytest.mark.slow

PATIENCE = 1.5
PASSAGES = ["Aspirin thins the blood. It should not be given to children under 12 years.", "Drink water."]
SENTENCES = {"s1": "Aspirin thins the blood.", "s2": "Bananas cure every known headache overnight."}
CHOICES = ["supported", "contradicted", "not_found"]
TEMPLATE = "VERDICTS: " + "; ".join(f"{key}=<{'|'.join(CHOICES)}>" for key in SENTENCES)


def schema() -> dict[str, Any]:
    """The schema that asks for a reason, a quote and a verdict on each sentence."""
    fields = {
        "reason": {"type": "string"},
        "quote": {"type": "string"},
        "verdict": {"type": "string", "enum": CHOICES},
    }
    return {"type": "object", "properties": {key: {"type": "object", "properties": fields} for key in SENTENCES}}


def request(form: str = "json_schema", **changes: Any) -> dict[str, Any]:
    """A chat as our judges send it."""
    system = {"json_schema": "Judge.", "json_object": f"Judge.\n{json.dumps(schema())}", "text": f"Judge.\n{TEMPLATE}"}
    formats = {
        "json_schema": {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": schema()}},
        "json_object": {"type": "json_object"},
        "text": openai.omit,
    }
    data = {"question": "What does aspirin do?", "passages": PASSAGES, "sentences": SENTENCES}
    messages = [{"role": "system", "content": system[form]}, {"role": "user", "content": json.dumps(data)}]
    return {"model": "scripted", "messages": messages, "response_format": formats[form]} | changes


def client(endpoint: Endpoint) -> openai.AsyncOpenAI:
    """A plain client that tries once."""
    return openai.AsyncOpenAI(base_url=endpoint.url, api_key="key", max_retries=0, timeout=30)


def ask(endpoint: Endpoint, **body: Any) -> Any:
    """One chat."""

    async def asked() -> Any:
        async with client(endpoint) as model:
            return await asyncio.wait_for(model.chat.completions.create(**body), PATIENCE)

    return asyncio.run(asked())


def content(endpoint: Endpoint, **body: Any) -> str:
    """The text of one chat."""
    return str(ask(endpoint, **body).choices[0].message.content)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A model that answers well."""
    with Endpoint() as started:
        yield started


@pytest.mark.parametrize("form", ["json_schema", "json_object"])
def test_replies_follow_the_schema_wherever_it_is_given(endpoint: Endpoint, form: str) -> None:
    """A supported sentence has a verbatim quote, another has none; every field of the schema is there."""
    said = json.loads(content(endpoint, **request(form)))

    assert list(said) == ["s1", "s2"]
    assert said["s1"] == {"reason": "scripted", "quote": "Aspirin thins the blood.", "verdict": "supported"}
    assert said["s2"] == {"reason": "scripted", "quote": "", "verdict": "not_found"}


def test_without_a_format_the_last_line_holds_the_verdicts(endpoint: Endpoint) -> None:
    """Prose, then the line the system message asked for."""
    said = content(endpoint, **request("text"))

    assert said.splitlines()[-1] == "VERDICTS: s1=supported; s2=not_found"


def test_a_sentence_without_spaces_is_compared_by_its_characters(endpoint: Endpoint) -> None:
    """Chinese: character pairs decide, and 20 characters are quoted."""
    data = {
        "passages": ["阿司匹林可以稀释血液。不应给十二岁以下的儿童服用这种药物,因为有风险。"],
        "sentences": {"s1": "阿司匹林稀释血液"},
    }
    body = request()
    body["messages"][1]["content"] = json.dumps(data)

    assert json.loads(content(endpoint, **body))["s1"]["quote"] == "阿司匹林可以稀释血液。"


def test_policies_can_be_named_or_given() -> None:
    """The obedient one finds everything supported; a function of one's own decides freely, and its errors come out."""
    with Endpoint(policy="obedient") as endpoint:
        assert json.loads(content(endpoint, **request()))["s2"]["verdict"] == "supported"
    with Endpoint(policy=lambda key, choices, data, body: "contradicted") as endpoint:
        assert json.loads(content(endpoint, **request()))["s2"]["verdict"] == "contradicted"
    mistaken = Endpoint(policy=lambda key, choices, data, body: str(1 / 0))
    with pytest.raises(ZeroDivisionError), mistaken, contextlib.suppress(openai.APIConnectionError):
        ask(mistaken, **request())


def test_logprobs_concatenate_to_the_content_and_give_each_verdict_its_alternatives() -> None:
    """exp(logprob) at the token where the verdict begins is the ruling's probability; the others share the rest."""
    with Endpoint(policy=lambda *_: Ruling("not_found", "血 “液”", 0.7)) as endpoint:
        choice = ask(endpoint, **request(), logprobs=True, top_logprobs=5).choices[0]
    tokens = choice.logprobs.content
    verdicts = [token for token in tokens if len(token.top_logprobs) > 1]

    assert "".join(token.token for token in tokens) == choice.message.content
    assert [token.token for token in verdicts] == ["not", "not"]
    assert {top.token: round(math.exp(top.logprob), 9) for top in verdicts[0].top_logprobs} == {
        "not": 0.7,
        "supported": 0.15,
        "contradicted": 0.15,
    }


def test_what_is_not_accepted_is_named_in_the_error() -> None:
    """The form first, then the parameters, with the status that was chosen."""
    with Endpoint(accepts={"json_object", "seed"}, refuses_with=422) as endpoint:
        with pytest.raises(openai.UnprocessableEntityError) as form:
            ask(endpoint, **request("json_schema"))
        with pytest.raises(openai.UnprocessableEntityError) as parameter:
            ask(endpoint, **request("json_object"), temperature=0, seed=1)

    assert (form.value.param, parameter.value.param) == ("response_format", "temperature")


def test_counts_are_of_complete_requests_and_bodies_are_kept(endpoint: Endpoint) -> None:
    """Forty at once over one server: all counted, all kept, more than one at a time."""
    endpoint.latency, endpoint.together = 0.05, 11

    async def many() -> None:
        async with client(endpoint) as model:
            chats: list[Coroutine[Any, Any, Any]] = [model.chat.completions.create(**request()) for _ in range(40)]
            await asyncio.gather(*chats)

    asyncio.run(many())

    assert (endpoint.requests, len(endpoint.bodies)) == (40, 40)
    assert endpoint.in_flight_peak > 10
    assert endpoint.bodies[0]["model"] == "scripted"


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_every_fault_can_be_had(fault: str) -> None:
    """A status is its own error, a broken connection is no answer, and a bad reply still is a reply."""
    with Endpoint(faults=lambda number, body: fault) as endpoint:
        try:
            outcome = ask(endpoint, **request())
        except (openai.OpenAIError, ValueError, RecursionError, TimeoutError) as raised:
            outcome = raised

    assert endpoint.requests == 1
    if fault[0].isdigit():
        assert outcome.status_code == int(fault[:3])
    elif fault in {"hang", "reset", "close", "drip"}:
        assert isinstance(outcome, openai.APIConnectionError | TimeoutError)
    elif fault in {"cut", "nested_body"}:
        assert isinstance(outcome, ValueError | RecursionError)
    elif fault == "html":
        assert "log in" in str(outcome)
    else:
        assert isinstance(outcome, ChatCompletion)


def test_faults_in_the_keys_are_what_they_are_called() -> None:
    """A key left out, one too many, one twice, and NaN."""
    said = {}
    for fault in ("missing", "extra", "duplicate", "nan", "number", "surrogate"):
        with Endpoint(faults=lambda number, body, fault=fault: fault) as endpoint:
            said[fault] = content(endpoint, **request())

    assert list(json.loads(said["missing"])) == ["s1"]
    assert list(json.loads(said["extra"])) == ["s1", "s2", "unasked"]
    assert [key for key, _ in json.loads(said["duplicate"], object_pairs_hook=list)] == ["s1", "s2", "s1"]
    assert math.isnan(json.loads(said["nan"])["s1"]["verdict"])
    assert json.loads(said["number"])["s1"]["verdict"] == 7
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(said["surrogate"])


def test_faults_are_drawn_at_their_rate_and_alike_for_one_seed() -> None:
    """Rate 0.3 of 200 requests, twice the same; an unknown name is refused at once."""

    def failures() -> int:
        with Endpoint(faults="500:0.3", seed=3) as endpoint:

            async def many() -> list[Any]:
                async with client(endpoint) as model:
                    chats = [model.chat.completions.create(**request()) for _ in range(200)]
                    return await asyncio.gather(*chats, return_exceptions=True)

            return sum(isinstance(reply, openai.InternalServerError) for reply in asyncio.run(many()))

    assert failures() == failures() == 52
    with pytest.raises(ValueError, match="no such fault: 418"):
        Endpoint(faults="418:0.1")


def test_as_a_process_it_prints_its_address_and_tells_its_counts() -> None:
    """First line the URL; GET /requests the counts; SIGTERM ends it."""
    folder = Path(__file__).parents[1]
    command = [sys.executable, "-m", "support.endpoint", "--faults", "500:1"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        try:
            with pytest.raises(openai.InternalServerError):
                openai.OpenAI(base_url=url, api_key="key", max_retries=0).chat.completions.create(**request())
            with urllib.request.urlopen(url.removesuffix("/v1") + "/requests") as counts:
                assert json.load(counts) == {"requests": 1, "finished": 1, "in_flight_peak": 1}
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
