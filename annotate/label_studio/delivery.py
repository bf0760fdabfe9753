"""Tasks to a project, so that each of our keys is there exactly once whatever the network did.

What is there is looked up first, the missing go in batches that the server takes whole or not at all, and a batch without a
clear answer is looked up. A network that repeats a request makes every task of it twice; so the tasks are counted after,
and copies that nobody has touched are removed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.labelling_task import Task
from annotate.label_studio import queries
from annotate.label_studio.errors import OutcomeUnknown, TooLarge
from annotate.label_studio.tasks import Tasks
from proxy.errors import LabelStudioError

BATCH = 500
BATCH_BYTES = 20_000_000
IMPORT_SECONDS = 300.0
LOOKUP_WAITS = (0.0, 1.0, 2.0, 4.0, 8.0, 15.0)

Ids = dict[str, list[int]]


class Delivered(NamedTuple):
    """The task id of every key that was asked for, and of others of ours whose copies were put right.

    `doubled` of them stay in the project more than once, since people have worked on more than one copy.
    """

    ids: dict[str, int]
    doubled: int


def deliver(
    here: Tasks, tasks: Sequence[Task], after: int, doubtful: Collection[str], ours: Collection[str]
) -> Delivered:
    """Look, import what is missing, count, and remove copies; the parameters are those of `LabelStudio.push`."""
    wanted = {task.key: task for task in tasks}
    held = _held(here, after, doubtful)
    newest = max((number for numbers in held.values() for number in numbers), default=after)
    newest = max(newest, after)
    missing = [task for key, task in wanted.items() if key not in held]
    for batch in _batches(missing):
        held = _merged(held, _import(here, batch, newest))
    if missing and here.count(queries.beyond(newest)) != len(missing):
        held = _merged(held, here.keys_beyond(newest))
    known = wanted.keys() | set(doubtful) | set(ours)
    kept, doubled = _settled(here, {key: ids for key, ids in held.items() if key in known})
    if lost := [key for key in wanted if key not in kept]:
        raise LabelStudioError(f"Label Studio at {here.connection.shown} lost {len(lost)} tasks at once: push again")
    asked = wanted.keys() | {key for key in known if len(held.get(key, ())) > 1}
    return Delivered({key: kept[key] for key in kept if key in asked}, len(doubled))


def _held(here: Tasks, after: int, doubtful: Collection[str]) -> Ids:
    """Every copy of a key that was added beyond `after`, and of a doubtful one: older copies too."""
    recent = here.keys_beyond(after)
    return recent if after <= 0 else _merged(recent, here.having([*doubtful, *recent]))


def _merged(one: Ids, other: Ids) -> Ids:
    """All the ids of each key, oldest first."""
    return {key: sorted({*one.get(key, ()), *other.get(key, ())}) for key in one.keys() | other.keys()}


def _settled(here: Tasks, held: Mapping[str, list[int]]) -> tuple[dict[str, int], set[str]]:
    """The one task of each key, after copies that nobody has touched are gone; and the keys with several touched ones."""
    copies = {key: ids for key, ids in held.items() if len(ids) > 1}
    kept = {key: ids[0] for key, ids in held.items() if ids}
    if not copies:
        return kept, set()
    touched = here.touched(number for ids in copies.values() for number in ids)
    worked = {key: [number for number in ids if number in touched] for key, ids in copies.items()}
    kept |= {key: (worked[key] or ids)[0] for key, ids in copies.items()}
    spare = {number for key, ids in copies.items() for number in ids if number not in touched and number != kept[key]}
    left = spare - here.remove(spare)
    if left - here.touched(left):
        raise OutcomeUnknown(
            f"Label Studio at {here.connection.shown} holds {len(left)} tasks twice and did not remove the copies: push again"
        )
    doubled = {key for key, ids in copies.items() if len(worked[key]) > 1 or left.intersection(ids)}
    return kept, doubled


def _import(here: Tasks, tasks: Sequence[Task], newest: int) -> Ids:
    """Import one batch and say where each task went; `newest` is the newest task that was there before the push."""
    what = f"import {len(tasks)} tasks into project"
    body = [{"data": dict(task.data)} for task in tasks]
    try:
        answer = here.connection.send(
            "POST",
            f"projects/{here.project}/import",
            what,
            body,
            {"return_task_ids": "true"},
            project=here.project,
            seconds=IMPORT_SECONDS,
        )
    except TooLarge:
        if len(tasks) == 1:
            raise
        half = len(tasks) // 2
        return _import(here, tasks[:half], newest) | _import(here, tasks[half:], newest)
    except OutcomeUnknown:
        answer = None
    ids = answer.get("task_ids") if isinstance(answer, Mapping) else None
    if isinstance(ids, list) and len(ids) == len(tasks) and all(isinstance(number, int) for number in ids):
        return {task.key: [number] for task, number in zip(tasks, ids, strict=True)}
    return _looked_up(here, tasks, newest)


def _looked_up(here: Tasks, tasks: Sequence[Task], newest: int) -> Ids:
    """Where a batch went whose import gave no clear answer: the server may still be at work on it."""
    keys = {task.key for task in tasks}
    for wait in LOOKUP_WAITS:
        time.sleep(wait)
        try:
            found = here.keys_beyond(newest)
        except OutcomeUnknown:
            continue
        if keys <= found.keys():
            return {key: found[key] for key in keys}
    raise OutcomeUnknown(
        f"Label Studio at {here.connection.shown} gave no clear answer to an import of {len(tasks)} tasks: wait a few "
        "minutes, then push again, which looks first and sends only what is missing"
    )


def _batches(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Tasks in requests that a server takes at once: neither too many nor, with long texts, too large."""
    batch: list[Task] = []
    size = 0
    for task in tasks:
        cost = len(json.dumps(dict(task.data), ensure_ascii=False).encode("utf-8", "replace"))
        if batch and (len(batch) == BATCH or size + cost > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += cost
    if batch:
        yield batch
