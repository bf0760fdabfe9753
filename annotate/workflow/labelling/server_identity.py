"""Find out which known server a connection leads to, whatever its address: by the projects that are there.

A server that is recognised under another address is taken up: its address changes, with an event, and its annotations stay one
source. A copy of it is refused. The address alone decides only where nothing there says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.server_identity import (
    ProjectComparison,
    ServerProject,
    compare,
    is_same_time,
    mark,
    shown_address,
)
from annotate.label_studio.client import LabelStudio
from annotate.store import Store
from annotate.store.labels.outbox import TaskProject
from annotate.store.labels.servers import LabelServer
from proxy.errors import LabelStudioError, UsageError

EVENT = "server moved"
# Of annotations that were deleted, by all that is known: as many numbers are asked for, in case a copy has given them anew.
PROBES = 20


class Identified(NamedTuple):
    """A server: the name that the store keeps it under, its address, and where it was before, if that was elsewhere."""

    name: str
    url: str
    moved_from: str | None = None


class _Listing(NamedTuple):
    """The projects that are at a server; `ours` is one that somebody says is ours, whatever its description says."""

    projects: Sequence[ServerProject]
    ours: int | None = None

    def pairs(self, server: LabelServer) -> list[tuple[TaskProject, ServerProject]]:
        """Return the projects of a known server that are there: made at the same time, or marked where that is not known."""
        by_number = {there.number: there for there in self.projects}
        pairs = [(known, by_number[known.number]) for known in server.projects if known.number in by_number]
        return [(known, there) for known, there in pairs if self._is_ours(known, there)]

    def _is_ours(self, known: TaskProject, there: ServerProject) -> bool:
        is_same = is_same_time(known.made_at, there.made_at)
        return there.is_marked or there.number == self.ours if is_same is None else is_same

    def is_another(self, server: LabelServer) -> bool:
        """Return whether none of a known server's projects is here, and a number of theirs is of one made at another time."""
        made = {there.number: there.made_at for there in self.projects}
        differs = any(is_same_time(known.made_at, made.get(known.number)) is False for known in server.projects)
        return differs and not self.pairs(server)


class _Absent(NamedTuple):
    """Labelled work that is not at the server at hand, in words, and the number of its first annotation."""

    words: str
    first_annotation: int


class _Candidate(NamedTuple):
    """A known server that may be the one at hand, with its projects that are there, compared.

    `difference` shows that the server at hand is a copy of this one, or an older state of it; `doubt` is work that was deleted
    there, or was not made yet when a copy was taken: nothing tells which.
    """

    server: LabelServer
    projects: Sequence[tuple[TaskProject, ProjectComparison]]
    difference: str | None
    doubt: str | None

    @property
    def unchanged(self) -> int:
        """How many tasks are as they were when they were last read."""
        return sum(comparison.unchanged for _, comparison in self.projects)


def identify(
    store: Store, studio: LabelStudio, *, takes_new: bool, project: int | None = None, who: str, now: str
) -> Identified:
    """Return the server that a connection leads to; where it `takes_new`, one that is not known yet is kept.

    `project` is one that is ours although nothing there says so. LabelStudioError where the server is a copy of a known one,
    UsageError where it is not known.
    """
    url = shown_address(studio.url)
    servers = store.labels.servers.all()
    listing = _Listing(studio.list_projects(_store_id(store)) if servers else [], project)
    here = next((server for server in servers if server.url == url), None)
    if here is None or not listing.pairs(here):
        moved = _moved(store, studio, [server for server in servers if server is not here], listing)
        if moved is not None:
            return _taken_up(store, moved, url, listing, who=who, now=now)
    is_another = here is not None and listing.is_another(here)
    if (here is None or is_another) and not takes_new:
        raise UsageError(_another(url) if is_another else _unknown(servers, url))
    with store.atomic():
        if is_another:
            store.labels.servers.leave(url)
            here = None
        name = store.labels.servers.add(url, now=now) if here is None else here.name
        if here is not None:
            _note_made(store, here, listing)
    return Identified(name, url)


def _unknown(servers: Sequence[LabelServer], url: str) -> str:
    """Return what to do where nothing was pushed to an address: push, or say which server it is."""
    known = [server.shown for server in servers if server.projects]
    hint = f", or, if it is the one that was at {known[-1]}, `assay server moved {known[-1]} {url}`" if known else ""
    return f"nothing was pushed to {url} yet: run `assay push` first{hint}"


def _another(url: str) -> str:
    """Return what to do where another server answers at a known address: go where the known one is, or start anew."""
    return (
        f"another Label Studio is at {url} now than the one that tasks were pushed to, and nothing was read from it: name the "
        "address of that one with --url, or run `assay push` to send to this one what is open"
    )


def next_mark(store: Store, annotator: str, form_version: str) -> str:
    """Return the mark of the next project for this annotator and form: the same again after a push that was cut short."""
    known = len(_alike(store, annotator, form_version)) + store.labels.outbox.folded()
    return _mark(store, annotator, form_version, known + 1)


