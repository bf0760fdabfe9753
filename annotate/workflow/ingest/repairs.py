"""Resolve rows in quarantine that come in repaired.

A row of traffic is known by its id, wherever it comes from. A row that no id can be read from is known by its file and line,
if at least half of its words are in what stands there now: a file of the same name may hold other rows tomorrow. Resolved
rows stay in the table.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from annotate.domain.field_mapping import Fields
from annotate.domain.passages import TRAFFIC_FIELDS
from annotate.store import Store
from proxy.errors import InputError
from proxy.records import Item

TRAFFIC = "traffic"
ALIKE = 0.5
NAMES = {*TRAFFIC_FIELDS, "text", "role", "content", "item_id", "label", "value", "None"}


class Repairs:
    """The open rows of a stage in quarantine that rows of one file may repair."""

    def __init__(self, store: Store, stage: str, path: str, paths: Mapping[str, str]) -> None:
        self._store = store
        self._by_id: defaultdict[str, list[tuple[int, int | None]]] = defaultdict(list)
        self._refused: set[int] = set()
        self._by_line: defaultdict[int, list[int]] = defaultdict(list)
        here = None if path == "-" else _place(path)
        for row, source, line, raw in store.traffic.quarantine.open(stage):
            name = _id(raw, paths) if stage == TRAFFIC else None
            is_here = here is not None and _place(source) == here
            if name is not None:
                self._by_id[name].append((row, line if is_here else None))
            elif is_here:
                self._by_line[line].append(row)

    def refuse(self, lines: Iterable[int]) -> None:
        """Note lines of the file that are refused this time as well: another row with their id repairs nothing."""
        self._refused.update(lines)

    def resolve(self, rows: Iterable[tuple[int, object]], *, now: str) -> int:
        """Resolve what these understood rows (line, value) repair, and return how much that was."""
        if not self._by_id and not self._by_line:
            return 0
        repaired: list[int] = []
        for line, value in rows:
            if isinstance(value, Item):
                rows_of_id = self._by_id.pop(value.id, [])
                repaired += [row for row, place in rows_of_id if place not in self._refused]
            # A fault of the whole file stands at line 0: any row that is understood repairs it.
            repaired += self._by_line.pop(0, [])
            for row in self._by_line.get(line, []):
                if _is_alike(self._store.traffic.quarantine.raw(row), value):
                    repaired.append(row)
        self._store.traffic.quarantine.resolve(repaired, now=now)
        return len(repaired)


def _place(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (symlinks are kept: their target may change from day to day)


def _id(raw: bytes, paths: Mapping[str, str]) -> str | None:
    """Return the id of a refused row, where it can be read."""
    try:
        fields = json.loads(raw)
        return Fields(fields, paths).short("id") if isinstance(fields, dict) else None
    except (ValueError, RecursionError, InputError):
        return None


def _is_alike(raw: bytes, value: object) -> bool:
    """Return whether at least half of the words of a refused row are in the row that was understood."""
    words = _words(raw.decode("utf-8", "replace"))
    return not words or len(words & _words(repr(value))) >= ALIKE * len(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text)) - NAMES
