"""Other libraries' faithfulness judges on the same items: for `throughput.py --peers`.

    python benchmarks/peers.py {autoevals|ragas} URL CONCURRENCY ITEMS.jsonl

Each library lives in an environment of its own; there this file is run as a script and imports nothing of ours.
"""

from __future__ import annotations

import sys

# Another file of this folder has the name of a standard module.
sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import asyncio
import json
import math
import os
import subprocess
import time
import venv
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

# ragas names no upper bound for langchain-community, with whose 0.4 it cannot be imported.
PEERS = {"autoevals": ("autoevals", "openai"), "ragas": ("ragas", "openai", "langchain-community<0.4")}
CALLS = 2
Score = Callable[[Mapping[str, Any]], Awaitable[float]]


def figures(name: str, folder: Path, url: str, concurrency: int, traffic: Path) -> tuple[int, float, float] | str:
    """(calls, wall, CPU) of a peer in its environment, made where it is missing; or why there are none."""
    python = folder / name / "bin" / "python"
    try:
        if not python.exists():
            venv.create(folder / name, with_pip=True)
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS[name]]
            subprocess.run(install, check=True, capture_output=True, text=True)
        command = [python, __file__, name, url, str(concurrency), traffic]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    except subprocess.CalledProcessError as error:
        return (error.stderr.strip().splitlines() or ["no reason given"])[-1][:200]
    except subprocess.TimeoutExpired:
        return "no end after 10 minutes"
    calls, wall, cpu = json.loads(done.stdout.splitlines()[-1])
    return calls, wall, cpu


def autoevals() -> Score:
    """Its Faithfulness with one shared client."""
    import openai
    from autoevals import init
    from autoevals.ragas import Faithfulness

    init(openai.AsyncOpenAI(), default_model="scripted")
    judge = Faithfulness()

    async def score(item: Mapping[str, Any]) -> float:
        graded = await judge.eval_async(output=item["answer"], input=item["question"], context=item["contexts"])
        return float(graded.score)

    return score


def ragas() -> Score:
    """Its collections' Faithfulness with one shared client."""
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    judge = Faithfulness(llm=llm_factory("gpt-4o-mini", client=AsyncOpenAI()))

    async def score(item: Mapping[str, Any]) -> float:
        texts = item["contexts"]
        graded = await judge.ascore(user_input=item["question"], response=item["answer"], retrieved_contexts=texts)
        return float(graded.value)

    return score


async def measured(make: Callable[[], Score], concurrency: int, items: list[Mapping[str, Any]]) -> list[float]:
    """[calls, wall, CPU] of all items; one more before the clock starts."""
    score = make()
    await score(items[0])
    left = iter(items)
    values: list[float] = []

    async def worker() -> None:
        for item in left:
            value = await score(item)
            values.append(value)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    figures = [CALLS * len(items), time.perf_counter() - wall, time.process_time() - cpu]
    if any(math.isnan(value) for value in values):
        raise SystemExit("some items have no score")
    return figures


def main() -> None:
    """Measure one library."""
    name, url, concurrency, traffic = sys.argv[1:]
    # No library may call anybody but the endpoint.
    own = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url, "BRAINTRUST_API_KEY": "", "RAGAS_DO_NOT_TRACK": "true"}
    os.environ |= own
    items = [json.loads(row) for row in Path(traffic).read_text().splitlines()]
    makers = {"autoevals": autoevals, "ragas": ragas}
    print(json.dumps(asyncio.run(measured(makers[name], int(concurrency), items))))


if __name__ == "__main__":
    main()