def mark_of(store: Store, project: TaskProject) -> str:
    """Return the mark of a project that is known."""
    alike = _alike(store, project.annotator, project.form_version)
    place = alike.index((project.server, project.number))
    return _mark(store, project.annotator, project.form_version, place + 1)


def _alike(store: Store, annotator: str, form_version: str) -> list[tuple[str, int]]:
    return [
        (project.server, project.number)
        for project in store.labels.outbox.all_projects()
        if (project.annotator, project.form_version) == (annotator, form_version)
    ]


def _mark(store: Store, annotator: str, form_version: str, count: int) -> str:
    return mark(_store_id(store), annotator, form_version, count)


def _store_id(store: Store) -> str:
    with store.atomic():
        return store.labels.outbox.store_id()


def _moved(store: Store, studio: LabelStudio, servers: Sequence[LabelServer], listing: _Listing) -> LabelServer | None:
    """Return the known server that this one is; LabelStudioError where it is only a copy of one."""
    candidates = [
        candidate for server in servers if (candidate := _candidate(store, studio, server, listing)) is not None
    ]
    likely = [candidate for candidate in candidates if candidate.difference is None]
    if same := [candidate for candidate in likely if candidate.doubt is None]:
        return max(same, key=lambda candidate: candidate.unchanged).server
    if likely:
        raise LabelStudioError(_doubtful(likely[-1], shown_address(studio.url)))
    if candidates:
        raise LabelStudioError(_copy(candidates[-1], shown_address(studio.url)))
    return None


def _candidate(store: Store, studio: LabelStudio, server: LabelServer, listing: _Listing) -> _Candidate | None:
    """Compare the projects of a known server that are there with what was read; None where none of them is its own."""
    compared = []
    for known, there in listing.pairs(server):
        work = store.labels.servers.known_work(known)
        comparison = compare(work, studio.everything(known.number))
        is_certain = is_same_time(known.made_at, there.made_at) is True
        if is_certain or comparison.recognised or (there.is_marked and not work.keys):
            compared.append((known, comparison))
    if not compared:
        return None
    difference = next((f"project {p.number}: {c.difference}" for p, c in compared if c.difference), None)
    newest = max(comparison.newest_annotation for _, comparison in compared)
    absent = _absent(store, server, compared, newest_project=max(there.number for there in listing.projects))
    # Numbers only grow: what has a smaller one than is there now was made, and deleted since, unless a copy has given it anew.
    deleted = sorted(work.first_annotation for work in absent if work.first_annotation < newest)
    if difference is None:
        given = (number for number in deleted[:PROBES] if studio.has_annotation(str(number)))
        difference = next((f"its annotation {number} is another" for number in given), None)
    doubt = next((work.words for work in absent if work.first_annotation >= newest), None)
    return _Candidate(server, compared, difference, doubt)


def _absent(
    store: Store,
    server: LabelServer,
    compared: Sequence[tuple[TaskProject, ProjectComparison]],
    *,
    newest_project: int,
) -> list[_Absent]:
    """Return the labelled tasks and projects with a greater number than all that are there."""
    absent = [
        _Absent(f"project {known.number} lacks task {task}, which was labelled, and all after it", number)
        for known, comparison in compared
        for task, number in sorted(comparison.beyond.items())
    ]
    for known in server.projects:
        annotations = store.labels.servers.known_work(known).annotations if known.number > newest_project else ()
        if annotations:
            absent.append(_Absent(f"project {known.number}, which was labelled, is not there", min(annotations)))
    return absent


def _doubtful(candidate: _Candidate, url: str) -> str:
    was = candidate.server.shown
    return (
        f"the Label Studio at {url} may be the one at {was} or an older state of it, and nothing was read from it: "
        f"{candidate.doubt}. If that was deleted there, run `assay server moved {was} {url}`, and its labels go; if not, go on "
        f"at {was}"
    )


def _copy(candidate: _Candidate, url: str) -> str:
    was = candidate.server.shown
    return (
        f"the Label Studio at {url} is a copy or an older state of the one at {was} ({candidate.difference}), and nothing was "
        f"read from it: go on at {was}, or, if that one is gone for good, run `assay server moved {was} {url}`"
    )


def _taken_up(store: Store, server: LabelServer, url: str, listing: _Listing, *, who: str, now: str) -> Identified:
    """Note where a server is now."""
    with store.atomic(durable=True):
        _note_made(store, server, listing)
        store.labels.servers.move(server.name, url)
        numbers = [known.number for known, _ in listing.pairs(server)]
        detail = {"from": server.shown, "to": url, "projects": numbers, "recognised": True}
        store.audit.events.append(EVENT, detail, who=who, now=now)
    return Identified(server.name, url, server.shown)


def _note_made(store: Store, server: LabelServer, listing: _Listing) -> None:
    """Keep when its projects were made: from then on they are recognised also where somebody edits their mark away."""
    made = {
        known.number: there.made_at for known, there in listing.pairs(server) if there.made_at and not known.made_at
    }
    if made:
        store.labels.servers.note_made(server.name, made)
