"""Commands that say what to do next, and what the JSON of an answer looks like."""

from __future__ import annotations

import json

import click

from annotate.cli.context import CommandRun, answering, common
from proxy.errors import UsageError


@click.command("next")
@answering
def next_step(run: CommandRun) -> None:
    """Say what to do next, with the commands that do it."""
    run.answer(run.project.next())


@click.command()
@click.argument("answer", required=False)
@common
def schema(run: CommandRun, answer: str | None) -> None:
    """Print the JSON schema of an answer, such as `report`. Without a name, list the names."""
    from annotate.present import schemas

    kinds = schemas.kinds()
    if answer is None:
        run.say("\n".join(kinds), {"answers": kinds})
        return
    if answer not in kinds:
        raise UsageError(f"there is no answer {answer}: name one of {', '.join(kinds)}")
    json_schema = schemas.json_schema(answer)
    run.say(json.dumps(json_schema, indent=2), json_schema)
