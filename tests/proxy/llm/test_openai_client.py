"""One request to a real server and the exchange that it leaves, for every fault there is."""

from __future__ import annotations

import asyncio
import http.server
import math
import ssl
import threading

import orjson
import pytest

import support.endpoint
from proxy.errors import UsageError
from proxy.judges.llm.form import Mode
from proxy.llm.attempt import Blame, RequestOutcome
from proxy.llm.errors import asked_wait, fault_of_error, fault_of_status
from proxy.llm.openai_client import MOST_REPLY, OPENAI_URL, OpenAIEndpoint, address, usual_parameters
from support.endpoint import Endpoint
from support.model import ask, sent
from support.model_faults import FAULTS, Reply, error

pytestmark = pytest.mark.slow

KEY = "sk-canary-7f3a9c"
# What a fault is to whom: outcome, whose it is. All others bring a reply, good or bad.
BLAMED = {
    "400": ("http 400", Blame.ITEM),
    "401": ("http 401", Blame.RUN),
    "402": ("http 402", Blame.RUN),
    "403": ("http 403", Blame.RUN),
    "404": ("http 404", Blame.RUN),
    "429-quota": ("http 429", Blame.RUN),
    **{f"429{more}": ("http 429", Blame.ENDPOINT) for more in ("", "-after", "-after-ms", "-long")},
    **{code: (f"http {code}", Blame.ENDPOINT) for code in ("408", "409", "500", "502", "503")},
    "503-after": ("http 503", Blame.ENDPOINT),
    **dict.fromkeys(("html", "nested_body", "no_choices", "cut"), ("no completion", Blame.ENDPOINT)),
    "error200": ("no completion", Blame.ENDPOINT),
    "megabytes": ("reply too long", Blame.ENDPOINT),
    "reset": ("broken connection", Blame.ENDPOINT),
    "close": ("broken connection", Blame.ENDPOINT),
    "hang": ("timeout", Blame.ENDPOINT),
    "drip": ("timeout", Blame.ENDPOINT),
}
PUSHBACK = {"429", "429-after", "429-after-ms", "429-long", "503", "503-after", "hang", "drip"}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_every_fault_leaves_an_exchange_with_a_reply_or_a_reason(name: str) -> None:
    """Nothing is raised, nothing asked twice, and a fault says whose it is."""
    with Endpoint(faults=f"{name}:1", accepts={"json_schema", "seed", "temperature"}) as endpoint:
        parameters = {"logprobs": False}
        exchange = sent(endpoint, 0.5 if name in ("hang", "drip") else 10, parameters=parameters)
        assert endpoint.requests == 1

    assert (exchange.reply is None) != (exchange.fault is None)
    if name in BLAMED:
        assert exchange.fault is not None
        assert (exchange.outcome, exchange.fault.blame) == BLAMED[name]
        assert exchange.fault.is_pushback == (name in PUSHBACK)
        assert exchange.fault.reason.strip()
    else:
        assert exchange.outcome == "ok"
        assert exchange.usage is not None


def test_a_good_reply_brings_all_that_is_kept_of_it() -> None:
    """Text, reason to stop, tokens with alternatives, usage, model, fingerprint and the request's id."""
    with Endpoint() as endpoint:
        exchange = sent(endpoint)

    reply = exchange.reply
    assert reply is not None
    assert orjson.loads(reply.text)["answerable"]["verdict"] == "yes"
    assert (reply.finish, reply.refusal) == ("stop", None)
    assert "".join(token.text for token in reply.tokens) == reply.text
    said = next(token for token in reply.tokens if token.text.strip() == "yes")
    assert math.exp(dict(said.alternatives)[said.text]) == pytest.approx(0.8)
    assert exchange.usage is not None
    assert exchange.usage.completion == len(reply.text) // 4 + 1
    assert (exchange.model, exchange.fingerprint, exchange.request_id) == ("m", "fp_scripted", "req_1")
    assert exchange.seconds > 0


