"""Recognise a Label Studio whatever its address is, and tell it from a copy of it.

A project is recognised by its number with the time at which the server made it, or with a mark of ours in its description:
neither changes when the server moves. A copy of the server has both too. It is told apart by what was read before: on one
server a task's time of change never goes back, a number is never given twice, and an annotation is no younger than the state
of it that was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

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
    """Return an address as it may be shown and kept: without user, password or query, and no slash at the end."""
    scheme, separator, rest = url.strip().rpartition("://")
    return (scheme + separator + rest.partition("?")[0].rpartition("@")[2]).rstrip("/")


class ServerProject(NamedTuple):
    """A project as a server lists it; `is_marked` where it has a mark of the store that asks."""

    number: int
    made_at: str | None
    is_marked: bool


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
    `unchanged` the time of change, too.
    """

    difference: str | None
    recognised: int
    unchanged: int


def compare(known: KnownWork, tasks: Sequence[Mapping[str, object]]) -> ProjectComparison:
    """Compare a project's tasks, as the server gives them, with what is known of it."""
    rows = {number: row for row in tasks if isinstance(number := row.get("id"), int)}
    there = {number: row for number, row in rows.items() if number in known.keys}
    recognised = [number for number, row in there.items() if _key(row) == known.keys[number]]
    unchanged = [
        number
        for number in recognised
        if number in known.seen and _time(there[number].get("updated_at")) == _time(known.seen[number])
    ]
    return ProjectComparison(_difference(known, rows, recognised), len(recognised), len(unchanged))


def _difference(known: KnownWork, rows: Mapping[int, Mapping[str, object]], recognised: Sequence[int]) -> str | None:
    """Return the first thing that no single server could show."""
    if others := known.keys.keys() & rows.keys() - set(recognised):
        return f"its task {min(others)} is another"
    for number in recognised:
        seen, now = _time(known.seen.get(number)), _time(rows[number].get("updated_at"))
        if seen is not None and now is not None and now < seen:
            return f"its task {number} was last changed before the state that was read"
    if (first := _cut_off(known, rows)) is not None:
        return f"it lacks task {first}, which was labelled, and all after it"
    return _other_annotation(known, rows)


def _cut_off(known: KnownWork, rows: Iterable[int]) -> int | None:
    """Return the first labelled task beyond all that are there: one of which others came after was deleted."""
    newest, labelled = max(rows, default=0), {annotation.key for annotation in known.annotations.values()}
    return min((number for number, key in known.keys.items() if number > newest and key in labelled), default=None)


def _other_annotation(known: KnownWork, rows: Mapping[int, Mapping[str, object]]) -> str | None:
    """Return a number that the server has given to another annotation than the one that was read."""
    for row in rows.values():
        annotations = row.get("annotations")
        for raw in annotations if isinstance(annotations, list) else ():
            number = raw.get("id") if isinstance(raw, Mapping) else None
            before = known.annotations.get(number) if isinstance(number, int) else None
            if before is None:
                continue
            made, read = _time(raw.get("created_at")), _time(before.at)
            if before.key != _key(row) or (made is not None and read is not None and made > read):
                return f"its annotation {number} is another"
    return None


def _key(row: Mapping[str, object]) -> str:
    data = row.get("data")
    return str(data.get("external_id", "")) if isinstance(data, Mapping) else ""


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
