"""Send requests to any endpoint that speaks OpenAI's chat completions or embeddings. The only import of openai.

The rule: nothing that an endpoint does raises here but cancellation; it never retries, and text it sends is what it was given.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from proxy.errors import UsageError
from proxy.judges.llm.asking import Ask
from proxy.judges.llm.embedding import TextsToEmbed
from proxy.judges.llm.form import Mode, schema
from proxy.llm.attempt import Blame, Fault, RequestOutcome
from proxy.llm.budget import LIMIT, THINKING, longest
from proxy.llm.completions import completed, turned_away
from proxy.llm.embeddings import embedded
from proxy.text.addresses import without_secrets

if TYPE_CHECKING:
    import httpx2

OPENAI_URL = "https://api.openai.com/v1"
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "host.docker.internal")
NO_KEY = "none"
_HIDDEN = "(the key)"


# Far more than a reply with the alternatives to each of its tokens; each request in flight may hold as much.
MOST_REPLY = 8_000_000


class _TooLong(Exception):
    """A reply that is longer than MOST_REPLY."""


class OpenAIEndpoint:
    """An endpoint and its model, with one shared client."""

    def __init__(self, model: str, *, url: str | None = None, key: str | None = None, concurrency: int = 16) -> None:
        self.url = address(url)
        self.model = model
        self._secret = key or os.environ.get("OPENAI_API_KEY") or NO_KEY
        self._concurrency = concurrency

    def check_key(self) -> None:
        """Raise UsageError where the endpoint is known to require a key and there is none."""
        host = urlsplit(self.url).hostname or ""
        if self._secret == NO_KEY and host.endswith("openai.com"):
            raise UsageError(f"{host} wants a key: set OPENAI_API_KEY")

    @cached_property
    def _client(self) -> _Client:
        """The shared client, made with the first request: an estimate needs none."""
        return _Client(self.url, self._secret, self._concurrency)

    async def close(self) -> None:
        """Close the connections."""
        if "_client" in vars(self):
            await self._client.close()

    async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
        """Send one request and return its exchange, within `deadline` seconds from first byte to last."""
        return await self._exchanged("chat/completions", lambda: self._body(ask, parameters), deadline, completed)

    async def embed(self, request: TextsToEmbed, deadline: float) -> RequestOutcome:
        """Ask for the vectors of these texts and return the exchange, within `deadline` seconds."""

        def read(reply: bytes, headers: Mapping[str, str], seconds: float) -> RequestOutcome:
            return embedded(reply, headers, seconds, len(request.texts))

        return await self._exchanged(
            "embeddings", lambda: {"model": self.model, "input": list(request.texts)}, deadline, read
        )

    async def _exchanged(
        self,
        path: str,
        body: Callable[[], Mapping[str, object]],
        deadline: float,
        read: Callable[[bytes, Mapping[str, str], float], RequestOutcome],
    ) -> RequestOutcome:
        start = time.perf_counter()
        try:
            content, client = orjson.dumps(body()), self._client
            async with asyncio.timeout(deadline):
                response, reply = await client.post(path, content)
        except _TooLong:
            fault = Fault(
                blame=Blame.ENDPOINT,
                reason=f"a reply of over {MOST_REPLY // 1_000_000} MB was not read to its end: no verdict is that long",
            )
            return RequestOutcome(outcome="reply too long", seconds=time.perf_counter() - start, fault=fault)
        except TimeoutError:
            fault = Fault(blame=Blame.ENDPOINT, reason=f"no reply within {deadline:g} seconds", is_pushback=True)
            return RequestOutcome(outcome="timeout", seconds=time.perf_counter() - start, fault=fault)
        except Exception as error:  # noqa: BLE001 - the transports raise errors of their own for broken connections
            return self._without_key(_broken(self.url, error, time.perf_counter() - start))
        seconds = time.perf_counter() - start
        if response.is_success:
            return self._without_key(read(reply, response.headers, seconds))
        return self._without_key(turned_away(response.status_code, reply, response.headers, seconds))

    def _without_key(self, exchange: RequestOutcome) -> RequestOutcome:
        """Remove the key from an exchange that will be stored: some servers repeat a key that they reject."""
        fault, raw = exchange.fault, exchange.raw
        if fault is None or self._secret == NO_KEY:
            return exchange
        hidden = replace(fault, reason=fault.reason.replace(self._secret, _HIDDEN))
        return replace(exchange, fault=hidden, raw=raw and raw.replace(self._secret, _HIDDEN))

    def _body(self, ask: Ask, parameters: Mapping[str, object]) -> dict[str, object]:
        """Build the request body of a chat completion."""
        messages = [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]
        messages += [{"role": role, "content": text} for role, text in ask.turns]
        body: dict[str, object] = {"model": self.model, "messages": messages}
        for name, value in parameters.items():
            if name == THINKING:
                continue
            body |= {str(value): longest(ask, parameters)} if name == LIMIT else {name: value}
        if ask.mode is Mode.JSON_SCHEMA:
            named = {"name": "verdicts", "strict": True, "schema": schema(ask.form)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif ask.mode is Mode.JSON_OBJECT_SCHEMA:
            body["response_format"] = {"type": "json_object", "schema": schema(ask.form)}
        elif ask.mode is Mode.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body


class _Client:
    """The parts of openai's client that pay: connections and headers.

    Its way from a body to a request takes as long as all else.
    """

    def __init__(self, url: str, secret: str, concurrency: int) -> None:
        import httpx2
        import openai

        # aiohttp under openai's client takes half the CPU of its usual transport, and its first request makes the session.
        limits = httpx2.Limits(max_connections=concurrency + 8, max_keepalive_connections=concurrency + 8)
        is_near = urlsplit(url).hostname in _LOOPBACK
        # Where nothing is encrypted, reading the certificates of all authorities takes longer than most requests.
        is_plain = is_near and urlsplit(url).scheme == "http"
        self._http = openai.DefaultAioHttpClient(
            limits=limits,
            timeout=None,
            follow_redirects=False,
            trust_env=not is_near,
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True,
        )
        client = openai.AsyncOpenAI(api_key=secret, base_url=url, http_client=self._http)
        given = {**client.default_headers, **client.auth_headers}
        self._headers = httpx2.Headers(self._http.headers)
        # Which machine and which Python ask is nobody's business, and each header costs time.
        wanted = {name: value for name, value in given.items() if not name.startswith("X-Stainless")}
        self._headers.update({name: value for name, value in wanted.items() if isinstance(value, str)})
        self._addresses = {path: httpx2.URL(f"{url}/{path}") for path in ("chat/completions", "embeddings")}
        self._request = httpx2.Request

    async def post(self, path: str, content: bytes) -> tuple[httpx2.Response, bytes]:
        """Send one request; return the response, whatever its status, and its body. _TooLong where that does not end."""
        request = self._request("POST", self._addresses[path], headers=self._headers, content=content)
        response = await self._http.send(request, stream=True)
        try:
            length = response.headers.get("content-length", "")
            if length.isdigit() and int(length) > MOST_REPLY:
                raise _TooLong
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > MOST_REPLY:
                    raise _TooLong
        finally:
            await response.aclose()
        return response, bytes(body)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def address(url: str | None) -> str:
    """Return the base address to call: the one given, else OPENAI_BASE_URL, else OpenAI's; without a trailing slash."""
    base = (url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
    public = without_secrets(base)
    try:
        parts = urlsplit(base)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise UsageError(f"{public} is no address of an endpoint: it looks like http://localhost:8000/v1")
    if public != base:
        raise UsageError(
            f"{public}: an address is stored with the run, so it may hold no password, no query and no fragment: "
            "put the key into OPENAI_API_KEY and leave it out of the address"
        )
    return base


def usual_parameters(url: str) -> dict[str, object]:
    """Return the parameters to try before anything is known of an endpoint; those it refuses are left out from then on."""
    host = urlsplit(url).hostname or ""
    # Servers other than OpenAI's know max_tokens at least; some ignore the newer name without a word.
    limit = "max_completion_tokens" if host.endswith(("openai.com", "azure.com")) else "max_tokens"
    return {"temperature": 0, "seed": 0, "logprobs": True, "top_logprobs": 5, LIMIT: limit}


def _broken(url: str, error: Exception, seconds: float) -> RequestOutcome:
    """Build the exchange of a connection that was not made, or did not last."""
    import httpx2

    chain: list[BaseException] = [error]
    while chain[-1].__cause__ is not None:
        chain.append(chain[-1].__cause__)
    root = chain[-1]
    # By way of aiohttp a refused connection is a ConnectTimeout, and one that was closed later a ConnectError of no OSError.
    is_unreachable = isinstance(root, OSError) and any(
        isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout) for cause in chain
    )
    words = f"{url} cannot be reached" if is_unreachable else "the connection broke"
    fault = Fault(blame=Blame.ENDPOINT, reason=f"{words}: {type(root).__name__} {root}"[:300].strip())
    return RequestOutcome(
        outcome="unreachable" if is_unreachable else "broken connection", seconds=seconds, fault=fault
    )
