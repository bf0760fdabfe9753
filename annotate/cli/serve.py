"""`assay serve`: run the app, pull labels on schedule, and answer HTTP: a webhook that triggers a pull, traces and feedback."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from annotate.cli.context import CommandRun, common, options_of
from annotate.cli.label_studio import url_option
from annotate.cli.rounds import Rounds, app_process, go_on, host_option, port_option
from annotate.label_studio.address import TOKEN_VARIABLE, URL_VARIABLE, connect
from proxy.errors import AssayError, UsageError

if TYPE_CHECKING:
    import subprocess

    from starlette.routing import Route

    from annotate.label_studio.client import LabelStudio
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.schedule import Schedule

HTTP_PORT = 8510


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
@host_option
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
    "--http-port",
    type=click.IntRange(0, 65535),
    default=HTTP_PORT,
    show_default=True,
    help="Where Label Studio may call to have labels pulled at once (needs ASSAY_WEBHOOK_SECRET in the environment), and your "
    "app sends feedback (needs ASSAY_INTAKE_TOKEN).",
)
@click.option(
    "--http-host",
    default="127.0.0.1",
    show_default=True,
    help="Where that is listened to; another opens it to others.",
)
@click.option(
    "--idle",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a trace has to be quiet before its spans are joined to an answer.",
)
@click.option(
    "--ask-model",
    is_flag=True,
    help="While a stream is open, also ask the model that [judge] of assay.toml names for the scores that the rule reads. "
    "Its budget holds until the server ends. Without this no model is asked.",
)
@click.option("--no-app", is_flag=True, help="Serve everything but the app.")
@click.option("--register", metavar="URL", help="Have Label Studio call this URL, which leads to the webhook.")
@common
def serve(
    run: CommandRun,
    port: int | None,
    host: str,
    url: str | None,
    pull_every: float,
    http_port: int,
    http_host: str,
    register: str | None,
    idle: float,
    *,
    ask_model: bool,
    no_app: bool,
) -> None:
    """Serve the app, pull labels, take traces and feedback in. Ctrl+C ends all of it.

    Labels are pulled on schedule and when Label Studio calls.

    While a stream is open (`assay sample --stream --rate R`), each answer that arrives is judged, drawn with its chance, and sent
    to Label Studio.

    The webhook is POST /label-studio with the header X-Assay-Secret. A call is a hint and no more: what it says is not read, and
    one that is lost costs a wait, never a label. OTLP traces are POST /v1/traces, and feedback is POST
    /feedback, with the header Authorization: Bearer TOKEN.
    """
    from annotate.server.callers import token_from_environment
    from annotate.server.webhook import SECRET_VARIABLE, secret_from_environment
    from annotate.workflow.schedule import Schedule

    secret = secret_from_environment()
    if register is not None and secret is None:
        raise UsageError(f"--register needs {SECRET_VARIABLE} in the environment: `openssl rand -hex 32` makes one")
    token = token_from_environment()
    with run.project.writing(make=True) if token else run.project.reading():
        pass
    if url is not None and not os.environ.get(TOKEN_VARIABLE):
        raise UsageError(f"no token for {url}: put one into {TOKEN_VARIABLE} (Label Studio, Account & Settings)")
    caller = _caller(Hook(register, secret)) if register and secret else None
    rounds = Rounds(run, lambda: connect(run.db, url), caller)
    model = _model() if ask_model else None
    schedule = Schedule(pull=rounds, say=run.warn, every=pull_every)
    processes: dict[str, subprocess.Popen[bytes]] = {}
    pulled = f"labels are pulled every {pull_every:g} s (Ctrl+C ends everything)"
    try:
        with ExitStack() as stack:
            stack.enter_context(closing(rounds))
            stack.enter_context(_listening(run, schedule, Doors(secret, token, http_host, http_port, idle, model)))
            if no_app:
                click.echo(pulled)
            else:
                environment = {} if url is None else {URL_VARIABLE: url}  # it sends there too
                started = stack.enter_context(app_process(run.db, port, environment, host=host))
                processes["the app"] = started.process
                click.echo(f"the app:  {started.address}; {pulled}")
            go_on(schedule, processes, "serve")
    except KeyboardInterrupt:
        click.echo("stopped")


def _model() -> ModelRequest:
    """Return what to ask a model for, as [judge] of assay.toml says."""
    from annotate.cli import judge

    options = options_of("judge", "--backend", "openai")
    request = judge.requested(options.pop("names"), options.pop("backend"), options)
    if isinstance(request, tuple):
        raise UsageError('--ask-model needs backend = "openai" and a model under [judge] in assay.toml')
    request.check_key()
    return request


class Doors(NamedTuple):
    """Where HTTP is listened to, with the secrets of its routes; a trace is whole once it was `idle` for so many seconds.

    While a stream is open, `model` is asked for scores; None: no model is.
    """

    secret: bytes | None
    token: bytes | None
    host: str
    port: int
    idle: float
    model: ModelRequest | None


@contextmanager
def _listening(run: CommandRun, schedule: Schedule, doors: Doors) -> Iterator[None]:
    """Do the rounds of the live loop and answer HTTP while the context lasts: each route only where its secret is there."""
    secret, token, host, port, idle, model = doors
    from annotate.server import callers, webhook

    if secret is None:
        click.echo(f"no webhook: it needs {webhook.SECRET_VARIABLE} in the environment; labels are pulled on schedule")
    if token is None:
        click.echo(f"no traces and no feedback over HTTP: they need {callers.TOKEN_VARIABLE} in the environment")
    from annotate.analysis.next_step.judging import after_import
    from annotate.present.commands import for_store, typed
    from annotate.present.ingest import of_rule
    from annotate.present.messages import text
    from annotate.server.app import app_of
    from annotate.server.feedback import PATH as FEEDBACK
    from annotate.server.feedback import feedback
    from annotate.server.inbox import Inbox
    from annotate.server.listening import LOOPBACK, Listening
    from annotate.server.looping import Looping
    from annotate.server.traces import PATH as TRACES
    from annotate.server.traces import logs, traces
    from annotate.workflow.live_loop import LiveLoop, Round

    def on_round(done: Round) -> None:
        with for_store(run.db):  # a thread of its own knows no store
            for message in of_rule(done.effect):
                click.echo(text(message))
            for step in after_import(done.effect.rule, done.effect.unread, done.effect.lacks):
                click.echo(f"{text(step.message)} {' '.join(map(typed, step.commands))}")
        if done.drawn:
            click.echo(f"drew {done.drawn:,} of {done.framed:,} answers that arrived")
            schedule.nudge()  # which pulls, and then sends what is open

    with ExitStack() as stack:
        writing = partial(run.project.writing, make=True)
        loop = LiveLoop(run.project.who, lambda: run.project.now, time.monotonic, idle, model)
        stack.enter_context(Looping(writing, loop, on_round=on_round, say=run.warn))
        routes: list[Route] = []
        if secret is not None:
            routes.append(webhook.webhook(secret, schedule.nudge))
        if token is not None:
            inbox = stack.enter_context(Inbox(writing))
            routes += [traces(token, inbox), logs(token, inbox), feedback(token, inbox)]
        if not routes:
            yield
            return
        server = stack.enter_context(Listening(app_of(*routes), host=host, port=port))
        if secret is not None:
            click.echo(f"webhook:  POST http://{host}:{server.port}{webhook.PATH} with the header X-Assay-Secret")
        if token is not None:
            address, header = f"http://{host}:{server.port}", "with the header Authorization: Bearer …"
            click.echo(f"traces:   POST {address}{TRACES} {header}")
            click.echo(f"feedback: POST {address}{FEEDBACK} {header}")
        if host not in (LOOPBACK, "::1", "localhost"):
            click.echo("this is open to other machines: put TLS in front of it, or the secrets can be read", err=True)
        yield
