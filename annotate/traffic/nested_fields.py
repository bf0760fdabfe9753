"""Find where the time and the conversation of an answer may lie deep within a row: they are proposed, and never taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.feedback import read_value
from annotate.domain.field_mapping import Fields, follow, path_below
from annotate.domain.timestamps import DateOrder, Times
from annotate.domain.turns import read_turns
from annotate.traffic.content import HISTORIES, finite, loaded
from annotate.traffic.metrics import is_of_users
from annotate.traffic.near_names import SYNONYMS
from annotate.traffic.nested_paths import RETRIEVED
from annotate.traffic.source_format import Row
from proxy.errors import InputError

DEEPEST, MOST, MOST_ROWS = 5, 400, 10
# Below a column, what is called feedback may be a judge's; a thumb is a user's.
VALUE, THUMBS = "value", re.compile(r"thumb|vote|like")
TIMES = ("timestamp", *SYNONYMS["timestamp"])
CONVERSATIONS = re.compile(r"(conversation|session|thread|chat|dialog|dialogue|conv)(id|key|uuid|no|number)?")


class _Leaf(NamedTuple):
    """A value that is no object and no list: its key, this without case and separators, its path, and how deep it lies."""

    key: str
    name: str
    path: str
    depth: int
    value: object


def nested_time(rows: Sequence[Row]) -> str | None:
    """Return the path of a time below the columns, the surest name first; None where there is none."""
    return _nested(rows, lambda leaf: TIMES.index(leaf.name) if leaf.name in TIMES and _is_time(leaf.value) else None)


def time_column(rows: Sequence[Row], columns: Collection[str]) -> str | None:
    """Return the column whose filled values are all times; a number, also as text, may be anything."""
    for column in columns:
        values = [value for row in rows if (value := row.get(column)) not in (None, "")]
        if values and all(isinstance(value, str) and not _is_number(value) and _is_time(value) for value in values):
            return column
    return None


def history_column(rows: Sequence[Row], columns: Collection[str]) -> str | None:
    """Return the column that is called like the turns before a question, and holds such turns; None where there is none."""
    named = [column for column in columns if column.casefold() in HISTORIES]
    return next((column for column in named if any(_holds_turns(row.get(column)) for row in rows)), None)


def _holds_turns(value: object) -> bool:
    turns = loaded(value)
    try:
        return isinstance(turns, list) and bool(read_turns(turns))
    except InputError:
        return False


def nested_conversation(rows: Sequence[Row]) -> str | None:
    """Return the path of what is called like a conversation or a session below the columns; None where there is none."""
    return _nested(rows, lambda leaf: 0 if CONVERSATIONS.fullmatch(leaf.name) and _is_name(leaf.value) else None)


def thumbs_path(rows: Sequence[Row], columns: Collection[str]) -> str | None:
    """Return the path of users' feedback in or below some columns: by name, where each value is a vote; None where none is."""
    votes: dict[str, list[int | None]] = {}
    for row in rows:
        for leaf in _leaves({name: row[name] for name in columns if name in row}):
            if is_of_users(_named_by(leaf)):
                votes.setdefault(leaf.path, []).append(_vote(leaf.value))
    return next((path for path, signs in votes.items() if None not in signs and any(signs)), None)


def _named_by(leaf: _Leaf) -> str:
    """Return the name that says what a value is; of a bare `value` that of its column, or of the thumb that it belongs to."""
    above = [name for name in re.split(r"[.\[\]]+", leaf.path)[:-1] if name and not name.isdecimal()]
    if leaf.key != VALUE or not above:
        return leaf.key
    return above[-1] if len(above) == 1 or THUMBS.search(above[-1].casefold()) else leaf.key


def _vote(value: object) -> int | None:
    """Return the sign of a vote; a number with decimals is a machine's or a mean: people give marks, and halves of them."""
    number = finite(value)
    if number is not None and not (2 * number).is_integer():
        return None
    try:
        return read_value(value)[0]
    except InputError:
        return None


def _nested(rows: Sequence[Row], rank: Callable[[_Leaf], int | None]) -> str | None:
    ranked = [
        (place, leaf.depth, leaf.path)
        for row in rows[:MOST_ROWS]
        for leaf in _leaves(row)
        if leaf.depth and (place := rank(leaf)) is not None and follow(row, leaf.path) == leaf.value
    ]
    return min(ranked)[2] if ranked else None


def _leaves(row: Row) -> list[_Leaf]:
    leaves: list[_Leaf] = []
    for name, value in row.items():
        for leaf in _below(str(name), path_below("", str(name)), value, 0):
            leaves.append(leaf)
            if len(leaves) == MOST:
                return leaves
    return leaves


def _below(name: str, path: str, value: object, depth: int) -> Iterator[_Leaf]:
    """Yield what lies at a path and below it, but for what was retrieved: a document has times of its own."""
    value = loaded(value)
    if RETRIEVED.search(name) and isinstance(value, Mapping | list):
        return
    if isinstance(value, Mapping) and depth < DEEPEST:
        for key, inner in value.items():
            yield from _below(str(key), path_below(path, str(key)), inner, depth + 1)
    elif isinstance(value, list) and value:
        yield from _below(name, f"{path}[0]", value[0], depth)
    elif isinstance(value, str | int | float) and value != "":
        yield _Leaf(name, re.sub(r"[\W_]+", "", name.casefold()), path, depth, value)


def _is_time(value: object) -> bool:
    try:
        return any(Fields({"at": value}, {}).moment("at", Times(order=order)) is not None for order in DateOrder)
    except InputError:
        return False


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _is_name(value: object) -> bool:
    try:
        return not isinstance(value, float) and Fields({"name": value}, {}).short("name") is not None
    except InputError:
        return False
