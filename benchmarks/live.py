"""Spans sent to `assay serve` as single requests, 200 a second for a minute: how many were acknowledged, kept and joined.

    python benchmarks/live.py [--rate 200] [--seconds 60] [--senders 8]

Each trace has four spans (root, retriever, two of a model), sent one a request in any order. Exit status 1 where a span was not
acknowledged after its retries, or an answer is missing when the server has ended.
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
        environment = {**os.environ, "ASSAY_INTAKE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert server.stdout
            url = next(line.split()[2] for line in server.stdout if line.startswith("traces:"))
            waits, lost = send_all(url, spans, options.rate, options.senders)
            joined = wait_until_joined(db, traces)
        finally:
            server.terminate()
            server.wait(30)
    waits.sort()
    print(f"{len(spans):,} spans, {options.rate:g} a second: {len(waits):,} acknowledged, {len(lost)} given up")
    print(
        f"median wait {1000 * waits[len(waits) // 2]:.0f} ms, 99 % under {1000 * waits[int(0.99 * len(waits))]:.0f} ms"
    )
    print(f"{joined:,} of {traces:,} traces are answers")
    return int(bool(lost) or joined < traces)


def send_all(url: str, spans: list[dict[str, Any]], rate: float, senders: int) -> tuple[list[float], list[str]]:
    """Send all spans at this rate; return the seconds until each was acknowledged, and those that never were."""
    work: Queue[tuple[float, dict[str, Any]]] = Queue()
    start = time.monotonic()
    for number, each in enumerate(spans):
        work.put((start + number / rate, each))
    waits: list[float] = []
    lost: list[str] = []
    threads = [threading.Thread(target=send, args=(url, work, waits, lost)) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"sent in {time.monotonic() - start:.1f} s")
    return waits, lost


def wait_until_joined(db: Path, traces: int, seconds: float = 60) -> int:
    """Wait until all traces are answers; return how many are."""
    end = time.monotonic() + seconds
    while True:
        with closing(Store(db, reads_only=True)) as store:
            count = store.traffic.items.count()
        if count >= traces or time.monotonic() > end:
            return count
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
