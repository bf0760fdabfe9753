"""`assay up`: start a local Label Studio and the app, and print a labelling link."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from annotate.cli.app import refuse_other_items
from annotate.cli.context import CommandRun, common
from annotate.cli.label_studio import form_options, request_of
from annotate.cli.rounds import Rounds, app_process, go_on, port_option
from annotate.label_studio.address import address_file, data_folder

if TYPE_CHECKING:
    from annotate.label_studio.client import LabelStudio
    from annotate.label_studio.local import LocalServer

PULL_SECONDS = 10.0
DEMO_OPEN = 4
DEMO_STORE = Path("assay-demo-label.db")


@click.command()
@click.option(
    "--demo", "with_demo", is_flag=True, help=f"On the demo's data, with {DEMO_OPEN} answers left for you to label."
)
@port_option
@form_options
@common
def up(run: CommandRun, with_demo: bool, port: int | None, **form: Any) -> None:
    """Start a local Label Studio and the app. Labels flow back by themselves. Ctrl+C ends both."""
    from annotate.label_studio import local
    from annotate.label_studio.client import LabelStudio
    from annotate.pages.kit import server as kit_server
    from annotate.present.answer import answer_of
    from annotate.present.labelling import Started
    from annotate.workflow.schedule import Schedule

    if with_demo:
        is_named = click.get_current_context().get_parameter_source("db") is ParameterSource.COMMANDLINE
        run = run if is_named else CommandRun(DEMO_STORE, run.as_json)
        refuse_other_items(run)
        run.project.demo(partial(click.echo, err=run.as_json), leave_open=DEMO_OPEN)
    else:
        with run.project.writing():
            pass
    kit_server.free_port(port)  # said before Label Studio takes its minute
    # With --json, standard output is the one object.
    say = partial(click.echo, err=run.as_json)
    try:
        with (
            local.start(_home(), data_folder(run.db), None, say) as server,
            _address(run.db, server),
            app_process(run.db, port) as started,
            closing(Rounds(run, partial(_connect, server))) as rounds,
        ):
            with LabelStudio.connect(server.url, server.token) as studio:
                sent = run.project.deliver(studio, request_of(**form))
                run.note(sent)
                done, invitation = sent.result.done, sent.result.invitation
                account = Started(server.url, done, invitation, server.email, server.password, started.address)
                run.done(answer_of("labelling.started", run.db, account))
            rounds.announced |= {delivery.project for delivery in done.deliveries}
            schedule = Schedule(pull=rounds, say=run.warn, every=PULL_SECONDS)
            go_on(schedule, {"the app": started.process, "Label Studio": server.process}, "up")
    except KeyboardInterrupt:
        click.echo("stopped")


def _home() -> Path:
    """Return where Label Studio's own environment lives: ASSAY_HOME, else the user's cache."""
    return Path(os.environ.get("ASSAY_HOME") or Path.home() / ".cache" / "assay")


@contextmanager
def _address(db: Path, server: LocalServer) -> Iterator[None]:
    """Let `assay push` and `assay pull` find the server while it runs; readable by the owner only."""
    from annotate.label_studio.local import private

    path = address_file(db)
    private.write(path, json.dumps({"url": server.url, "token": server.token}))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _connect(server: LocalServer) -> LabelStudio:
    """Return a connection to the local server."""
    from annotate.label_studio.client import LabelStudio

    return LabelStudio.connect(server.url, server.token)
