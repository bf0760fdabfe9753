"""Map foreign fields to ours: find where each of our fields lies in a row, by name or by `--map field=path`.

A path is a column name, or steps into nested values. What no field claims is metadata. A name of ours is also read from the
column that differs in case, blanks, dashes and underscores alone (`Question`, `Item ID`), where the exact one is not there.

Follow a path of `--map` into nested values: `inputs.messages[-1].content`, `attributes["llm.input"]`. A name may hold dots:
the longest part of the path that is a key is tried first. In `["…"]` a name is taken as it is; `[*]` is every element of
a list. `.split("…")` at the end makes a list of a text.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from annotate.domain.absent import NO_TEXTS, is_absent
from annotate.domain.timestamps import Times, shown
from proxy.errors import InputError, UsageError
from proxy.text.written_lists import as_list

SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DEPTH = 50
MAX_ID_LENGTH = 1000
OPTION = " (use --map "
MOST_LISTED = 12
# Of texts within a nested value, and of the levels above them.
MOST_WITHIN, DEEPEST_LISTED = 4, 6
PLAIN_NAME = re.compile(r"[^.\[\]]+")

TYPE_NAMES = {dict: "an object", list: "a list", str: "text", bool: "true/false", int: "a number", float: "a number"}
STEP = re.compile(r"""\.?(?:([^.\[\]]+)|\[(-?\d+|\*)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\])""")
ESCAPED = re.compile(r"\\(.)")
SPLIT = re.compile(r"""\.split\(("(?:[^"\\]|\\.)+"|'(?:[^'\\]|\\.)+')\)""")

# Fields that are lists, so that several columns may hold them.
SEVERAL = ("contexts", "retrieved")

# A name or an index, and whether it is taken as it is; None for every element of a list.
Step = tuple[str | int | None, bool]
EVERY = "*"


def parse_mapping(pairs: Iterable[str], known: tuple[str, ...]) -> dict[str, str]:
    """Parse `field=path` pairs to a dict; an unknown field is refused with the list of known ones.

    Several paths of one field are held as lines of one text, in their order.
    """
    mapping: dict[str, str] = {}
    for pair in pairs:
        name, separator, path = pair.partition("=")
        if not separator or name not in known:
            raise UsageError(f"--map {pair}: write field=path, where field is one of {', '.join(known)}")
        if name in mapping and not (name in SEVERAL and path and mapping[name]):
            raise UsageError(f"--map {pair}: {name} has a path already; only {' and '.join(SEVERAL)} take several")
        if (inner := _split(path)) is not None and _split(inner[0]) is not None:
            raise UsageError(f"--map {pair}: a path is split once: write .split(…) once, at its end")
        mapping[name] = f"{mapping[name]}\n{path}" if name in mapping else path
    return mapping


def paths_in(path: str) -> tuple[str, ...]:
    """Return the paths of a field that is read from several, in their order."""
    return tuple(path.split("\n"))


def without_split(path: str) -> str:
    """Return a path without the split at its end."""
    split = _split(path)
    return path if split is None else split[0]


@lru_cache(maxsize=256)
def _split(path: str) -> tuple[str, str] | None:
    """Return the path of a text and what it is split at; None for a path that splits nothing."""
    last = list(SPLIT.finditer(path))[-1:] if path.endswith(")") else []
    if not last or last[0].end() < len(path):
        return None
    written = last[0][1][1:-1]
    if last[0][1].startswith("'"):
        written = written.replace("\\'", "'").replace('"', '\\"')
    try:
        return path[: last[0].start()], json.loads(f'"{written}"', strict=False)
    except ValueError:
        return None


