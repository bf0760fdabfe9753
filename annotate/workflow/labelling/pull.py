"""Pull annotations from Label Studio: what changed since the last pull, by the server's own clock, and what is gone.

Every revision is kept. The cursor moves only after what it passed was kept, and each pull reads a little of what the last one
read, so that a change which the server committed late is not missed. Deleted tasks leave no trace on the server: they are found
by looking over all tasks, whenever the number of tasks or annotations is not what it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from annotate.domain import labelling_task
from annotate.domain.annotation import Annotation
from annotate.domain.label_studio_sync import Pulled
from annotate.domain.labelling_form import Form
from annotate.domain.server_identity import shown_address
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.errors import NotOnServer, Refused
from annotate.label_studio.tasks import Touched
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.labels.outbox import TaskProject
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.workflow.labelling.server_identity import mark_of
from proxy.errors import UsageError

PULL_BATCH = 500
# How long the server may take from giving an annotation its time to letting us see it; what took longer is found by counting.
OVERLAP = timedelta(seconds=2)
LONG_AGO = "2000-01-01T00:00:00.000000Z"
SWEEP_EVERY = timedelta(days=1)
TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


def pull(
    store: Store, studio: LabelStudio, server: str, *, now: str, project: int | None = None, full: bool = False
) -> Pulled:
    """Take over what annotators have labelled, changed, skipped or deleted since, in all projects of ours on this server.

    `server` is the name that the store keeps it under. `full` reads everything anew; else that is done once a day.
    """
    if project is not None:
        studio.size(project)  # a slip of the pen is refused here, before it is written down
        with store.atomic():
            store.labels.outbox.adopt(server, project, Form().version, now=now)
    projects = [
        registered
        for registered in store.labels.outbox.projects(server)
        if project is None or registered.number == project
    ]
    if not projects:
        raise UsageError(f"nothing was pushed to {shown_address(studio.url)} yet: run `assay push` first")
    people = studio.annotators()
    total = Pulled()
    for registered in projects:
        try:
            total = _plus(total, _Pull(store, studio, registered, people, now).run(full=full))
        except NotOnServer:  # deleted, or another server's by now
            total = _plus(total, _lost(store, registered))
    return total


def _lost(store: Store, project: TaskProject) -> Pulled:
    """Note that a project is not there any more, tasks and all; deleting it after the work is no word on its labels."""
    tasks = store.labels.outbox.confirmed_tasks(project.server, project.number)
    with store.atomic():
        store.labels.outbox.lost(tasks, project.server, project.number)
    return Pulled(gone=len(tasks), lost=int(bool(tasks) or project.is_in_use))


class _Pull:
    """The pull of one project."""

    def __init__(
        self, store: Store, studio: LabelStudio, project: TaskProject, people: Mapping[int, str], now: str
    ) -> None:
        self._store, self._studio, self._project, self._people, self._now = store, studio, project, people, now
        # Asked before the server is: what another pull or push brings meanwhile is not gone.
        forgotten = store.sampling.waves.forgotten_draws()
        known = store.labels.known_ids(project.source)
        self._known = {name: about for name, about in known.items() if about[1] not in forgotten}
        self._names = _by_task(self._known)
        self._confirmed_tasks = store.labels.outbox.confirmed_tasks(project.server, project.number)
        self._draws = {draw.task_key: draw for draw in store.sampling.waves.all_draws()}
        self._task_keys = {draw.key: task_key for task_key, draw in self._draws.items()}
        self._seen, self._read, self._newest = set[str](), dict[int, str](), ""

    def run(self, *, full: bool) -> Pulled:
        """Pull what changed, then look for what is gone."""
        is_full = full or self._project.cursor is None or self._is_due()
        total = self._take(self._studio.everything(self._project.number)) if is_full else self._take_changed()
        if self._newest:
            with self._store.atomic():
                self._store.labels.outbox.read_up_to(self._project, self._newest)
        total = _plus(total, self._sweep(is_full=is_full))
        if is_full and any(key in self._draws for key in self._read.values()):
            self._mark()
        return total

    def _mark(self) -> None:
        """Put the project's mark back where somebody has edited it away; who may not write there leaves that to a push."""
        with suppress(Refused):
            self._studio.mark(self._project.number, mark_of(self._store, self._project))

    def _take_changed(self) -> Pulled:
        """Keep what changed since the last pull, by the server's clock."""
        touched = self._studio.touched_since(self._project.number, _earlier(self._project.cursor or ""))
        self._newest = max((_moment(now.at) for now in touched.values()), default="")
        return self._take_touched(touched)

    def _take_touched(self, touched: Mapping[int, Touched]) -> Pulled:
        """Keep what somebody has answered, or had, of tasks that are not as an earlier pull or this one has read them."""
        last_seen = self._store.labels.outbox.seen(self._project.server, self._project.number)
        changed_tasks = [
            task for task, now in touched.items() if last_seen.get(task) != now.at and task not in self._read
        ]
        return self._take(
            self._studio.read(
                self._project.number,
                [task for task in changed_tasks if touched[task].is_annotated or task in last_seen],
            )
        )

    def _take(self, tasks: Iterable[Mapping[str, object]]) -> Pulled:
        """Keep what the server's tasks hold, batch by batch."""
        total, batch = Pulled(), list[Mapping[str, object]]()
        with ProgressCounter("pulling") as progress:
            for raw in tasks:
                self._newest = max(self._newest, _moment(raw.get("updated_at")))
                batch.append(raw)
                if len(batch) == PULL_BATCH:
                    total = _plus(total, self._keep(batch))
                    progress.advance(len(batch))
                    batch = []
            return _plus(total, self._keep(batch))

    def _is_due(self) -> bool:
        """Whether all tasks were last looked over long ago."""
        return not timedelta(0) <= _time(self._now) - _time(self._project.swept_at or "") <= SWEEP_EVERY

    def _keep(self, batch: Iterable[Mapping[str, object]]) -> Pulled:
        """Keep one batch of the server's tasks, and note which of their annotations are not there any more."""
        placed: list[PlacedAnnotation] = []
        odd: list[Quarantined] = []
        foreign, missing, read = 0, set[str](), list[tuple[int, int, str]]()
        for raw in batch:
            self._read[_number(raw)] = _key(raw)
            draw = self._draws.get(_key(raw))
            if draw is None:
                foreign += 1
                continue
            task_annotations, reasons = labelling_task.annotations(
                raw, self._people, self._project.source, draw.item_id, self._project.form_version
            )
            # A new server at the same address numbers anew; with the draw's key the numbers cannot collide.
            placed += [
                PlacedAnnotation(replace(annotation, id=f"{draw.task_key}:{annotation.id}"), draw.item, draw.key)
                for annotation in task_annotations
            ]
            odd += [Quarantined("pull", self._project.source, _number(raw), reason, b"") for reason in reasons]
            there = {f"{draw.task_key}:{number}" for number in _annotation_ids(raw)}
            self._seen |= there
            read.append((draw.key, _number(raw), str(raw.get("updated_at", ""))))
            missing |= self._names.get(draw.task_key, set()) - there
        deleted = self._gone(missing - self._seen)
        # A task counts as read only together with what is missing from it: the next pull passes over what was read.
        with self._store.atomic(durable=True):
            kept = self._store.labels.keep(placed, now=self._now)
            self._delete(deleted)
            self._store.traffic.quarantine.keep(odd, now=self._now)
            self._store.labels.outbox.read(read, self._project.server, self._project.number, now=self._now)
        return Pulled(
            kept.added, kept.revised, kept.unchanged + kept.outdated, len(deleted), odd=len(odd), foreign=foreign
        )

    def _sweep(self, *, is_full: bool) -> Pulled:
        """Find what no time told: tasks that are gone, and late writes that lie before what was asked for.

        All tasks are looked over where their number, or that of the annotations, is not what it was.
        """
        number, server = self._project.number, self._project.server
        size = self._studio.size(number)
        if not is_full and (size.tasks, size.annotations - self._kept()) == (self._project.size, self._project.unread):
            return Pulled()
        touched = self._studio.touched_since(number, LONG_AGO)
        late = Pulled() if is_full else self._take_touched(touched)
        if (self._confirmed_tasks or self._known) and not self._is_ours(touched, is_full=is_full):
            raise NotOnServer(f"Project {number} holds nothing of ours any more")
        gone = {draw: task for draw, task in self._confirmed_tasks.items() if not self._is_there(draw, task, touched)}
        names = self._on_server() if is_full else {name for name, about in self._known.items() if about[1] in gone}
        names -= self._seen
        deleted = names if is_full else self._gone(names)
        with self._store.atomic(durable=True):
            self._delete(deleted)
            self._store.labels.outbox.lost(gone, server, number)
            self._store.labels.outbox.swept(
                self._project,
                size=size.tasks,
                unread=size.annotations - self._kept(),
                at=self._now if is_full else None,
            )
        return _plus(late, Pulled(deleted=len(deleted), gone=len(gone)))

    def _on_server(self) -> set[str]:
        """Return the annotations whose task was there when last looked, or is now.

        Those of a project that was lost before stand, also where its number was given again.
        """
        read = set(self._read.values())
        return {
            name
            for name, (_, draw, _) in self._known.items()
            if draw in self._confirmed_tasks or name.partition(":")[0] in read
        }

    def _is_ours(self, there: Collection[int], *, is_full: bool) -> bool:
        """Whether any task is ours: another server at the address may have a project of this number."""
        return any(key in self._draws for key in self._read.values()) or (
            not is_full and any(task in there for task in self._confirmed_tasks.values())
        )

    def _is_there(self, draw: int, task: int, there: Collection[int]) -> bool:
        """Whether a task is still this draw's: a server that was put back to a backup gives its ids once more."""
        return task in there and (task not in self._read or self._read[task] == self._task_keys.get(draw))

    def _kept(self) -> int:
        """Count the annotations of the project that the log holds now."""
        return len(self._store.labels.known_ids(self._project.source))

    def _gone(self, names: Iterable[str]) -> set[str]:
        """Return those that the server does not have any more; of a task that stands twice, each copy shows only its own."""
        return {
            name for name in names if name in self._known and not self._studio.has_annotation(name.partition(":")[2])
        }

    def _delete(self, names: Iterable[str]) -> None:
        """Note annotations as deleted, inside a transaction: what they said stays in the log."""
        placed = []
        for name in sorted(names):
            item, draw, who = self._known.pop(name)
            gone = Annotation(
                source=self._project.source, id=name, item_id="", annotator=who, judgement=None, deleted=True
            )
            placed.append(PlacedAnnotation(gone, item, draw))
        self._store.labels.keep(placed, now=self._now)


