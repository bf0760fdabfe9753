"""Clients that send the same requests, for `throughput.py`: Assay's whole path, a bare asyncio client, and openai's own.

In come a URL, items and how many requests may be in flight; out comes what the calls took.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import openai
import orjson

from annotate.store import Store
from annotate.workflow.judging.model import judge
from annotate.workflow.judging.runs import Options
from annotate.workflow.judging.setups import setup_of
from proxy.judges.llm.form import Mode
from proxy.judges.menu import MenuChoice, build
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.probing import Capability
from proxy.records import Context, Item

NOW = "2026-11-21T00:00:00.000Z"
MODEL = "scripted"
CHOICE = MenuChoice(one_call=True)
WORDS = ["dose", "clinic", "leaflet", "before", "after", "tablet", "visit", "water", "scan", "hours", "day", "ward"]
KNOWN = (
    "The ward on the third floor opens at seven in the morning.",
    "Visitors wash their hands before they enter any room.",
)
ANSWER = f"{KNOWN[0]} {KNOWN[1]} Dogs may stay overnight if they are on a short lead."


class Took(NamedTuple):
    """What a client needed for its calls, and the share of all processor time that the host gave to others meanwhile."""

    calls: int
    wall: float
    cpu: float
    stolen: float | None = None


def synthetic(count: int, seed: int = 0) -> list[Item]:
    """Items of about 3 KB: four passages, and an answer of three sentences of which the passages hold two."""
    rng = random.Random(seed)

    def passage(first: str) -> str:
        return " ".join([first, *(f"{' '.join(rng.choices(WORDS, k=14)).capitalize()}." for _ in range(6))])

    items = []
    for number in range(count):
        contexts = tuple(Context(text=passage(KNOWN[place % 2])) for place in range(4))
        question = f"{' '.join(rng.choices(WORDS, k=12)).capitalize()} {number}?"
        items.append(Item(id=f"i{number}", question=question, contexts=contexts, answer=ANSWER))
    return items


@contextmanager
def filled(items: Sequence[Item], url: str) -> Iterator[Store]:
    """A store with the items, which knows what the endpoint can do."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "assay.db")
        capability = Capability(mode=Mode.JSON_SCHEMA, parameters=usual_parameters(url))
        with store.atomic():
            store.traffic.items.add(items, now=NOW)
            store.scores.calls.remember(url, MODEL, capability, now=NOW)
        yield store
        store.close()


def took(calls: int, work: Callable[[], object]) -> Took:
    """The time that the work takes."""
    wall, cpu, ticks = time.perf_counter(), time.process_time(), _ticks()
    work()
    passed = [now - then for now, then in zip(_ticks(), ticks, strict=True)]
    stolen = passed[7] / max(1, sum(passed)) if passed else None
    return Took(calls, time.perf_counter() - wall, time.process_time() - cpu, stolen)


def _ticks() -> list[int]:
    """Linux' counts of processor time by kind, of which the eighth is stolen; none elsewhere."""
    path = Path("/proc/stat")
    return [int(field) for field in path.read_text().split("\n", 1)[0].split()[1:9]] if path.exists() else []


def ours(url: str, items: Sequence[Item], concurrency: int) -> Took:
    """The whole path; the canary is a call like any other."""
    with filled(items, url) as store:
        endpoint = OpenAIEndpoint(MODEL, url=url, concurrency=concurrency)
        options = Options(choice=CHOICE, concurrency=concurrency)
        figures = took(len(items) + 1, lambda: judge(store, endpoint, options, {}, lambda: NOW))
        kept = sum(judge_totals.scored for judge_totals in store.scores.by_judge())
    if kept != 2 * len(items):
        raise SystemExit(f"{kept} scores of {2 * len(items)}")
    return figures


def bodies(url: str, items: Sequence[Item]) -> list[dict[str, Any]]:
    """The requests that our judge would send."""
    endpoint = OpenAIEndpoint(MODEL, url=url)
    capability = Capability(mode=Mode.JSON_SCHEMA, parameters=usual_parameters(url))
    (judge,) = build(setup_of(endpoint, capability, Options()), CHOICE)
    return [endpoint._body(next(judge.steps(item)), capability.parameters) for item in items]  # noqa: SLF001 - just what it sends


def bare(url: str, items: Sequence[Item], concurrency: int) -> Took:
    """Bytes out and bytes in over kept connections: the floor."""
    where = urlsplit(url)
    head = f"POST {where.path}/chat/completions HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: "
    requests = [
        f"{head}{len(body)}\r\n\r\n".encode() + body
        for body in (orjson.dumps(request) for request in bodies(url, items))
    ]

    async def work() -> None:
        left = iter(requests)

        async def worker() -> None:
            reader, writer = await asyncio.open_connection(where.hostname, where.port)
            for request in left:
                writer.write(request)
                answer = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(answer.partition(b"content-length: ")[2].split(b"\r")[0]))
            writer.close()

        await asyncio.gather(*(worker() for _ in range(concurrency)))

    return took(len(items), lambda: asyncio.run(work()))


def plain_openai(url: str, items: Sequence[Item], concurrency: int) -> Took:
    """AsyncOpenAI's own `create` under a semaphore, its replies unread."""
    requests = bodies(url, items)

    async def work() -> None:
        client, room = openai.AsyncOpenAI(api_key="none", base_url=url), asyncio.Semaphore(concurrency)

        async def ask(body: dict[str, Any]) -> None:
            async with room:
                await client.chat.completions.create(**body)

        await asyncio.gather(*map(ask, requests))
        await client.close()

    return took(len(items), lambda: asyncio.run(work()))
