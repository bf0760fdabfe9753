"""The command that names the stage that failed, and what to do about it."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering

THRESHOLD = click.FloatRange(0, 1, max_open=True)


@click.command()
@click.option(
    "--relevance-threshold",
    type=THRESHOLD,
    default=0.5,
    show_default=True,
    help="Passages are relevant where context relevance lies above this.",
)
@click.option(
    "--faithfulness-threshold",
    type=THRESHOLD,
    default=0.5,
    show_default=True,
    help="An answer is faithful where faithfulness lies above this.",
)
@click.option("--system", help="Diagnose this system alone; '' for the answers of none.")
@answering
def diagnose(run: CommandRun, relevance_threshold: float, faithfulness_threshold: float, system: str | None) -> None:
    """Say which stage of the app to mend first. It may be retrieval, reranking, synthesis, or the proxy itself."""
    run.answer(
        run.project.diagnose(
            relevance_above=relevance_threshold, faithfulness_above=faithfulness_threshold, system=system
        )
    )