class Fields:
    """One row, asked by our names."""

    def __init__(self, row: Mapping[str, object], mapping: Mapping[str, str]) -> None:
        self._row = row
        self._mapping = mapping
        self._by_spelling: Mapping[str, tuple[str, ...]] | None = None

    def value(self, name: str) -> object:
        """Return what the row holds for this field, or None; an empty path in the mapping means: take nothing."""
        path = self._mapping.get(name, name) if self._mapping else name
        if path in self._row:
            return self._row[path]
        if self._mapping and name in self._mapping:
            if "\n" in path:
                return self._listed(paths_in(path)) or None
            return follow(self._row, path) if path else None
        column = self._respelled(name)
        return None if column is None else self._row[column]

    def _listed(self, paths: Iterable[str]) -> list[object]:
        """Return what lies at several paths as one list; an empty cell adds nothing."""
        return [value for path in paths for value in Fields(self._row, {"value": path}).sequence("value")]

    def has(self, name: str) -> bool:
        """Return whether the row has a place for this field, filled or not."""
        return self._mapping.get(name, self.column(name)) in self._row or self.value(name) is not None

    def column(self, name: str) -> str:
        """Return the column that `value` reads: the name itself, or the same in other spelling."""
        return name if name in self._row else self._respelled(name) or name

    def _respelled(self, name: str) -> str | None:
        """Return the column that has this name in other spelling, if any."""
        if self._by_spelling is None:
            self._by_spelling = _by_spelling(tuple(self._row))
        if not self._by_spelling:
            return None
        columns = self._by_spelling.get(_spelling(name), ())
        taken = (
            {without_split(part) for path in self._mapping.values() for part in paths_in(path)} if self._mapping else ()
        )
        free = [column for column in columns if column not in taken] if taken else columns
        if len(free) > 1:
            raise InputError(
                f"{name}: columns {' and '.join(map(shown, free[:2]))} differ in spelling only: add --map {name}=COLUMN"
            )
        return free[0] if free else None

    def text(self, name: str) -> str | None:
        """Return the field as text, exactly as it came; None where there is none."""
        value = self.value(name)
        if value is None or isinstance(value, str):
            return value or None
        todo = (
            f"point to the text in it, such as --map {name}={name}.KEY"
            if isinstance(value, (dict, list))
            else "quote it as text"
        )
        raise InputError(f"{name}: expected text, found {_kind(value)}; {todo}")

    def words(self, name: str) -> str | None:
        """Return the field as text; None too for what programs write where there is none."""
        text = self.text(name)
        return None if text in NO_TEXTS else text

    def short(self, name: str) -> str | None:
        """Return the field as an identifier: text or a whole number, of a length that names something.

        None too for what programs write where there is none, `None` and `null` among it.
        """
        value = self.value(name)
        if value is None or is_absent(value):
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            key = next(iter(value), None) if isinstance(value, Mapping) else None
            todo = "" if key is None else f"; point to it, such as --map {shlex.quote(f'{name}={name}.{key}')}"
            raise InputError(f"{name}: expected text or a whole number, found {_kind(value)}{todo}")
        if len(value) > MAX_ID_LENGTH or "\0" in value or (not value.isascii() and SURROGATE.search(value)):
            raise InputError(
                f"{name}: no name is longer than {MAX_ID_LENGTH} characters or holds NUL or half characters"
            )
        return value

    def number(self, name: str) -> float | None:
        """Return the field as a finite number."""
        value = self.value(name)
        if value is None or value == "":
            return None
        try:
            number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f"{name}: expected a number, found {shown(value)}")
        return number

    def moment(self, name: str, times: Times | None = None) -> str | None:
        """Return the field as ISO 8601 in UTC; one that is unreadable or impossible is dropped, and counted in `times`."""
        return (times or Times()).read(self.value(name))

    def sequence(self, name: str) -> list[object]:
        """Return the field as a list: a list, a list written as text (see written_lists.py), or one text by itself."""
        return as_list(self.value(name), name)

    def others(self, known: tuple[str, ...]) -> dict[str, object]:
        """Return what no field of ours claims, in a form that JSON can hold."""
        mapping = self._mapping
        if not mapping and _are_all(tuple(self._row), known):
            return {}
        claimed = (
            {without_split(part) for name in known for part in paths_in(mapping.get(name, name))} if mapping else known
        )
        if _by_spelling(tuple(self._row)):
            absent = (name for name in known if name not in self._mapping and name not in self._row)
            claimed = {*claimed, *(column for name in absent if (column := self._respelled(name)) is not None)}
        return {
            str(name): plain(value) for name, value in self._row.items() if name not in claimed and value is not None
        }


