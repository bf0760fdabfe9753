"""Push draws to Label Studio and pull labels, as `assay push` and `assay pull` do it.

What assay.toml and the environment say to those commands holds here too, and every exchange that changed something is logged with
who asked for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from annotate.domain.label_studio_sync import Pulled, Pushed
from annotate.domain.labelling_form import LANGUAGES
from annotate.domain.labelling_guide import guide_from
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.label_studio import address
from annotate.label_studio.address import PULL, PUSH, Server, named_url
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.errors import NotOnServer
from annotate.settings import SETTINGS, PullSettings, PushSettings, options
from annotate.store import Store
from annotate.store.labels.outbox import TaskState
from annotate.workflow.labelling import noting
from annotate.workflow.labelling import pull as labelling_pull
from annotate.workflow.labelling import push as labelling_push
from annotate.workflow.labelling.push import PushRequest
from proxy.errors import UsageError


class Outgoing(NamedTuple):
    """The number of open draws, and of those that the server is known to hold."""

    open: int
    there: int

    @property
    def to_send(self) -> int:
        """Open draws that are in no project yet."""
        return self.open - self.there


class PushResult(NamedTuple):
    """The result of a push; `url` is where the server is now, `invitation` where an annotator without an account signs up."""

    url: str
    done: Pushed
    invitation: str | None


class PullResult(NamedTuple):
    """The result of a pull, and how far the labelling is."""

    done: Pulled
    progress: DrawProgress


class Exchanged(NamedTuple):
    """The result of a pull and the push after it; None where no project is in use to push to."""

    pulled: Pulled
    pushed: Pushed | None


class Delivered(NamedTuple):
    """The result of a push; `is_replaced` where somebody deleted a project, so that what is open went to a new one."""

    pushed: Pushed
    is_replaced: bool


def outgoing(store: Store, server: Server) -> Outgoing:
    """Count what waits to be sent to this server."""
    draws = {draw.key for draw in store.sampling.waves.open_draws()}
    confirmed = {sent.draw for sent in store.labels.outbox.sent(server.name) if sent.state is TaskState.CONFIRMED}
    return Outgoing(len(draws), len(draws & confirmed))


def push(store: Store, *, who: str, now: str) -> PushResult:
    """Send every open draw as assay.toml asks for it; see `send`."""
    return send(store, named_url(PUSH), request(), who=who, now=now)


def pull(store: Store, *, who: str, now: str) -> PullResult:
    """Bring back what annotators said since as assay.toml asks for it; see `fetch`."""
    given = options(PULL, PullSettings)
    return fetch(store, named_url(PULL), project=given.project, full=given.full, who=who, now=now)


def send(store: Store, url: str | None, push_request: PushRequest, *, who: str, now: str) -> PushResult:
    """Send every open draw; LabelStudioError in one line where the server does not take it.

    Without a `url`, the server is the one that `assay up` started.
    """
    studio, name = address.connect(store.path, url)
    with studio:
        done = labelling_push.push(store, studio, name, push_request, now=now)
        noting.push(store, name, done, who=who, now=now)
        return PushResult(studio.url, done, studio.invitation() if push_request.annotators else None)


def fetch(
    store: Store, url: str | None, *, project: int | None = None, full: bool = False, who: str, now: str
) -> PullResult:
    """Bring back what annotators said since; LabelStudioError in one line where the server does not give it."""
    studio, name = address.connect(store.path, url)
    with studio:
        done = labelling_pull.pull(store, studio, name, now=now, project=project, full=full)
        noting.pull(store, name, done, who=who, now=now)
    return PullResult(done, store.sampling.waves.progress())


def exchange(store: Store, studio: LabelStudio, server: str, *, who: str, now: str) -> Exchanged:
    """Bring back what annotators said, then send what is open; a project is made by the first push, which a person asks for."""
    pulled = labelling_pull.pull(store, studio, server, now=now)
    noting.pull(store, server, pulled, who=who, now=now)
    if not store.labels.outbox.projects(server, in_use=True):
        return Exchanged(pulled, None)
    pushed = labelling_push.push(store, studio, server, PushRequest(), now=now)
    noting.push(store, server, pushed, who=who, now=now)
    return Exchanged(pulled, pushed)


def deliver(
    store: Store, studio: LabelStudio, server: str, push_request: PushRequest, *, who: str, now: str
) -> Delivered:
    """Send what is open over a connection that is there; where somebody deleted a project, to a new one."""
    try:
        delivered = Delivered(labelling_push.push(store, studio, server, push_request, now=now), is_replaced=False)
    except NotOnServer:
        fresh = push_request._replace(is_fresh=True)
        delivered = Delivered(labelling_push.push(store, studio, server, fresh, now=now), is_replaced=True)
    noting.push(store, server, delivered.pushed, who=who, now=now)
    return delivered


def request() -> PushRequest:
    """Read [push] of assay.toml; UsageError where it cannot be read."""
    given = options(PUSH, PushSettings)
    if given.language is not None and given.language not in LANGUAGES:
        raise UsageError(f"{SETTINGS}: [{PUSH}] language is one of {', '.join(LANGUAGES)}, not {given.language!r}")
    return PushRequest(
        title=given.title or PushRequest().title,
        project=given.project,
        is_fresh=given.new_project,
        annotators=given.annotators,
        overlap=given.overlap,
        language=given.language,
        asks_harm=given.harm,
        guide=_guide(given.guide),
        is_for_everybody=given.everybody,
    )


def _guide(path: str | None) -> str | None:
    """Return the team's own guide as HTML."""
    if path is None:
        return None
    try:
        return guide_from(Path(path).read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise UsageError(f"{SETTINGS}: [{PUSH}] guide {path} cannot be read: {error.strerror}") from error