@pytest.mark.parametrize(
    ("mode", "held"), [(Mode.JSON_SCHEMA, "json_schema"), (Mode.JSON_OBJECT, "json_object"), (Mode.LAST_LINE, None)]
)
def test_what_is_sent_is_what_was_asked(mode: Mode, held: str | None) -> None:
    """System and user message as they are, the turns before a repair, the form in the way of the mode, the room for a reply."""
    turns = (("assistant", "odd"), ("user", "again"))
    with Endpoint() as endpoint:
        sent(endpoint, request=ask(mode, turns=turns))
        body = endpoint.bodies[-1]

    assert [(message["role"], message["content"]) for message in body["messages"]] == [
        ("system", "S"),
        ("user", '{"question": "Q"}'),
        *turns,
    ]
    assert (body.get("response_format") or {}).get("type") == held
    assert body["max_tokens"] == 2 * ((1_024 if mode is Mode.LAST_LINE else 256) + 160)
    assert (body["model"], body["temperature"], body["seed"], body["top_logprobs"]) == ("m", 0, 0, 5)


def test_a_key_that_an_endpoint_repeats_is_hidden() -> None:
    """Some servers say which key they do not accept, in the message or all over the body: it is in nothing that is kept."""
    with Endpoint(faults="401:1") as endpoint, pytest.MonkeyPatch.context() as patch:
        replies = [
            error(401, f"Incorrect API key provided: {KEY}.", code="invalid_api_key"),
            Reply(500, f"Traceback: Authorization: Bearer {KEY}".encode(), kind="text/plain"),
            Reply(200, f"<html>{KEY}</html>".encode(), kind="text/html"),
            Reply(200, orjson.dumps({"error": {"message": KEY}})),
        ]
        for reply in replies:
            patch.setitem(support.endpoint.ANSWERED, "401", reply)
            exchange = sent(endpoint, key=KEY)
            assert exchange.fault is not None
            assert KEY not in repr(exchange)
            assert "(the key)" in exchange.fault.reason


def test_a_reply_of_megabytes_is_read_and_its_error_cut_short() -> None:
    """Two megabytes of nonsense are a reply; of an error page as long no more is kept than 20,000 characters."""
    with Endpoint(faults="huge:1") as endpoint:
        reply = sent(endpoint, parameters={}).reply
        assert reply is not None
        assert len(reply.text) == 2_000_000
    with Endpoint(faults="502:1") as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setitem(support.endpoint.ANSWERED, "502", Reply(502, b"x" * 1_000_000, kind="text/html"))
        exchange = sent(endpoint)
        assert len(exchange.raw or "") == 20_000
        assert exchange.fault is not None
        assert len(exchange.fault.reason) < 400


def test_nobody_listening_is_unreachable_and_says_where() -> None:
    """The address and the system's own word for it."""
    with Endpoint() as endpoint:
        pass
    exchange = sent(endpoint)

    assert exchange.outcome == "unreachable"
    assert exchange.fault is not None
    assert exchange.fault.reason.startswith(f"{endpoint.url} cannot be reached: ")


