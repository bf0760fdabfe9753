"""Commands that make, list and compare releases of the gold set."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering, common


@click.command()
@click.argument("name")
@click.option(
    "--test", type=click.FloatRange(0, 1), default=0.6, show_default=True, help="Share of question clusters for tests."
)
@click.option(
    "--calibration", type=click.FloatRange(0, 1), default=0.3, show_default=True, help="Share to calibrate judges with."
)
@click.option(
    "--examples", type=click.FloatRange(0, 1), default=0.1, show_default=True, help="Share for examples in prompts."
)
@click.option("--with-doubts", is_flag=True, help="Also what is flagged or in conflict.")
@common
def release(run: CommandRun, name: str, test: float, calibration: float, examples: float, with_doubts: bool) -> None:
    """Make a release of what is accepted. It is named, hashed and never changed. New questions get their roles."""
    made = run.project.gold.release(
        name, test=test, calibration=calibration, examples=examples, with_doubts=with_doubts
    )
    run.done(made)


@click.command()
@answering
def releases(run: CommandRun) -> None:
    """Every release with its hash."""
    run.answer(run.project.gold.releases())


@click.command()
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@answering
def diff(run: CommandRun, before: str, after: str) -> None:
    """What release B has that release A has not."""
    run.answer(run.project.gold.diff(before, after))


COMMANDS = (release, releases, diff)
