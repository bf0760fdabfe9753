"""The command that serves the store to an agent over the Model Context Protocol."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

import click

from annotate.cli.context import CommandRun, common
from annotate.progress.stopping import stops_end_at_once
from proxy.errors import UsageError


@click.command()
@click.option("--write", "writes", is_flag=True, help="Offer tools that change the store: judge, sample, gold_add.")
@common
def mcp(run: CommandRun, *, writes: bool) -> None:
    """Answer an agent's questions about the store.

    An agent's program starts this command and speaks the Model Context Protocol to it, on standard input and output. Its tools
    only look, unless --write is given. It needs `pip install 'assay[mcp]'`.
    """
    try:
        from annotate.server.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise UsageError("assay mcp needs the protocol's SDK: pip install 'assay[mcp]'") from error
    # The protocol takes the stream of the process, and escapes in its JSON whatever could steer a terminal.
    # One thread waits for the agent's next line: what is written is a transaction, and a stop need not wait for it.
    with redirect_stdout(sys.__stdout__), stops_end_at_once():
        serve(run.project, writes=writes)
