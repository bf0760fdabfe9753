"""Commands that choose the rule's threshold, and say what its value means."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering


@click.command()
@click.option(
    "--precision",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Look for the lowest threshold with at least this share right among passed answers; without it: what a value means.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="How sure that must be.",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="The share of the labels that choose the threshold; the others score it.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed parts the labels in the same way.",
)
@click.option(
    "--for",
    "claim",
    type=click.Choice(["window", "long-run"]),
    help="The guarantee that the threshold must have; without it: for the long run where that is shown, else for this window.",
)
@click.option("--dry-run", is_flag=True, help="Say what would come of it and keep nothing.")
@answering
def calibrate(
    run: CommandRun,
    precision: float | None,
    confidence: float,
    share: float,
    seed: int,
    claim: str | None,
    dry_run: bool,
) -> None:
    """Show what a score says of P(right), or find a threshold. It is the lowest with the precision that you ask for."""
    if precision is None:
        run.answer(run.project.reliability())
        return
    run.answer(
        run.project.calibrate(precision, confidence=confidence, share=share, seed=seed, claim=claim, dry_run=dry_run)
    )
