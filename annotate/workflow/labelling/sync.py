"""Push draws to Label Studio and pull labels, as `assay push` and `assay pull` do it.

What assay.toml and the environment say to those commands holds here too, and every exchange that changed something is logged with
who asked for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from annotate.domain.label_studio_sync import Division, Pulled, Pushed
from annotate.domain.labelling_form import LANGUAGES
from annotate.domain.labelling_guide import guide_from
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.domain.server_identity import shown_address
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
from annotate.workflow.labelling.server_identity import Identified, identify
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
    """The result of a push; `url` is where the server is now, `invitation` where an annotator without an account signs up.

    `is_replaced` where somebody deleted a project on the server, so that what is open went to a new one. `moved_from` is the
    address of this server before, where it was reached at another one now.
    """

    url: str
    done: Pushed
    invitation: str | None
    is_replaced: bool = False
    moved_from: str | None = None


class PullResult(NamedTuple):
    """The result of a pull, and how far the labelling is; `url` and `moved_from` as of a push."""

    done: Pulled
    progress: DrawProgress
    url: str
    moved_from: str | None = None


def outgoing(store: Store, server: Server) -> Outgoing:
    """Count what waits to be sent to this server."""
    draws = {draw.key for draw in store.sampling.waves.open_draws()}
    known = store.labels.servers.at(shown_address(server.url))
    sent = store.labels.outbox.sent(known.name) if known is not None else []
    confirmed = {task.draw for task in sent if task.state is TaskState.CONFIRMED}
    return Outgoing(len(draws), len(draws & confirmed))


def division(store: Store, url: str | None, push_request: PushRequest) -> Division:
    """Return what a push to this server would give to each annotator; no server is asked, and none need be known."""
    servers = store.labels.servers
    try:
        known = servers.at(shown_address(address.known(store.path, url).url))
    except UsageError:
        known = next(iter(servers.all()), None)
    return labelling_push.division(store, known.name if known else "", push_request)


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
    with address.connect(store.path, url) as studio:
        server = identify(store, studio, takes_new=True, project=push_request.project, who=who, now=now)
        done = _push(store, studio, server, push_request, who=who, now=now)
        invitation = studio.invitation() if push_request.annotators else None
        return PushResult(studio.url, done, invitation, moved_from=server.moved_from)


def fetch(
    store: Store, url: str | None, *, project: int | None = None, full: bool = False, who: str, now: str
) -> PullResult:
    """Bring back what annotators said since; LabelStudioError in one line where the server does not give it."""
    with address.connect(store.path, url) as studio:
        server = identify(store, studio, takes_new=project is not None, project=project, who=who, now=now)
        done = _pull(store, studio, server, project=project, full=full, who=who, now=now)
    return PullResult(done, store.sampling.waves.progress(), server.url, server.moved_from)


def exchange(store: Store, studio: LabelStudio, *, who: str, now: str) -> tuple[PullResult, PushResult | None]:
    """Bring back what annotators said, then send what is open, over a connection that is there.

    Nothing is sent where no project is in use: the first push makes it, which a person asks for.
    """
    server = identify(store, studio, takes_new=False, who=who, now=now)
    done = _pull(store, studio, server, who=who, now=now)
    pulled = PullResult(done, store.sampling.waves.progress(), server.url, server.moved_from)
    if not store.labels.outbox.projects(server.name, in_use=True):
        return pulled, None
    return pulled, PushResult(studio.url, _push(store, studio, server, PushRequest(), who=who, now=now), None)


def deliver(store: Store, studio: LabelStudio, push_request: PushRequest, *, who: str, now: str) -> PushResult:
    """Send what is open over a connection that is there; where somebody deleted a project, to a new one."""
    server = identify(store, studio, takes_new=True, project=push_request.project, who=who, now=now)
    is_replaced = False
    try:
        done = _push(store, studio, server, push_request, who=who, now=now)
    except NotOnServer:
        is_replaced = True
        done = _push(store, studio, server, push_request._replace(is_fresh=True), who=who, now=now)
    return PushResult(studio.url, done, studio.invitation(), is_replaced, server.moved_from)


def _push(store: Store, studio: LabelStudio, server: Identified, wanted: PushRequest, *, who: str, now: str) -> Pushed:
    """Push, and log it."""
    done = labelling_push.push(store, studio, server.name, wanted, now=now)
    noting.push(store, server.url, done, who=who, now=now)
    return done


def _pull(
    store: Store,
    studio: LabelStudio,
    server: Identified,
    *,
    project: int | None = None,
    full: bool = False,
    who: str,
    now: str,
) -> Pulled:
    """Pull, and log it."""
    done = labelling_pull.pull(store, studio, server.name, now=now, project=project, full=full)
    noting.pull(store, server.url, done, who=who, now=now)
    return done


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
    ).asking(given.ask, given.share)


def _guide(path: str | None) -> str | None:
    """Return the team's own guide as HTML."""
    if path is None:
        return None
    try:
        return guide_from(Path(path).read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise UsageError(f"{SETTINGS}: [{PUSH}] guide {path} cannot be read: {error.strerror}") from error
