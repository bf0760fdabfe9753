"""Write a file whole or not at all, readable by its owner only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from proxy.errors import UsageError


def write_whole(path: str, ending: str, write: Callable[[IO[bytes]], object]) -> None:
    """Have `write` fill a file that takes the place of `path` when it is done; the name must end in `ending`."""
    target = Path(path)
    if target.suffix != ending:
        raise UsageError(f"{path}: name a file that ends in {ending}")
    if not target.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {target.parent}")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            write(stream)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
