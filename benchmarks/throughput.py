"""LLM judges against a local endpoint of fixed latency: wall over latency x calls / concurrency, and CPU a call.

    python benchmarks/throughput.py [--items 1000] [--repetitions 1] [--memory [20000]] [--peers [FOLDER]]

`assay` is the whole of `annotate.workflow.judging.model.judge` on a real store: prompts, requests, parsing, a commit a call; one
call gives both scores of the default rule. What the endpoint can do was found out before (it is, once an endpoint). Beside it, on
the same requests, a bare asyncio client and openai's own client, which only send. --memory judges with no latency in a process of
its own; --peers runs other libraries' faithfulness, two calls an item, in environments made in FOLDER. Limits are those of a
quiet machine and only printed: see the load and the share of time that the host had stolen. Exit status 0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

# Another file of this folder has the name of a standard module.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import orjson
import peers
from clients import MODEL, Took, bare, filled, ours, plain_openai, synthetic, took

from proxy.records import Item

ENDPOINTS = Path(__file__).parent / "endpoints.py"
PEAK = (
    "import atexit, re; atexit.register(lambda: print(re.search(r'VmHWM:\\s+(\\d+)', "
    "open('/proc/self/status').read())[1])); from annotate.cli import main; main()"
)
CLIENT = "import openai; openai.AsyncOpenAI(api_key='none', http_client=openai.DefaultAioHttpClient())"


class Case(NamedTuple):
    """So many in flight at this latency; the most that the ratio may be, where there is such a limit."""

    concurrency: int
    latency: float
    limit: float | None = None
    share: float = 1.0


CASES = (Case(1, 0.05, share=0.1), Case(16, 0.05, 1.25), Case(64, 0.05), Case(256, 0.05), Case(64, 1.0, 1.08))
PEER_CASES = (Case(16, 0.05), Case(64, 0.05))
CPU_LIMIT, PEER_LIMIT, MEMORY_LIMIT = 2.0, 1.8, 150


@contextmanager
def serving(command: Sequence[object]) -> Iterator[str]:
    """The URL of an endpoint that is a process of its own."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    try:
        yield (process.stdout.readline() if process.stdout else "").strip()
    finally:
        process.terminate()
        process.wait()


CLIENTS: dict[str, Callable[[str, Sequence[Item], int], Took]] = {
    "assay": ours,
    "bare asyncio": bare,
    "openai create": plain_openai,
}


def median(repetitions: int, measure: Callable[[], Took]) -> Took:
    """The run of median wall time."""
    return sorted((measure() for _ in range(repetitions)), key=lambda run: run.wall)[repetitions // 2]


def line(name: str, case: Case, timing: Took, limits: str = "") -> None:
    """One line of the table."""
    ratio = timing.wall / (case.latency * timing.calls / case.concurrency)
    cpu = 1_000 * timing.cpu / timing.calls
    stolen = "-" if timing.stolen is None else f"{timing.stolen:.0%}"
    print(
        f"{name:<15}{case.concurrency:>10}{case.latency:>9g}{timing.calls:>8,}{timing.wall:>9.2f}{ratio:>9.2f}{cpu:>9.2f}"
        f"{timing.calls / timing.wall:>9,.0f}{os.getloadavg()[0]:>8.1f}{stolen:>8}  {limits}",
        flush=True,
    )


def compare(items: Sequence[Item], repetitions: int) -> None:
    """Every client in every case."""
    print("client          in flight  latency   calls   wall s    ratio   CPU ms  calls/s    load  stolen")
    for case in CASES:
        some = items[: max(1, round(len(items) * case.share))]
        with serving([sys.executable, ENDPOINTS, "assay", case.latency]) as url:
            for name, client in CLIENTS.items():
                timing = median(repetitions, partial(client, url, some, case.concurrency))
                limits = f"ratio <= {case.limit}, CPU <= {CPU_LIMIT:g}" if case.limit else ""
                line(name, case, timing, limits if name == "assay" else "")


def start_up() -> None:
    """What goes before the first request: `assay judge --dry-run` on a store with one item, and openai's client."""
    with filled(synthetic(1), "http://127.0.0.1:9/v1") as store:
        command = [sys.executable, "-m", "annotate", "judge", "--backend", "openai", "--model", MODEL, "--dry-run"]
        arguments = [*command, "--base-url", "http://127.0.0.1:9/v1", "--db", str(store.path)]
        dry, client, empty = map(_seconds, (arguments, [sys.executable, "-c", CLIENT], [sys.executable, "-c", ""]))
    load = os.getloadavg()[0]
    print(
        f"start-up: {dry:.2f} s for `assay judge --dry-run`, {client - empty:.2f} s more for openai's client; load {load:.1f}"
    )


def _seconds(command: Sequence[str]) -> float:
    """The wall time of a process, median of three."""
    return median(3, lambda: took(1, lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))).wall


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


def against_peers(items: Sequence[Item], folder: Path) -> None:
    """Items a second of every peer that installs, with ours after each, and how many times as many we judge."""
    traffic = folder / "items.jsonl"
    rows = (
        {"question": item.question, "answer": item.answer, "contexts": [part.text for part in item.contexts]}
        for item in items
    )
    traffic.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for case in PEER_CASES:
        our_command, command = ([sys.executable, ENDPOINTS, kind, case.latency] for kind in ("assay", "peers"))
        with serving(our_command) as our_url, serving(command) as url:
            for name in peers.PEERS:
                figures = peers.figures(name, folder, url, case.concurrency, traffic)
                if isinstance(figures, str):
                    print(f"{name:<15} skipped: {figures}", flush=True)
                    continue
                own, timing = ours(our_url, items, case.concurrency), Took(*figures)
                line("assay", case, own)
                line(
                    name,
                    case,
                    timing,
                    f"assay judges {timing.wall / own.wall:.2f} times as many items a second, >= {PEER_LIMIT}",
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
    size = len(orjson.dumps([items[0].question, items[0].answer, *(context.text for context in items[0].contexts)]))
    print(f"{len(items):,} items of {size:,} bytes; the endpoint's abilities are known beforehand")
    compare(items, given.repetitions)
    start_up()
    if given.memory:
        memory((given.memory // 4, given.memory))
    if given.peers:
        given.peers.mkdir(parents=True, exist_ok=True)
        against_peers(items, given.peers)


if __name__ == "__main__":
    main()
