"""The commands `assay app`, which serves the pages, and `assay demo`."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from annotate.cli.context import CommandRun, common, on_demo
from annotate.cli.rounds import app_process, host_option, port_option


@click.command()
@port_option
@host_option
@common
def app(run: CommandRun, port: int | None, host: str) -> None:
    """Open the app on this store; others have to sign in."""
    with run.project.reading():
        pass
    with suppress(KeyboardInterrupt), app_process(run.db, port, host=host) as started:
        click.echo(f"the app: {started.address} (Ctrl+C ends it)")
        sys.exit(started.process.wait())


@click.command()
@on_demo
def demo(run: CommandRun) -> None:
    """Run every step on sixteen synthetic answers, and report."""
    from annotate.present import graded
    from annotate.present.commands import typed
    from annotate.present.messages import printed
    from annotate.workflow.demo import SYSTEMS

    db, project = run.db, run.project
    refuse_other_items(run)
    project.demo((lambda line: None) if run.as_json else click.echo)
    answer = project.report()
    if run.as_json:
        run.answer(answer)
        return
    compared, gold = project.compare(*SYSTEMS), project.gold.entries().result
    missing = ", ".join(item_id for asked in gold.missing for item_id in asked.item_ids)
    click.echo(f"gold      {len(gold.entries)} candidates; without a reference yet: {missing}")
    click.echo()
    run.answer(answer)
    click.echo()
    click.echo(f"compare   {printed(compared.document.answer)}")
    if judge_grades := compared.result.judge_grades:
        click.echo(f"          {printed(graded.means(judge_grades, SYSTEMS))}")
    click.echo()
    click.echo(f"The store is {db}: see it with `{typed('assay app')}`, label some yourself with `assay up --demo`.")


def refuse_other_items(run: CommandRun) -> None:
    """Raise UsageError where the store holds items that are not the demo's."""
    from annotate.workflow.demo import holds_other_items
    from proxy.errors import UsageError

    if run.db.exists():
        with run.project.reading() as store:
            if holds_other_items(store):
                raise UsageError(f"{run.db} holds items that are not the demo's: name a new file with --db")
