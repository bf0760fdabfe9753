"""`assay mcp` as an agent meets it: the SDK's own client starts the command and speaks to it over standard input and output."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from annotate.cli import main
from support.mcp_client import call, need_sdk, with_client
from support.read_only import dump
from support.store import ROOT, Assay

pytestmark = pytest.mark.slow

READING: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "next_step": ({}, ("next",)),
    "report": ({"system": "old"}, ("report", "--system", "old")),
    "diagnose": ({}, ("diagnose",)),
    "slices": ({"by": ["system"]}, ("slices", "--by", "system")),
    "compare": ({"first": "old", "second": "new"}, ("compare", "old", "new")),
    "drift": ({"by": "month"}, ("drift", "--by", "month")),
    "show": ({"item_id": "t0"}, ("show", "t0")),
    "plan": ({"quantity": "accuracy", "width": 0.2}, ("plan", "--quantity", "accuracy", "--width", "0.2")),
    "gold_list": ({"status": "candidate"}, ("gold", "list", "--status", "candidate")),
}
WRITING = ("judge", "sample", "gold_add")


def hints(assay: Assay, *args: str) -> dict[str, bool]:
    """The tools that a server offers, and whether each says that it only looks."""

    async def ask(client: Any) -> dict[str, bool]:
        tools = (await client.list_tools()).tools
        assert all(tool.description for tool in tools)
        return {tool.name: tool.annotations.read_only_hint for tool in tools}

    return with_client(assay, ask, *args)


def test_only_tools_that_look_are_offered_unless_the_flag_is_given(assay: Assay) -> None:
    """A store need not be there yet."""
    assert hints(assay) == dict.fromkeys(READING, True)
    assert hints(assay, "--write") == dict.fromkeys(READING, True) | dict.fromkeys(WRITING, False)
    page = (ROOT / "docs" / "agents.md").read_text()
    assert re.findall(r"^\| `(\w+)`", page, re.MULTILINE) == [*READING, *WRITING]


def test_a_tool_answers_as_its_command_does_and_changes_nothing(half_labelled: Assay) -> None:
    """The JSON of --json, and the lines of the terminal with the sentence first; not a row is another after it."""
    before = dump(half_labelled)
    results = call(half_labelled, {name: values for name, (values, _) in READING.items()})
    assert dump(half_labelled) == before

    for name, (_, command) in READING.items():
        lines, values, is_error = results[name]
        assert not is_error, (name, lines)
        assert values == half_labelled.json(*command), name
        assert lines == half_labelled(*command).stdout, name
    assert results["report"].json["answer"] in " ".join(results["report"].lines.split())


def test_what_is_refused_is_an_error_that_says_what_to_do(half_labelled: Assay) -> None:
    """The server answers on: a wrong name, a missing item, a value out of range, a tool that is not offered."""
    results = call(
        half_labelled,
        {
            "compare": {"first": "old", "second": "older"},
            "show": {"item_id": "nowhere"},
            "plan": {"width": 2},
            "sample": {"labels": 4},
            "next_step": {},
        },
    )

    assert [name for name, result in results.items() if result.is_error] == [
        "compare",
        "show",
        "plan",
        "sample",
    ]
    assert "the systems are" in results["compare"].lines
    assert "there is no item nowhere" in results["show"].lines
    assert "less than or equal to 1" in results["plan"].lines
    assert "Unknown tool" in results["sample"].lines
    assert "Traceback" not in "".join(result.lines for result in results.values())


def test_without_a_store_every_answer_says_how_to_begin(assay: Assay) -> None:
    """No file is made by asking."""
    result = call(assay, {"report": {}})["report"]

    assert result.is_error
    assert "assay ingest" in result.lines
    assert not assay.db.exists()


def test_with_the_flag_an_agent_judges_draws_and_writes_a_reference(loaded: Assay) -> None:
    """In the name of the user; what it writes is a candidate that a person accepts."""
    results = call(
        loaded,
        {
            "judge": {},
            "sample": {"labels": 4, "seed": 1},
            "gold_add": {"item_id": "a", "reference": "Room a is upstairs."},
        },
        "--write",
    )

    assert [result.lines for result in results.values() if result.is_error] == []
    assert results["sample"].json["wave"] == 1
    assert loaded.sql("SELECT count(*) FROM draws") == [(results["sample"].json["drawn"],)]
    assert loaded.sql("SELECT status FROM gold") == [("candidate",)]
    assert "tester" in {event["who"] for event in loaded.json("events")["events"]}


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, None], ids=str)
def test_a_stop_or_the_end_of_its_input_ends_a_server(assay: Assay, stop: signal.Signals | None) -> None:
    """An agent's program may leave its end of the pipe open while it stops the server; no error is written."""
    need_sdk()
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    server = assay.start("mcp", stdin=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write((json.dumps(hello) + "\n").encode())
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "assay"
    if stop:
        server.send_signal(stop)
        assert server.wait(30) == -stop
    _, errors = server.communicate(timeout=30)

    assert (server.returncode, errors) == (-stop if stop else 0, b"")


def test_without_the_sdk_the_command_says_what_to_install(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line and status 2."""
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "annotate.server.mcp.server", raising=False)
    ended = CliRunner().invoke(main, ["mcp", "--db", str(assay.db)], prog_name="assay")

    assert ended.exit_code == 2
    assert "pip install 'assay[mcp]'" in ended.stderr
