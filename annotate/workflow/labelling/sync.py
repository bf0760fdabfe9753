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
from annotate.domain.sampling.outcomes import Progress
from annotate.label_studio import address
from annotate.label_studio.address import Server
from annotate.label_studio.configured import PULL, PUSH, named_url
from annotate.options import Options
from annotate.settings import SETTINGS
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


class Sent(NamedTuple):
    """The result of a push; `url` is where the server is now, `invitation` where a reader without an account signs up."""

    url: str
    done: Pushed
    invitation: str | None


class Fetched(NamedTuple):
    """The result of a pull, and how far the labelling is."""

    done: Pulled
    progress: Progress


def outgoing(store: Store, server: Server) -> Outgoing:
    """Count what waits to be sent to this server."""
    draws = {draw.key for draw in store.waves.open_draws()}
    confirmed = {sent.draw for sent in store.outbox.sent(server.name) if sent.state is TaskState.CONFIRMED}
    return Outgoing(len(draws), len(draws & confirmed))


def push(store: Store, *, who: str, now: str) -> Sent:
    """Send every open draw; LabelStudioError in one line where the server does not take it."""
    push_request = request()
    studio, name = address.connect(store.path, named_url(PUSH))
    with studio:
        done = labelling_push.push(store, studio, name, push_request, now=now)
        noting.push(store, name, done, who=who, now=now)
        return Sent(studio.url, done, studio.invitation() if push_request.readers else None)


def pull(store: Store, *, who: str, now: str) -> Fetched:
    """Bring back what people said since; LabelStudioError in one line where the server does not give it."""
    options = Options(PULL)
    studio, name = address.connect(store.path, named_url(PULL))
    with studio:
        done = labelling_pull.pull(
            *(store, studio, name), now=now, project=options.whole("project", 1), full=bool(options.flag("full"))
        )
        noting.pull(store, name, done, who=who, now=now)
    return Fetched(done, store.waves.progress())


def request() -> PushRequest:
    """Read [push] of assay.toml; UsageError where it cannot be read."""
    options = Options(PUSH)
    language = options.text("language")
    if language is not None and language not in LANGUAGES:
        raise UsageError(f"{SETTINGS}: [{PUSH}] language is one of {', '.join(LANGUAGES)}, not {language!r}")
    return PushRequest(
        title=options.text("title") or PushRequest().title,
        project=options.whole("project", 1),
        is_fresh=bool(options.flag("new-project")),
        readers=options.texts("reader"),
        overlap=options.share("overlap"),
        language=language,
        asks_harm=options.flag("harm"),
        guide=_guide(options.text("guide")),
        is_for_everybody=bool(options.flag("everybody")),
    )


def _guide(path: str | None) -> str | None:
    """Return the team's own guide as HTML."""
    if path is None:
        return None
    try:
        return guide_from(Path(path).read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise UsageError(f"{SETTINGS}: [{PUSH}] guide {path} cannot be read: {error.strerror}") from error
