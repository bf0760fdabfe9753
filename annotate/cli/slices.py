"""The command that finds slices where the proxy errs more than elsewhere."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering


@click.command()
@click.option(
    "--by",
    multiple=True,
    metavar="FIELD",
    help="A given field to look at: system, language, week, metadata.NAME. Left out: system and own fields of few values.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The adjusted p up to which a slice is reported.",
)
@answering
def slices(run: CommandRun, by: tuple[str, ...], level: float) -> None:
    """Name the slices where the proxy errs more than elsewhere."""
    run.answer(run.project.slices(by=by, level=level))
