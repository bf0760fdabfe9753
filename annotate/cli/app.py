"""The commands `assay app`, which serves the pages, and `assay demo`."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from annotate.cli.context import CommandRun, common
from annotate.cli.rounds import app_process, port_option


@click.command()
@port_option
@common
def app(run: CommandRun, port: int | None) -> None:
    """Open the app on this store (on this machine only)."""
    with run.project.reading():
        pass
    with suppress(KeyboardInterrupt), app_process(run.db, port) as started:
        click.echo(f"the app: http://127.0.0.1:{started.port} (Ctrl+C ends it)")
        sys.exit(started.process.wait())


@click.command()
@common
def demo(run: CommandRun) -> None:
    """Run every step on sixteen synthetic answers, and report."""
    from annotate.present import graded
    from annotate.present.messages import printed
    from annotate.workflow.demo import SYSTEMS

    db = demo_store(run, to_label=False)
    project = CommandRun(db, run.as_json).project
    project.demo((lambda line: None) if run.as_json else click.echo)
    answer = project.report()
    if run.as_json:
        run.answer(answer)
        return
    compared, gold = project.compare(*SYSTEMS), project.gold.entries().result
    missing = ", ".join(item.id for item in gold.missing)
    click.echo(f"gold      {len(gold.entries)} candidates; without a reference yet: {missing}")
    click.echo()
    run.answer(answer)
    click.echo()
    click.echo(f"compare   {printed(compared.document.answer)}")
    if word := compared.result.word:
        click.echo(f"          {printed(graded.means(word, SYSTEMS))}")
    click.echo()
    click.echo(f"The store is {db}: see it with `assay app --db {db}`, label some yourself with `assay up --demo`.")


def demo_store(run: CommandRun, *, to_label: bool) -> Path:
    """Return the path of the demo's store: that of `--db`, else the default; UsageError where it holds other items."""
    from annotate.workflow.demo import default_store, holds_other_items
    from proxy.errors import UsageError

    source = click.get_current_context().get_parameter_source("db")
    named = source is click.core.ParameterSource.COMMANDLINE
    db = run.db if named else default_store(to_label=to_label)
    if db.exists():
        with CommandRun(db, run.as_json).project.reading() as store:
            if holds_other_items(store):
                raise UsageError(f"{db} holds items that are not the demo's: name a new file with --db")
    return db
