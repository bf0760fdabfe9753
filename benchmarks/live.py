"""Spans sent to `assay serve` singly, 200 a second for a minute: how many were acknowledged, joined, judged and drawn.

    python benchmarks/live.py [--rate 200] [--seconds 60] [--senders 8] [--without-stream]

Each trace has four spans (root, retriever, two of a model), sent one a request in any order, while a stream of 5 % is open. Exit
status 1 where a span was not acknowledged after its retries, or an answer is missing or has not had its chance when all was sent.
"""

from __future__ import annotations

import sys

# A file of this folder has the name of a standard module, which the folder would hide.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import argparse
import os
import random
import subprocess
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import httpx

from annotate import Project
from annotate.store import Store

TOKEN = "a-token-of-sixteen-letters"
KINDS = ("CHAIN", "RETRIEVER", "LLM", "LLM")
RETRIES = 20


def span(trace: int, place: int) -> dict[str, Any]:
    """One span of a trace, in OTLP's JSON."""
    texts = {"openinference.span.kind": KINDS[place]}
    if place == 0:
        texts |= {"input.value": f"Question {trace}?", "output.value": "An answer of some length. " * 20}
    elif place == 1:
        texts |= {f"retrieval.documents.{number}.document.content": "A passage. " * 60 for number in range(4)}
    return {
        "traceId": f"{trace + 1:032x}",
        "spanId": f"{4 * trace + place + 1:016x}",
        **({} if place == 0 else {"parentSpanId": f"{4 * trace + 1:016x}"}),
        "startTimeUnixNano": str(1_763_625_600_000_000_000 + place),
        "endTimeUnixNano": str(1_763_625_601_000_000_000 + place),
        "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()],
    }


def send(url: str, work: Queue[tuple[float, dict[str, Any]]], waits: list[float], lost: list[str]) -> None:
    """Send each span when it is due, again where the server asks for it."""
    with httpx.Client(trust_env=False, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=10) as client:
        while True:
            try:
                due, content = work.get_nowait()
            except Empty:
                return
            time.sleep(max(0.0, due - time.monotonic()))
            start = time.monotonic()
            for _ in range(RETRIES):
                try:
                    body = {"resourceSpans": [{"scopeSpans": [{"spans": [content]}]}]}
                    if client.post(url, json=body).status_code == 200:
                        waits.append(time.monotonic() - start)
                        break
                except httpx.TransportError:
                    pass
                time.sleep(0.5)
            else:
                lost.append(content["spanId"])


def main() -> int:
    """Run the server, send, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--senders", type=int, default=8)
    parser.add_argument("--without-stream", action="store_true", help="Only take spans in and join them.")
    options = parser.parse_args()
    traces = int(options.rate * options.seconds / len(KINDS))
    spans = [span(trace, place) for trace in range(traces) for place in range(len(KINDS))]
    random.Random(0).shuffle(spans)
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "assay.db"
        command = [
            sys.executable,
            "-m",
            "annotate",
            "serve",
            "--no-app",
            "--db",
            str(db),
            "--http-port",
            "0",
            "--idle",
            "2",
        ]
        if not options.without_stream:
            Project(db).open_stream(0.05, 0.2, seed=1)
        environment = {**os.environ, "ASSAY_INTAKE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert server.stdout
            url = next(line.split()[2] for line in server.stdout if line.startswith("traces:"))
            waits, lost = send_all(url, spans, options.rate, options.senders)
            sent = time.monotonic()
            joined, framed, drawn = wait_until_done(db, traces, judges=not options.without_stream)
            caught_up = time.monotonic() - sent
        finally:
            server.terminate()
            server.wait(30)
    waits.sort()
    print(f"{len(spans):,} spans, {options.rate:g} a second: {len(waits):,} acknowledged, {len(lost)} given up")
    print(
        f"median wait {1000 * waits[len(waits) // 2]:.0f} ms, 99 % under {1000 * waits[int(0.99 * len(waits))]:.0f} ms"
    )
    print(f"{joined:,} of {traces:,} traces are answers, {framed:,} had their chance, {drawn:,} were drawn")
    print(f"all was done {caught_up:.1f} s after the last span")
    return int(bool(lost) or joined < traces or (framed < traces and not options.without_stream))


def send_all(url: str, spans: list[dict[str, Any]], rate: float, senders: int) -> tuple[list[float], list[str]]:
    """Send all spans at this rate; return the seconds until each was acknowledged, and those that never were."""
    work: Queue[tuple[float, dict[str, Any]]] = Queue()
    start = time.monotonic()
    for number, sent_span in enumerate(spans):
        work.put((start + number / rate, sent_span))
    waits: list[float] = []
    lost: list[str] = []
    threads = [threading.Thread(target=send, args=(url, work, waits, lost)) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"sent in {time.monotonic() - start:.1f} s")
    return waits, lost


def wait_until_done(db: Path, traces: int, *, judges: bool, seconds: float = 120) -> tuple[int, int, int]:
    """Wait until all traces are answers that had their chance; return how many are, had, and were drawn."""
    end = time.monotonic() + seconds
    while True:
        with closing(Store(db, reads_only=True)) as store:
            joined, framed = store.traffic.items.count(), store.sampling.wave_ledger.covered(0).framed
            drawn = store.sampling.waves.progress().drawn
        if (joined >= traces and (framed >= traces or not judges)) or time.monotonic() > end:
            return joined, framed, drawn
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
