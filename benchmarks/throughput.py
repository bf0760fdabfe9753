"""LLM judges against a local endpoint of fixed latency: wall over latency x calls / concurrency, and CPU a call.

    python benchmarks/throughput.py [--items 1000] [--repetitions 1] [--memory [20000]] [--peers [FOLDER]]

`assay` is the whole of `model_judging.judge` on a real store: prompts, requests, parsing, a commit a call; one call gives both
scores of the default rule. What the endpoint can do was found out before (it is, once an endpoint). Beside it, on the same
requests, a bare asyncio client and openai's own client, which only send. --memory judges with no latency in a process of its
own; --peers runs other libraries' faithfulness, two calls an item, in environments made in FOLDER. Limits are those of a quiet
machine and only printed. Exit status 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

# Another file of this folder has the name of a standard module.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import openai
import orjson
import peers

from annotate.model_judging import Options, judge, setup_of
from annotate.store import Store
from proxy.endpoint.probing import Capability
from proxy.judges.llm.form import Mode
from proxy.judges.llm.menu import Choice, build
from proxy.openai_client import OpenAIEndpoint, usual_parameters
from proxy.records import Context, Item

ENDPOINTS = Path(__file__).parent / "endpoints.py"
NOW = "2026-11-21T00:00:00.000Z"
MODEL = "scripted"
CHOICE = Choice(one_call=True)
WORDS = ["dose", "clinic", "leaflet", "before", "after", "tablet", "visit", "water", "scan", "hours", "day", "ward"]
KNOWN = (
    "The ward on the third floor opens at seven in the morning.",
    "Visitors wash their hands before they enter any room.",
)
ANSWER = f"{KNOWN[0]} {KNOWN[1]} Dogs may stay overnight if they are on a short lead."
PEAK = (
    "import atexit, re; atexit.register(lambda: print(re.search(r'VmHWM:\\s+(\\d+)', "
    "open('/proc/self/status').read())[1])); from annotate.cli import main; main()"
)


class Case(NamedTuple):
    """So many in flight at this latency; the most that the ratio may be, where there is such a limit."""

    concurrency: int
    latency: float
    limit: float | None = None
    share: float = 1.0


CASES = (Case(1, 0.05, share=0.1), Case(16, 0.05, 1.25), Case(64, 0.05), Case(256, 0.05), Case(64, 1.0, 1.08))
CPU_LIMIT, PEER_LIMIT, MEMORY_LIMIT = 2.0, 1.8, 150


class Took(NamedTuple):
    """What a client needed for its calls."""

    calls: int
    wall: float
    cpu: float


def synthetic(count: int, seed: int = 0) -> list[Item]:
    """Items of about 3 KB: four passages, and an answer of three sentences of which the passages hold two."""
    rng = random.Random(seed)

    def passage(first: str) -> str:
        return " ".join([first, *(f"{' '.join(rng.choices(WORDS, k=14)).capitalize()}." for _ in range(6))])

    found = []
    for number in range(count):
        contexts = tuple(Context(text=passage(KNOWN[place % 2])) for place in range(4))
        question = f"{' '.join(rng.choices(WORDS, k=12)).capitalize()} {number}?"
        found.append(Item(id=f"i{number}", question=question, contexts=contexts, answer=ANSWER))
    return found


@contextmanager
def serving(command: Sequence[object]) -> Iterator[str]:
    """The URL of an endpoint that is a process of its own."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    try:
        yield (process.stdout.readline() if process.stdout else "").strip()
    finally:
        process.terminate()
        process.wait()


@contextmanager
def filled(items: Sequence[Item], url: str) -> Iterator[Store]:
    """A store with the items, which knows what the endpoint can do."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "assay.db")
        found = Capability(mode=Mode.JSON_SCHEMA, parameters=usual_parameters(url))
        with store.atomic():
            store.items.add(items, now=NOW)
            store.calls.remember(url, MODEL, found, now=NOW)
        yield store
        store.close()


def took(calls: int, work: Callable[[], object]) -> Took:
    """The time that the work takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(calls, time.perf_counter() - wall, time.process_time() - cpu)


def ours(url: str, items: Sequence[Item], concurrency: int) -> Took:
    """The whole path; the canary is a call like any other."""
    with filled(items, url) as store:
        endpoint = OpenAIEndpoint(MODEL, url=url, concurrency=concurrency)
        options = Options(choice=CHOICE, concurrency=concurrency)
        figures = took(len(items) + 1, lambda: judge(store, endpoint, options, {}, lambda: NOW))
        kept = sum(one.scored for one in store.scores.totals())
    if kept != 2 * len(items):
        raise SystemExit(f"{kept} scores of {2 * len(items)}")
    return figures


def bodies(url: str, items: Sequence[Item]) -> list[dict[str, Any]]:
    """The requests that our judge would send."""
    endpoint = OpenAIEndpoint(MODEL, url=url)
    found = Capability(mode=Mode.JSON_SCHEMA, parameters=usual_parameters(url))
    (one,) = build(setup_of(endpoint, found, Options()), CHOICE)
    return [endpoint._body(next(one.steps(item)), found.parameters) for item in items]  # noqa: SLF001 - what it would send


