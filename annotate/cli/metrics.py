"""The command that lists the metrics, and says which of them mean something on the traffic at hand."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering


@click.command()
@click.option("--measured", is_flag=True, help="Say which judges and metrics tell right from wrong on your labels.")
@answering
def metrics(run: CommandRun, *, measured: bool) -> None:
    """List the metrics with standard names. Of each: formula, source, what it needs and misses, and worked numbers (--full)."""
    run.answer(run.project.judges() if measured else run.project.metrics())
