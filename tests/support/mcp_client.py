"""The protocol's own client, which starts `assay mcp` as an agent's program does and speaks to it over its pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import pytest

from support.store import ROOT, Assay

Result = TypeVar("Result")


class ToolResult(NamedTuple):
    """What a tool answered: its lines, its JSON, and whether it is an error."""

    lines: str
    json: dict[str, Any]
    is_error: bool


def need_sdk() -> None:
    """Skip a test where the SDK is not installed."""
    pytest.importorskip("mcp", reason="the extra mcp is not installed: pip install 'assay[mcp]'")


def with_client(assay: Assay, ask: Callable[[Any], Awaitable[Result]], *args: str) -> Result:
    """Do something with a client whose server is this command in the store's folder."""
    need_sdk()
    import anyio
    from mcp import Client, StdioServerParameters

    # The client hands on few variables of its own environment.
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {"PYTHONPATH": path, "ASSAY_USER": "tester"}
    command = ["-m", "annotate", "mcp", "--db", str(assay.db), *args]
    server = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=assay.folder)

    async def talk() -> Result:
        with anyio.fail_after(120):
            async with Client(server) as client:
                return await ask(client)

    return anyio.run(talk)


def call(assay: Assay, calls: dict[str, dict[str, object]], *args: str) -> dict[str, ToolResult]:
    """What each tool answers, all asked of one server."""

    async def ask(client: Any) -> dict[str, ToolResult]:
        return {name: read(await client.call_tool(name, values)) for name, values in calls.items()}

    return with_client(assay, ask, *args)


def read(result: Any) -> ToolResult:
    """The parts of a result."""
    return ToolResult(
        "".join(block.text for block in result.content), result.structured_content or {}, bool(result.is_error)
    )