def bare(url: str, items: Sequence[Item], concurrency: int) -> Took:
    """Bytes out and bytes in over kept connections: the floor."""
    where = urlsplit(url)
    head = f"POST {where.path}/chat/completions HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: "
    requests = [
        f"{head}{len(body)}\r\n\r\n".encode() + body for body in (orjson.dumps(one) for one in bodies(url, items))
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

        async def one(body: dict[str, Any]) -> None:
            async with room:
                await client.chat.completions.create(**body)

        await asyncio.gather(*map(one, requests))
        await client.close()

    return took(len(items), lambda: asyncio.run(work()))


CLIENTS: dict[str, Callable[[str, Sequence[Item], int], Took]] = {
    "assay": ours,
    "bare asyncio": bare,
    "openai create": plain_openai,
}


def median(repetitions: int, measure: Callable[[], Took]) -> Took:
    """The run of median wall time."""
    return sorted((measure() for _ in range(repetitions)), key=lambda one: one.wall)[repetitions // 2]


def line(name: str, case: Case, found: Took, limits: str = "") -> None:
    """One line of the table."""
    ratio = found.wall / (case.latency * found.calls / case.concurrency)
    cpu = 1_000 * found.cpu / found.calls
    load = os.getloadavg()[0]
    print(
        f"{name:<16}{case.concurrency:>10}{case.latency:>10g}{found.calls:>10,}{found.wall:>10.2f}{ratio:>10.2f}{cpu:>10.2f}"
        f"{found.calls / found.wall:>10,.0f}{load:>10.1f}  {limits}",
        flush=True,
    )


def compare(items: Sequence[Item], repetitions: int) -> dict[int, float]:
    """Every client in every case; our items a second at 50 ms, by concurrency."""
    heads = ("in flight", "latency", "calls", "wall s", "ratio", "CPU ms", "calls/s", "load")
    print(f"{'client':<16}" + "".join(f"{head:>10}" for head in heads))
    rates: dict[int, float] = {}
    for case in CASES:
        some = items[: max(1, round(len(items) * case.share))]
        with serving([sys.executable, ENDPOINTS, "assay", case.latency]) as url:
            for name, client in CLIENTS.items():
                found = median(repetitions, partial(client, url, some, case.concurrency))
                limits = f"ratio <= {case.limit}, CPU <= {CPU_LIMIT:g}" if case.limit else ""
                line(name, case, found, limits if name == "assay" else "")
                if name == "assay" and case.latency == CASES[0].latency:
                    rates[case.concurrency] = len(some) / found.wall
    return rates


def start_up() -> None:
    """The time of `assay judge --dry-run` on a store with one item: what goes before the first request."""
    with filled(synthetic(1), "http://127.0.0.1:9/v1") as store:
        command = [sys.executable, "-m", "annotate", "judge", "--backend", "openai", "--model", MODEL, "--dry-run"]
        arguments = [*command, "--base-url", "http://127.0.0.1:9/v1", "--db", str(store.path)]
        found = [
            took(1, partial(subprocess.run, arguments, check=True, stdout=subprocess.DEVNULL)).wall for _ in range(3)
        ]
    print(f"start-up: {sorted(found)[1]:.2f} s for `assay judge --dry-run`, load {os.getloadavg()[0]:.1f}")


def memory(counts: Sequence[int]) -> None:
    """The peak of a process that judges so many items at no latency."""
    for count in counts:
        with serving([sys.executable, ENDPOINTS, "assay", 0]) as url, filled(synthetic(count), url) as store:
            command = [sys.executable, "-c", PEAK, "judge", "--backend", "openai", "--one-call", "--model", MODEL]
            arguments = [*command, "--base-url", url, "--db", str(store.path), "--json"]
            start = time.perf_counter()
            done = subprocess.run(arguments, check=True, capture_output=True, text=True)
            seconds = time.perf_counter() - start
        peak = int(done.stdout.split()[-1]) / 1024
        print(f"memory: {count:>7,} items, peak {peak:.0f} MB (<= {MEMORY_LIMIT}), {seconds:.1f} s", flush=True)


def against_peers(items: Sequence[Item], folder: Path, rates: dict[int, float]) -> None:
    """Items a second of every peer that installs, and how many times as many we judge."""
    traffic = folder / "items.jsonl"
    rows = (
        {"question": one.question, "answer": one.answer, "contexts": [part.text for part in one.contexts]}
        for one in items
    )
    traffic.write_text("".join(json.dumps(row) + "\n" for row in rows))
    latency = CASES[0].latency
    for concurrency in (16, 64):
        best = 0.0
        with serving([sys.executable, ENDPOINTS, "peers", latency]) as url:
            for name in peers.PEERS:
                figures = peers.figures(name, folder, url, concurrency, traffic)
                if isinstance(figures, str):
                    print(f"{name:<16}skipped: {figures}", flush=True)
                    continue
                found = Took(*figures)
                line(name, Case(concurrency, latency), found)
                best = max(best, len(items) / found.wall)
        if best:
            ours_now = rates[concurrency]
            print(
                f"items/s at {concurrency} in flight: assay {ours_now:,.0f}, fastest peer {best:,.0f}: "
                f"{ours_now / best:.2f} times as many (>= {PEER_LIMIT})"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--memory", type=int, nargs="?", const=20_000)
    parser.add_argument("--peers", type=Path, nargs="?", const=Path(tempfile.gettempdir()) / "assay-peers")
    given = parser.parse_args()
    items = synthetic(given.items)
    size = len(orjson.dumps([items[0].question, items[0].answer, *(one.text for one in items[0].contexts)]))
    print(f"{len(items):,} items of {size:,} bytes; the endpoint's abilities are known beforehand")
    rates = compare(items, given.repetitions)
    start_up()
    if given.memory:
        memory((given.memory // 4, given.memory))
    if given.peers:
        given.peers.mkdir(parents=True, exist_ok=True)
        against_peers(items, given.peers, rates)


if __name__ == "__main__":
    main()
