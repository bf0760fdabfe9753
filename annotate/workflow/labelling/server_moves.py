"""Move a server of the store to another address, and join what is kept of one server under two names.

No revision is changed or removed: an annotation that is kept under a second name is written under the first as it was last
read, and noted as deleted under the second. The next pull reads all of the server anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from annotate.analysis.labelling.doubled_servers import (
    DoubledServer,
    compare_servers,
    doubled_servers,
    newest_of_both,
)
from annotate.domain.annotation import Annotation
from annotate.domain.server_identity import shown_address
from annotate.label_studio.errors import host_of
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.store.labels.servers import LabelServer, LatestRevision
from annotate.workflow.labelling.server_identity import EVENT
from proxy.errors import UsageError

JOINED = "servers joined"


class ServerMove(NamedTuple):
    """A server's new address, its projects, and the annotations that stand in them.

    `joined` is what was kept under that address until now.
    """

    before: str
    after: str
    projects: tuple[int, ...]
    annotations: int
    joined: DoubledServer | None
    is_dry_run: bool


class JoinedServers(NamedTuple):
    """The servers that were kept twice and are kept once now."""

    joined: tuple[DoubledServer, ...]


def move(
    store: Store, old: str, new: str, *, dry_run: bool, joins_unlike: bool = False, who: str, now: str
) -> ServerMove:
    """Note that the server at one address is at another one now.

    UsageError where they are shown to be two, and, unless it `joins_unlike`, where both hold annotations and nothing shows that
    they are one.
    """
    before, after = shown_address(old), shown_address(new)
    if host_of(after) is None:
        raise UsageError(f"{after!r} is no web address: write it like http://127.0.0.1:8080")
    server, other = _server(store, before), store.labels.servers.at(after)
    if other is not None and other.name == server.name:
        raise UsageError(f"that Label Studio is at {after} already")
    doubled = compare_servers(store, server, other) if other is not None and other.projects else None
    if doubled is not None and doubled.difference is not None:
        raise UsageError(
            f"{after} is another Label Studio than {server.shown} ({doubled.difference}): their annotations stay apart"
        )
    if doubled is not None and not joins_unlike and _is_unlike(store, doubled):
        raise UsageError(
            f"both {server.shown} and {after} hold annotations, and nothing shows that they are one Label Studio: keep them "
            "apart, or, if you know that they are one, join them for good with --join"
        )
    numbers = {project.number for known in (server, other) if known is not None for project in known.projects}
    moved = ServerMove(server.shown, after, tuple(sorted(numbers)), _standing(store, server), doubled, dry_run)
    if not dry_run:
        with store.atomic(durable=True):
            if doubled is not None:
                _join(store, doubled, now=now)
            store.labels.servers.move(server.name, after)
            detail = {"from": moved.before, "to": after, "projects": list(moved.projects), "recognised": False}
            store.audit.events.append(EVENT, detail, who=who, now=now)
    return moved


def join_doubled(store: Store, *, who: str, now: str) -> JoinedServers:
    """Keep each server once that is kept under two names."""
    joined = []
    with store.atomic(durable=True):
        while doubled := doubled_servers(store):  # of three names two are joined first
            _join(store, doubled[0], now=now)
            joined.append(doubled[0])
            detail = {"kept": doubled[0].kept.shown, "other": doubled[0].other.shown, "projects": _counts(doubled[0])}
            store.audit.events.append(JOINED, detail, who=who, now=now)
    return JoinedServers(tuple(joined))


def _is_unlike(store: Store, doubled: DoubledServer) -> bool:
    """Return whether annotations stand under both names and none of the projects is the same."""
    is_same = any(project.is_same for project in doubled.projects)
    return not is_same and all(_standing(store, server) for server in (doubled.kept, doubled.other))


def _server(store: Store, address: str) -> LabelServer:
    """Return the server at an address, or the one that was known by it before anything else answered there."""
    servers = store.labels.servers.all()
    for server in servers:
        if address in (server.url, server.shown):
            return server
    known = ", ".join(server.shown for server in servers) or "none: nothing was pushed yet"
    raise UsageError(f"no Label Studio is known at {address}; known are {known}")


def _join(store: Store, doubled: DoubledServer, *, now: str) -> None:
    """Put all that is kept under the other name under the one that is kept; call inside one durable transaction."""
    store.labels.keep(
        [placed for project in doubled.projects for placed in _placed(store, doubled, project.number)], now=now
    )
    store.labels.servers.fold(doubled.other.name, doubled.kept.name)


def _placed(store: Store, doubled: DoubledServer, number: int) -> Iterator[PlacedAnnotation]:
    """Yield the revisions to add: what was read last under the name that is kept, and a deletion under the other."""
    [other] = [project for project in doubled.other.projects if project.number == number]
    source = other._replace(server=doubled.kept.name).source
    for latest in newest_of_both(store, source, other.source).values():
        if latest.annotation.source == other.source:
            yield PlacedAnnotation(replace(latest.annotation, source=source), latest.item, latest.draw)
    for latest in store.labels.servers.latest(other.source).values():
        if not latest.annotation.deleted:
            yield PlacedAnnotation(_deleted(latest), latest.item, latest.draw)


def _deleted(latest: LatestRevision) -> Annotation:
    annotation = latest.annotation
    return Annotation(
        source=annotation.source,
        id=annotation.id,
        item_id="",
        annotator=annotation.annotator,
        judgement=None,
        deleted=True,
    )


def _standing(store: Store, server: LabelServer) -> int:
    return sum(len(store.labels.known_ids(project.source)) for project in server.projects)


def _counts(doubled: DoubledServer) -> list[list[int]]:
    """Return of each project the annotations that stood twice, those that stand, and those whose labels went."""
    return [[project.number, project.twice, project.standing, project.gone] for project in doubled.projects]
