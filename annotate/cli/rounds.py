"""Run rounds of pull and push while an app runs, over one connection: fetch labels, then send what is open."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import click

from annotate.cli.context import CommandRun
from proxy.errors import AssayError, LabelStudioError, UsageError

if TYPE_CHECKING:
    from annotate.domain.message import Message
    from annotate.label_studio.client import LabelStudio
    from annotate.workflow.schedule import Schedule


from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.progress.stopping import ignore_stops

if TYPE_CHECKING:
    from annotate.pages.kit.server import AppProcess


END_SECONDS = 5

port_option = click.option(
    "--port", type=click.IntRange(1, 65535), help="The app's port; without it, the first free from 8501."
)


host_option = click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where the app is listened to; another than this machine alone needs [signin] in assay.toml.",
)


@dataclass
class Rounds:
    """Each call is one round; the connection is made anew after a failure. `on_project` is told once of each project.

    The link of a project that is not among the `announced` is printed once it has tasks: a second annotator's comes later.
    """

    run: CommandRun
    connect: Callable[[], LabelStudio]
    on_project: Callable[[LabelStudio, int], None] | None = None
    announced: set[int] = field(default_factory=set)
    _connected: LabelStudio | None = None
    _known: set[int] = field(default_factory=set)

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
        from annotate.present import labelling

        if self._connected is None:
            self._connected = self.connect()
        studio = self._connected
        exchanged = self.run.project.exchange(studio)
        pulled = exchanged.pulled.result.done
        if moved := labelling.moved(exchanged.pulled.result):
            self._say(moved)
        if pulled.is_news:
            self._say(labelling.fetched(pulled))
        if exchanged.pushed is None:
            return
        sent = exchanged.pushed.result.done
        if sent.sent or sent.withdrawn:
            self._say(labelling.sent_tasks(sent))
        if pulled.is_news and sent.left:
            self._say(labelling.nobody_left(sent))
        for delivery in sent.deliveries:
            if delivery.project not in self.announced:
                self.announced.add(delivery.project)
                self._say(labelling.label_at(studio.url, delivery))
            if self.on_project is not None and delivery.project not in self._known:
                self._known.add(delivery.project)
                self.on_project(studio, delivery.project)

    def _say(self, line: Message) -> None:
        """Print a line for users; with --json, standard output is left to the one object."""
        from annotate.present.messages import printed

        click.echo(printed(line), err=self.run.as_json)

    def close(self) -> None:
        """End the connection."""
        if self._connected is not None:
            self._connected.close()
        self._connected = None


def go_on(schedule: Schedule, processes: Mapping[str, subprocess.Popen[bytes]], command: str) -> NoReturn:
    """Go on with rounds until one of the processes, by their names, ends."""

    def ended() -> list[str]:
        return [name for name, process in processes.items() if process.poll() is not None]

    schedule.run(lambda: not ended())
    raise AssayError(f"{ended()[0]} ended by itself, so everything was stopped: start it again with `assay {command}`")


@contextmanager
def app_process(
    db: Path, wanted: int | None, more: Mapping[str, str] | None = None, *, host: str = "127.0.0.1"
) -> Iterator[AppProcess]:
    """The app's process with its port, ended in the end; `more` is for its environment."""
    from annotate.pages.kit import server

    started = server.start(db, wanted, more, host=host)
    try:
        yield started
    finally:
        # An impatient second Ctrl+C must not leave a child behind.
        ignore_stops()
        _end(started.process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end, and insist after some seconds."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
