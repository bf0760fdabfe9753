"""`assay serve`: the app, labels pulled on schedule, and a webhook that wakes the pull."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from annotate.commands.labelling import log_pull, log_push, url_option
from annotate.commands.run import Run, common
from annotate.commands.seeing import _app, _ends_like_ctrl_c, port_option
from annotate.commands.servers import TOKEN_VARIABLE, connect
from proxy.errors import AssayError, LabelStudioError, UsageError

if TYPE_CHECKING:
    from annotate.label_studio import LabelStudio
    from annotate.serving import Schedule

HOOK_PORT = 8510


class Hook(NamedTuple):
    """The address at which Label Studio reaches our webhook, and the secret that it sends."""

    url: str
    secret: bytes


@dataclass
class Rounds:
    """Pulls and pushes over one connection, made anew after a failure."""

    run: Run
    url: str | None
    hook: Hook | None = None
    _connected: tuple[LabelStudio, str] | None = None
    _hooked: set[int] = field(default_factory=set)

    def __call__(self) -> None:
        """Bring labels back, then send what is open."""
        try:
            self._go()
        except UsageError as error:
            self.close()
            raise LabelStudioError(str(error)) from error  # `assay up` may come back, so this is no reason to end
        except AssayError:
            self.close()
            raise

    def _go(self) -> None:
        from annotate import labelling

        if self._connected is None:
            self._connected = connect(self.run.db, self.url)
        studio, server = self._connected
        run = self.run
        with run.store() as store:
            pulled = labelling.pull(store, studio, server, now=run.now)
            log_pull(run, store, server, pulled)
            if pulled.is_news:
                click.echo(f"{pulled.added} annotations new, {pulled.revised} changed, {pulled.deleted} deleted")
            # A project is made by the first push, which a person asks for.
            if not store.outbox.projects(server, in_use=True):
                return
            sent = labelling.push(store, studio, server, labelling.PushRequest(), now=run.now)
            log_push(run, store, server, sent)
        if sent.sent or sent.withdrawn:
            click.echo(f"{sent.sent} tasks sent, {sent.withdrawn} taken back")
        for one in sent.deliveries:
            self._call_us(studio, one.project)

    def _call_us(self, studio: LabelStudio, project: int) -> None:
        """Have Label Studio call us for a project; where it refuses, that is said once, and the schedule does the work."""
        from annotate.label_studio.webhooks import ensure_webhook

        if self.hook is None or project in self._hooked:
            return
        self._hooked.add(project)
        try:
            ensure_webhook(studio, project, self.hook.url, self.hook.secret.decode("ascii"))
        except AssayError as error:
            click.echo(f"assay: the webhook was not registered: {error}", err=True)
        else:
            click.echo(f"project {project} calls {self.hook.url}")

    def close(self) -> None:
        """End the connection."""
        if self._connected is not None:
            self._connected[0].close()
        self._connected = None


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
    run: Run,
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
    from annotate import streamlit_server
    from annotate.serving import Schedule
    from annotate.webhook_server import SECRET_VARIABLE, secret_from_environment

    secret = secret_from_environment()
    if register is not None and secret is None:
        raise UsageError(f"--register needs {SECRET_VARIABLE} in the environment: `openssl rand -hex 32` makes one")
    with run.store():
        pass
    if url is not None and not os.environ.get(TOKEN_VARIABLE):
        raise UsageError(f"no token for {url}: put one into {TOKEN_VARIABLE} (Label Studio, Account & Settings)")
    rounds = Rounds(run, url, Hook(register, secret) if register and secret else None)
    schedule = Schedule(pull=rounds, say=lambda line: click.echo(line, err=True), every=pull_every)
    chosen = streamlit_server.free_port(port)
    _ends_like_ctrl_c()
    try:
        with closing(rounds), _hook(schedule, secret, webhook_host, webhook_port), _app(run.db, chosen) as process:
            click.echo(
                f"the app:  http://127.0.0.1:{chosen}; labels are pulled every {pull_every:g} s (Ctrl+C ends everything)"
            )
            _serve(schedule, process)
    except KeyboardInterrupt:
        click.echo("stopped")


@contextmanager
def _hook(schedule: Schedule, secret: bytes | None, host: str, port: int) -> Iterator[None]:
    """The webhook while the context lasts; none without a secret."""
    from annotate.webhook_server import HOOK, LOOPBACK, SECRET_VARIABLE, WebhookServer

    if secret is None:
        click.echo(f"no webhook: it needs {SECRET_VARIABLE} in the environment; labels are pulled on schedule")
        yield
        return
    with WebhookServer(secret, schedule.nudge, host=host, port=port) as hook:
        click.echo(f"webhook:  POST http://{host}:{hook.port}{HOOK.decode()} with the header X-Assay-Secret")
        if host not in (LOOPBACK, "::1", "localhost"):
            click.echo(
                "the webhook is open to other machines: put TLS in front of it, or the secret can be read", err=True
            )
        yield


def _serve(schedule: Schedule, process: subprocess.Popen[bytes]) -> NoReturn:
    """Pull until the app ends."""
    schedule.run(lambda: process.poll() is None)
    raise AssayError("the app ended by itself, so everything was stopped: start it again with `assay serve`")
