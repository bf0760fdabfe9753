"""Start and end the app's process and its port, for the commands that show something; the end leaves nothing behind."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotate.workflow.stopping import ignore_stops

if TYPE_CHECKING:
    from annotate.pages.kit.server import AppProcess

END_SECONDS = 5

port_option = click.option(
    "--port", type=click.IntRange(1, 65535), help="The app's port; without it, the first free from 8501."
)


@contextmanager
def app_process(db: Path, wanted: int | None, more: Mapping[str, str] | None = None) -> Iterator[AppProcess]:
    """The app's process with its port, ended in the end; `more` is for its environment."""
    from annotate.pages.kit import server

    started = server.start(db, wanted, more)
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
