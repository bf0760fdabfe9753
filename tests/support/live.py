"""The route of traces with the live loop behind it, in this process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from annotate import Project
from annotate.server.app import app_of
from annotate.server.inbox import Inbox
from annotate.server.listening import Listening
from annotate.server.looping import Looping
from annotate.server.traces import logs, traces
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.live_loop import LiveLoop


@contextmanager
def taking_traces(path: Path, token: str, idle: float, model: ModelRequest | None = None) -> Iterator[int]:
    """Take traces in, as `assay serve` does, with a round ten times a second; the port."""
    project = Project(path)
    writing = partial(project.writing, make=True)
    loop = LiveLoop("tester", lambda: project.now, time.monotonic, idle, model)
    with (
        Inbox(writing) as inbox,
        Looping(writing, loop, every=0.1),
        Listening(app_of(traces(token.encode(), inbox), logs(token.encode(), inbox))) as server,
    ):
        yield server.port
