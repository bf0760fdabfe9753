"""Recognise a Label Studio whatever its address is, and tell it from a copy of it.

A project is recognised by its number with the time at which the server made it, or with a mark of ours in its description:
neither changes when the server moves. A copy of the server has both too. It is told apart by what was read before: on one
server a task's time of change never goes back, a number is never given twice, and an annotation is no younger than the state
of it that was read. What is absent shows nothing by itself: it may be deleted, or not made yet in an older state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from proxy.text.addresses import without_secrets

MARK = "assay"


def mark(store: str, annotator: str, form_version: str, count: int) -> str:
    """Return a text that tells a project of a store from all others; `count` is its place among those for the same work."""
    return f"{MARK}:{store}:{annotator or 'everybody'}:{form_version}:{count}"


def has_mark(description: object, wanted: str) -> bool:
    """Return whether a description holds this mark as whole words, however it is wrapped."""
    words, text = (" ".join(str(part).split()) for part in (description, wanted))
    return re.search(rf"(?<!\S){re.escape(text)}(?!\S)", words) is not None


def has_mark_of(description: object, store: str) -> bool:
    """Return whether a description holds any mark of this store."""
    return re.search(rf"(?<!\S){MARK}:{re.escape(store)}:\S", str(description)) is not None


def store_of(wanted: str) -> str:
    """Return the store that made a mark."""
    return wanted.split(":")[1]


def shown_address(url: str) -> str:
    """Return an address as it may be shown and kept: without user, password, query or fragment, and no slash at the end."""
    return without_secrets(url.strip()).rstrip("/")


class ServerProject(NamedTuple):
    """A project as a server lists it; `is_marked` where it has a mark of the store that asks."""

    number: int
    made_at: str | None
    is_marked: bool


def is_same_time(first: str | None, second: str | None) -> bool | None:
    """Return whether two times of a server are one, however each is written; None where either is not known."""
    one, other = _time(first), _time(second)
    return None if one is None or other is None else one == other


class KnownAnnotation(NamedTuple):
    """An annotation as it was read: the key of its task, and when it was last changed."""

    key: str
    at: str | None


class KnownWork(NamedTuple):
    """What a store knows of a project: its tasks by number with their keys, and with the time of change that was read.

    `annotations` are those that stand, by number.
    """

    keys: Mapping[int, str]
    seen: Mapping[int, str]
    annotations: Mapping[int, KnownAnnotation]


class ProjectComparison(NamedTuple):
    """A project at a server beside what is known of it.

    `difference` is what no single server could show, in words; `recognised` tasks have the number and key that are known, and
    `unchanged` the time of change, too. `beyond` are labelled tasks with a greater number than all that are there, each with its
    first annotation's number: they were deleted, or are not made yet. `newest_annotation` is the greatest number there.
    """

    difference: str | None
    recognised: int
    unchanged: int
    beyond: Mapping[int, int]
    newest_annotation: int


class _Task(NamedTuple):
    """What is compared of a task: our key, its time of change, and when each of its annotations was made, by number."""

    key: str
    at: datetime | None
    made: Mapping[int, datetime | None]


def compare(known: KnownWork, tasks: Iterable[Mapping[str, object]]) -> ProjectComparison:
    """Compare a project's tasks, as the server gives them, with what is known of it."""
    there = {number: _task(row) for row in tasks if isinstance(number := row.get("id"), int)}
    recognised = [number for number, task in there.items() if known.keys.get(number, "") == task.key != ""]
    unchanged = [n for n in recognised if n in known.seen and there[n].at == _time(known.seen[n])]
    return ProjectComparison(
        difference=_difference(known, there, recognised),
        recognised=len(recognised),
        unchanged=len(unchanged),
        beyond=labelled_beyond(known, max(there, default=0)),
        newest_annotation=max((number for task in there.values() for number in task.made), default=0),
    )


def labelled_beyond(known: KnownWork, newest: int) -> dict[int, int]:
    """Return the labelled tasks with a greater number than the `newest` that is there, and the first annotation of each."""
    first: dict[str, int] = {}
    for number, annotation in known.annotations.items():
        first[annotation.key] = min(number, first.get(annotation.key, number))
    return {task: first[key] for task, key in known.keys.items() if task > newest and key in first}


def _difference(known: KnownWork, there: Mapping[int, _Task], recognised: Sequence[int]) -> str | None:
    """Return the first thing that no single server could show."""
    if others := known.keys.keys() & there.keys() - set(recognised):
        return f"its task {min(others)} is another"
    for number in recognised:
        seen, now = _time(known.seen.get(number)), there[number].at
        if seen is not None and now is not None and now < seen:
            return f"its task {number} was last changed before the state that was read"
    return _other_annotation(known, there)


def _other_annotation(known: KnownWork, there: Mapping[int, _Task]) -> str | None:
    """Return a number that the server has given to another annotation than the one that was read."""
    for task in there.values():
        for number in task.made.keys() & known.annotations.keys():
            before, made = known.annotations[number], task.made[number]
            read = _time(before.at)
            if before.key != task.key or (made is not None and read is not None and made > read):
                return f"its annotation {number} is another"
    return None


def _task(row: Mapping[str, object]) -> _Task:
    data, annotations = row.get("data"), row.get("annotations")
    made = [raw for raw in annotations if isinstance(raw, Mapping)] if isinstance(annotations, list) else []
    return _Task(
        key=str(data.get("external_id", "")) if isinstance(data, Mapping) else "",
        at=_time(row.get("updated_at")),
        made={number: _time(raw.get("created_at")) for raw in made if isinstance(number := raw.get("id"), int)},
    )


def _time(value: object) -> datetime | None:
    """Return a time of the server to the millisecond, which is what the log keeps; None where it is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
