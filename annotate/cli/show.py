"""The command that shows all that is known of one answer."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering


@click.command()
@click.argument("item_id", metavar="ITEM")
@answering
def show(run: CommandRun, item_id: str) -> None:
    """Show all that is known of one answer.

    ITEM is its id. First what the proxy and annotators make of it; then its question and answer,
    the sentences that judges doubt, who says what of it, its passages, how it was drawn, and its gold entry. It changes nothing.
    """
    run.answer(run.project.show(item_id))