def _plus(first: Pulled, second: Pulled) -> Pulled:
    return Pulled(*(a + b for a, b in zip(first, second, strict=True)))


def _by_task(names: Iterable[str]) -> Mapping[str, set[str]]:
    """Group names of annotations, `key:number`, by the key of their task."""
    by_task: dict[str, set[str]] = defaultdict(set)
    for name in names:
        by_task[name.partition(":")[0]].add(name)
    return by_task


def _key(raw: Mapping[str, object]) -> str:
    data = raw.get("data")
    return str(data.get("external_id", "")) if isinstance(data, Mapping) else ""


def _annotation_ids(raw: Mapping[str, object]) -> list[object]:
    """Return the server's numbers of a task's annotations."""
    rows = raw.get("annotations")
    return [row.get("id") for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _number(raw: Mapping[str, object]) -> int:
    number = raw.get("id")
    return number if isinstance(number, int) else 0


def _moment(at: object) -> str:
    """Return a time of the server in the form that it expects in a query; empty where it is none."""
    try:
        moment = datetime.fromisoformat(at) if isinstance(at, str) else None
        return "" if moment is None else _in_utc(moment).strftime(TIME)
    except (ValueError, OverflowError):
        return ""


def _in_utc(moment: datetime) -> datetime:
    """Read a time without a zone as the server's, which keeps UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _earlier(cursor: str) -> str:
    """Return where to go on reading: a little before the newest change that was seen."""
    return (datetime.strptime(cursor, TIME) - OVERLAP).strftime(TIME)  # noqa: DTZ007 (the form says UTC)


def _time(text: str) -> datetime:
    """Return a time of ours; long ago where there is none."""
    return datetime.fromisoformat(text) if text else datetime.min.replace(tzinfo=UTC)
