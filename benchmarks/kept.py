"""Keep what took long to measure in a file of JSON lines, so that a table that was stopped goes on where it was.

A line holds what was measured under a key. The file knows nothing of the code that measured: start a new one after a change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

Row = Sequence[str | int | float]


def kept(path: Path | None, key: Row, measure: Callable[[], Sequence[Row]]) -> Sequence[Row]:
    """Return the rows that the file has under this key, or measure them and append them."""
    if path and path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["key"] == list(key):
                rows: Sequence[Row] = record["rows"]
                return rows
    rows = measure()
    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": list(key), "rows": rows}) + "\n")
    return rows
