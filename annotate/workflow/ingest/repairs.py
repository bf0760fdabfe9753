"""Resolve rows in quarantine that come in repaired.

A row of traffic is known by its id, wherever it comes from. A row that no id can be read from is known by its file and line, if
what stands there now is of the same item, or where none is named holds at least half of its words: a file of the same name may
hold other rows tomorrow. Where a row of the file with that id, or on that line, is refused again, nothing is repaired.
Resolved rows stay in the table.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from annotate.domain.field_mapping import Fields
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from proxy.errors import InputError
from proxy.records import Item

TRAFFIC = "traffic"
ALIKE = 0.5
WHOLE_FILE, NOWHERE = 0, -1
RowKey = str | int
NAMES = {*TRAFFIC_FIELDS, "text", "role", "content", "item_id", "label", "value", "None"}


class Repairs:
    """The open rows of a stage in quarantine that rows of one file may repair, and how many of them it did."""

    def __init__(self, store: Store, stage: str, path: str, paths: Mapping[str, str]) -> None:
        self._quarantine = store.traffic.quarantine
        self._stage = stage
        self._paths = paths
        self._open: defaultdict[RowKey, list[int]] = defaultdict(list)
        self._refused: set[RowKey] = set()
        self._resolved: defaultdict[RowKey, list[int]] = defaultdict(list)
        here = None if path == "-" else _place(path)
        for row, source, line, raw in self._quarantine.open(stage):
            key = self._key(line, raw)
            if isinstance(key, str) or (here is not None and _place(source) == here):
                self._open[key].append(row)

    @property
    def count(self) -> int:
        """How many rows are resolved, each once."""
        return sum(map(len, self._resolved.values()))

    def refuse(self, rows: Iterable[Quarantined]) -> None:
        """Note rows of the file that are refused this time as well: another row with their id repairs nothing.

        What an earlier row of the file has repaired is open again.
        """
        for row in rows:
            key = self._key(row.line, row.raw)
            self._refused.add(key)
            if reopened := self._resolved.pop(key, None):
                self._quarantine.reopen(reopened)

    def resolve(self, rows: Iterable[tuple[int, object, Mapping[str, object]]], *, now: str) -> None:
        """Resolve what these understood rows (line, value, fields as they came) repair."""
        for line, value, fields in rows if self._open else ():
            self._take(WHOLE_FILE, self._open.get(WHOLE_FILE, ()), now)
            if isinstance(value, Item):
                self._take(value.id, self._open.get(value.id, ()), now)
            alike = [row for row in self._open.get(line, ()) if self._is_alike(row, fields)]
            self._take(line, alike, now)

    def _take(self, key: RowKey, rows: Sequence[int], now: str) -> None:
        """Resolve open rows of a key, unless a row of it is refused."""
        if not rows or key in self._refused:
            return
        self._quarantine.resolve(rows, now=now)
        self._resolved[key] += rows
        self._open[key] = [row for row in self._open[key] if row not in set(rows)]

    def _is_alike(self, row: int, fields: Mapping[str, object]) -> bool:
        """Return whether what came in is an open row: of the same item, or else with at least half of its words."""
        raw = self._quarantine.raw(row)
        before, after = _name("item_id", raw, self._paths), _name("item_id", fields, self._paths)
        if before is not None and after is not None:
            return before == after
        words = _words(raw.decode("utf-8", "replace"))
        return not words or len(words & _words(repr(fields))) >= ALIKE * len(words)

    def _key(self, line: int, raw: bytes) -> RowKey:
        """Return what a row is known by: traffic by its id, where it can be read, else any row by its line."""
        name = _name("id", raw, self._paths) if self._stage == TRAFFIC else None
        if name is not None:
            return name
        # Rows that came beside others, as evaluations among traffic, have no line; a fault of the whole file holds nothing.
        return NOWHERE if line == WHOLE_FILE and raw else line


def _place(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (symlinks are kept: their target may change from day to day)


def _name(field: str, row: bytes | Mapping[str, object], paths: Mapping[str, str]) -> str | None:
    """Return the id or the item that a row names, where it can be read."""
    try:
        fields = json.loads(row) if isinstance(row, bytes) else row
        return Fields(fields, paths).short(field) if isinstance(fields, Mapping) else None
    except (ValueError, RecursionError, InputError):
        return None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text)) - NAMES
