"""Find Label Studios that a store keeps twice, because it once knew them by their address alone.

Their annotations are here twice, and one that was deleted there stands on under the other address. Two of these are one server
where an annotation has the same number, task and time of change in both, or a project was made at the same time. A copy of a
server has that in common with it too, until both go on: then a number stands for two things, and they are kept apart. Annotators
may have got another address meanwhile: whoever wrote the same annotation at the same time is the same person.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from annotate.domain.server_identity import is_same_time
from annotate.store import Store
from annotate.store.labels.outbox import TaskProject
from annotate.store.labels.servers import LabelServer, LatestRevision


class DoubledProject(NamedTuple):
    """A project of the other server: its annotations that stand under both names, and all that stand.

    `gone` were deleted on the server after one of the names had them: their labels go. `is_same` where something is alike in
    both, `difference` where one number stands for two things.
    """

    number: int
    twice: int
    standing: int
    gone: int
    is_same: bool = False
    difference: str | None = None


class DoubledServer(NamedTuple):
    """A server that is kept under two names; `kept` is the one that is to stay."""

    kept: LabelServer
    other: LabelServer
    projects: tuple[DoubledProject, ...]

    @property
    def difference(self) -> str | None:
        """What shows that they are two; None where nothing does."""
        return next((f"project {p.number}: {p.difference}" for p in self.projects if p.difference), None)

    @property
    def problem(self) -> str:
        """What is wrong, and what to do, in words."""
        parts = "; ".join(
            f"project {project.number} has {project.twice:,} annotations twice, and {project.gone:,} that were deleted there"
            for project in self.projects
        )
        return (
            f"{self.other.shown} and {self.kept.shown} are one Label Studio ({parts}): `assay doctor --join-servers` keeps each "
            "annotation once, as it was last read, and every revision in the log"
        )


def doubled_servers(store: Store) -> list[DoubledServer]:
    """Return the servers that are kept under two names; those that are shown to be two are not among them."""
    doubled = [compare_servers(store, kept, other) for kept, other in combinations(store.labels.servers.all(), 2)]
    return [pair for pair in doubled if pair.difference is None and any(project.is_same for project in pair.projects)]


def compare_servers(store: Store, kept: LabelServer, other: LabelServer) -> DoubledServer:
    """Compare what is kept under the names of two servers, for each project of the other one."""
    known = {project.number: project for project in kept.projects}
    return DoubledServer(
        kept, other, tuple(_compared(store, kept, known.get(project.number), project) for project in other.projects)
    )


def newest_of_both(store: Store, kept: str, other: str) -> dict[str, LatestRevision]:
    """Return what was read last of each annotation under the names of two sources."""
    newest = store.labels.servers.latest(kept)
    for name, latest in store.labels.servers.latest(other).items():
        if name not in newest or newest[name].sequence < latest.sequence:
            newest[name] = latest
    return newest


def _compared(store: Store, kept: LabelServer, first: TaskProject | None, second: TaskProject) -> DoubledProject:
    source = first.source if first is not None else second._replace(server=kept.name).source
    standing = [_standing(store.labels.servers.latest(name)) for name in (source, second.source)]
    newest = _standing(newest_of_both(store, source, second.source))
    project = DoubledProject(
        second.number,
        twice=len(standing[0] & standing[1]),
        standing=len(newest),
        gone=len((standing[0] | standing[1]) - newest),
    )
    if first is None:
        return project
    times = [store.labels.servers.times(kept_project.source) for kept_project in (first, second)]
    is_same = bool(_same_people(times[0], times[1])) or is_same_time(first.made_at, second.made_at) is True
    difference = _difference(store, first, second, times[0], times[1])
    if difference is None and not is_same and all(standing):
        difference = "no annotation is the same in both"
    return project._replace(is_same=is_same, difference=difference)


def _standing(latest: Mapping[str, LatestRevision]) -> set[str]:
    return {name for name, revision in latest.items() if not revision.annotation.deleted}


def _difference(
    store: Store,
    first: TaskProject,
    second: TaskProject,
    annotations: Mapping[str, set[tuple[str, str]]],
    others: Mapping[str, set[tuple[str, str]]],
) -> str | None:
    """Return a number that stands for two things."""
    if is_same_time(first.made_at, second.made_at) is False:
        return "it was made at another time"
    tasks, other_tasks = store.labels.servers.task_draws(first), store.labels.servers.task_draws(second)
    for task in sorted(tasks.keys() & other_tasks.keys()):
        if tasks[task] != other_tasks[task]:
            return f"task {task} is another"
    names = {name.partition(":")[2]: name for name in annotations}
    same = _same_people(annotations, others)
    for name in sorted(others):
        number = name.partition(":")[2]
        people = {(who, other) for who in _annotators(annotations.get(name)) for other in _annotators(others[name])}
        known = {who for who, other in people if who == other or (who, other) in same}
        if names.get(number, name) != name or _annotators(annotations.get(name)) - known:
            return f"annotation {number} is another"
    return None


def _same_people(
    annotations: Mapping[str, set[tuple[str, str]]], others: Mapping[str, set[tuple[str, str]]]
) -> set[tuple[str, str]]:
    """Return the two names of whoever wrote the same annotation at the same time."""
    return {
        (who, other)
        for name in annotations.keys() & others.keys()
        for who, at in annotations[name]
        for other, other_at in others[name]
        if at == other_at
    }


def _annotators(times: set[tuple[str, str]] | None) -> set[str]:
    return {annotator for annotator, _ in times or ()}