@lru_cache(maxsize=64)
def _are_all(columns: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Return whether each column is a known one."""
    return {*known}.issuperset(columns)


@lru_cache(maxsize=64)
def _by_spelling(columns: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return the columns by their spelling, for those alone that are not written so."""
    by_spelling: dict[str, tuple[str, ...]] = {}
    for column in columns:
        spelling = _spelling(column) if isinstance(column, str) else column
        if spelling != column:
            by_spelling[spelling] = (*by_spelling.get(spelling, ()), column)
    return by_spelling


@lru_cache(maxsize=1024)
def _spelling(name: str) -> str:
    """Return a name without what spelling differs in; an underscore in front says that a name is another (`_id`)."""
    return name if name.startswith("_") else re.sub(r"[\s_-]+", "", name).casefold()


def plain(value: object, depth: int = 0) -> object:
    """Return the value as JSON can hold it: NaN, dates and bytes as text, nothing deeper than MAX_DEPTH."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth == MAX_DEPTH:
        raise InputError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return {str(name): plain(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, depth + 1) for inner in value]
    return str(value)


def missing(name: str, row: Mapping[str, object], mapping: Mapping[str, str]) -> str:
    """Say what is missing: a cell without content, or a column, and how to point to it."""
    looked = mapping.get(name, name)
    column = looked if name in mapping else Fields(row, mapping).column(name)
    if column in row:
        return f"no {name}: {column!r} is empty in this row"
    columns = columns_listed(
        [place for column in sorted(map(str, row)) for place in _texts_in(row.get(column), column)]
    )
    return f"no {name}: nothing under {looked!r}; the row has {columns}{OPTION}{name}=COLUMN)"


def _texts_in(value: object, path: str) -> list[str]:
    """Return the paths of the first texts in a nested value; its own path where it is not nested, or holds none."""
    return (
        list(islice(_text_paths(value, path), MOST_WITHIN)) if isinstance(value, (Mapping, list)) and value else [path]
    )


def _text_paths(value: object, path: str, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str) or depth == DEEPEST_LISTED:
        yield path
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if inner and isinstance(inner, (str, Mapping, list)):
                yield from _text_paths(inner, path_below(path, str(name)), depth + 1)
    elif isinstance(value, list) and value:
        yield from _text_paths(value[0], f"{path}[0]", depth + 1)


def path_below(path: str, name: str) -> str:
    """Return the path of what has a name within the value at another path; an empty path is the row itself."""
    if not PLAIN_NAME.fullmatch(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


def columns_listed(names: Sequence[str], most: int = MOST_LISTED) -> str:
    """Return the first names as a list, and how many there are beside them."""
    listed = ", ".join(names[:most]) or "nothing"
    return f"{listed} and {len(names) - most:,} more" if len(names) > most else listed


def without_option(reason: str) -> str:
    """Return what `missing` says without the option of commands, for whoever sends rows by HTTP."""
    return reason.partition(OPTION)[0]


def _kind(value: object) -> str:
    return TYPE_NAMES.get(type(value), type(value).__name__)


def follow(value: object, path: str) -> object:
    """Return what lies at the path, or None; JSON held as text is read on the way."""
    if (split := _split(path)) is not None:
        column, separator = split
        if _split(column) is not None:
            return None
        text = value[column] if isinstance(value, Mapping) and column in value else follow(value, column)
        return [part.strip() for part in text.split(separator) if part.strip()] if isinstance(text, str) else text
    steps = _steps(path)
    return None if steps is None else _follow(value, steps)


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[Step, ...] | None:
    """Return (name or index, whether it is quoted) for each step; None where the path cannot be parsed."""
    steps: list[Step] = []
    place = 0
    while place < len(path):
        step = STEP.match(path, place)
        if step is None:
            return None
        name, index, double, single = step.groups()
        if index is not None:
            steps.append((None if index == EVERY else int(index), True))
        else:
            quoted = double if double is not None else single
            steps.append((name, False) if quoted is None else (ESCAPED.sub(r"\1", quoted), True))
        place = step.end()
    return tuple(steps)


def _follow(value: object, steps: tuple[Step, ...]) -> object:
    if not steps:
        return value
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(value, parse_constant=str)
        except (ValueError, RecursionError):
            return None
    first, is_quoted = steps[0]
    if first is None:
        return _of_every(value, steps[1:]) if isinstance(value, list) else None
    if isinstance(first, int):
        if isinstance(value, list) and -len(value) <= first < len(value):
            return _follow(value[first], steps[1:])
        return None
    if not isinstance(value, Mapping):
        return None
    if is_quoted:
        return _follow(value.get(first), steps[1:])
    names = [first]
    for name, quoted in steps[1:]:
        if quoted:
            break
        names.append(str(name))
    for count in range(len(names), 0, -1):
        key = ".".join(names[:count])
        if key in value and (nested := _follow(value[key], steps[count:])) is not None:
            return nested
    return None


def _of_every(values: list[object], steps: tuple[Step, ...]) -> list[object] | None:
    """Follow the steps into every element of a list, and return the values as one list; None if there are no values."""
    is_nested = any(step is None for step, _ in steps)
    collected: list[object] = []
    for element in values:
        value = _follow(element, steps)
        if is_nested and isinstance(value, list):
            collected.extend(value)
        elif value is not None:
            collected.append(value)
    return collected or None
