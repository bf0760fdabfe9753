"""Endpoints of fixed latency for `throughput.py`: the tests' scripted model, made as cheap to run as an endpoint can be.

    python benchmarks/endpoints.py {assay|peers} LATENCY

For `assay` the first reply to each form is given to every later request: the synthetic items all say the same of their answers.
For `peers` whatever schema or prompt wording a library sends is filled with three good statements.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.endpoint import Endpoint, run
from support.model_faults import Reply

SAID = ("The ward opens early.", "Visitors wash hands.", "Dogs are not allowed.")


class Repeating(Endpoint):
    """Answers as the scripted model did when it first saw the form."""

    known: dict[int, Reply] = {}  # noqa: RUF012 - one endpoint a process

    def _reply(self, body: dict[str, Any], fault: str | None, number: int) -> Reply:
        keys = len(body["response_format"]["json_schema"]["schema"]["required"])
        if keys not in self.known:
            self.known[keys] = super()._reply(body, fault, number)
        return self.known[keys]


class Filling(Endpoint):
    """Answers what other libraries ask."""

    def _reply(self, body: dict[str, Any], fault: str | None, number: int) -> Reply:
        said = message(body)
        finish = "tool_calls" if "tool_calls" in said else "stop"
        choice = {"index": 0, "finish_reason": finish, "message": said, "logprobs": None}
        usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
        head = {"id": "c", "object": "chat.completion", "created": 1, "model": "scripted"}
        return Reply(200, json.dumps({**head, "choices": [choice], "usage": usage}).encode())


def message(body: Mapping[str, Any]) -> dict[str, object]:
    """A tool call where tools are offered, else the JSON that the prompt's wording asks for."""
    if body.get("tools"):
        function = body["tools"][0]["function"]
        arguments = json.dumps(filled(function["parameters"], function["parameters"].get("$defs", {})))
        call = {"id": "c", "type": "function", "function": {"name": function["name"], "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    is_verdict = "verdict" in json.dumps(body["messages"])
    said = [{"statement": statement, "reason": "scripted", "verdict": 1} for statement in SAID] if is_verdict else SAID
    return {"role": "assistant", "content": json.dumps({"statements": said})}


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


if __name__ == "__main__":
    kind = {"assay": Repeating, "peers": Filling}[sys.argv[1]]
    asyncio.run(run(kind(latency=float(sys.argv[2]), keep=0)))
