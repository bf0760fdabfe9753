"""`assay serve`: run the app, pull labels on schedule, and let a webhook trigger a pull."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from annotate.cli.context import CommandRun, common
from annotate.cli.label_studio import url_option
from annotate.cli.rounds import Rounds, app_process, go_on, port_option
from annotate.label_studio.address import TOKEN_VARIABLE, URL_VARIABLE, connect
from proxy.errors import AssayError, UsageError

if TYPE_CHECKING:
    from annotate.label_studio.client import LabelStudio
    from annotate.workflow.schedule import Schedule

HOOK_PORT = 8510


class Hook(NamedTuple):
    """The address at which Label Studio reaches our webhook, and the secret that it sends."""

    url: str
    secret: bytes


def _caller(hook: Hook) -> Callable[[LabelStudio, int], None]:
    """Return what has Label Studio call us for a project; a refusal is reported, and the schedule does the work."""

    def register(studio: LabelStudio, project: int) -> None:
        try:
            studio.ensure_webhook(project, hook.url, hook.secret.decode("ascii"))
        except AssayError as error:
            click.echo(f"assay: the webhook was not registered: {error}", err=True)
        else:
            click.echo(f"project {project} calls {hook.url}")

    return register


@click.command()
@port_option
@url_option
@click.option(
    "--pull-every",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How often labels are pulled and open draws are pushed.",
)
@click.option(
    "--webhook-port",
    type=click.IntRange(0, 65535),
    default=HOOK_PORT,
    show_default=True,
    help="Where Label Studio may call to have labels pulled at once; needs ASSAY_WEBHOOK_SECRET in the environment.",
)
@click.option(
    "--webhook-host",
    default="127.0.0.1",
    show_default=True,
    help="Where the webhook listens; another opens it to others.",
)
@click.option("--register", metavar="URL", help="Have Label Studio call this URL, which leads to the webhook.")
@common
def serve(
    run: CommandRun,
    port: int | None,
    url: str | None,
    pull_every: float,
    webhook_port: int,
    webhook_host: str,
    register: str | None,
) -> None:
    """Serve the app, pull labels on schedule, and sooner when Label Studio calls the webhook. Ctrl+C ends everything.

    The webhook is POST /label-studio with the header X-Assay-Secret. A call is a hint and no more: what it says is not read, and
    one that is lost costs a wait, never a label.
    """
    from annotate.server.webhook import SECRET_VARIABLE, secret_from_environment
    from annotate.workflow.schedule import Schedule

    secret = secret_from_environment()
    if register is not None and secret is None:
        raise UsageError(f"--register needs {SECRET_VARIABLE} in the environment: `openssl rand -hex 32` makes one")
    with run.project.reading():
        pass
    if url is not None and not os.environ.get(TOKEN_VARIABLE):
        raise UsageError(f"no token for {url}: put one into {TOKEN_VARIABLE} (Label Studio, Account & Settings)")
    caller = _caller(Hook(register, secret)) if register and secret else None
    rounds = Rounds(run, lambda: connect(run.db, url), caller)
    schedule = Schedule(pull=rounds, say=lambda line: click.echo(line, err=True), every=pull_every)
    try:
        with (
            closing(rounds),
            _hook(schedule, secret, webhook_host, webhook_port),
            app_process(run.db, port, {} if url is None else {URL_VARIABLE: url}) as started,  # it sends there too
        ):
            click.echo(
                f"the app:  http://127.0.0.1:{started.port}; labels are pulled every {pull_every:g} s (Ctrl+C ends everything)"
            )
            go_on(schedule, {"the app": started.process}, "serve")
    except KeyboardInterrupt:
        click.echo("stopped")


@contextmanager
def _hook(schedule: Schedule, secret: bytes | None, host: str, port: int) -> Iterator[None]:
    """The webhook while the context lasts; none without a secret."""
    from annotate.server.webhook import PATH, SECRET_VARIABLE, webhook

    if secret is None:
        click.echo(f"no webhook: it needs {SECRET_VARIABLE} in the environment; labels are pulled on schedule")
        yield
        return
    from annotate.server.app import app_of
    from annotate.server.listening import LOOPBACK, Listening

    with Listening(app_of(webhook(secret, schedule.nudge)), host=host, port=port) as server:
        click.echo(f"webhook:  POST http://{host}:{server.port}{PATH} with the header X-Assay-Secret")
        if host not in (LOOPBACK, "::1", "localhost"):
            click.echo(
                "the webhook is open to other machines: put TLS in front of it, or the secret can be read", err=True
            )
        yield
