"""Open a store that cannot be written.

SQLite shares a file in write-ahead mode through two files beside it. Where they cannot be made, the file is read as one that
nobody changes (`immutable`). That would leave out what the log still holds, so a log that is not empty is then an error.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from proxy.errors import StoreError

LOG, INDEX = "-wal", "-shm"


def is_writable(path: Path) -> bool:
    """Return whether the file can be changed: it and its folder, or it and the two files beside it, which are there already."""
    beside = [_beside(path, LOG), _beside(path, INDEX)]
    return _may(path, os.W_OK) and (_may(path.parent, os.W_OK) or all(_may(file, os.W_OK) for file in beside))


def address(path: Path) -> str:
    """Return the address at which SQLite opens the file for reading only; StoreError where its log would be left out."""
    log, index = _beside(path, LOG), _beside(path, INDEX)
    can_share = _may(path.parent, os.W_OK) or (_may(log, os.R_OK) and _may(index, os.R_OK))
    if not can_share and log.exists() and log.stat().st_size:
        raise StoreError(
            f"{path} is in a read-only folder, and {log.name} beside it holds changes that were not written back: open it once "
            "where you may write, or copy both files to a folder of your own"
        )
    return f"file:{quote(str(path.resolve()))}?mode=ro{'' if can_share else '&immutable=1'}"


def _beside(path: Path, ending: str) -> Path:
    real = path.resolve()
    return real.with_name(real.name + ending)


def _may(path: Path, how: int) -> bool:
    real = os.access in os.supports_effective_ids
    return os.access(path.resolve(), how, effective_ids=real)
