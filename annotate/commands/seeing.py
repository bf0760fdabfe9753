"""The app, the demo, and everything up at once with a local Label Studio."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from annotate.commands.labelling import form_options, link, log_pull, log_push, request_of
from annotate.commands.run import Run, common
from annotate.commands.servers import address_file, data_folder
from proxy.errors import AssayError

if TYPE_CHECKING:
    from annotate.label_studio import LabelStudio
    from annotate.label_studio_local import LocalServer
    from annotate.labelling import Pushed, PushRequest

PULL_SECONDS = 10
DEMO_OPEN = 4
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

port_option = click.option(
    "--port", type=click.IntRange(1, 65535), help="The app's port; without it, the first free from 8501."
)


@click.command()
@port_option
@common
def app(run: Run, port: int | None) -> None:
    """Open the app on this store (on this machine only)."""
    from annotate import streamlit_server

    with run.store():
        pass
    chosen = streamlit_server.free_port(port)
    click.echo(f"the app: http://127.0.0.1:{chosen} (Ctrl+C ends it)")
    _ends_like_ctrl_c()
    with suppress(KeyboardInterrupt), _app(run.db, chosen) as process:
        sys.exit(process.wait())


@click.command()
@common
def demo(run: Run) -> None:
    """Walk the whole loop on sixteen synthetic answers, and report."""
    from annotate import demo as demos
    from annotate import report as reports
    from annotate import report_json, report_text

    db = _demo_store(run, to_label=False)
    with Run(db, run.as_json).store(make=True) as store:
        demos.walk(store, (lambda line: None) if run.as_json else click.echo, now=run.now)
        built = reports.build(store, now=run.now)
        gold, missing = store.gold.counts(), store.items.read(store.gold.without_reference())
    if run.as_json:
        run.say("", report_json.as_json(built))
        return
    click.echo(
        f"gold      {sum(gold.values())} candidates; without a reference yet: {', '.join(one.id for one in missing.values())}"
    )
    click.echo()
    click.echo(report_text.text(built))
    click.echo(f"The store is {db}: see it with `assay app --db {db}`, label some yourself with `assay up --demo`.")


@click.command()
@click.option(
    "--demo", "with_demo", is_flag=True, help=f"On the demo's data, with {DEMO_OPEN} answers left for you to label."
)
@port_option
@form_options
@common
def up(run: Run, with_demo: bool, port: int | None, **form: Any) -> None:
    """Start a local Label Studio and the app; labels flow back by themselves. Ctrl+C ends both."""
    from annotate import demo as demos
    from annotate import label_studio_local, streamlit_server
    from annotate.label_studio import LabelStudio

    db = _demo_store(run, to_label=True) if with_demo else run.db
    run = Run(db, run.as_json)
    with run.store(make=with_demo) as store:
        if with_demo:
            demos.walk(store, click.echo, now=run.now, leave_open=DEMO_OPEN)
    _ends_like_ctrl_c()
    chosen = streamlit_server.free_port(port)
    try:
        with (
            label_studio_local.start(_home(), data_folder(db), None, click.echo) as server,
            _address(db, server),
            _app(db, chosen) as process,
            LabelStudio.connect(server.url, server.token) as studio,
        ):
            _tell(server, _push(run, studio, server, request_of(**form)), studio.invitation(), chosen)
            _pull_for_ever(run, studio, server, process)
    except KeyboardInterrupt:
        click.echo("stopped")


def _demo_store(run: Run, *, to_label: bool) -> Path:
    """The demo's own store, unless one was named on the command line; never one with other items."""
    from annotate.demo import default_store, holds_other_items
    from proxy.errors import UsageError

    source = click.get_current_context().get_parameter_source("db")
    named = source is click.core.ParameterSource.COMMANDLINE
    db = run.db if named else default_store(to_label=to_label)
    if db.exists():
        with Run(db, run.as_json).store() as store:
            if holds_other_items(store):
                raise UsageError(f"{db} holds items that are not the demo's: name a new file with --db")
    return db


def _home() -> Path:
    """Where Label Studio's own environment lives: ASSAY_HOME, else the user's cache."""
    return Path(os.environ.get("ASSAY_HOME") or Path.home() / ".cache" / "assay")


@contextmanager
def _address(db: Path, server: LocalServer) -> Iterator[None]:
    """Let `assay push` and `assay pull` find the server while it runs; readable by the owner only."""
    path = address_file(db)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as stream:
        json.dump({"url": server.url, "token": server.token}, stream)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def _app(db: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The app's process, ended in the end."""
    from annotate import streamlit_server

    process = streamlit_server.start(db, port)
    try:
        yield process
    finally:
        # An impatient second Ctrl+C must not leave a child behind.
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        _end(process)


def _push(run: Run, studio: LabelStudio, server: LocalServer, request: PushRequest) -> Pushed:
    """Send what is open."""
    from annotate import labelling

    with run.store() as store:
        done = labelling.push(store, studio, server.url, request, now=run.now)
        log_push(run, store, server.url, done)
    return done


def _tell(server: LocalServer, done: Pushed, invitation: str | None, port: int) -> None:
    for one in done.deliveries:
        name = f"  ({one.reader})" if one.reader else ""
        click.echo(f"label:    {link(server.url, one)}{name}")
    click.echo(f"log in:   {server.email} with password {server.password}")
    if invitation:
        click.echo(f"invite:   {invitation}  (an account of their own for everybody else)")
    click.echo(f"the app:  http://127.0.0.1:{port}")
    click.echo("labels are pulled every few seconds; Ctrl+C ends everything")


def _pull_for_ever(run: Run, studio: LabelStudio, server: LocalServer, process: subprocess.Popen[bytes]) -> NoReturn:
    """Bring labels back while the app runs; a pull that fails is said once and tried again."""
    from annotate import labelling

    said = ""
    while process.poll() is None:
        time.sleep(PULL_SECONDS)
        try:
            with run.store() as store:
                done = labelling.pull(store, studio, server.url, now=run.now)
                log_pull(run, store, server.url, done)
            sent = _push(run, studio, server, labelling.PushRequest())
            if sent.sent or sent.withdrawn:
                click.echo(f"{sent.sent} tasks sent, {sent.withdrawn} taken back")
            if done.is_news:
                click.echo(f"{done.added} annotations new, {done.revised} changed, {done.deleted} deleted")
            said = ""
        except AssayError as error:
            if str(error) != said:
                click.echo(f"assay: {error}", err=True)
            said = str(error)
    raise AssayError("the app ended by itself, so everything was stopped: start it again with `assay up`")


def _ends_like_ctrl_c() -> None:
    """A closed terminal or a polite kill ends the children too."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for number in ENDING:
        signal.signal(number, stop)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end, and insist after five seconds."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
