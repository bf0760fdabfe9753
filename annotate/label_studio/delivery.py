"""Deliver tasks to a project so that each of our keys is there exactly once, whatever the network did.

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
from annotate.label_studio.errors import OutcomeUnknown, TooLarge
from annotate.label_studio.tasks import Tasks, beyond
from proxy.errors import LabelStudioError

BATCH = 500
BATCH_BYTES = 20_000_000
IMPORT_SECONDS = 300.0
LOOKUP_WAITS = (0.0, 1.0, 2.0, 4.0, 8.0, 15.0)

Ids = dict[str, list[int]]


class DeliveredTasks(NamedTuple):
    """The task id of every key that was asked for, and of others of ours whose copies were put right.

    `doubled` of them stay in the project more than once, since annotators have worked on more than one copy.
    """

    ids: dict[str, int]
    doubled: int


def deliver(
    here: Tasks, tasks: Sequence[Task], after: int, doubtful: Collection[str], confirmed: Collection[str]
) -> DeliveredTasks:
    """Look, import what is missing, count, and remove copies; the parameters are those of `LabelStudio.push`."""
    by_key = {task.key: task for task in tasks}
    ids_by_key = _copies_by_key(here, after, doubtful)
    newest = max((number for numbers in ids_by_key.values() for number in numbers), default=after)
    newest = max(newest, after)
    missing = [task for key, task in by_key.items() if key not in ids_by_key]
    for batch in _batches(missing):
        ids_by_key = _merged(ids_by_key, _import(here, batch, newest))
    if missing and here.count(beyond(newest)) != len(missing):
        ids_by_key = _merged(ids_by_key, here.keys_beyond(newest))
    known_keys = by_key.keys() | set(doubtful) | set(confirmed)
    chosen, doubled = _delivered(here, {key: ids for key, ids in ids_by_key.items() if key in known_keys})
    if lost := [key for key in by_key if key not in chosen]:
        raise LabelStudioError(f"Label Studio at {here.connection.shown} lost {len(lost)} tasks at once: push again")
    pushed = by_key.keys() | {key for key in known_keys if len(ids_by_key.get(key, ())) > 1}
    return DeliveredTasks({key: chosen[key] for key in chosen if key in pushed}, len(doubled))


def _copies_by_key(here: Tasks, after: int, doubtful: Collection[str]) -> Ids:
    """Find every copy of a key that was added beyond `after`, and of a doubtful one: older copies too."""
    recent = here.keys_beyond(after)
    return recent if after <= 0 else _merged(recent, here.having([*doubtful, *recent]))


def _merged(ids: Ids, other: Ids) -> Ids:
    """Merge the ids of each key, oldest first."""
    return {key: sorted({*ids.get(key, ()), *other.get(key, ())}) for key in ids.keys() | other.keys()}


def _delivered(here: Tasks, ids_by_key: Mapping[str, list[int]]) -> tuple[dict[str, int], set[str]]:
    """Remove copies that nobody has touched; return the one task of each key, and the keys with several touched ones."""
    copies = {key: ids for key, ids in ids_by_key.items() if len(ids) > 1}
    chosen = {key: ids[0] for key, ids in ids_by_key.items() if ids}
    if not copies:
        return chosen, set()
    touched = here.touched(number for ids in copies.values() for number in ids)
    worked = {key: [number for number in ids if number in touched] for key, ids in copies.items()}
    chosen |= {key: (worked[key] or ids)[0] for key, ids in copies.items()}
    spare = {number for key, ids in copies.items() for number in ids if number not in touched and number != chosen[key]}
    present = spare - here.remove(spare)
    if present - here.touched(present):
        raise OutcomeUnknown(
            f"Label Studio at {here.connection.shown} holds {len(present)} tasks twice and did not remove the copies: push again"
        )
    doubled = {key for key, ids in copies.items() if len(worked[key]) > 1 or present.intersection(ids)}
    return chosen, doubled


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
    """Look up where a batch went whose import gave no clear answer: the server may still be at work on it."""
    keys = {task.key for task in tasks}
    for wait in LOOKUP_WAITS:
        time.sleep(wait)
        try:
            arrived = here.keys_beyond(newest)
        except OutcomeUnknown:
            continue
        if keys <= arrived.keys():
            return {key: arrived[key] for key in keys}
    raise OutcomeUnknown(
        f"Label Studio at {here.connection.shown} gave no clear answer to an import of {len(tasks)} tasks: wait a few "
        "minutes, then push again, which looks first and sends only what is missing"
    )


def _batches(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Split tasks into requests that a server takes at once: neither too many nor, with long texts, too large."""
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