def test_usage_that_is_no_usage_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative, missing or textual counts are not believed; more cached than prompt is cut."""
    for given, known in (
        ({"prompt_tokens": -1, "completion_tokens": 1}, None),
        ({"prompt_tokens": "9", "completion_tokens": 1}, None),
        ({"prompt_tokens": True, "completion_tokens": 1}, None),
        ({}, None),
        ([], None),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 50}}, (9, 1, 9)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, (9, 1, 0)),
    ):
        monkeypatch.setattr("support.replies.usage", lambda *rest, given=given: given)
        with Endpoint() as endpoint:
            usage = sent(endpoint).usage
        assert (usage and (usage.prompt, usage.completion, usage.cached)) == known, given


@pytest.mark.parametrize(
    ("url", "reads"),
    [
        ("http://127.0.0.1:9/v1", False),
        ("http://localhost:9/v1", False),
        ("http://models.test/v1", True),
    ],
)
def test_certificates_are_read_where_they_may_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, url: str, reads: bool
) -> None:
    """Not for a plain address on this machine, which no proxy is asked for."""
    read: list[object] = []
    usual = ssl.create_default_context
    monkeypatch.setattr(
        ssl, "create_default_context", lambda *args, **options: read.append(url) or usual(*args, **options)
    )
    assert OpenAIEndpoint("m", url=url)._client is not None
    assert bool(read) is reads


def test_addresses_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one given, else the environment's, else OpenAI's, which wants a key."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert address(None) == OPENAI_URL
    assert address("http://localhost:8000/v1/") == "http://localhost:8000/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere/v1")
    assert address(None) == "http://elsewhere/v1"
    for odd in ("localhost:8000", "ftp://x/v1", "http://", "http://user:secret@x/v1"):
        with pytest.raises(UsageError) as raised:
            address(odd)
        assert "secret" not in str(raised.value)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        OpenAIEndpoint("m", url="https://eu.api.openai.com/v1").check_key()
    OpenAIEndpoint("m", url="http://vllm.internal:8000/v1").check_key()
    assert usual_parameters(OPENAI_URL)["limit"] == "max_completion_tokens"
    assert usual_parameters("http://localhost/v1")["limit"] == "max_tokens"


@pytest.mark.parametrize(
    "url",
    [
        *("https://h.org/v1?api_key=CANARY", "https://h.org/v1?key=CANARY", "https://h.org/v1#CANARY"),
        *("https://CANARY@h.org/v1", "https://u:CANARY@h.org/v1", "https://:CANARY@h.org/v1"),
        *("https://h.org/v1?x=1&token=CANARY/", "h.org/v1?key=CANARY", "https://[h.org/v1?key=CANARY"),
    ],
)
def test_an_address_with_a_key_in_it_is_refused_and_not_repeated(url: str) -> None:
    """It would be stored with the run; what is said names the variable and not the key."""
    with pytest.raises(UsageError) as refused:
        address(url)

    assert "CANARY" not in str(refused.value)
    assert "OPENAI_API_KEY" in str(refused.value) or "no address of an endpoint" in str(refused.value)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 99 Foo"}, None),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after-ms": "-5", "retry-after": "2"}, 2.0),
    ],
    ids=str,
)
def test_how_long_an_endpoint_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds or a date; nonsense is as good as nothing."""
    assert asked_wait(headers) == seconds


def test_bodies_of_other_servers_are_understood() -> None:
    """An error as bare text, as FastAPI writes it, with a numeric code at status 200, and a content filter."""
    assert "no good" in fault_of_status(500, {"error": "no good"}, "", {}).reason
    assert "no field" in fault_of_status(422, {"detail": "no field"}, '{"detail":"no field"}', {}).reason
    assert fault_of_error({"code": 401, "message": "who?"}).blame is Blame.RUN
    assert fault_of_error({"code": "429", "message": "slow"}).is_pushback
    filtered = {"error": {"code": "content_filter", "message": "no"}}
    assert fault_of_status(400, filtered, "", {}).blame is Blame.REFUSED
    assert fault_of_error({"type": "content_policy_violation"}).blame is Blame.REFUSED


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("status", [200, 500])
def test_a_reply_that_goes_on_and_on_is_not_read_to_its_end(announced: bool, status: int) -> None:
    """Megabytes without end, announced or not: a fault with its reason, soon, and memory as before; the next request is answered."""
    sent_bytes = 0
    gone = threading.Event()

    class Endless(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal sent_bytes
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            if announced:
                self.send_header("Content-Length", str(10**12))
            self.end_headers()
            try:
                while sent_bytes < 2_000_000_000:
                    sent_bytes += self.wfile.write(b" " * 1_000_000)
            except OSError:
                pass
            gone.set()

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        exchange = asyncio.run(_once(f"http://127.0.0.1:{server.server_address[1]}/v1"))
        assert gone.wait(10)
        server.shutdown()

    assert exchange.outcome == "reply too long"
    assert exchange.fault is not None
    assert (exchange.fault.blame, "8 MB" in exchange.fault.reason) == (Blame.ENDPOINT, True)
    assert sent_bytes < MOST_REPLY + 40_000_000  # what lies in the buffers between


async def _once(url: str) -> RequestOutcome:
    endpoint = OpenAIEndpoint("m", url=url)
    try:
        return await endpoint.send(ask(), {}, 30)
    finally:
        await endpoint.close()
