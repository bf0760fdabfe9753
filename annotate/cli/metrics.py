"""The command that lists the metrics."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering


@click.command()
@answering
def metrics(run: CommandRun) -> None:
    """List the metrics with standard names. Of each: formula, source, what it needs and misses, and worked numbers (--full)."""
    run.answer(run.project.metrics())
