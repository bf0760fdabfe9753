"""Open draws to Label Studio, annotations back: both can be repeated at any time, and nothing doubles.

What is to be sent is written down before it is sent and confirmed with the server's task id after; the draw's key is in
the task, so an outcome that is not known is looked up. A pull takes what the server holds now; what it no longer holds is
kept here as deleted, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from annotate import tasks
from annotate.label_studio import LabelStudio
from annotate.labels import Annotation
from annotate.progress import Progress
from annotate.store import Store
from annotate.store.labels import Placed
from annotate.store.records import Quarantined
from annotate.store.waves import OpenDraw

PUSH_BATCH = 200
PULL_BATCH = 500


class Pushed(NamedTuple):
    """What a push did: tasks sent now, and open draws that were there before."""

    project: int
    sent: int
    there: int


class Pulled(NamedTuple):
    """What a pull did, counted in annotations; `odd` payloads went to quarantine, `foreign` tasks are not ours.

    `gone` tasks were in the project and are not any more; the next push sends them again.
    """

    added: int = 0
    revised: int = 0
    unchanged: int = 0
    deleted: int = 0
    odd: int = 0
    foreign: int = 0
    gone: int = 0


def push(
    store: Store, studio: LabelStudio, server: str, title: str, project: int | None, *, now: str, fresh: bool = False
) -> Pushed:
    """Send every open draw that the project does not hold yet: the one named, the one used last, or a `fresh` one.

    A push that is under way is waited for: two that look first and then send would both send.
    """
    with store.alone():
        used_last = None if fresh else store.tasks.project(server)
        return _push(store, studio, server, title, project if project is not None else used_last, now)


def _push(store: Store, studio: LabelStudio, server: str, title: str, project: int | None, now: str) -> Pushed:
    number = studio.ensure_project(title, project)
    with store.atomic():
        store.tasks.remember_project(server, number, tasks.FORM_VERSION, now=now)
    draws = store.waves.open_draws()
    confirmed = store.tasks.confirmed(server, number)
    waiting = [draw for draw in draws if draw.key not in confirmed]
    with Progress("sending", len(waiting)) as progress:
        for start in range(0, len(waiting), PUSH_BATCH):
            batch = waiting[start : start + PUSH_BATCH]
            _send(store, studio, server, number, batch, now)
            progress.advance(len(batch))
    return Pushed(number, len(waiting), len(draws) - len(waiting))


def _send(store: Store, studio: LabelStudio, server: str, project: int, batch: list[OpenDraw], now: str) -> None:
    """Queue, send, confirm."""
    with store.atomic():
        store.tasks.queue([draw.key for draw in batch], server, project, now=now)
    items = store.items.read([draw.item for draw in batch])
    sent = studio.push(project, [tasks.task(draw.task_key, items[draw.item]) for draw in batch])
    with store.atomic():
        store.tasks.confirm({draw.key: sent[draw.task_key] for draw in batch}, now=now)


def pull(store: Store, studio: LabelStudio, server: str, project: int, *, now: str) -> Pulled:
    """Take over what people have labelled, changed, skipped or deleted since."""
    source = f"label-studio:{server}:{project}"
    # Asked before the server is: what another pull or push brings meanwhile is not gone.
    known, held = store.labels.known_ids(source), store.tasks.confirmed(server, project)
    draws = {draw.task_key: draw for draw in store.waves.all_draws()}
    people = studio.annotators()
    total, seen, batch = Pulled(), set[str](), list[Mapping[str, object]]()
    with Progress("pulling") as progress:
        for raw in studio.pull(project):
            batch.append(raw)
            if len(batch) == PULL_BATCH:
                total = _plus(total, _keep(store, source, draws, people, batch, seen, now))
                progress.advance(len(batch))
                batch = []
        total = _plus(total, _keep(store, source, draws, people, batch, seen, now))
    gone = [draw.key for key, draw in draws.items() if draw.key in held and key not in seen]
    with store.atomic():
        store.tasks.forget(gone)
    return total._replace(deleted=_keep_deleted(store, source, known, seen, now), gone=len(gone))


def _plus(one: Pulled, other: Pulled) -> Pulled:
    return Pulled(*(a + b for a, b in zip(one, other, strict=True)))


def _keep(
    store: Store,
    source: str,
    draws: Mapping[str, OpenDraw],
    people: Mapping[int, str],
    batch: Iterable[Mapping[str, object]],
    seen: set[str],
    now: str,
) -> Pulled:
    """Keep one batch of the server's tasks; note in `seen` the tasks and annotations that it holds, odd ones too."""
    placed: list[Placed] = []
    odd: list[Quarantined] = []
    foreign = 0
    for raw in batch:
        draw = draws.get(_key(raw))
        if draw is None:
            foreign += 1
            continue
        found, reasons = tasks.annotations(raw, people, source, draw.item_id)
        # The server's numbers start anew with a new server at the same address; with the draw's key they cannot collide.
        found = [replace(one, id=f"{draw.task_key}:{one.id}") for one in found]
        seen |= {draw.task_key} | {f"{draw.task_key}:{number}" for number in _annotation_ids(raw)}
        placed += [Placed(one, draw.item, draw.key) for one in found]
        odd += [Quarantined("pull", source, _number(raw), reason, b"") for reason in reasons]
    with store.atomic(durable=True):
        kept, touched = store.labels.keep(placed, now=now)
        store.gold.offer(touched, now=now)
        store.quarantine.keep(odd, now=now)
    return Pulled(kept.added, kept.revised, kept.unchanged + kept.outdated, 0, len(odd), foreign)


def _keep_deleted(
    store: Store, source: str, known: Mapping[str, tuple[int, int | None, str]], seen: set[str], now: str
) -> int:
    """Note as deleted what an earlier pull saw and this one did not."""
    gone = {name: rest for name, rest in known.items() if name not in seen}
    if not gone:
        return 0
    placed = [
        Placed(Annotation(source=source, id=name, item_id="", annotator=who, judgement=None, deleted=True), item, draw)
        for name, (item, draw, who) in gone.items()
    ]
    with store.atomic(durable=True):
        _, touched = store.labels.keep(placed, now=now)
        store.gold.offer(touched, now=now)
    return len(placed)


def _key(raw: Mapping[str, object]) -> str:
    data = raw.get("data")
    return str(data.get("external_id", "")) if isinstance(data, Mapping) else ""


def _annotation_ids(raw: Mapping[str, object]) -> list[object]:
    """The server's numbers of a task's annotations."""
    rows = raw.get("annotations")
    return [row.get("id") for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _number(raw: Mapping[str, object]) -> int:
    number = raw.get("id")
    return number if isinstance(number, int) else 0
