"""Other libraries' faithfulness judges on the same items: for `throughput.py --peers`.

    python benchmarks/peers.py endpoint LATENCY
    python benchmarks/peers.py {autoevals|ragas} URL CONCURRENCY ITEMS.jsonl

Each library lives in an environment of its own; there this file is run as a script and imports nothing of ours. The endpoint is
the tests' scripted model, which fills whatever schema or prompt wording a library sends with three good statements.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":  # another file of this folder has the name of a standard module
    sys.path.sort(key=lambda folder: folder.endswith("benchmarks"))

import asyncio
import json
import os
import subprocess
import time
import venv
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

# ragas names no upper bound for langchain-community, with whose 0.4 it cannot be imported.
PEERS = {"autoevals": ("autoevals", "openai"), "ragas": ("ragas", "openai", "langchain-community<0.4")}
SAID = ("The ward opens early.", "Visitors wash hands.", "Dogs are not allowed.")
CALLS = 2
Score = Callable[[Mapping[str, Any]], Awaitable[float]]


def run(name: str, folder: Path, url: str, concurrency: int, traffic: Path) -> tuple[int, float, float] | str:
    """(calls, wall, CPU) of a peer in its environment, made where it is missing; or why there is none."""
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
        return (await judge.eval_async(output=item["a"], input=item["q"], context=item["c"])).score

    return score


def ragas() -> Score:
    """Its collections' Faithfulness with one shared client."""
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    judge = Faithfulness(llm=llm_factory("gpt-4o-mini", client=AsyncOpenAI()))

    async def score(item: Mapping[str, Any]) -> float:
        found = await judge.ascore(user_input=item["q"], response=item["a"], retrieved_contexts=item["c"])
        return float(found.value)

    return score


async def measured(make: Callable[[], Score], concurrency: int, items: list[Mapping[str, Any]]) -> list[float]:
    """[calls, wall, CPU] of all items; one before the clock starts."""
    score = make()
    await score(items[0])
    left = iter(items)
    found: list[float] = []

    async def worker() -> None:
        for item in left:
            found.append(await score(item))

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    if len(found) != len(items) or any(value is None or value != value for value in found):  # noqa: PLR0124
        raise SystemExit(f"only some of {len(items)} items have a score")
    return [CALLS * len(items), time.perf_counter() - wall, time.process_time() - cpu]


def filled(schema: Mapping[str, Any], named: Mapping[str, Any]) -> object:
    """Any value that a schema allows; lists have three members."""
    if "$ref" in schema:
        return filled(named[schema["$ref"].rsplit("/", 1)[1]], named)
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type", "string")
    if kind == "object":
        return {key: filled(part, named) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [filled(schema["items"], named) for _ in SAID]
    return {"integer": 1, "number": 1, "boolean": True}.get(kind, SAID[1])


def message(body: Mapping[str, Any]) -> dict[str, object]:
    """A tool call where tools are offered, else the JSON that the prompt's wording asks for."""
    if body.get("tools"):
        function = body["tools"][0]["function"]
        arguments = json.dumps(filled(function["parameters"], function["parameters"].get("$defs", {})))
        call = {"id": "c", "type": "function", "function": {"name": function["name"], "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    is_verdict = "verdict" in json.dumps(body["messages"])
    said = [{"statement": one, "reason": "scripted", "verdict": 1} for one in SAID] if is_verdict else SAID
    return {"role": "assistant", "content": json.dumps({"statements": said})}


def serve(latency: float) -> None:
    """The scripted endpoint with these replies."""
    sys.path.append(str(Path(__file__).parent.parent / "tests"))
    import fixtures_endpoint as fixtures

    def completion(body: dict[str, Any], policy: object, fault: object, number: int) -> dict[str, Any]:
        said = message(body)
        finish = "tool_calls" if "tool_calls" in said else "stop"
        choice = {"index": 0, "finish_reason": finish, "message": said, "logprobs": None}
        usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
        head = {"id": f"c{number}", "object": "chat.completion", "created": 1, "model": "scripted"}
        return {**head, "choices": [choice], "usage": usage}

    fixtures.completion = completion
    asyncio.run(fixtures.run(fixtures.Endpoint(latency=latency, keep=0)))


def main() -> None:
    """Serve, or measure one library."""
    if sys.argv[1] == "endpoint":
        serve(float(sys.argv[2]))
        return
    name, url, concurrency, traffic = sys.argv[1:]
    # No library may call anybody but the endpoint.
    os.environ |= {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": url,
        "RAGAS_DO_NOT_TRACK": "true",
        "BRAINTRUST_API_KEY": "",
    }
    items = [json.loads(row) for row in Path(traffic).read_text().splitlines()]
    makers = {"autoevals": autoevals, "ragas": ragas}
    print(json.dumps(asyncio.run(measured(makers[name], int(concurrency), items))))


if __name__ == "__main__":
    main()
